"""Starting a job: what there is to choose from, the form of each, and taking an order."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pinakes.core.errors import PinakesError
from pinakes.library.library import in_use
from pinakes.report.markup import Html, tag
from pinakes.serve import jobs_page, parts, shell
from pinakes.serve.desk import Desk, desk_of
from pinakes.serve.fields import Fields
from pinakes.serve.forms import read_form
from pinakes.serve.job_forms import FORMS, complaints, order_of, written
from pinakes.serve.orders import Mistakes, Order, command_of
from pinakes.serve.runner import Job, Runner, runner_of

JOBS = {
    "crawl": ("Crawl towards a topic", "Say what you want in words, or show an example page."),
    "collect": ("Collect pages on topics", "A ranked collection for each of your topics, in one crawl."),
    "panorama": ("Map the web round a paper", "Give a paper; get a map of the communities round it."),
    "harvest": ("Harvest a venue's papers", "Find the papers a library lacks on their authors' homepages."),
    "evaluate": ("Compare strategies", "On topics whose relevant pages are known."),
}
SHOWS = {
    "crawl": "/crawls",
    "collect": "/collections",
    "panorama": "/maps",
    "harvest": "/harvests",
    "evaluate": "/evaluations",
}


def start(request: Request) -> Response:
    desk = desk_of(request)
    items = [
        tag("li", tag("h2", tag("a", title, href=desk.at(f"/start/{kind}"))), tag("p", about), class_="shelf")
        for kind, (title, about) in JOBS.items()
    ]
    jobs = runner_of(request).jobs()
    return shell.page(
        request,
        "New job",
        tag("h1", "What shall it do?"),
        _guest(desk, request),
        tag("ul", items, class_="cards-grid"),
        (jobs and tag("section", tag("h2", "Jobs started here"), jobs_page.table(desk, jobs[:20]))) or None,
        section="start",
    )


def order(request: Request) -> Response:
    return _form_page(request, _kind(request), {}, {})


def _kind(request: Request) -> str:
    kind = request.path_params["kind"]
    if kind not in JOBS:
        raise LookupError(f"There is no job {kind[:40]}.")
    return str(kind)


def _form_page(
    request: Request, kind: str, values: Mapping[str, str], wrong: Mapping[str, str], said: str = ""
) -> Response:
    desk = desk_of(request)
    title, about = JOBS[kind]
    fields = FORMS[kind](Fields(values, wrong))
    button = tag("button", "Start", type="submit", class_="primary", disabled=not desk.signed_in(request))
    listed = [tag("li", tag("a", sentence, href=f"#f-{name}")) for name, sentence in wrong.items()]
    trouble = (said or wrong) and tag(
        "div",
        tag("p", said or "This cannot be started yet:"),
        listed and tag("ul", listed),
        class_="trouble",
        role="alert",
    )
    return shell.page(
        request,
        title,
        tag("p", tag("a", "New job", href=desk.at("/start")), class_="kind"),
        tag("h1", title),
        tag("p", about, class_="lead"),
        _guest(desk, request),
        trouble or None,
        parts.write_form(desk, f"/start/{kind}", fields, button, class_="order", files=True),
        section="start",
        status=409 if said else 422 if wrong else 200,
    )


def _guest(desk: Desk, request: Request) -> Html | None:
    if desk.signed_in(request):
        return None
    return tag(
        "p",
        "You are reading only. To start jobs, open the link that pinakes serve printed when it began.",
        class_="note",
    )


async def place(request: Request) -> Response:
    """Take an order, or show the form again with what is wrong."""
    desk, kind, form = desk_of(request), _kind(request), await read_form(request)
    values = written(form.values)
    try:
        made = order_of(kind, form)
        job = begin(desk, runner_of(request), kind, made)
    except Mistakes as error:
        return _form_page(request, kind, values, error.by_field)
    except msgspec.ValidationError as error:
        return _form_page(request, kind, values, complaints(error))
    except BusyNow as error:
        return _form_page(request, kind, values, {}, str(error))
    return RedirectResponse(desk.at(f"/jobs/{job.id}"), 303)


class BusyNow(PinakesError):  # noqa: N818
    """The library is being written."""


def begin(desk: Desk, runner: Runner, kind: str, made: Order) -> Job:
    """Start the job of an order."""
    if in_use(desk.folder) and kind != "evaluate":
        raise BusyNow("A job is writing to this library now; wait until it ends, or stop it on its crawl's page.")
    number, folder = runner.place()
    try:
        command = command_of(made, desk.folder.resolve(), folder.resolve())
    except PinakesError:
        runner.give_back(number)
        raise
    return runner.start(
        kind,
        command.title,
        command.words,
        writes=command.writes,
        crawls=True,
        number=number,
        shows=desk.at(SHOWS[kind]),
    )


ROUTES = [
    Route("/start", start),
    Route("/start/{kind:str}", order, methods=["GET"]),
    Route("/start/{kind:str}", place, methods=["POST"]),
]
