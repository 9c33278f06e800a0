"""The REST interface: everything the pages do, for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pinakes.core.errors import PinakesError
from pinakes.formats.url import canonical
from pinakes.jobs.browse import Card, CollectionPart, Order, Wanted, cards, part
from pinakes.jobs.export import FORMATS
from pinakes.jobs.panorama.communities import CommunityMap
from pinakes.jobs.portrait import Portrait, portrait, text_of
from pinakes.jobs.rerank import label
from pinakes.jobs.search import SearchResult, search_in
from pinakes.jobs.watching import CrawlView, steer, view_crawl, view_crawls
from pinakes.jobs.why import Why, why
from pinakes.library.harvests import Harvested
from pinakes.library.labels import Label, Labels, Reranking
from pinakes.library.library import in_use
from pinakes.serve import crawls_page, homepages, start_page
from pinakes.serve.desk import desk_of
from pinakes.serve.endpoints import Asked, Endpoint, Parameter, in_json
from pinakes.serve.evaluations_page import Measured, evaluations_of, results_of
from pinakes.serve.exports import export_response
from pinakes.serve.harvests_page import Summary, papers_of, summaries
from pinakes.serve.labels import rerank
from pinakes.serve.maps_page import Drawn, map_of, maps_of
from pinakes.serve.openapi import describe
from pinakes.serve.orders import CollectOrder, CrawlOrder, EvaluateOrder, HarvestOrder, PanoramaOrder
from pinakes.serve.runner import Job, State

Number = Annotated[int, Meta(ge=1, le=2**53)]
Offset = Annotated[int, Meta(ge=0, le=1_000_000)]
Name = Annotated[str, Meta(max_length=500)]
Address = Annotated[str, Meta(max_length=4000)]
NUMBER = Parameter("number", Number, "The thing's number.", within="path")


def _some(most: int, usual: int) -> tuple[Parameter, Parameter]:
    return (
        Parameter("n", Annotated[int, Meta(ge=1, le=most)], "How many.", usual),
        Parameter("offset", Offset, "How many to pass over first.", 0),
    )


@dataclass(frozen=True)
class LibraryView:
    """What the library holds."""

    name: str
    mark: str
    """It is the same library as long as this is the same."""
    pages: int
    hosts: int
    captures: int
    bytes: int
    collections: int
    crawls: int
    writing: bool
    """A job is writing to it now."""


@dataclass(frozen=True)
class TextView:
    page: int
    text: str


@dataclass(frozen=True)
class LabelsView:
    labels: tuple[Label, ...]
    last: Reranking | None
    """The last re-ranking, with the ranking before it."""


@dataclass(frozen=True)
class LabelOrder:
    name: Name
    """The collection."""
    url: Address
    label: Literal["good", "bad", "none"]


@dataclass(frozen=True)
class RerankOrder:
    name: Name


@dataclass(frozen=True)
class SteerOrder:
    """Any of these."""

    pause: bool | None = None
    stop: bool = False
    resume: bool = False
    pages: Annotated[int, Meta(ge=1, le=1_000_000_000)] | None = None
    """Another budget."""


@dataclass(frozen=True)
class HarvestView:
    crawl: int
    total: int
    papers: tuple[Harvested, ...]
    homepages: Mapping[str, str]
    failures: Mapping[str, str]
    """Author -> why there is no homepage."""


@dataclass(frozen=True)
class CorrectOrder:
    homepages: dict[Name, Address] = field(default_factory=dict)
    """Author -> homepage."""
    refuse: dict[Name, Address] = field(default_factory=dict)
    """Author -> a page that is not theirs."""


@dataclass(frozen=True)
class JobView:
    id: int
    kind: str
    title: str
    state: State
    started: float
    ended: float | None
    said: str = ""
    """The end of what it said."""


@dataclass(frozen=True)
class Done:
    done: bool = True


def _library(asked: Asked) -> LibraryView:
    desk = asked.desk
    with desk.library() as library:
        held = desk.tally.of(library)
        counts = library.connection.execute("SELECT (SELECT count(*) FROM collections), (SELECT count(*) FROM crawls)")
        collections, crawls = counts.fetchone()
    return LibraryView(
        desk.name,
        desk.mark,
        held.pages,
        held.hosts,
        held.captures,
        held.bytes,
        collections,
        crawls,
        in_use(desk.folder),
    )


def _search(asked: Asked) -> SearchResult:
    with asked.desk.library() as library:
        found = search_in(library, asked.desk.fulltext, asked["q"], asked["n"], min(asked["offset"], 1000))
    return replace(found, library=asked.desk.name)


def _collections(asked: Asked) -> tuple[Card, ...]:
    with asked.desk.library() as library:
        return cards(library)


def _collection(asked: Asked) -> CollectionPart:
    wanted = Wanted(asked["text"], asked["host"], asked["language"], asked["sort"])
    with asked.desk.library() as library:
        return part(library, asked["name"], wanted, asked["n"], asked["offset"])


def _labels(asked: Asked) -> LabelsView:
    labels = Labels(asked.desk.folder)
    return LabelsView(tuple(labels.of(asked["name"])), labels.last(asked["name"]))


def _label(asked: Asked) -> LabelsView:
    order: LabelOrder = asked.body
    label(asked.desk.folder, order.name, order.url, {"good": True, "bad": False, "none": None}[order.label])
    labels = Labels(asked.desk.folder)
    return LabelsView(tuple(labels.of(order.name)), labels.last(order.name))


def _rerank(asked: Asked) -> JobView:
    with asked.desk.library() as library:
        part(library, asked.body.name, n=0)
    return _told(rerank(asked.desk, asked.runner, asked.body.name))


def _page(asked: Asked) -> Portrait:
    with asked.desk.library() as library:
        return portrait(library, asked["number"])


def _by_address(asked: Asked) -> Portrait:
    address = canonical(asked["url"])
    if not address:
        raise PinakesError("The parameter url is not a web address; write it like http://example.org/page.")
    with asked.desk.library() as library:
        number = library.shelf.number(address)
        if number is None:
            raise LookupError("The library does not hold that page; /api/why tells why.")
        return portrait(library, number)


def _text(asked: Asked) -> TextView:
    with asked.desk.library() as library:
        portrait(library, asked["number"])
        return TextView(asked["number"], text_of(library, asked["number"], 1_000_000))


def _why(asked: Asked) -> Why:
    with asked.desk.thinking():
        return why(asked.desk.folder, asked["url"])


def _crawls(asked: Asked) -> list[CrawlView]:
    with asked.desk.library() as library:
        return view_crawls(library)


def _crawl(asked: Asked) -> CrawlView:
    with asked.desk.library() as library:
        return view_crawl(library, asked["number"])


def _steer(asked: Asked) -> CrawlView:
    wish: SteerOrder = asked.body
    with asked.desk.library() as library:
        view_crawl(library, asked["number"])
        if wish.resume:
            crawls_page.resume(asked.desk, asked.runner, asked["number"])
        else:
            steer(library, asked["number"], pause=wish.pause, stop=wish.stop, pages=wish.pages)
        return view_crawl(library, asked["number"])


def _maps(asked: Asked) -> list[Drawn]:
    return maps_of(asked.desk)


def _map(asked: Asked) -> CommunityMap:
    return map_of(asked.desk, asked["number"])


def _harvests(asked: Asked) -> list[Summary]:
    with asked.desk.library() as library:
        return summaries(library)


def _harvest(asked: Asked) -> HarvestView:
    with asked.desk.library() as library:
        papers = papers_of(library, asked["number"])
    chosen = [paper for paper in papers if not asked["status"] or paper.status == asked["status"]]
    kept = homepages.kept_of(asked.desk, asked["number"])
    some = tuple(chosen[asked["offset"] : asked["offset"] + asked["n"]])
    return HarvestView(
        asked["number"], len(chosen), some, kept.homepages if kept else {}, kept.failures if kept else {}
    )


def _correct(asked: Asked) -> JobView:
    order: CorrectOrder = asked.body
    return _told(homepages.again(asked.desk, asked.runner, asked["number"], order.homepages, order.refuse))


def _evaluations(asked: Asked) -> list[Measured]:
    return evaluations_of(asked.desk)


def _evaluation(asked: Asked) -> dict[str, Any]:
    return results_of(asked.desk, asked["name"])


def _jobs(asked: Asked) -> list[JobView]:
    return [_told(job) for job in asked.runner.jobs()]


def _job(asked: Asked) -> JobView:
    return _told(asked.runner.job(asked["number"]), asked.runner.said(asked["number"]))


def _stop(asked: Asked) -> JobView:
    job = asked.runner.job(asked["number"])
    asked.runner.stop(job.id)
    return _told(asked.runner.job(job.id))


def _start(kind: str) -> Any:
    def start(asked: Asked) -> JobView:
        return _told(start_page.begin(asked.desk, asked.runner, kind, asked.body))

    return start


def _export(asked: Asked) -> Response:
    return export_response(asked.desk, asked["format"], asked["collection"], asked["since"], asked["papers"])


def _told(job: Job, said: str = "") -> JobView:
    return JobView(job.id, job.kind, job.title, job.state, job.started, job.ended, said)


_NAME = Parameter("name", Name, "The collection's name.")
_URL = Parameter("url", Address, "The page's address.")
ENDPOINTS = (
    Endpoint("GET", "/api/library", "library", "What the library holds.", _library, LibraryView),
    Endpoint("GET", "/api/search", "search", "Full-text search, with facets and snippets.", _search, SearchResult,
             (Parameter("q", Annotated[str, Meta(max_length=1000)], "Words, phrases, fields.", ""), *_some(100, 10))),
    Endpoint("GET", "/api/collections", "collections", "All collections.", _collections, tuple[Card, ...]),
    Endpoint("GET", "/api/collection", "collection", "Some pages of a collection.", _collection, CollectionPart,
             (_NAME, Parameter("text", Name, "Words that must stand in title, snippet or address.", ""),
              Parameter("host", Name, "Only pages of this host.", ""),
              Parameter("language", Annotated[str, Meta(max_length=20)], "Only pages in this language.", ""),
              Parameter("sort", Order, "By what.", "merit"), *_some(200, 25)), troubles=(404,)),
    Endpoint("GET", "/api/collection/labels", "labels", "What was said of a collection's pages, and what it changed.",
             _labels, LabelsView, (_NAME,)),
    Endpoint("POST", "/api/collection/labels", "label", "Say whether a page belongs to a collection.", _label,
             LabelsView, body=LabelOrder, troubles=(404,)),
    Endpoint("POST", "/api/collection/rerank", "rerank", "Rank a collection anew by its labels.", _rerank, JobView,
             body=RerankOrder, status=202, troubles=(404, 409)),
    Endpoint("GET", "/api/pages/{number}", "page", "All that is known of a page.", _page, Portrait, (NUMBER,),
             troubles=(404,)),
    Endpoint("GET", "/api/pages/{number}/text", "text", "What a page says.", _text, TextView, (NUMBER,),
             troubles=(404,)),
    Endpoint("GET", "/api/page", "by_address", "The latest capture of an address.", _by_address, Portrait, (_URL,),
             troubles=(404,)),
    Endpoint("GET", "/api/why", "why", "How an address was reached, or why it is not held.", _why, Why, (_URL,)),
    Endpoint("GET", "/api/crawls", "crawls", "All crawls, the latest first.", _crawls, list[CrawlView]),
    Endpoint("GET", "/api/crawls/{number}", "crawl", "A crawl, live.", _crawl, CrawlView, (NUMBER,), troubles=(404,)),
    Endpoint("POST", "/api/crawls/{number}/steer", "steer", "Pause, continue, stop or resume a crawl, or give it"
             " another budget.", _steer, CrawlView, (NUMBER,), SteerOrder, troubles=(404, 409)),
    Endpoint("GET", "/api/maps", "maps", "All maps, the latest first.", _maps, list[Drawn]),
    Endpoint("GET", "/api/maps/{number}", "map", "A map: its communities and how alike they are.", _map, CommunityMap,
             (NUMBER,), troubles=(404,)),
    Endpoint("GET", "/api/harvests", "harvests", "All harvests, the latest first.", _harvests, list[Summary]),
    Endpoint("GET", "/api/harvests/{number}", "harvest", "The papers of a harvest, and homepages.", _harvest,
             HarvestView, (NUMBER, Parameter("status", Literal["", "found", "version", "missing", "held"],
                                             "Only papers of this status.", ""), *_some(1000, 100)), troubles=(404,)),
    Endpoint("POST", "/api/harvests/{number}/correct", "correct", "Harvest again, with corrected homepages.", _correct,
             JobView, (NUMBER,), CorrectOrder, 202, (404, 409)),
    Endpoint("GET", "/api/evaluations", "evaluations", "All evaluations, the latest first.", _evaluations,
             list[Measured]),
    Endpoint("GET", "/api/evaluation", "evaluation", "The results of an evaluation.", _evaluation, dict[str, Any],
             (Parameter("name", Name, "Its folder's name."),), troubles=(404,)),
    Endpoint("GET", "/api/jobs", "jobs", "Jobs that were started here, the latest first.", _jobs, list[JobView]),
    Endpoint("GET", "/api/jobs/{number}", "job", "A job and what it said.", _job, JobView, (NUMBER,), troubles=(404,)),
    Endpoint("POST", "/api/jobs/{number}/stop", "stop", "Stop a job, as Ctrl-C does.", _stop, JobView, (NUMBER,),
             troubles=(404,)),
    *(Endpoint("POST", f"/api/jobs/{kind}", f"start_{kind}", (body.__doc__ or "").strip(), _start(kind), JobView,
               body=body, status=202, troubles=(409,))
      for kind, body in (("crawl", CrawlOrder), ("collect", CollectOrder), ("panorama", PanoramaOrder),
                         ("harvest", HarvestOrder), ("evaluate", EvaluateOrder))),
    Endpoint("GET", "/api/export", "export", "The library or a collection in another program's format.", _export, None,
             (Parameter("format", Literal[FORMATS], "Which."),
              Parameter("collection", Name, "Only this one.", ""),
              Parameter("since", Annotated[str, Meta(max_length=40)], "Only pages captured since that day.", ""),
              Parameter("papers", bool, "Only the papers that harvests found, each once.", False))),
)  # fmt: skip


def openapi(request: Request) -> Response:
    desk = desk_of(request)
    return in_json(describe(ENDPOINTS, f"Pinakes: {desk.name}", desk.root))


ROUTES = [Route("/openapi.json", openapi), *(endpoint.route() for endpoint in ENDPOINTS)]
