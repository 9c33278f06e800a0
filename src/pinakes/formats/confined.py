"""Work on hostile bytes in a process of its own.

What reads documents from strangers may crash, hang or eat memory. So a child process does the reading, under limits on
its processor time and memory; when it dies or overruns, only the document is lost and the next one gets a new child.
On the child's standard input come documents, on its standard output go answers as JSON, each with its length in front.
"""

from __future__ import annotations

import contextlib
import os
import resource
import selectors
import signal
import struct
import subprocess
import sys
from collections.abc import Callable
from time import monotonic

_SIZE = struct.Struct("<Q")
_CHUNK = 1 << 16


class ConfinedError(Exception):
    """There is no answer; the text is `too-slow`, `crashed` (as when memory runs out) or `unavailable` (no child)."""


class Confined:
    """One child, which starts when first needed. Not for several threads at once."""

    def __init__(self, module: str, cpu_seconds: int, wall_seconds: float, memory: int, answer_limit: int) -> None:
        """`module` ends in `serve(work)`, run when it is the main program."""
        self._module, self._limits = module, (cpu_seconds, memory)
        self.wall_seconds, self._answer_limit = wall_seconds, answer_limit
        self.child: subprocess.Popen[bytes] | None = None

    def ask(self, data: bytes) -> bytes:
        """The child's answer to a document. Raises `ConfinedError`; blocks up to `wall_seconds`."""
        try:
            child = self._started()
        except OSError:
            raise ConfinedError("unavailable") from None
        try:
            return _exchanged(child, data, self.wall_seconds, self._answer_limit)
        except TimeoutError:
            error = "too-slow"
        except (OSError, EOFError, ValueError):
            error = "crashed"
        self.close()
        raise ConfinedError("too-slow" if child.returncode == -signal.SIGXCPU else error)

    def close(self) -> None:
        """End the child; the next document starts another."""
        child, self.child = self.child, None
        if child:
            child.kill()
            child.wait()
            for pipe in (child.stdin, child.stdout):
                if pipe:
                    with contextlib.suppress(OSError):
                        pipe.close()

    def __del__(self) -> None:
        try:  # noqa: SIM105  half of the interpreter may be gone by now, and contextlib with it
            self.close()
        except Exception:
            pass

    def _started(self) -> subprocess.Popen[bytes]:
        if self.child and self.child.poll() is not None:
            self.close()
        if self.child is None:
            # -P: a module of the same name in the current folder must not get in the way.
            self.child = subprocess.Popen(
                [sys.executable, "-P", "-m", self._module, *map(str, self._limits)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                start_new_session=True,  # Ctrl-C is for the parent; the child ends when its input does
            )
        return self.child


def _exchanged(child: subprocess.Popen[bytes], data: bytes, seconds: float, limit: int) -> bytes:
    """Send a document and receive the answer, whatever the child does in between."""
    assert child.stdin
    assert child.stdout
    write, read = child.stdin.fileno(), child.stdout.fileno()
    os.set_blocking(write, False)
    unsent = memoryview(_SIZE.pack(len(data)) + data)
    answer = bytearray()
    wanted = _SIZE.size
    deadline = monotonic() + seconds
    with selectors.DefaultSelector() as selector:
        selector.register(write, selectors.EVENT_WRITE)
        selector.register(read, selectors.EVENT_READ)
        while len(answer) < wanted:
            ready = selector.select(max(deadline - monotonic(), 0))
            if not ready:
                raise TimeoutError
            for key, _ in ready:
                if key.fd == write:
                    unsent = unsent[os.write(write, unsent[:_CHUNK]) :]
                    if not unsent:
                        selector.unregister(write)
                else:
                    received = os.read(read, _CHUNK)
                    if not received:
                        child.wait(1)
                        raise EOFError
                    answer += received
                    if len(answer) >= _SIZE.size:
                        wanted = _SIZE.size + _SIZE.unpack_from(answer)[0]
                        if wanted > limit:
                            raise ValueError
    return bytes(answer[_SIZE.size :])


def _limit(what: int, value: int) -> None:
    with contextlib.suppress(ValueError, OSError):  # not every system has every limit
        resource.setrlimit(what, (value, resource.getrlimit(what)[1]))


def serve(work: Callable[[bytes], bytes]) -> None:
    """Be the child: answer documents until there are no more. Load libraries before, for memory is limited here."""
    cpu_seconds, memory = int(sys.argv[1]), int(sys.argv[2])
    read, out = sys.stdin.buffer.read, sys.stdout.buffer
    _limit(resource.RLIMIT_AS, memory)
    _limit(resource.RLIMIT_CORE, 0)
    while len(size := read(_SIZE.size)) == _SIZE.size:
        data = read(_SIZE.unpack(size)[0])
        used = resource.getrusage(resource.RUSAGE_SELF)
        _limit(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime) + cpu_seconds + 1)
        answer = work(data)
        out.write(_SIZE.pack(len(answer)) + answer)
        out.flush()
