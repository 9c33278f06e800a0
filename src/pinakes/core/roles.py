"""The roles of a crawl, as protocols: each says what its answers mean to the engine.

Anything new in Pinakes is a class behind one of these. None needs a base class.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from pinakes.core.page import Fetched, Link, Member, Page, Verdict

Plain = Any
"""Plain data: what JSON can hold. Never pickled objects."""


class Hit(NamedTuple):
    """One search result."""

    url: str
    title: str = ""
    snippet: str = ""
    rank: int = 0
    provider: str = ""


class Web(Protocol):
    """Where pages come from."""

    ordered: bool
    """True for a web without delays (a frozen one): batches come home in claim order and hosts are never busy."""

    async def fetch(self, link: Link) -> Fetched:
        """Make one request. Never raises for the network: trouble is named in the page's `error`.

        A redirect is not followed: it comes back as `hop`, and the engine decides who goes on with it.
        """

    async def close(self) -> None: ...


class Search(Protocol):
    async def search(self, query: str, n: int = 10, phrase: bool = False) -> Sequence[Hit]:
        """The best `n` hits, best first; with `phrase` the query must occur word for word."""


class Backlinks(Protocol):
    async def backlinks(self, url: str, n: int = 10) -> Sequence[str]:
        """Addresses of up to `n` pages that link to `url`."""


class Judge(Protocol):
    """Is this page what we want? Fixed during a crawl."""

    threshold: float

    def judge(self, page: Page) -> Verdict: ...


@runtime_checkable
class Remembering(Protocol):
    """A judge that goes by pages seen before, and must know them again when the crawl is resumed."""

    def state(self) -> Plain: ...

    def restore(self, state: Plain) -> None: ...


class Ask(NamedTuple):
    """What a strategy wants from outside."""

    kind: str
    """`backlinks` (who links to `url`), `search` (what a search engine finds) or `revisit` (bring the stored page home
    again)."""
    url: str
    """An address, or the words to search for."""
    n: int = 10


class Strategy(Protocol):
    """Where next? A strategy prices links and touches neither network nor disk.

    Built as `Class(brief, **parameters)`. It may also be `Repricing`, `Dropping` or `Asking`, and may have
    `ended: str`: not empty once it has nothing more to do, saying why.
    """

    limit: int | None
    """How many links may wait; None for no limit."""
    batch: int
    """How many links to claim at once; read before every claim, so it may change."""

    def seed(self, links: Sequence[Link]) -> Iterable[Link]:
        """Price the links the crawl starts from."""

    def visit(self, page: Page, verdict: Verdict) -> Iterable[Link]:
        """A page came home, failed or not. Answer the links to admit, priced; those already waiting are
        repriced when the new price is better. A failed page has no links and must not teach anything."""

    def state(self) -> Plain:
        """Everything learnt so far as plain data, the random state included."""

    def restore(self, state: Plain) -> None:
        """Take over what `state` gave."""


@runtime_checkable
class Repricing(Protocol):
    """A strategy whose prices change while links wait."""

    stale: bool
    """True when the prices given so far are out of date."""

    def reprice(self, urls: Sequence[str]) -> Sequence[float]:
        """Prices in the order of the addresses; asked before a claim while stale, at most once every `batch` settled
        pages. They may depend on the pages visited, never on which addresses were asked for before."""


@runtime_checkable
class Dropping(Protocol):
    """A strategy that keeps something for every waiting link, and so must hear which will not come home."""

    def dropped(self, urls: Sequence[str], why: str) -> None:
        """`why` is `evicted`, `scope`, `trap` or `visited`; told before the next claim."""


@runtime_checkable
class Asking(Protocol):
    """A strategy that wants back-links, search hits or revisits."""

    def asks(self) -> Iterable[Ask]:
        """What is wanted now; each ask is given once."""

    def answered(self, ask: Ask, urls: Sequence[str]) -> Iterable[Link]:
        """Back-links or hits for an ask, possibly none. Answer links to admit, priced; their pages cost budget when
        fetched. A revisited page arrives through `visit` instead, and costs none."""


@runtime_checkable
class Revisiting(Protocol):
    """A strategy that asks for pages it had before, and so must not be brought one unasked."""

    revisits: bool


@runtime_checkable
class Border(Protocol):
    """A scope that learns from what comes home. The engine asks it about every link."""

    def __call__(self, link: Link) -> str:
        """Why a link that is offered is not let in: `scope` or `trap`, a colon and the rule that says so; empty when it
        is, or `last` when it is to wait behind all others. What is asked here counts as met, and is told again when a
        crawl is resumed."""

    def offered(self, links: Sequence[Link]) -> Sequence[str]:
        """The same of many."""

    def hop(self, link: Link) -> str:
        """The same of where a redirect leads, which does not count as met."""

    def claim(self, link: Link) -> str:
        """Just before a link is fetched: the same, in the light of what came home since it was let in; or `hold` when
        its host should wait until others have had their turn."""

    def visit(self, page: Page, verdict: Verdict) -> None:
        """A page came home, failed or not."""

    def state(self) -> Plain: ...

    def restore(self, state: Plain) -> None: ...


@runtime_checkable
class Explaining(Protocol):
    """A strategy that can say what a price is made of."""

    def explain(self, url: str) -> Mapping[str, tuple[float, float]]:
        """Features of a waiting link, or of a page as it was chosen, each with its weight; none where none are known.
        The price is the sum of the products."""


class Listed(NamedTuple):
    """The pages a site lists."""

    urls: Sequence[str]
    record: tuple[Member, ...] = ()
    """WARC members of the exchanges that told."""


class Listing(Protocol):
    """What sites say themselves about which pages they have."""

    def wants(self, url: str) -> bool:
        """True for the first page of a site; false from then on."""

    async def listed(self, url: str) -> Listed:
        """The pages of the site that an address belongs to. Never raises for the network."""


class Lease(NamedTuple):
    """A link handed out, and the token that alone can settle it."""

    link: Link
    token: int


class Admitted(NamedTuple):
    """What became of links offered to a frontier."""

    admitted: int
    """How many are new and wait now."""
    repriced: int
    """How many waited already and now have a better price."""
    visited: Sequence[str]
    """Addresses that were or are being fetched, and so were not admitted."""
    evicted: Sequence[str]
    """Addresses that had to go, the worst first, so that no more than `limit` wait."""


@runtime_checkable
class Frontier(Protocol):
    """The links that wait: one place for order, dedup, politeness, leases, limits and durability.

    Order is by price, the higher first; among equals, whoever reached that price first.
    """

    limit: int | None

    def __len__(self) -> int:
        """How many links wait; leased ones do not."""

    @property
    def leased(self) -> int: ...

    def admit(self, links: Iterable[Link]) -> Admitted:
        """Let links wait. A URL is admitted once; one that waits already keeps its first parent, takes the lesser
        distance and the better price. One that was claimed is refused for good, one that was evicted is new again."""

    def claim(self, n: int, now: float) -> Sequence[Lease]:
        """Lease up to `n` links: best first among hosts that are ready at `now`, one link a host where delays apply."""

    def settle(
        self,
        token: int,
        outcome: str,
        now: float,
        url: str = "",
        retry_at: float = 0.0,
        host_delay: float | None = None,
    ) -> bool:
        """End a lease. `url` is the final address, marked visited too and no longer waiting. With `retry_at` the link
        waits again at its old price and is not ready before then. The host is free again after the usual delay, or
        `host_delay` where that is longer; at once where it is 0, since nothing was asked of it.
        False when the token is late: the lease expired or was settled, and nothing changed; and when the address has
        come home by another way, as some other link's final one, so that its page is not wanted any more."""

    def reprice(self, urls: Sequence[str], prices: Sequence[float]) -> None:
        """Set prices outright, better or worse; ties keep their order of arrival. Unknown addresses are passed over."""

    def working(self, n: int) -> Sequence[str]:
        """Addresses of (at least) the best `n` waiting links that are in memory, in no particular order."""

    def known(self, url: str) -> str:
        """`waiting`, `leased`, `visited`, or the empty string."""

    def next_ready(self, now: float) -> float | None:
        """When the next waiting link can be claimed: `now` or earlier if one can be at once; None when none waits
        or all that wait depend on a lease being settled first."""

    def others_waiting(self, host: str, now: float) -> bool:
        """Does a link wait on some other host that is not parked: one that can be asked now, or soon? Without delays,
        on any other host."""

    def best(self, n: int) -> Sequence[Link]:
        """The `n` best waiting links, whatever their hosts' state; for showing, not for fetching."""


