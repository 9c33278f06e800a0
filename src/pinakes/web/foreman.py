"""The process that starts those that fetch, seen from the one that decides: it loads once what they all need."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

_PATIENCE = 3.0
"""How long processes may take to end of themselves."""


class Foreman:
    """Started when first needed, and again should it die; what it runs is `pinakes.web.hand`."""

    def __init__(self, options: bytes) -> None:
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None
        self._line: socket.socket | None = None

    def hire(self, end: socket.socket) -> bool:
        """Start a hand on its end of a channel; false when no process can be started."""
        for _ in range(2):  # a foreman may have died, and its hands with it
            try:
                if self._line is None or self._process is None or self._process.poll() is not None:
                    self._start()
                assert self._line is not None
                socket.send_fds(self._line, [b"h"], [end.fileno()])
                return True
            except OSError:
                self.dismiss()
        return False

    def dismiss(self) -> None:
        """Let the hands finish, since they may have children of their own to end; if that takes long, kill all."""
        if self._line is not None:
            self._line.close()
        if self._process is not None:
            try:
                self._process.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                self._process.kill()  # which the kernel takes for the end of its hands too
                self._process.wait()
        self._line = self._process = None

    def _start(self) -> None:
        self.dismiss()
        self._line, theirs = socket.socketpair()
        with theirs:
            # A session of its own keeps Ctrl-C from it. -P: no module of the current folder may get in the way.
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "pinakes.web.hand", str(os.getpid())],
                stdin=theirs.fileno(),
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        self._line.sendall(len(self._options).to_bytes(4, "little") + self._options)
