"""One thin client for all services: guarded, paced, patient within limits, and silent about keys.

    services = Services("you@example.org")
    client = services.client(Service("OpenAlex", "https://api.openalex.org", query={"api_key": key}))
    work = await client.json("/works/W2741809807", {"select": "id"}, Work)

An answer is typed data, or a `ServiceError` with the name of what happened.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeVar
from urllib.parse import quote, urlencode
from xml.etree.ElementTree import Element

import msgspec

from pinakes.core.errors import PinakesError
from pinakes.formats import encodings
from pinakes.formats.url import canonical
from pinakes.services.errors import ServiceError
from pinakes.services.limits import Budget, Limiter, RestingError
from pinakes.services.xml import XmlError, parse
from pinakes.web.answers import Answer, hop_of
from pinakes.web.challenge import challenge_of
from pinakes.web.client import Trouble
from pinakes.web.guard import split
from pinakes.web.outcomes import OUTCOMES, outcome_of

T = TypeVar("T")

TRIES = 4
LIMIT = 16 << 20
"""Bytes of an answer, unpacked."""
_HOPS = 5
_REMEMBERED = 512
_REMEMBERED_BYTES = 32 << 20
_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
_KEPT = frozenset({200, 404, 410})
"""Answers that will be the same the next time."""
_CHALLENGED = 86_400.0


class Opener(Protocol):
    """What makes one request: `web.client.Client`."""

    async def get(self, url: str, limit: int, headers: Mapping[str, str] | None = None) -> Answer | Trouble: ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Service:
    """Where a service is, and how it wants to be asked."""

    name: str
    """As a person knows it."""
    url: str
    """Where its paths begin."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Sent to this service alone; may hold a key."""
    query: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Added to every address; may hold a key."""
    gap: float = 1.0
    """Least seconds between two calls."""
    at_once: int = 1
    budget: float = 0.0
    """What a day's calls may cost, in the service's own currency; 0 for no limit."""
    dispensable: bool = False
    """One can do without it: should it not be there at the first call, nobody waits for it."""


class Reply(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes
    """Without content encodings."""

    @property
    def type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


class _Complaint(msgspec.Struct):
    """How services word an error."""

    error: str | None = None
    message: str | None = None


class ServiceClient:
    """One service. All who ask it share this object, and with it the pace, the budget and what it has said before."""

    def __init__(
        self,
        service: Service,
        opener: Callable[[], Opener],
        *,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.service, self._opener = service, opener
        self._base = canonical(service.url).rstrip("/")
        if not self._base or "?" in self._base:
            raise PinakesError(f"The url of {service.name} in pinakes.toml is not the address of a service.")
        self.limiter = Limiter(service.gap, service.at_once, clock=clock, sleep=sleep)
        self.budget = Budget(service.budget, clock)
        self.calls = 0
        """Requests made, repetitions among them; what was remembered costs none."""
        self.reached = False
        """It has answered, with whatever."""
        self._known: OrderedDict[str, Reply] = OrderedDict()
        self._known_bytes = 0

    @property
    def base(self) -> str:
        """The address paths are added to, without a slash at its end."""
        return self._base

    async def json(
        self,
        path: str,
        query: Mapping[str, str],
        kind: type[T],
        *,
        cost: float = 0.0,
        check: Callable[[T], None] | None = None,
        again: bool = False,
    ) -> T:
        """An answer decoded as `kind`. `check` may raise for errors that come as a good answer. With `again` the
        service is asked whatever it said before, as where each answer to the same question is the next page."""

        def read(reply: Reply) -> T:
            self._expect(reply, "json")
            try:
                document = msgspec.json.decode(reply.body, type=kind)
            except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
                raise self.error("bad-response", "sent JSON of another shape than it documents") from None
            if check is not None:
                check(document)
            return document

        return await self._ask(path, query, cost, read, again)

    async def xml(
        self,
        path: str,
        query: Mapping[str, str],
        *,
        cost: float = 0.0,
        errors: Collection[int] = (),
        also: Collection[str] = (),
    ) -> Element:
        """An answer as XML; also one with a status of `errors`, under which some services send documents, and one
        that says it is `also` of another type, as where files are served as plain text."""

        def read(reply: Reply) -> Element:
            if reply.status != 200 or reply.type not in also:
                self._expect(reply, "xml", errors)
            try:
                return parse(reply.body)
            except XmlError as error:
                raise self.error("bad-response", f"sent XML that cannot be read: {error}") from None

        return await self._ask(path, query, cost, read)

    def error(self, outcome: str, what: str, *, passing: bool = False) -> ServiceError:
        """A sentence about the service that says `what` it did, with its keys struck out."""
        for secret in (*self.service.headers.values(), *self.service.query.values()):
            for form in {secret, quote(secret, safe="")} if len(secret) > 3 else ():
                what = what.replace(form, "…")
        return ServiceError(self.service.name, outcome, f"{self.service.name} {what}.", passing=passing)

    # -- asking ------------------------------------------------------------------------------------------------

    async def _ask(
        self, path: str, query: Mapping[str, str], cost: float, read: Callable[[Reply], T], again: bool = False
    ) -> T:
        if not path and self._base.count("/") == 2:
            path = "/"  # no canonical address ends with the host
        address = f"{self._base}{path}" + (f"?{urlencode(query, quote_via=quote)}" if query else "")
        if not again and (known := self._known.get(address)) is not None:
            self._known.move_to_end(address)
            return read(known)
        if not self.budget.spend(cost):
            what = f"may cost no more than {self.budget.most:g} a day; raise its budget in pinakes.toml or wait"
            raise self.error("budget", what)
        for attempt in range(TRIES):
            try:
                async with self.limiter.turn():
                    return await self._try(address, read)
            except RestingError as resting:
                raise self._resting(resting) from None
            except ServiceError as error:
                if not error.passing or attempt == TRIES - 1 or (self.service.dispensable and not self.reached):
                    raise
                self.limiter.pause(attempt)
        raise AssertionError("unreachable")

    async def _try(self, address: str, read: Callable[[Reply], T]) -> T:
        """One request, and what it teaches the limiter."""
        reply = await self._reply(address)
        if isinstance(reply, Trouble):
            self.limiter.heard(0, {})
            passing = reply.temporary or reply.outcome in ("connection", "timeout")
            why = OUTCOMES.get(reply.outcome, reply.outcome).rstrip(".")
            raise self.error(reply.outcome, f"could not be asked ({why[:1].lower()}{why[1:]})", passing=passing)
        self.reached = True
        if whose := challenge_of(reply.headers, reply.body):
            self.limiter.rest(_CHALLENGED, "challenge")
            raise self.error("challenge", f"wants visitors to prove they are human ({whose}); it is left alone")
        try:
            answer = read(reply)
        except ServiceError as error:
            # An error that comes as a good answer and will pass means what 503 means.
            self.limiter.heard(503 if error.passing and reply.status < 400 else reply.status, reply.headers)
            if not error.passing:
                self._remember(address, reply)
            raise
        self.limiter.heard(reply.status, reply.headers)
        self._remember(address, reply)
        return answer

    async def _reply(self, address: str) -> Reply | Trouble:
        """The answer at the end of at most a few redirects. Keys go to the service itself and nowhere else."""
        url = address
        for _ in range(_HOPS + 1):
            ours = split(url) == split(self._base)
            self.calls += 1
            asked = self._with_keys(url) if ours else url
            answer = await self._opener().get(asked, LIMIT, self.service.headers if ours else None)
            if isinstance(answer, Trouble):
                return answer
            hop, trouble = hop_of(answer)
            if trouble:
                return Trouble(trouble)
            if not hop:
                return self._decoded(answer)
            url = hop
        return Trouble("too-many-redirects")

    def _with_keys(self, url: str) -> str:
        given = {part.partition("=")[0] for part in url.partition("?")[2].split("&")}
        missing = {name: value for name, value in self.service.query.items() if name not in given}
        return f"{url}{'&' if '?' in url else '?'}{urlencode(missing, quote_via=quote)}" if missing else url

    def _decoded(self, answer: Answer) -> Reply:
        names = encodings.names(answer.headers.get("content-encoding", ""))
        body, more, trouble = encodings.decode(answer.body, names, LIMIT)
        if trouble:
            raise self.error(trouble, "sent an answer that cannot be unpacked")
        if answer.cut or more:
            raise self.error("too-large", f"sent an answer larger than {LIMIT >> 20} MB")
        return Reply(answer.status, answer.headers, body)

    # -- what came back ----------------------------------------------------------------------------------------

    def _expect(self, reply: Reply, form: str, errors: Collection[int] = ()) -> None:
        """Raise unless the answer is a good one and says it has the form."""
        outcome = outcome_of(reply.status)
        if outcome and (reply.status not in errors or form not in reply.type):
            raise self.error(outcome, self._refused(reply, outcome), passing=reply.status in _RETRIED)
        if reply.type and form not in reply.type:
            raise self.error("bad-response", f"sent {reply.type[:60]} where {form.upper()} was expected")

    def _refused(self, reply: Reply, outcome: str) -> str:
        what = f"answered {reply.status}"
        if "json" in reply.type:
            try:
                complaint = msgspec.json.decode(reply.body, type=_Complaint)
            except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
                complaint = _Complaint()
            if said := " ".join((complaint.message or complaint.error or "").split())[:200].rstrip("."):
                what += f", “{said}”"
        if outcome == "forbidden":
            what += "; check the key that key_env names in its section of pinakes.toml"
        return what

    def _resting(self, resting: RestingError) -> ServiceError:
        minutes = max(1, round(resting.seconds / 60))
        why = {"rate-limited": "wants no more calls for now", "challenge": "wants visitors to prove they are human"}
        what = f"{why.get(resting.outcome, 'keeps failing')}; it is left alone for {minutes:,} min"
        return self.error(resting.outcome, what)

    def _remember(self, address: str, reply: Reply) -> None:
        if reply.status not in _KEPT or address in self._known:
            return
        self._known[address] = reply
        self._known_bytes += len(reply.body)
        while len(self._known) > _REMEMBERED or self._known_bytes > _REMEMBERED_BYTES:
            _, forgotten = self._known.popitem(last=False)
            self._known_bytes -= len(forgotten.body)
