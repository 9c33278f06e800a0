"""Maps: the communities of the web round a paper, as `pinakes panorama` drew them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import msgspec
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from pinakes.core.counting import count_of
from pinakes.jobs.panorama.communities import Community, CommunityMap, Standing
from pinakes.jobs.unreported import map_name
from pinakes.report.community_map import drawing
from pinakes.report.markup import Html, tag
from pinakes.serve import parts, shell
from pinakes.serve.desk import Desk, desk_of

LISTED = 30
"""Pages of a community that are listed; all of them stand in the files one can take away."""
FILES = {"html": "text/html", "svg": "image/svg+xml", "json": "application/json", "graphml": "application/xml"}
_NAME = re.compile(r"panorama-(\d{4,})\.json")


@dataclass(frozen=True)
class Drawn:
    """A map that was drawn."""

    crawl: int
    title: str
    made: float
    communities: tuple[str, ...]
    pages: int


class _Paper(msgspec.Struct, frozen=True):
    title: str = ""


class _Sources(msgspec.Struct, frozen=True):
    papers: tuple[_Paper, ...] = ()


class _Options(msgspec.Struct, frozen=True):
    panorama: _Sources = _Sources()


class _Recipe(msgspec.Struct, frozen=True):
    options: _Options = _Options()


def maps_of(desk: Desk) -> list[Drawn]:
    """All maps, the latest first."""
    found = []
    for path in sorted((desk.folder / "reports").glob("panorama-*.json"), reverse=True):
        if (named := _NAME.fullmatch(path.name)) and (map_ := _map(path)) is not None:
            labels = tuple(", ".join(one.label[:2]) for one in map_.communities)
            crawl = int(named[1])
            found.append(Drawn(crawl, _title(desk, crawl), path.stat().st_mtime, labels, map_.analysed))
    return found


def maps(request: Request) -> Response:
    desk = desk_of(request)
    found = maps_of(desk)
    link = tag("a", "Give it a paper", href=desk.at("/start/panorama"))
    body = gallery(desk, found) or tag(
        "p", "There are no maps yet. ", link, ", and it draws the web round it.", class_="lead"
    )
    return shell.page(request, "Maps", tag("h1", "Maps"), body, section="maps", extra=("panorama.css",))


def gallery(desk: Desk, found: Sequence[Drawn]) -> Html | None:
    if not found:
        return None
    items = [
        tag(
            "li",
            tag("h3", tag("a", parts.words(one.title), href=desk.at(f"/maps/{one.crawl}"))),
            tag("ol", [tag("li", parts.words(label, 80)) for label in one.communities[:6]]),
            parts.facts(count_of(one.pages, "page"), parts.ago(one.made)),
            class_="shelf",
        )
        for one in found
    ]
    return tag("ul", items, class_="cards-grid")


def one_map(request: Request) -> Response:
    desk, crawl = desk_of(request), request.path_params["number"]
    found = map_of(desk, crawl)
    title = _title(desk, crawl)
    downloads = [
        tag("li", tag("a", form.upper(), href=desk.at(f"/maps/{crawl}/{form}"))) for form in FILES if form != "html"
    ]
    report = tag("li", tag("a", "The whole report", href=desk.at(f"/maps/{crawl}/html")))
    return shell.page(
        request,
        title,
        tag(
            "div",
            tag("p", "Map", class_="kind"),
            tag("h1", parts.words(title)),
            parts.facts(
                f"{count_of(found.analysed, 'page')} in {count_of(len(found.communities), 'community', 'communities')}",
                tag("a", f"crawl {crawl}", href=desk.at(f"/crawls/{crawl}")),
            ),
            tag("ul", report, downloads, class_="chips"),
            class_="page-head",
        ),
        tag(
            "div",
            tag("div", drawing(found, f"Communities round {parts.plain(title)}"), class_="map-frame"),
            class_="map-box",
        ),
        tag(
            "p",
            "A circle is a community: its size tells how many pages it has, the thickness of a line how alike two"
            " communities are. Choose one to open it.",
            class_="section-lead",
        ),
        [_community(desk, number, one) for number, one in enumerate(found.communities, 1)],
        section="maps",
        extra=("panorama.css", "panorama.js"),
    )


def _community(desk: Desk, number: int, one: Community) -> Html:
    listed = [
        tag("li", parts.page_link(desk, title, url, None), class_="page")
        for url, title in zip(one.urls[:LISTED], one.titles[:LISTED], strict=True)
    ]
    sites = [tag("li", parts.words(name, 50), " ", tag("small", f"{n:,}")) for name, n in one.sites]
    more = len(one.urls) - len(listed)
    return tag(
        "article",
        tag("h2", tag("span", number, class_=f"badge c{(number - 1) % 7}"), " ", parts.words(", ".join(one.label))),
        tag("p", f"{count_of(one.pages, 'page')}. Words: ", parts.words(", ".join(one.words)), class_="facts"),
        tag(
            "div",
            _standings(desk, "Typical pages", one.examples),
            _standings(desk, "Hubs", one.hubs),
            _standings(desk, "Authorities", one.authorities),
            tag("div", tag("h3", "Sites"), tag("ul", sites), class_="card"),
            class_="cards",
        ),
        tag(
            "details",
            tag("summary", f"Pages ({one.pages:,})"),
            tag("ol", listed),
            more > 0 and tag("p", f"{more:,} more stand in the JSON file.", class_="facts"),
        ),
        id=f"community-{number}",
        class_="community",
        data_community=number,
        tabindex=-1,
    )


def _standings(desk: Desk, heading: str, pages: Sequence[Standing]) -> Html:
    items = [
        tag("li", parts.page_link(desk, one.title, one.url, None), " ", tag("small", f"{one.score:.2f}"))
        for one in pages
    ]
    return tag("div", tag("h3", heading), tag("ol", items) if items else tag("p", "None."), class_="card")


def file(request: Request) -> Response:
    """A file of the report. The report itself is a page of its own with its own rules, so it stands in a sandbox."""
    desk, crawl, form = desk_of(request), request.path_params["number"], request.path_params["form"]
    path = desk.folder / "reports" / f"{map_name(crawl)}.{form}"
    if form not in FILES or not path.is_file():
        raise LookupError(f"There is no such file of map {crawl}.")
    if form == "html":
        return shell.report(path.read_text("utf-8"))
    return FileResponse(path, media_type=FILES[form], filename=path.name)


def map_of(desk: Desk, crawl: int) -> CommunityMap:
    path = desk.folder / "reports" / f"{map_name(crawl)}.json"
    found = _map(path) if path.is_file() else None
    if found is None:
        raise LookupError(f"The library has no map {crawl}.")
    return found


def _map(path: Path) -> CommunityMap | None:
    try:
        return _read(path, path.stat().st_mtime_ns)
    except (OSError, msgspec.MsgspecError):
        return None


@lru_cache(maxsize=8)
def _read(path: Path, changed: int) -> CommunityMap:
    return msgspec.json.decode(path.read_bytes(), type=CommunityMap)


def _title(desk: Desk, crawl: int) -> str:
    try:
        data = (desk.folder / "recipes" / f"{crawl:04d}.json").read_bytes()
        papers = msgspec.json.decode(data, type=_Recipe).options.panorama.papers
    except (OSError, msgspec.MsgspecError):
        papers = ()
    return next((parts.plain(paper.title) for paper in papers if paper.title), f"Panorama {crawl}")


ROUTES = [
    Route("/maps", maps),
    Route("/maps/{number:int}", one_map),
    Route("/maps/{number:int}/{form:str}", file),
]