class Arrival(NamedTuple):
    """What a worker elsewhere brought home; its lease is settled."""

    fetched: Fetched
    waited: bool = False
    """Its final address waited, and will not come home."""


class Arrivals(Protocol):
    """What workers elsewhere bring home."""

    def take(self, n: int) -> Sequence[Arrival]:
        """The next of them, in the order of arrival; with the ledger's next commit they count as delivered."""

    def waiting(self) -> int:
        """How many there are."""

    def rest(self) -> None:
        """Nothing was delivered: end the transaction that only looked round."""


@runtime_checkable
class WritingLate(Protocol):
    """A frontier that writes to a database which others commit, and only when told."""

    def flush(self) -> None:
        """Write down everything that changed; a commit follows."""


class Progress(NamedTuple):
    """How a crawl stands."""

    pages: int = 0
    """Successful final responses, against which the budget counts."""
    nuggets: int = 0
    outcomes: Mapping[str, int] = {}
    """How many links came home with each outcome."""
    waiting: int = 0
    leased: int = 0
    seconds: float = 0.0
    strategy_seconds: float = 0.0
    """CPU time spent inside the strategy."""
    last: str = ""
    """The address that came home last."""

    @property
    def harvest_rate(self) -> float:
        return self.nuggets / self.pages if self.pages else 0.0


