"""Crawls: all of them in a table, and each live: how fast it goes, what it finds, whom it asks, why it stopped."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pinakes.core.errors import PinakesError
from pinakes.jobs.borders import turned_away
from pinakes.jobs.watching import CrawlView, steer, view_crawl, view_crawls
from pinakes.library.library import Library
from pinakes.report.charts import LineChart, Series, line_chart
from pinakes.report.markup import Html, join, tag
from pinakes.report.palette import styles
from pinakes.serve import parts, shell
from pinakes.serve.desk import Desk, desk_of
from pinakes.serve.forms import read_form
from pinakes.serve.runner import Job, Runner, runner_of

LIVE = ("running", "paused", "stopping")
EVERY = 1000
"""Milliseconds between two looks at a running crawl."""
STATES = {
    "running": "Running", "paused": "Paused", "stopping": "Stopping", "finished": "Finished",
    "unfinished": "Unfinished",
}  # fmt: skip
ENDS = {
    "budget": "it fetched as many pages as it was allowed",
    "frontier empty": "no link was left to follow",
    "time": "its time was over",
    "hosts parked": "all hosts that are left want a long pause",
    "interrupted": "somebody interrupted it",
    "stopped": "somebody stopped it",
}


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
    return tag(
        "div",
        tag("table", tag("thead", tag("tr", heads)), tag("tbody", rows), aria_label="Crawls"),
        class_="scroll sheet",
        tabindex=0,
        role="region",
        aria_label="Crawls",
    )


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
        tag("td", _badge(one)),
        tag("td", parts.ago(one.started)),
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


def _badge(one: CrawlView) -> Html:
    return tag("span", STATES[one.state], class_=f"badge-state {one.state}")


def banner(desk: Desk, found: Sequence[CrawlView]) -> Html | None:
    """A crawl that is under way."""
    one = next((one for one in found if one.state in LIVE), None)
    if one is None:
        return None
    link = tag("a", f"Crawl {one.id}", href=desk.at(f"/crawls/{one.id}"))
    told = f" is under way: {one.pages:,} pages, {one.nuggets:,} nuggets."
    return tag("p", tag("span", class_="pulse", aria_hidden="true"), link, told, class_="banner")


def crawl(request: Request) -> Response:
    desk = desk_of(request)
    with desk.library() as library:
        one = view_crawl(library, request.path_params["number"])
    live = one.state in LIVE
    return shell.page(
        request,
        f"Crawl {one.id}",
        _head(one),
        tag(
            "div",
            _parts(desk, one, desk.signed_in(request)),
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
    answer = shell.piece(_parts(desk, one, desk.signed_in(request)))
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


def _head(one: CrawlView) -> Html:
    about = [tag("li", parts.words(topic, 60)) for topic in one.topics[:12]]
    return tag(
        "div",
        tag("p", one.job, class_="kind"),
        tag("h1", f"Crawl {one.id}"),
        parts.facts(
            one.strategy,
            f"on {'the live web' if one.web == 'live' else parts.plain(one.web, 80)}",
            parts.moment(one.started),
            (one.delay is not None and f"{one.delay:g} s between requests to a host") or "",
        ),
        about and tag("ul", about, class_="chips", aria_label="Topics"),
        class_="page-head",
    )


def _parts(desk: Desk, one: CrawlView, writes: bool) -> Html:
    return join(
        (
            _state(one),
            _controls(desk, one, writes),
            _figures(one),
            _charts(one),
            tag("div", _nuggets(desk, one), _hosts(desk, one), class_="panels", data_part="found"),
            _outcomes(one),
        )
    )


def _state(one: CrawlView) -> Html:
    if one.state in LIVE:
        told: list[object] = [_badge(one)]
        if one.budget:
            told += [
                " ",
                tag("progress", value=min(one.pages, one.budget), max=one.budget, aria_label="Budget spent"),
                f" {one.pages:,} of {one.budget:,} pages",
            ]
    else:
        why = ENDS.get(one.stopped, one.stopped)
        told = [_badge(one), f" It stopped because {why}." if why else " Its process died; nothing committed is lost."]
    return tag("p", told, class_="state", role="status", data_part="state", data_state=one.state)


def _controls(desk: Desk, one: CrawlView, writes: bool) -> Html:
    """Pause, stop, another budget; or go on."""
    buttons: list[Html] = []
    if writes and one.state in ("running", "paused"):
        paused = one.state == "paused"
        buttons.append(
            tag(
                "button",
                "Go on" if paused else "Pause",
                type="submit",
                name="do",
                value="continue" if paused else "pause",
            )
        )
        buttons.append(tag("button", "Stop", type="submit", name="do", value="stop"))
        field = tag("input", type="number", name="pages", min=1, value=one.budget or "", inputmode="numeric")
        buttons.append(tag("label", tag("span", "Pages"), field))
        buttons.append(tag("button", "Change the budget", type="submit", name="do", value="budget"))
    elif writes and one.resumable:
        buttons.append(tag("button", "Resume", type="submit", name="do", value="resume", class_="primary"))
    path = f"/crawls/{one.id}/steer"
    body = parts.write_form(desk, path, buttons, class_="filters") if buttons else None
    return tag("div", body, data_part="controls")


def _figures(one: CrawlView) -> Html:
    figures = (
        (f"{one.pages:,}", "pages"),
        (f"{one.rate:.1f}", "pages a second"),
        (f"{one.nuggets:,}", "nuggets"),
        (f"{one.harvest_rate:.2f}", "harvest rate"),
        (f"{one.waiting:,}", "links waiting"),
        (parts.lasted(one.seconds), "so far" if one.state in LIVE else "in all"),
    )
    listed = [tag("li", tag("strong", value), " ", name) for value, name in figures]
    last = one.state in LIVE and one.last and tag("p", "Last: ", parts.address(one.last), class_="where")
    return tag("div", tag("ul", listed, class_="figures"), last or None, data_part="figures")


def _charts(one: CrawlView) -> Html:
    if len(one.curve) < 2:
        return tag("div", data_part="charts")
    x = [float(pages) for pages, _, _ in one.curve]
    rate = LineChart(
        "harvest-rate",
        "Harvest rate",
        x,
        "pages",
        "nuggets ÷ pages",
        [Series("harvest rate", [rate for _, rate, _ in one.curve])],
        share=True,
        fixed=True,
        bars=0,
        y_range=(0.0, 1.0),
    )
    waiting = LineChart(
        "frontier",
        "Frontier",
        x,
        "pages",
        "links waiting",
        [Series("links waiting", [float(n) for _, _, n in one.curve])],
        fixed=True,
        bars=0,
    )
    drawn = [line_chart(chart, styles([chart.series[0].name])) for chart in (rate, waiting)]
    return tag("div", drawn, class_="panels", data_part="charts")


def _nuggets(desk: Desk, one: CrawlView) -> Html:
    items = [
        tag(
            "li",
            tag("span", f"{nugget.score:.2f}", class_="score"),
            " ",
            parts.page_link(desk, nugget.title, nugget.url, nugget.page),
            tag("small", " ", parts.words(nugget.topic, 40)) if len(one.topics) > 1 else None,
        )
        for nugget in one.latest
    ]
    heading = "Nuggets as they come" if one.state in LIVE else "The last nuggets"
    body = tag("ol", items, class_="plain") if items else tag("p", "None among the latest pages.")
    return tag("section", tag("h2", heading), body, class_="card")


def _hosts(desk: Desk, one: CrawlView) -> Html:
    live_web = one.web == "live"
    heads = ["Host", "Pages", "Nuggets", "Failed", "State", *(["Every"] if live_web else [])]
    rows = [
        tag(
            "tr",
            tag(
                "th",
                tag("a", parts.words(host.host, 40), href=desk.at("/search", {"q": f"site:{host.host}"})),
                scope="row",
            ),
            tag("td", f"{host.pages:,}", class_="number"),
            tag("td", f"{host.nuggets:,}", class_="number"),
            tag("td", f"{host.failures:,}", class_="number"),
            tag("td", host.state if live_web else host.last, title=host.last),
            live_web and tag("td", f"{host.every:.1f} s" if host.every is not None else "–", class_="number"),
        )
        for host in one.hosts
    ]
    columns = [
        tag("th", name, scope="col", class_="number" if name in ("Pages", "Nuggets", "Failed", "Every") else None)
        for name in heads
    ]
    body = tag("table", tag("thead", tag("tr", columns)), tag("tbody", rows), aria_label="Hosts asked lately")
    return tag(
        "section",
        tag("h2", "Hosts asked lately"),
        tag("div", body, class_="scroll", tabindex=0, role="region", aria_label="Hosts asked lately")
        if rows
        else tag("p", "None yet."),
        class_="card",
    )


def _outcomes(one: CrawlView) -> Html:
    most = max((count for _, count, _ in one.outcomes), default=1)
    rows = [
        tag("tr", tag("th", name, scope="row"), tag("td", parts.meter(count, most, f"{count:,}")), tag("td", meaning))
        for name, count, meaning in one.outcomes
    ]
    heads = [tag("th", name, scope="col") for name in ("Outcome", "How often", "What it means")]
    body = tag("table", tag("thead", tag("tr", heads)), tag("tbody", rows), aria_label="Outcomes")
    return tag(
        "section",
        tag("h2", "What came of the links"),
        tag("div", body, class_="scroll sheet", tabindex=0, role="region", aria_label="Outcomes")
        if rows
        else tag("p", "Nothing was fetched yet."),
        data_part="outcomes",
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
