"""Jobs started here: all of them in a table, and each while it runs and when it is done."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pinakes.report.markup import Html, tag
from pinakes.serve import parts, shell
from pinakes.serve.desk import Desk, desk_of
from pinakes.serve.forms import read_form
from pinakes.serve.runner import Job, runner_of


def table(desk: Desk, jobs: list[Job]) -> Html:
    rows = [
        tag(
            "tr",
            tag("th", tag("a", parts.words(job.title, 80), href=desk.at(f"/jobs/{job.id}")), scope="row"),
            tag("td", tag("span", job.state, class_=f"badge-state {job.state}")),
            tag("td", parts.ago(job.started), class_="when"),
        )
        for job in jobs
    ]
    heads = [tag("th", name, scope="col") for name in ("Job", "State", "Begun")]
    return parts.sheet("Jobs", heads, rows)


def job(request: Request) -> Response:
    desk = desk_of(request)
    found = runner_of(request).job(request.path_params["number"])
    running = found.state == "running"
    return shell.page(
        request,
        found.title,
        tag(
            "div",
            tag("p", "Job", class_="kind"),
            tag("h1", parts.words(found.title)),
            parts.facts(parts.moment(found.started)),
            class_="page-head",
        ),
        tag(
            "div",
            _job_parts(request, desk, found),
            class_="live",
            data_live=desk.at(f"/jobs/{found.id}/live") if running else None,
            data_every=1000 if running else None,
        ),
        section="start",
    )


def job_live(request: Request) -> Response:
    found = runner_of(request).job(request.path_params["number"])
    answer = shell.piece(_job_parts(request, desk_of(request), found))
    answer.headers["X-Pinakes-Live"] = "yes" if found.state == "running" else "no"
    return answer


def _job_parts(request: Request, desk: Desk, found: Job) -> list[Html | None]:
    states = {
        "running": "It is running.",
        "done": "It is done.",
        "failed": "It could not be done.",
        "stopped": "It was stopped; a crawl can be resumed.",
        "lost": "Nobody saw it end.",
    }
    crawl = None
    with desk.library() as library:
        latest = [one for one in library.crawls() if one.started >= found.started - 1]
    if latest and found.kind != "evaluate":
        crawl = tag(
            "p",
            tag(
                "a",
                f"Watch crawl {latest[0].id}" if found.state == "running" else f"Crawl {latest[0].id}",
                href=desk.at(f"/crawls/{latest[0].id}"),
                class_="primary",
            ),
        )
    result = (
        found.state == "done"
        and found.shows
        and tag("p", tag("a", "See what came of it", href=found.shows, class_="primary"))
    )
    stop = (
        found.state == "running"
        and desk.signed_in(request)
        and parts.write_form(desk, f"/jobs/{found.id}/stop", tag("button", "Stop", type="submit"), class_="filters")
    )
    said = _last_lines(runner_of(request).said(found.id))
    return [
        tag(
            "p",
            tag("span", found.state, class_=f"badge-state {found.state}"),
            " ",
            states[found.state],
            class_="state",
            role="status",
            data_part="state",
            data_state=found.state,
        ),
        tag("div", crawl, result or None, stop or None, data_part="controls"),
        tag(
            "section",
            tag("h2", "What it said"),
            tag("pre", tag("bdi", said or "Nothing yet."), class_="text", tabindex=0, aria_label="What it said"),
            data_part="said",
        ),
    ]


def _last_lines(text: str, most: int = 60) -> str:
    """The end of what a job said; of a line that was written over only the last state."""
    lines = [line.rsplit("\r", 1)[-1].rstrip() for line in text.replace("\r\n", "\n").split("\n")]
    return "\n".join(lines[-most:]).strip()


async def stop(request: Request) -> Response:
    await read_form(request)
    number = request.path_params["number"]
    runner_of(request).job(number)
    runner_of(request).stop(number)
    return RedirectResponse(desk_of(request).at(f"/jobs/{number}"), 303)


ROUTES = [
    Route("/jobs/{number:int}", job),
    Route("/jobs/{number:int}/live", job_live),
    Route("/jobs/{number:int}/stop", stop, methods=["POST"]),
]
