"""One crawl as it is watched: how far it is, what it finds, whom it asks, who works on it, what came of its links."""

from __future__ import annotations

from pinakes.core.counting import count_of
from pinakes.jobs.watched_hosts import HostState
from pinakes.jobs.watching import CrawlView
from pinakes.report.charts import LineChart, Series, line_chart
from pinakes.report.markup import Html, join, tag
from pinakes.report.palette import styles
from pinakes.serve import parts
from pinakes.serve.desk import Desk

LIVE = ("running", "paused", "stopping")
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


def badge(one: CrawlView) -> Html:
    return tag("span", STATES[one.state], class_=f"badge-state {one.state}")


def head(one: CrawlView) -> Html:
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


def parts_of(desk: Desk, one: CrawlView, writes: bool) -> Html:
    return join(
        (
            _state(one),
            _controls(desk, one, writes),
            _figures(one),
            _charts(one),
            tag("div", _nuggets(desk, one), _hosts(desk, one), class_="panels found", data_part="found"),
            _workers(one),
            _outcomes(one),
        )
    )


def _state(one: CrawlView) -> Html:
    if one.state in LIVE:
        told: list[object] = [badge(one)]
        if one.budget:
            told += [
                " ",
                tag("progress", value=min(one.pages, one.budget), max=one.budget, aria_label="Budget spent"),
                f" {one.pages:,} of {count_of(one.budget, 'page')}",
            ]
    else:
        why = ENDS.get(one.stopped, one.stopped)
        told = [badge(one), f" It stopped because {why}." if why else " Its process died; nothing committed is lost."]
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
    """With where each stands and how long it is left to rest, on a web whose hosts are."""
    polite = any(host.pause is not None for host in one.hosts)
    waits = any(host.state is not None for host in one.hosts)
    names = ["Host", "Pages", "Nuggets", "Failed", "Last", *(["Now"] if waits else []), *(["Pause"] if polite else [])]
    rows = [
        tag(
            "tr",
            tag(
                "th",
                tag("a", parts.words(host.host, 40), href=desk.at("/search", {"q": f"site:{host.host}"})),
                scope="row",
            ),
            [tag("td", f"{number:,}", class_="number") for number in (host.pages, host.nuggets, host.failures)],
            tag("td", host.last),
            waits and tag("td", _now(host)),
            polite and tag("td", "–" if host.pause is None else _pause(host.pause), class_="number"),
        )
        for host in one.hosts
    ]
    columns = [
        tag("th", name, scope="col", class_="number" if name in ("Pages", "Nuggets", "Failed", "Pause") else None)
        for name in names
    ]
    shown = parts.sheet("Hosts asked lately", columns, rows, framed=False) if rows else tag("p", "None yet.")
    return tag("section", tag("h2", "Hosts asked lately"), shown, class_="card")


def _now(host: HostState) -> str:
    """Whether it may be asked, and if not, for how long."""
    if host.state in ("resting", "left alone"):
        return f"{host.state}, {parts.lasted(max(1.0, host.rests))} more"
    return host.state or "–"


def _pause(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 10 else parts.lasted(seconds)


def _workers(one: CrawlView) -> Html:
    """Who works on it, where many machines can."""
    if not one.workers:
        return tag("div", data_part="workers")
    rows = [
        tag(
            "tr",
            tag("th", parts.words(worker.name, 80), scope="row"),
            tag("td", "decides and fetches" if worker.decides else "fetches"),
            tag("td", f"{worker.pages:,}", class_="number"),
            tag("td", f"{worker.in_flight:,}", class_="number"),
            tag("td", f"{parts.lasted(worker.seconds)} ago"),
        )
        for worker in one.workers
    ]
    heads = [
        tag("th", name, scope="col", class_="number" if at in (2, 3) else None)
        for at, name in enumerate(("Worker", "What it does", "Pages", "Under way", "Heard of"))
    ]
    return tag("section", tag("h2", "Workers"), parts.sheet("Workers", heads, rows), data_part="workers")


def _outcomes(one: CrawlView) -> Html:
    most = max((count for _, count, _ in one.outcomes), default=1)
    rows = [
        tag("tr", tag("th", name, scope="row"), tag("td", parts.meter(count, most, f"{count:,}")), tag("td", meaning))
        for name, count, meaning in one.outcomes
    ]
    heads = [tag("th", name, scope="col") for name in ("Outcome", "How often", "What it means")]
    shown = parts.sheet("Outcomes", heads, rows) if rows else tag("p", "Nothing was fetched yet.")
    return tag("section", tag("h2", "What came of the links"), shown, data_part="outcomes")
