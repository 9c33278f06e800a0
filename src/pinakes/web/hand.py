"""A fetching process: takes links from a channel, brings their pages home on it, and ends when the channel does.

Between it and the process that decides stands the foreman, who never fetches: everything is loaded once, and for each
end of a channel that arrives on its line it forks a hand, which costs next to nothing. It has no threads, so forking is
always safe there. `pinakes.web.foreman` starts it.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import gc
import itertools
import os
import signal
import socket
import stat
import sys
import traceback
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import NoReturn

import msgspec

from pinakes.core.errors import PinakesError
from pinakes.web.answers import Answer
from pinakes.web.channel import ANSWERED, ASK, BROKEN, FAILED, FETCH, FETCHED, READY, TELL, Channel
from pinakes.web.client import Trouble
from pinakes.web.http import LiveOptions, LiveWeb
from pinakes.web.loop import run as run_loop
from pinakes.web.shipping import Errand, Question, encoded, packed

NAME = b"pinakes-hand"
"""What these processes are called in lists of them."""
_PR_SET_PDEATHSIG, _PR_SET_NAME = 1, 15
_STANDARD = 2
"""The last of the standard streams."""
_LET_GO = (stat.S_IFREG, stat.S_IFSOCK, stat.S_IFIFO)
_SELDOM = 20_000
"""Objects made between two searches for circles of garbage, of which reading pages makes hardly any."""

Held = Mapping[int, tuple[int, int]]
"""Numbers of open files, with their devices and inodes."""
Answered = tuple[int, Answer | None, Trouble | None]
"""A question's number and what came of it."""


class Hand:
    """The live web at one end of a channel."""

    def __init__(self, options: LiveOptions) -> None:
        self._validators: dict[str, tuple[str, str]] = {}
        self._web = LiveWeb(options, validators=self._validators, tell=self._tell, away=self._ask_away)
        self._channel = Channel(self._heard, self._lost)
        self._gone = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._numbers = itertools.count()
        self._asked: dict[int, asyncio.Future[Answer | Trouble]] = {}
        self._errand = msgspec.msgpack.Decoder(Errand).decode
        self._question = msgspec.msgpack.Decoder(Question).decode
        self._answered = msgspec.msgpack.Decoder(Answered).decode

    async def run(self, end: socket.socket) -> None:
        await asyncio.get_running_loop().connect_accepted_socket(lambda: self._channel, end)
        self._channel.send(READY, encoded(os.getpid()))
        await self._gone.wait()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._web.close()

    def _heard(self, kind: int, data: memoryview) -> None:
        if kind == FETCH:
            self._begin(self._fetch(self._errand(data)))
        elif kind == ASK:
            self._begin(self._answer(self._question(data)))
        elif kind == ANSWERED:
            number, answer, trouble = self._answered(data)
            if (future := self._asked.pop(number, None)) is not None and not future.done():
                future.set_result(answer or trouble or Trouble("connection"))

    def _lost(self) -> None:
        self._gone.set()

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _fetch(self, errand: Errand) -> None:
        if errand.etag or errand.modified:
            self._validators[errand.url] = (errand.etag, errand.modified)
        try:
            parcel = packed(errand.number, await self._web.fetch(errand.link))
        except PinakesError as error:
            self._channel.send(FAILED, encoded((errand.number, str(error))))
        except Exception:
            self._channel.send(BROKEN, encoded((errand.number, traceback.format_exc())))
        else:
            self._channel.send(FETCHED, *parcel)
        finally:
            self._validators.pop(errand.url, None)

    async def _answer(self, question: Question) -> None:
        """Ask one of our hosts for a neighbour, when it is its turn."""
        answer = await self._web.ask(question.url, question.limit)
        trouble = isinstance(answer, Trouble)
        self._channel.send(
            ANSWERED, encoded((question.number, None if trouble else answer, answer if trouble else None))
        )

    async def _ask_away(self, url: str, limit: int) -> Answer | Trouble:
        """Ask a host that may be a neighbour's."""
        number = next(self._numbers)
        future: asyncio.Future[Answer | Trouble] = asyncio.get_running_loop().create_future()
        self._asked[number] = future
        self._channel.send(ASK, encoded(Question(number, url, limit)))
        return await future

    def _tell(self, sentence: str) -> None:
        self._channel.send(TELL, encoded(sentence))


def main() -> None:
    """A foreman that was started as a program of its own, with the line as standard input."""
    _die_with(int(sys.argv[1]))
    oversee(socket.socket(fileno=os.dup(0)))


def enlisted(line: socket.socket, decider: int, theirs: Held) -> NoReturn:
    """A foreman that was forked from the process that decides, of which it keeps what is loaded, and nothing else."""
    try:
        gc.freeze()  # nothing that the decider has is to be tidied up here
        signal.set_wakeup_fd(-1)
        for number in signal.valid_signals():
            if callable(signal.getsignal(number)):  # a function of the decider's, as no new program would have
                signal.signal(number, signal.SIG_DFL)
        os.setsid()
        _die_with(decider)
        _let_go(theirs, line.fileno())
        oversee(line)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def held() -> Held:
    """The files, sockets and pipes this process has open, by number, each with what tells it from others."""
    found = {}
    for entry in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            one = entry.stat()
            if stat.S_IFMT(one.st_mode) in _LET_GO:
                found[int(entry.name)] = (one.st_dev, one.st_ino)
    return found


def _let_go(theirs: Held, line: int) -> None:
    """Let go of what the decider has open, else it would not be closed before we end. Nothing takes its place, so that
    what somebody still writes there, as a log, does not go to a site that got the same number. Pipes that an event loop
    has made anew in this process are not those of the decider."""
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    for number, which in held().items():
        if number > _STANDARD and number != line and theirs.get(number) == which:
            os.dup2(nothing, number, inheritable=False)
    if nothing > _STANDARD:
        os.close(nothing)


def _die_with(parent: int) -> None:
    """End at once when the parent does, whatever this process is busy with; elsewhere the closed channel must do. Also,
    show under a name of our own."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            kernel = ctypes.CDLL(None)
            kernel.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            kernel.prctl(_PR_SET_NAME, NAME)
    if os.getppid() != parent:
        os._exit(1)


def oversee(decider: socket.socket) -> None:
    """Start a hand for every end of a channel that the decider sends, until it hangs up."""
    size = int.from_bytes(decider.recv(4, socket.MSG_WAITALL), "little")
    options = decider.recv(size, socket.MSG_WAITALL)
    gc.freeze()  # what is loaded by now stays for good, and is shared by all hands
    gc.set_threshold(_SELDOM, 10, 10)
    foreman = os.getpid()
    while True:
        word, ends, _, _ = socket.recv_fds(decider, 1, 1)
        _reap()
        if not word or not ends:
            break
        if not os.fork():
            decider.close()
            _work(options, socket.socket(fileno=ends[0]), foreman)
        os.close(ends[0])
    # The hands have lost their channels too. They are waited for, so that what they used counts as the decider's.
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()


def _work(options: bytes, end: socket.socket, foreman: int) -> NoReturn:
    try:
        _die_with(foreman)
        live = msgspec.json.decode(options, type=LiveOptions, dec_hook=lambda kind, value: kind(value))

        async def run() -> None:
            await Hand(live).run(end)

        run_loop(run())
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _reap() -> None:
    """Hands that died."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


if __name__ == "__main__":
    main()
