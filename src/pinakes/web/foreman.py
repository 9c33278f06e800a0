"""The process that starts those that fetch, seen from the one that decides: what they all need is loaded once.

At its beginning a crawl most often has one thread. Its process can then be forked, and what it has loaded is there
already; to load it again takes as long as reading a hundred pages. But a lock that another thread holds would stay
locked in a forked process for good, so with several threads a new interpreter is started.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from pinakes.web.hand import enlisted, held

_PATIENCE = 3.0
"""How long processes may take to end of themselves."""
_SOON = 0.005


class Foreman:
    """Started when first needed, and again should it die; what it runs is `pinakes.web.hand`."""

    def __init__(self, options: bytes) -> None:
        self._options = options
        self._process: subprocess.Popen[bytes] | _Forked | None = None
        self._line: socket.socket | None = None
        self._first = True

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
            # Later the crawl's process has grown, and the memory it had when it was forked would be held twice.
            self._process = _Forked(theirs) if self._first and _alone() else _new(theirs)
        self._first = False
        self._line.sendall(len(self._options).to_bytes(4, "little") + self._options)


def _alone() -> bool:
    """True when this process is known to have one thread."""
    try:
        return len(list(Path("/proc/self/task").iterdir())) == 1
    except OSError:
        return False


def _new(line: socket.socket) -> subprocess.Popen[bytes]:
    """Started as a program of its own, with its end of the line as standard input."""
    # A session of its own keeps Ctrl-C from it. -P: no module of the current folder may get in the way.
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "pinakes.web.hand", str(os.getpid())],
        stdin=line.fileno(),
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )


class _Forked:
    """Forked from this process; as much of a `Popen` as is needed."""

    def __init__(self, line: socket.socket) -> None:
        parent, ours = os.getpid(), held()
        self._pid = os.fork()
        self._ended: int | None = None
        if not self._pid:
            enlisted(line, parent, ours)

    def poll(self) -> int | None:
        if self._ended is None:
            try:
                pid, code = os.waitpid(self._pid, os.WNOHANG)
            except ChildProcessError:  # where SIGCHLD is ignored, nothing is kept of a child that ended
                pid, code = self._pid, 0
            self._ended = code if pid else None
        return self._ended

    def wait(self, seconds: float = float("inf")) -> None:
        until = time.monotonic() + seconds
        while self.poll() is None:
            if time.monotonic() > until:
                raise subprocess.TimeoutExpired("the process that starts others", seconds)
            time.sleep(_SOON)

    def kill(self) -> None:
        os.kill(self._pid, signal.SIGKILL)
