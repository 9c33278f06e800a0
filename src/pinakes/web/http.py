"""The live web: real requests, safe and polite."""

from __future__ import annotations

import asyncio
import re
import ssl
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from pinakes import __version__
from pinakes.core.errors import PinakesError
from pinakes.core.page import Fetched, Link, Member, Page, host_of
from pinakes.formats.document import Reader
from pinakes.formats.encodings import ACCEPTED
from pinakes.formats.url import canonical
from pinakes.web.answers import Answer, Reading, is_pdf, read, recorded
from pinakes.web.client import Client, Timeouts, Trouble, trust
from pinakes.web.cookies import Cookies
from pinakes.web.guard import refusal, split
from pinakes.web.manners import Advice, Manners, Pace
from pinakes.web.permits import Get, Permit, Permits
from pinakes.web.resolve import Lookup, Resolver, routes, system_lookup

HOME = "https://pinakes.example/bot"
"""Where a site's owner can read what we are."""
_ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.8,*/*;q=0.5"
_CHALLENGED = 86_400.0
"""How long a host that puts a challenge before its pages is left alone."""
_SHORT = 5.0
"""A pause up to this is waited for; a longer one sends the link back to wait with the others."""
_proxy = re.compile(r"https?://(?:[^/@\s]*@)?[^/@\s:]+(?::\d{1,5})?/?", re.IGNORECASE).fullmatch
_contact = re.compile(r"[\w.+-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*", re.ASCII).fullmatch


@dataclass(frozen=True, slots=True)
class LiveOptions:
    """How to behave on the live web."""

    contact: str
    """Mail address of whoever runs the crawl; sent with every request."""
    pace: Pace = field(default_factory=Pace)
    timeouts: Timeouts = field(default_factory=Timeouts)
    limit: int = 10 << 20
    """Bytes of a file that are kept."""
    first_bytes: int | None = None
    """Of every file only so much is fetched and read."""
    records: bool = True
    """Make WARC members of what is fetched."""
    allow_private: bool = False
    """Let addresses that are not on the public internet be asked."""
    resolve: tuple[str, ...] = ()
    """`HOST=IP:PORT`: where connections to a host go instead; `*` for all hosts."""
    ca: Path | None = None
    """A file of certificates to trust besides the system's."""
    proxy: str = ""
    """`http://[user:password@]host:port`. It does the looking up, so names cannot be checked against it."""
    logins: Mapping[str, Path] = field(default_factory=dict)
    """Site to a file of cookies."""
    search: Mapping[str, str] = field(default_factory=dict)
    """The search engine to ask: its `name`, and its section `[search.NAME]` of `pinakes.toml`. Never its key."""
    services: Mapping[str, Mapping[str, str | float]] = field(default_factory=dict)
    """Services that are asked besides the pages themselves: the sections `[services.NAME]` of `pinakes.toml`."""
    render: bool = False
    """Look at pages that are empty without JavaScript in a browser: see `pinakes.web.render`."""
    share_delay: bool = False
    """Hosts behind one address share one pause: see `pinakes.web.turns`."""
    random_state: int = 0


class LiveWeb:
    """The role `Web` over HTTP. One `fetch` is one request, and robots.txt before it where that is due."""

    ordered = False

    def __init__(
        self,
        options: LiveOptions,
        *,
        validators: Mapping[str, tuple[str, str]] | None = None,
        tell: Callable[[str], None] = lambda sentence: None,
        lookup: Lookup = system_lookup,
        clock: Callable[[], float] = time.time,
        away: Get | None = None,
    ) -> None:
        """`validators`: ETag and Last-Modified of pages fetched before, by address; one that has not changed comes
        home as `unchanged`. `tell` hears, in a sentence, of hosts that are left alone. `away` asks hosts that are
        another process's, should a robots.txt redirect there."""
        if options.contact and not _contact(options.contact):
            raise PinakesError(
                f"The contact {options.contact[:100]} is not a mail address; sites are told whom to write to, "
                "so give one like you@example.org."
            )
        if not options.contact:
            raise PinakesError(
                "A live crawl names someone whom sites can write to; "
                'put contact = "you@example.org" into pinakes.toml or give --contact.'
            )
        if options.ca is not None:  # a mistake in it is told now, not when a crawl has begun
            trust(options.ca, ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
        if options.proxy and not _proxy(options.proxy):
            raise PinakesError(f"The proxy '{options.proxy}' makes no sense; write it like http://proxy.example:3128.")
        self.options = options
        self._validators = {} if validators is None else validators
        self._tell, self._clock = tell, clock
        routes(options.resolve)
        self._cookies = Cookies(options.logins)
        self._lookup = lookup
        self._manners = Manners(options.pace, options.random_state, clock)
        self._permits = Permits(self._ask_rules, clock, self._ask_rules_away if away else None, options.pace.backoff)
        self._away = away
        self._rules: list[Member] = []
        """Exchanges about robots.txt, to go home with the next page."""
        limit = min(options.limit, options.first_bytes or options.limit)
        self._reading = Reading(limit, options.records)
        self._reader = Reader()
        self._client: Client | None = None
        # A PDF takes seconds and its reader waits for them, so PDFs have a reader and a thread of their own.
        self._pdf_reader: Reader | None = None
        self._pdf_thread = ThreadPoolExecutor(1, "pinakes-pdf")

    async def fetch(self, link: Link) -> Fetched:
        fetched = await self._fetch(link)
        if self._rules and not fetched.retry_at:
            rules, self._rules = self._rules, []
            return replace(fetched, record=(*rules, *fetched.record))
        return fetched

    async def _fetch(self, link: Link) -> Fetched:
        url = canonical(link.url)
        if not url:
            return _failed(link, link.url, "scheme", self._clock())
        host = host_of(url)
        if refused := refusal(url, self.options.allow_private):
            return _failed(link, url, refused, self._clock())
        if self._manners.challenged(host):
            return _failed(link, url, "challenge", self._clock(), Advice(host_delay=_CHALLENGED))
        permit = await self._permits.of(url)
        if permit.trouble:
            return self._shut_out(link, url, permit)
        self._manners.asks(host, permit.robots.delay())
        if not permit.allows(url):
            return _failed(link, url, "robots", self._clock(), Advice(host_delay=self._manners.wait(host)))
        if (wait := self._manners.wait(host)) > _SHORT and not link.via:
            return _failed(link, url, "postponed", self._clock(), Advice(self._clock() + wait, wait))
        answer = await self.ask(url, self._reading.limit, broken=True)
        if isinstance(answer, Trouble):
            advice = self._manners.settle(url, answer.outcome, temporary=answer.temporary)
            return _failed(link, url, answer.outcome, self._clock(), self._said(host, advice))
        if answer.broken and (advice := self._manners.settle(url, "connection")).retry_at:
            failed = _failed(link, url, "connection", self._clock(), self._said(host, advice))
            return replace(failed, page=replace(failed.page, status=answer.status))  # it did answer, after all
        # A page that never comes whole is taken as far as it comes: some servers promise more than they have.
        fetched, challenge = await self._read(link, answer)
        return self._advised(fetched, answer, challenge)

    async def get(self, url: str, limit: int) -> Answer | Trouble:
        """A file for our own use, such as a sitemap, under the same rules as a page."""
        if not (url := canonical(url)):
            return Trouble("scheme")
        permit = await self._permits.of(url)
        if not permit.allows(url):
            return Trouble(permit.trouble or "robots")
        return await self.ask(url, limit)

    async def permit(self, url: str) -> Permit:
        """What the robots.txt that holds for a canonical address says."""
        return await self._permits.of(url)

    async def close(self) -> None:
        await self._permits.close()
        if self._client is not None:
            await self._client.close()
        self._pdf_thread.shutdown(wait=True, cancel_futures=True)
        self._reader.close()
        if self._pdf_reader is not None:
            self._pdf_reader.close()

    # -- asking ------------------------------------------------------------------------------------------------

    async def ask(self, url: str, limit: int, broken: bool = False) -> Answer | Trouble:
        """One request to a canonical address, when it is the host's turn; robots.txt is not looked at. With `broken`
        an answer may be so."""
        host = host_of(url)
        async with self._manners.turn(host):
            answer = await self._connected().get(url, limit, self._headers(url), broken=broken)
            self._manners.took(host, answer.seconds)
            return answer

    async def _ask_rules(self, url: str, limit: int) -> Answer | Trouble:
        """Ask for a robots.txt, and keep the exchange for the archive."""
        return self._kept(await self.ask(url, limit))

    async def _ask_rules_away(self, url: str, limit: int) -> Answer | Trouble:
        assert self._away is not None
        return self._kept(await self._away(url, limit))

    def _kept(self, answer: Answer | Trouble) -> Answer | Trouble:
        if isinstance(answer, Answer) and self.options.records:
            self._rules += recorded(answer)
        return answer

    def _connected(self) -> Client:
        """The client, made when first needed, for it belongs to the running event loop."""
        if self._client is None:
            self._client = make_client(self.options, self._lookup, self._clock)
        return self._client

    def _headers(self, url: str) -> dict[str, str]:
        headers = dict[str, str]()
        if cookie := self._cookies.header(url):
            headers["Cookie"] = cookie
        etag, modified = self._validators.get(url, ("", ""))
        if etag:
            headers["If-None-Match"] = etag
        if modified:
            headers["If-Modified-Since"] = modified
        return headers

    # -- what comes home ---------------------------------------------------------------------------------------

    async def _read(self, link: Link, answer: Answer) -> tuple[Fetched, str]:
        if not is_pdf(answer):
            return read(self._reader, link, answer, self._reading)
        if self._pdf_reader is None:
            self._pdf_reader = Reader()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pdf_thread, read, self._pdf_reader, link, answer, self._reading)

    def _advised(self, fetched: Fetched, answer: Answer, challenge: str) -> Fetched:
        page, host = fetched.page, host_of(answer.url)
        if page.error == "unchanged" and answer.url not in self._validators:
            page = replace(page, error="bad-response")
        if challenge:
            self._tell(f"{host} asks visitors to prove they are human ({challenge}); it is left alone for a day.")
            self._manners.shun(host, _CHALLENGED)
            return replace(fetched, host_delay=_CHALLENGED)
        advice = self._manners.settle(answer.url, page.outcome, answer.status, answer.headers.get("retry-after", ""))
        self._said(host, advice)
        return Fetched(
            page, fetched.record, fetched.digest, fetched.head, fetched.hop, advice.retry_at, advice.host_delay
        )

    def _shut_out(self, link: Link, url: str, permit: Permit) -> Fetched:
        """There is no robots.txt to be had: the link waits until it is asked for again."""
        advice = self._manners.settle(url, permit.trouble, temporary=permit.temporary, silent=permit.silent)
        retry_at = max(advice.retry_at, permit.until) if advice.retry_at else 0.0
        rest = max(advice.host_delay, permit.until - self._clock())
        self._said(host_of(url), advice)
        return _failed(link, url, permit.trouble, self._clock(), Advice(retry_at, rest))

    def _said(self, host: str, advice: Advice) -> Advice:
        if advice.parked:
            self._tell(
                f"{host} keeps failing or asks for a rest; it is left alone for {advice.host_delay / 3600:.0f} h."
            )
        return advice


def make_client(options: LiveOptions, lookup: Lookup = system_lookup, clock: Callable[[], float] = time.time) -> Client:
    """The guarded client that these options describe; to be made inside the event loop it is for."""
    proxies = [split(options.proxy)[1].rpartition("@")[2]] if options.proxy else []
    return Client(
        {
            "User-Agent": f"Pinakes/{__version__} (+{HOME}; mailto:{options.contact})",
            "From": options.contact,
            "Accept": _ACCEPT,
            "Accept-Encoding": ACCEPTED,
        },
        Resolver(allow_private=options.allow_private, routes=routes(options.resolve), trusted=proxies, lookup=lookup),
        timeouts=options.timeouts,
        allow_private=options.allow_private,
        ca=options.ca,
        proxy=options.proxy,
        keep=options.pace.delay + 3.0,
        clock=clock,
    )


def _failed(link: Link, url: str, outcome: str, at: float, advice: Advice | None = None) -> Fetched:
    advice = advice or Advice()
    page = Page(link, url, error=outcome, fetched_at=at)
    return Fetched(page, retry_at=advice.retry_at, host_delay=advice.host_delay)
