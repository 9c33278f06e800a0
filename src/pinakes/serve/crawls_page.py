"""Crawls: all of them in a table, and each live: how fast it goes, what it finds, whom it asks, why it stopped."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pinakes.core.counting import count_of
from pinakes.core.errors import PinakesError
from pinakes.jobs.borders import turned_away
from pinakes.jobs.watching import CrawlView, steer, view_crawl, view_crawls
from pinakes.library.library import Library
from pinakes.report.markup import Html, tag
from pinakes.serve import parts, shell
from pinakes.serve.crawl_parts import LIVE, badge, head, parts_of
from pinakes.serve.desk import Desk, desk_of
from pinakes.serve.forms import read_form
from pinakes.serve.runner import Job, Runner, runner_of

EVERY = 1000
"""Milliseconds between two looks at a running crawl."""


def latest(library: Library, n: int) -> list[CrawlView]:
    return view_crawls(library, n)


def crawls(request: Request) -> Response:
    desk = desk_of(request)
    with desk.library() as library:
        found = view_crawls(library)
    body = table(desk, found) or tag(
        "p", "Nothing was crawled yet. ", tag("a", "Start a job", href=desk.at("/start")), ".", class_="lead"
    )
    return shell.page(request, "Crawls", tag("h1", "Crawls"), banner(desk, found), body, section="crawls")


def table(desk: Desk, found: Sequence[CrawlView]) -> Html | None:
    if not found:
        return None
    names = ("Crawl", "Towards", "Strategy", "Pages", "Nuggets", "Harvest rate", "", "State", "Begun")
    numbers = {3, 4, 5}
    heads = [
        tag(
            "th", name or tag("span", "Curve", class_="unseen"), scope="col", class_="number" if at in numbers else None
        )
        for at, name in enumerate(names)
    ]
    rows = [_row(desk, one) for one in found]
    return parts.sheet("Crawls", heads, rows)


def _row(desk: Desk, one: CrawlView) -> Html:
    about = parts.words(", ".join(one.topics), 80) if one.topics else "–"
    return tag(
        "tr",
        tag("th", tag("a", f"{one.id} · {one.job}", href=desk.at(f"/crawls/{one.id}")), scope="row"),
        tag("td", about),
        tag("td", one.strategy),
        tag("td", f"{one.pages:,}", class_="number"),
        tag("td", f"{one.nuggets:,}", class_="number"),
        tag("td", f"{one.harvest_rate:.2f}", class_="number"),
        tag("td", _spark(one)),
        tag("td", badge(one)),
        tag("td", parts.ago(one.started), class_="when"),
    )


def _spark(one: CrawlView) -> Html | None:
    """The harvest rate along the crawl, small."""
    if len(one.curve) < 2:
        return None
    most = max(one.pages, 1)
    points = " ".join(f"{100 * pages / most:.1f},{20 - 19 * rate:.1f}" for pages, rate, _ in one.curve)
    return tag(
        "svg",
        tag("polyline", points=points),
        viewBox="0 0 100 21",
        class_="spark",
        preserveAspectRatio="none",
        aria_hidden="true",
    )


def banner(desk: Desk, found: Sequence[CrawlView]) -> Html | None:
    """A crawl that is under way."""
    one = next((one for one in found if one.state in LIVE), None)
    if one is None:
        return None
    link = tag("a", f"Crawl {one.id}", href=desk.at(f"/crawls/{one.id}"))
    told = f" is under way: {count_of(one.pages, 'page')}, {count_of(one.nuggets, 'nugget')}."
    return tag("p", tag("span", class_="pulse", aria_hidden="true"), link, told, class_="banner")


def crawl(request: Request) -> Response:
    desk = desk_of(request)
    with desk.library() as library:
        one = view_crawl(library, request.path_params["number"])
    live = one.state in LIVE
    return shell.page(
        request,
        f"Crawl {one.id}",
        head(one),
        tag(
            "div",
            parts_of(desk, one, desk.signed_in(request)),
            data_live=desk.at(f"/crawls/{one.id}/live") if live else None,
            data_every=EVERY if live else None,
            class_="live",
        ),
        tag(
            "section",
            tag(
                "details",
                tag("summary", "Links that were not followed"),
                tag(
                    "div",
                    tag("a", "Show", href=desk.at(f"/crawls/{one.id}/dropped")),
                    data_load=desk.at(f"/crawls/{one.id}/dropped"),
                ),
            ),
        ),
        section="crawls",
    )


def live(request: Request) -> Response:
    """What changes on the page, anew."""
    desk = desk_of(request)
    with desk.library() as library:
        one = view_crawl(library, request.path_params["number"])
    answer = shell.piece(parts_of(desk, one, desk.signed_in(request)))
    answer.headers["X-Pinakes-Live"] = "yes" if one.state in LIVE else "no"
    return answer


def dropped(request: Request) -> Response:
    with desk_of(request).library() as library:
        view_crawl(library, request.path_params["number"])
        rules = turned_away(library, request.path_params["number"])
    rows = [tag("tr", tag("th", rule, scope="row"), tag("td", f"{n:,}", class_="number")) for rule, n in rules.items()]
    return shell.piece(
        tag("table", tag("tbody", rows), aria_label="Links not followed")
        if rows
        else tag("p", "Every link that was met was followed, or waits still.")
    )


async def wish(request: Request) -> Response:
    desk, form = desk_of(request), await read_form(request)
    number, act = request.path_params["number"], form.text("do")
    if act == "resume":
        return RedirectResponse(desk.at(f"/jobs/{resume(desk, runner_of(request), number).id}"), 303)
    with desk.library() as library:
        if act == "budget":
            steer(library, number, pages=parts.number_of(form.text("pages"), 0, high=10**9))
        elif act in ("pause", "continue"):
            steer(library, number, pause=act == "pause")
        elif act == "stop":
            steer(library, number, stop=True)
        else:
            raise PinakesError("A crawl can be paused, continued, stopped, resumed or given another budget.")
    return RedirectResponse(desk.at(f"/crawls/{number}"), 303)


def resume(desk: Desk, runner: Runner, number: int) -> Job:
    """Take the crawl up again."""
    with desk.library() as library:
        if not view_crawl(library, number).resumable:
            raise PinakesError(f"Crawl {number} cannot be resumed: it is finished, running, or not the last.")
    shows = desk.at(f"/crawls/{number}")
    return runner.start("resume", f"Resume crawl {number}", ["resume", str(desk.folder)], writes=True, shows=shows)


ROUTES = [
    Route("/crawls", crawls),
    Route("/crawls/{number:int}", crawl),
    Route("/crawls/{number:int}/live", live),
    Route("/crawls/{number:int}/dropped", dropped),
    Route("/crawls/{number:int}/steer", wish, methods=["POST"]),
]
