"""OAI-PMH 2.0: the library for harvesters. Collections are sets; deletions are remembered for good.

A resumption token holds the whole question and the place reached, signed, so that the server keeps nothing of a harvest
and a harvester may ask again.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pinakes.formats import oai_pmh as xml
from pinakes.formats.dublin_core import record as dublin_core
from pinakes.formats.item import stamp
from pinakes.library.announced import Announced, Announcement, Selection, announced
from pinakes.library.items import Items
from pinakes.library.library import Library
from pinakes.serve.desk import desk_of

RECORDS = 100
HEADERS = 500
EXPIRES = 24 * 3600.0
LONGEST = 4_000
"""Characters of an argument; longer ones are none of ours."""
ARGUMENTS = {
    "Identify": (set(), set()),
    "ListMetadataFormats": (set(), {"identifier"}),
    "ListSets": (set(), {"resumptionToken"}),
    "GetRecord": ({"identifier", "metadataPrefix"}, set()),
    "ListIdentifiers": ({"metadataPrefix"}, {"from", "until", "set", "resumptionToken"}),
    "ListRecords": ({"metadataPrefix"}, {"from", "until", "set", "resumptionToken"}),
}
"""By verb what it needs and what it may have beside that."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_SECOND = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_SPEC = re.compile(r"[A-Za-z0-9\-_.!~*'()]+(:[A-Za-z0-9\-_.!~*'()]+)*")
_DOMAIN = re.compile(r"[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]+)+")
_EMAIL = re.compile(r"\w[\w\-.+]*@[A-Za-z0-9\-.]+\.[a-z]{2,}")


class OaiError(Exception):
    """A question that cannot be answered, by the protocol's name for that."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code, self.sentence = code, sentence


class Place(msgspec.Struct, frozen=True, array_like=True):
    """What a token says: the question and how far its answer got."""

    verb: str
    since: int
    until: int
    set: str
    stamp: int
    id: int
    cursor: int
    size: int
    expires: int


@dataclass(frozen=True, slots=True)
class Provider:
    """Answers for one library."""

    library: Path
    base_url: str
    """Where it is asked."""
    contact: str = ""
    """The address of whoever keeps it."""
    clock: Callable[[], float] = time.time

    def answer(self, arguments: Sequence[tuple[str, str]]) -> str:
        at = self.clock()
        asked = dict(arguments)
        try:
            verb = _understood(arguments)
            with announced(self.library) as records, Library(self.library) as library:
                records.roll()
                body = _Answer(self, records, library, at).to(verb, asked)
        except OaiError as refusal:
            if refusal.code in ("badVerb", "badArgument"):
                asked = {}
            body = xml.error(refusal.code, refusal.sentence)
        return xml.answer(self.base_url, at, asked, body)


class _Answer:
    """To one request."""

    def __init__(self, provider: Provider, records: Announced, library: Library, at: float) -> None:
        self._provider, self._records, self._library, self._at = provider, records, library, at
        host = urlsplit(provider.base_url).hostname or ""
        mark = str(library.connection.execute("SELECT value FROM meta WHERE key = 'library'").fetchone()[0])
        own = host if _DOMAIN.fullmatch(host) else f"library-{mark[-12:]}.pinakes.invalid"
        self._domain = records.lasting("domain", own)

    def to(self, verb: str, asked: dict[str, str]) -> str:
        match verb:
            case "Identify":
                return self._identify()
            case "ListMetadataFormats":
                if "identifier" in asked:
                    self._one(asked["identifier"])
                return xml.metadata_formats()
            case "ListSets":
                return self._sets(asked)
            case "GetRecord":
                one = self._one(asked["identifier"])
                _known_format(asked)
                return f"<GetRecord>{self._record(Items(self._library, [one.url]), one)}</GetRecord>"
            case _:
                return self._list(verb, asked)

    def _identify(self) -> str:
        email = self._provider.contact.removeprefix("mailto:")
        if not _EMAIL.fullmatch(email):
            email = f"admin@{self._domain}"
        name = self._library.folder.resolve().name or "Pinakes"
        return xml.identify(
            xml.Repository(name, self._provider.base_url, self._domain, email, self._records.earliest())
        )

    def _sets(self, asked: dict[str, str]) -> str:
        if "resumptionToken" in asked:
            raise OaiError("badResumptionToken", "The list of sets is given in one piece; no token belongs to it.")
        sets = self._records.sets()
        if not sets:
            raise OaiError("noSetHierarchy", "This library has no collections yet.")
        return xml.list_sets((one.spec, one.name, one.description) for one in sets)

    def _list(self, verb: str, asked: dict[str, str]) -> str:
        n = RECORDS if verb == "ListRecords" else HEADERS
        if "resumptionToken" in asked:
            place = self._opened(verb, asked["resumptionToken"])
        else:
            place = self._begun(verb, asked)
        wanted = Selection(place.since, place.until, place.set)
        found = self._records.some(wanted, (place.stamp, place.id), n + 1)
        if not found and not place.cursor:
            raise OaiError("noRecordsMatch", "No record has such a date and set.")
        shown = found[:n]
        if verb == "ListRecords":
            items = Items(self._library, [one.url for one in shown])
            told = "".join(self._record(items, one) for one in shown)
        else:
            told = "".join(xml.header(self._header(one)) for one in shown)
        return f"<{verb}>{told}{self._token(place, shown, len(found) > n)}</{verb}>"

    def _begun(self, verb: str, asked: dict[str, str]) -> Place:
        """A list from its beginning."""
        _known_format(asked)
        since, until = asked.get("from", ""), asked.get("until", "")
        wanted = Selection(_moment(since), _moment(until, end=True) if until else 1 << 40, asked.get("set", ""))
        if since and until and len(since) != len(until):
            raise OaiError(
                "badArgument", "from and until are not written alike: give both as a day, or both to a second."
            )
        if wanted.since > wanted.until:
            raise OaiError("badArgument", f"from {since} is later than until {until}.")
        if wanted.set and not self._records.sets():
            raise OaiError("noSetHierarchy", "This library has no collections yet.")
        size, expires = self._records.count(wanted), int(self._at + EXPIRES)
        return Place(verb, wanted.since, wanted.until, wanted.set, 0, 0, 0, size, expires)

    def _token(self, place: Place, shown: list[Announcement], more: bool) -> str:
        if not more and not place.cursor:
            return ""  # the list is whole
        at, reached = place.cursor, place.cursor + len(shown)
        text = ""
        if more:
            last = shown[-1]
            text = self._signed(
                msgspec.structs.replace(
                    place, stamp=last.stamp, id=last.id, cursor=reached, expires=int(self._at + EXPIRES)
                )
            )
        # Records that change during a harvest come again at its end, so that the list can only grow.
        return xml.resumption_token(text, at, max(place.size, reached + more), self._at + EXPIRES)

    def _signed(self, place: Place) -> str:
        data = msgspec.json.encode(place)
        return base64.urlsafe_b64encode(self._signature(data) + data).decode().rstrip("=")

    def _opened(self, verb: str, token: str) -> Place:
        try:
            data = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
            if not hmac.compare_digest(data[:16], self._signature(data[16:])):
                raise ValueError
            place = msgspec.json.decode(data[16:], type=Place)
        except (ValueError, binascii.Error, msgspec.MsgspecError):
            raise OaiError("badResumptionToken", "This token was not given here; begin the list anew.") from None
        if place.verb != verb or place.expires < self._at:
            why = "has expired" if place.verb == verb else f"belongs to {place.verb}"
            raise OaiError("badResumptionToken", f"This token {why}; begin the list anew.")
        return place

    def _signature(self, data: bytes) -> bytes:
        return hmac.digest(self._records.lasting("secret").encode(), data, hashlib.sha256)[:16]

    def _one(self, identifier: str) -> Announcement:
        prefix = f"oai:{self._domain}:"
        one = self._records.one(identifier.removeprefix(prefix)) if identifier.startswith(prefix) else None
        if one is None:
            raise OaiError("idDoesNotExist", "The library has no record of that name.")
        return one

    def _header(self, one: Announcement, deleted: bool = False) -> xml.Header:
        return xml.Header(f"oai:{self._domain}:{one.key}", one.stamp, one.sets, one.deleted or deleted)

    def _record(self, items: Items, one: Announcement) -> str:
        item = None if one.deleted else items.at(one.url)
        return xml.record(self._header(one, deleted=item is None), dublin_core(item) if item else "")


async def oai(request: Request) -> Response:
    """GET and POST alike. Nothing an asker sends gets an answer other than the protocol's."""
    desk = desk_of(request)
    text = request.url.query
    if request.method == "POST":
        text += ("&" if text else "") + (await request.body()).decode("utf-8", "replace")
    try:
        asked = parse_qsl(text, keep_blank_values=True, max_num_fields=20)
    except ValueError:
        asked = []
    base_url = f"{desk.base_url or str(request.base_url).rstrip('/')}/oai"
    answer = await run_in_threadpool(Provider(desk.folder, base_url, desk.contact).answer, asked)
    return Response(answer.encode("utf-8", "replace"), media_type="text/xml; charset=utf-8")


