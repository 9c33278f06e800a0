"""The live web on all cores: processes that fetch, read and compress, behind one `Web`.

    crew = Crew(LiveOptions(contact="me@example.org"), processes=2)
    fetched = await crew.fetch(Link("http://example.org/"))

A host is given to one process for good, so there is one connection, one robots.txt and one pause a host, as with a
single process. A process that dies is started again. What it had in hand is then tried one by one, so that only the
link that kills it comes home as `crashed`. The processes end when this one does, even when it is killed.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import socket
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

import msgspec

from pinakes.core.errors import PinakesError
from pinakes.core.page import Fetched, Link, Page, host_of
from pinakes.web.channel import ANSWERED, ASK, BROKEN, FAILED, FETCH, FETCHED, READY, TELL, Channel
from pinakes.web.client import Trouble
from pinakes.web.foreman import Foreman
from pinakes.web.http import LiveOptions, LiveWeb
from pinakes.web.shipping import Errand, Question, encoded, unpacked

_HOSTS = 20_000
_STARTS = 3
"""How often in a row a process may die before it is up."""
_SILENCE = 300.0
"""A process that has work and says nothing for so long is ended."""


@dataclass(slots=True, eq=False)
class _Sent:
    """A link that is out."""

    link: Link
    home: asyncio.Future[Fetched]
    etag: str = ""
    modified: str = ""


class Crew:
    """The role `Web` over processes that each have a live web of their own."""

    ordered = False

    def __init__(
        self,
        options: LiveOptions,
        processes: int,
        *,
        validators: Mapping[str, tuple[str, str]] | None = None,
        tell: Callable[[str], None] = lambda sentence: None,
        silence: float = _SILENCE,
    ) -> None:
        """As `LiveWeb`. A process is started when the first host is given to it, and ended when it has work and says
        nothing for `silence` seconds."""
        LiveWeb(options)  # complains of what is wrong with the options here and now
        self.options = options
        self._validators = validators or {}
        self._foreman = Foreman(msgspec.json.encode(options, enc_hook=str))
        self._hands = [_Hand(self._foreman, tell, self._forward, silence) for _ in range(max(1, processes))]
        # The longest untouched host is forgotten first; its pause is long over then.
        self._places: OrderedDict[str, _Hand] = OrderedDict()
        self._questions: dict[int, tuple[_Hand, int, int]] = {}
        """Who asked, which process that was, and under which number."""
        self._numbers = itertools.count()

    async def fetch(self, link: Link) -> Fetched:
        etag, modified = self._validators.get(link.url, ("", ""))
        sent = _Sent(link, asyncio.get_running_loop().create_future(), etag, modified)
        self._hand_of(link.url).give(sent)
        return await sent.home

    async def close(self) -> None:
        await asyncio.gather(*(hand.close() for hand in self._hands))
        await asyncio.to_thread(self._foreman.dismiss)

    @property
    def pids(self) -> list[int]:
        """The processes that are running."""
        return [hand.pid for hand in self._hands if hand.pid]

    def _hand_of(self, url: str) -> _Hand:
        host = host_of(url)
        hand = self._places.get(host)
        if hand is None:
            hand = self._places[host] = min(self._hands, key=lambda one: one.hosts)
            hand.hosts += 1
            if len(self._places) > _HOSTS:
                self._places.popitem(last=False)[1].hosts -= 1
        else:
            self._places.move_to_end(host)
        return hand

    def _forward(self, asker: _Hand, kind: int, data: bytes | memoryview) -> None:
        """Carry a question to the process that has the host, and the answer back."""
        if kind == ASK:
            question = msgspec.msgpack.decode(data, type=Question)
            number = next(self._numbers)
            self._questions[number] = (asker, asker.pid, question.number)
            self._hand_of(question.url).ask(Question(number, question.url, question.limit))
        else:
            number, *said = msgspec.msgpack.decode(data)
            asker, pid, theirs = self._questions.pop(number)
            if asker.pid == pid:
                asker.say(ANSWERED, encoded((theirs, *said)))


class _Hand:
    """One fetching process, seen from the one that decides."""

    def __init__(
        self,
        foreman: Foreman,
        tell: Callable[[str], None],
        forward: Callable[[_Hand, int, bytes | memoryview], None],
        silence: float,
    ) -> None:
        self._silence = silence
        self._foreman, self._tell, self._forward = foreman, tell, forward
        self.hosts = 0
        self.pid = 0
        self._numbers = itertools.count(1)
        self._waiting: deque[_Sent] = deque()
        self._suspects: deque[_Sent] = deque()
        """What a process had in hand when it died; tried one by one."""
        self._out: dict[int, _Sent] = {}
        self._alone: _Sent | None = None
        """The suspect that is out."""
        self._questions: list[Question] = []
        self._asked: set[int] = set()
        """Questions that are out."""
        self._channel: Channel | None = None
        self._starting: asyncio.Task[None] | None = None
        self._watch: asyncio.TimerHandle | None = None
        self._ready = self._closing = False
        self._failed_starts = 0
        self._last_heard = 0.0

    def give(self, sent: _Sent) -> None:
        self._waiting.append(sent)
        self._go_on()

    def ask(self, question: Question) -> None:
        self._questions.append(question)
        self._go_on()

    def say(self, kind: int, data: bytes) -> None:
        if self._channel is not None:
            self._channel.send(kind, data)

    async def close(self) -> None:
        self._closing = True
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.gather(self._starting, return_exceptions=True)
        if self._watch is not None:
            self._watch.cancel()
        if self._channel is not None:
            self._channel.close()
        for sent in (*self._out.values(), *self._suspects, *self._waiting):
            sent.home.cancel()

    # -- sending -----------------------------------------------------------------------------------------------

    def _go_on(self) -> None:
        """Send what may be sent now."""
        if self._closing:
            return
        if not self._ready:
            if self._channel is None and (self._starting is None or self._starting.done()):
                self._starting = asyncio.create_task(self._start())
            return
        while self._questions:
            question = self._questions.pop()
            self._asked.add(question.number)
            self.say(ASK, encoded(question))
        while self._suspects and not self._out:
            suspect = self._suspects.popleft()
            if not suspect.home.done():
                self._alone = suspect
                self._send(suspect)
        while self._waiting and not self._suspects and self._alone is None:
            if not (sent := self._waiting.popleft()).home.done():
                self._send(sent)

    def _send(self, sent: _Sent) -> None:
        number, link = next(self._numbers), sent.link
        if not self._out:
            self._last_heard = time.monotonic()
        self._out[number] = sent
        errand = Errand(number, link.url, link.parent, link.depth, link.via, sent.etag, sent.modified)
        self.say(FETCH, encoded(errand))

    # -- hearing -----------------------------------------------------------------------------------------------

    def _heard(self, kind: int, data: memoryview) -> None:
        self._last_heard = time.monotonic()
        if kind == FETCHED:
            number, fetched = unpacked(data, self._link_of)
            sent = self._out.pop(number)
            if fetched is not None and not sent.home.done():
                sent.home.set_result(fetched)
            self._came(sent)
        elif kind == READY:
            self._ready, self._failed_starts, self.pid = True, 0, int(msgspec.msgpack.decode(data))
            self._go_on()
        elif kind == ASK:
            self._forward(self, kind, data)
        elif kind == ANSWERED:
            self._asked.discard(msgspec.msgpack.decode(data)[0])
            self._forward(self, kind, data)
        elif kind == TELL:
            self._tell(str(msgspec.msgpack.decode(data)))
        elif kind in (FAILED, BROKEN):
            number, said = msgspec.msgpack.decode(data)
            sent = self._out.pop(number)
            if not sent.home.done():
                sent.home.set_exception(PinakesError(said) if kind == FAILED else RuntimeError(said))
            self._came(sent)

    def _link_of(self, number: int) -> Link | None:
        sent = self._out[number]
        return None if sent.home.done() else sent.link

    def _came(self, sent: _Sent) -> None:
        if sent is self._alone:
            self._alone = None
        if self._suspects or self._waiting:
            self._go_on()

    def _lost(self) -> None:
        """The process is gone."""
        up, self._ready, self._channel, self.pid = self._ready, False, None, 0
        if self._closing:
            return
        if self._alone is not None:
            if not self._alone.home.done():
                self._alone.home.set_result(_crashed(self._alone.link))
            self._alone = None
        else:
            self._suspects.extend(self._out.values())
        self._out.clear()
        for number in self._asked:
            self._forward(self, ANSWERED, encoded((number, None, Trouble("connection"))))
        self._asked.clear()
        self._failed_starts += not up
        if self._failed_starts >= _STARTS:
            self._give_up()
        elif self._suspects or self._waiting:
            self._go_on()

    def _give_up(self) -> None:
        said = "The processes that fetch pages cannot be started here; crawl with --processes 1."
        for sent in (*self._suspects, *self._waiting):
            if not sent.home.done():
                sent.home.set_exception(PinakesError(said))
        self._suspects.clear()
        self._waiting.clear()
        self._failed_starts = 0

    # -- the process -------------------------------------------------------------------------------------------

    async def _start(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            if not self._foreman.hire(theirs):
                ours.close()
                self._give_up()
                return
        channel = Channel(self._heard, self._lost)
        self._channel = channel
        self._last_heard = time.monotonic()
        loop = asyncio.get_running_loop()
        await loop.connect_accepted_socket(lambda: channel, ours)
        if self._watch is None:
            self._watch = loop.call_later(self._silence / 4, self._look)

    def _look(self) -> None:
        """End a process that is stuck, or the foreman, if it is he who lets us wait."""
        if time.monotonic() - self._last_heard > self._silence:
            if self._out and self.pid:
                with suppress(ProcessLookupError):
                    os.kill(self.pid, signal.SIGKILL)
            elif self._channel is not None and not self._ready:
                self._foreman.dismiss()
                self._channel.close()
        self._watch = asyncio.get_running_loop().call_later(self._silence / 4, self._look)


def _crashed(link: Link) -> Fetched:
    return Fetched(Page(link, link.url, error="crashed", fetched_at=time.time()))