class Twin(NamedTuple):
    """An earlier page of the same crawl that says the same."""

    url: str
    exact: bool
    """The payload is the same to the byte."""
    ids: tuple[int, ...] = ()
    """The library's numbers of all such pages."""


class Ledger(Protocol):
    """What the engine writes down: a library on disk, or nothing at all in an evaluation.

    Nothing counts until `commit`, which makes everything since the last one durable together.
    """

    def twin(self, page: Page, digest: str) -> Twin | None:
        """An earlier page of this crawl, under another address, with the same payload or nearly the same words."""

    def lacking(self, page: Page, twin: Twin) -> Sequence[Link]:
        """The page's links that its twins lack."""

    def deliver(self, fetched: Fetched, page: Page, verdict: Verdict, twin: Twin | None) -> None:
        """A link came home: keep the page, its outcome, its verdict and its place on the path."""

    def forward(self, fetched: Fetched) -> None:
        """A link was redirected to another host, where it waits again: keep the exchange so far."""

    def note(self, kind: str, data: Plain) -> None:
        """Journal something the strategy was told or asked between deliveries."""

    async def recall(self, url: str) -> Page | None:
        """A stored page, for a revisit."""

    def commit(
        self, progress: Progress, strategy: Strategy, border: Border | None = None, judge: Judge | None = None
    ) -> None: ...

    def control(self) -> Mapping[str, Plain]:
        """Wishes from outside: `pause`, `stop`, `pages`."""


class HostRest(NamedTuple):
    """How a host stands that a crawl asks."""

    host: str
    pause: float
    """Seconds that it rested after it was last asked."""
    until: float
    """When it may be asked again; infinite while it is being asked."""


@runtime_checkable
class Resting(Protocol):
    """A frontier that knows when hosts may be asked."""

    def not_before(self, host: str) -> float:
        """When a host may be asked again: in the past if it may now, infinite while it is busy."""


@runtime_checkable
class Watched(Protocol):
    """A ledger that also keeps what those who watch a crawl want to know."""

    def sample(self, progress: Progress) -> None:
        """How the crawl stands now."""

    def hosts(self, hosts: Sequence[HostRest]) -> None:
        """How the hosts stand that were asked lately."""