ROUTES = [Route("/oai", oai, methods=["GET", "POST"])]


def _understood(arguments: Sequence[tuple[str, str]]) -> str:
    """The verb, if the arguments are what it takes."""
    asked = dict(arguments)
    verb = asked.get("verb", "")
    if verb not in ARGUMENTS or sum(name == "verb" for name, _ in arguments) != 1:
        raise OaiError("badVerb", f"Ask with one verb of: {', '.join(ARGUMENTS)}.")
    needed, allowed = ARGUMENTS[verb]
    given = [name for name, _ in arguments if name != "verb"]
    if unknown := sorted(set(given) - needed - allowed):
        raise OaiError("badArgument", f"{verb} takes no argument {unknown[0][:100]!r}.")
    if len(set(given)) < len(given):
        raise OaiError("badArgument", "An argument stands there more than once.")
    if any(len(value) > LONGEST for value in asked.values()):
        raise OaiError("badArgument", "An argument is too long.")
    if "resumptionToken" in given:
        if len(given) > 1:
            raise OaiError("badArgument", "resumptionToken goes alone: it holds the other arguments.")
        return verb
    if missing := sorted(name for name in needed if not asked.get(name)):
        raise OaiError("badArgument", f"{verb} needs {missing[0]}.")
    for name in ("from", "until"):
        if name in asked:
            _moment(asked[name] or "nothing")
    if "set" in asked and not _SPEC.fullmatch(asked["set"]):
        raise OaiError("badArgument", "set is not written as sets are; ask ListSets for them.")
    return verb


def _known_format(asked: dict[str, str]) -> None:
    if asked["metadataPrefix"] != "oai_dc":
        raise OaiError("cannotDisseminateFormat", "Records are given as oai_dc only.")


def _moment(text: str, end: bool = False) -> int:
    """Seconds since 1970 of a date as the protocol writes it; a day ends with its last second."""
    if not text:
        return 0
    try:
        if _SECOND.fullmatch(text):
            return int(datetime.fromisoformat(text).timestamp())
        if _DAY.fullmatch(text):
            day = int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())
            return day + 86_399 if end else day
    except (ValueError, OverflowError):
        pass
    now = stamp(time.time())
    raise OaiError("badArgument", f"A date is written like {now[:10]} or {now}.")
