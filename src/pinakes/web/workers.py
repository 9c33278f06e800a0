"""Parsing a web's pages on all cores.

Workers are processes of this module that speak length-prefixed messages on their standard streams. They are started
plainly rather than through `multiprocessing`, which would run a caller's script again, and so work from notebooks and
unguarded scripts alike. A page that kills its worker costs that page only.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import IO

import msgspec

from pinakes.core.page import Link, Page
from pinakes.web.parsing import Parsed, Parser, Task


def parse_all(files: Sequence[Path], chunks: Sequence[Sequence[Task]], workers: int) -> Iterator[Parsed]:
    """The pages of all chunks, in order."""
    if workers < 2:
        with closing(Parser(files)) as parser:
            yield from map(parser.parse, chunks)
        return
    team = [_Worker(files) for _ in range(workers)]
    idle: SimpleQueue[_Worker] = SimpleQueue()
    for worker in team:
        idle.put(worker)

    def work(chunk: Sequence[Task]) -> list[Parsed]:
        worker = idle.get()
        try:
            return worker.parse(chunk)
        finally:
            idle.put(worker)

    pool = ThreadPoolExecutor(workers)
    try:
        under_way: deque[Future[list[Parsed]]] = deque()
        for chunk in chunks:
            under_way.append(pool.submit(work, chunk))
            if len(under_way) > 4 * workers:
                yield from under_way.popleft().result()
        while under_way:
            yield from under_way.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in team:
            worker.end()


class _Worker:
    """A process that parses chunks, started again when it dies."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = files
        self._ended = False
        self._start()

    def _start(self) -> None:
        # A session of its own keeps Ctrl-C from it: it ends when its input does.
        self._process = subprocess.Popen(
            [sys.executable, "-m", "pinakes.web.workers", *(str(file.resolve()) for file in self._files)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin, self._process.stdout
        if receive(self._from) is None:
            raise RuntimeError("a parsing process did not start")

    def parse(self, chunk: Sequence[Task]) -> list[Parsed]:
        """The chunk as one piece; when a page of it kills the process, in pieces of one page each."""
        answer = None
        with suppress(BrokenPipeError):
            send(self._to, msgspec.msgpack.encode(chunk))
            answer = receive(self._from)
        if answer is not None:
            return [msgspec.msgpack.decode(answer, type=Parsed)]
        if self._ended:
            return []
        self._stop()
        self._start()
        if len(chunk) > 1:
            return [parsed for task in chunk for parsed in self.parse([task])]
        with closing(Parser(())) as parser:
            return [parser.columns([Page(Link(chunk[0].url), chunk[0].url, error="unreadable")])]

    def end(self) -> None:
        self._ended = True
        self._stop()

    def _stop(self) -> None:
        """Let the process finish, since it has a child of its own to end; if that takes long, kill it."""
        with suppress(BrokenPipeError):
            self._to.close()
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._from.close()


def send(stream: IO[bytes], data: bytes) -> None:
    """Pass a message on."""
    stream.write(len(data).to_bytes(8, "little") + data)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """The next message; None when the other side is gone."""
    prefix = stream.read(8)
    size = int.from_bytes(prefix, "little")
    data = stream.read(size) if len(prefix) == 8 else b""
    return data if len(prefix) == 8 and len(data) == size else None


def main() -> None:
    # Only messages may go to standard output, whatever a library prints.
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with closing(Parser([Path(name) for name in sys.argv[1:]])) as parser:
        send(output, b"")
        while (message := receive(sys.stdin.buffer)) is not None:
            tasks = msgspec.msgpack.decode(message, type=list[Task])
            send(output, msgspec.msgpack.encode(parser.parse(tasks)))


if __name__ == "__main__":
    main()
