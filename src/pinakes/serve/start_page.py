"""Forms to start a job, and pages to watch one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pinakes.core.errors import PinakesError
from pinakes.library.library import in_use
from pinakes.report.markup import Html, tag
from pinakes.serve import parts, shell
from pinakes.serve.desk import Desk, desk_of
from pinakes.serve.forms import Form, read_form
from pinakes.serve.orders import KINDS, PAPERS, WORKS, File, Mistakes, Order, command_of
from pinakes.serve.runner import Job, Runner, runner_of
from pinakes.strategies.registry import TABLE

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
TOPICS = 4
"""Topics a form has room for; a file has room for more."""


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
        (jobs and tag("section", tag("h2", "Jobs started here"), _jobs(desk, jobs[:20]))) or None,
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
    fields = FORMS[kind](_Fields(values, wrong))
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


class _Fields:
    """Fields of a form with what was written in them and what is wrong with it."""

    def __init__(self, values: Mapping[str, str], wrong: Mapping[str, str]) -> None:
        self._values, self._wrong = values, wrong

    def has(self, name: str) -> bool:
        """Was something written there?"""
        return bool(self._values.get(name))

    def line(self, name: str, label: str, hint: str = "", value: str = "", **attributes: object) -> Html:
        given = self._values.get(name, value)
        return self._framed(
            name, label, hint, tag("input", type="text", value=given, **self._own(name, hint), **attributes)
        )

    def number(self, name: str, label: str, value: int, low: int, high: int) -> Html:
        given = self._values.get(name, str(value))
        field = tag("input", type="number", value=given, min=low, max=high, inputmode="numeric", **self._own(name, ""))
        return self._framed(name, label, "", field)

    def lines(self, name: str, label: str, hint: str = "", rows: int = 3) -> Html:
        return self._framed(
            name, label, hint, tag("textarea", self._values.get(name, ""), rows=rows, **self._own(name, hint))
        )

    def file(self, name: str, label: str, hint: str, accept: tuple[str, ...]) -> Html:
        return self._framed(
            name, label, hint, tag("input", type="file", accept=",".join(accept), **self._own(name, hint))
        )

    def choice(self, name: str, label: str, options: Mapping[str, str], value: str) -> Html:
        chosen = self._values.get(name, value)
        made = [tag("option", shown, value=key, selected=key == chosen) for key, shown in options.items()]
        return self._framed(name, label, "", tag("select", made, **self._own(name, "")))

    def boxes(self, name: str, label: str, options: Mapping[str, str], value: tuple[str, ...]) -> Html:
        chosen = set(self._values[name].split("\n")) if name in self._values else set(value)
        made = [
            tag("label", tag("input", type="checkbox", name=name, value=key, checked=key in chosen), " ", shown)
            for key, shown in options.items()
        ]
        return tag("fieldset", tag("legend", label), made, self._complaint(name), id=f"f-{name}", class_="boxes")

    def _own(self, name: str, hint: str) -> dict[str, Any]:
        about = " ".join(([f"h-{name}"] if hint else []) + ([f"w-{name}"] if name in self._wrong else []))
        return {
            "name": name,
            "id": f"f-{name}",
            "aria_describedby": about or None,
            "aria_invalid": "true" if name in self._wrong else None,
        }

    def _framed(self, name: str, label: str, hint: str, field: Html) -> Html:
        return tag(
            "div",
            tag("label", label, for_=f"f-{name}"),
            hint and tag("p", hint, class_="hint", id=f"h-{name}"),
            field,
            self._complaint(name),
            class_="field",
        )

    def _complaint(self, name: str) -> Html | None:
        return tag("p", self._wrong[name], class_="wrong", id=f"w-{name}") if name in self._wrong else None


def _strategies() -> dict[str, str]:
    return {name: f"{name}: {entry.summary}" for name, entry in TABLE.items()}


def _crawl_form(fields: _Fields) -> list[Html]:
    return [
        fields.line("topic", "What do you want?", "A few words: owls and other birds of prey."),
        fields.lines("examples", "Example pages", "Addresses of pages of the kind you want, one a line."),
        fields.lines("seeds", "Where to start", "Addresses, one a line. Without them: the examples, else search hits."),
        fields.choice("strategy", "Strategy", _strategies(), "evidence"),
        fields.number("pages", "Pages to fetch", 1000, 1, 10_000_000),
    ]


def _collect_form(fields: _Fields) -> list[Html]:
    topics = [_topic_fields(fields, number) for number in range(1, TOPICS + 1)]
    more = tag("details", tag("summary", "More topics"), topics[1:], open=fields.has("name-2"))
    return [
        tag("div", topics[0], more, id="f-topics", class_="topic-fields"),
        fields.file("file", "Or a topics file", "A topics.toml, for more of them.", (".toml",)),
        fields.lines("seeds", "Where to start", "Addresses, one a line. Without them: the examples."),
        fields.number("pages", "Pages to fetch", 1000, 1, 10_000_000),
    ]


def _topic_fields(fields: _Fields, n: int) -> Html:
    return tag(
        "fieldset",
        tag("legend", f"Topic {n}"),
        fields.line(f"name-{n}", "Name"),
        fields.line(f"description-{n}", "Description", "What belongs to it, in a sentence."),
        fields.lines(f"examples-{n}", "Example pages", "Addresses, one a line; else search hits stand in.", rows=2),
    )


def _panorama_form(fields: _Fields) -> list[Html]:
    return [
        fields.file(
            "paper",
            "The paper",
            "A PDF or PostScript file, a bibliography (.bib, .ris), or titles, one a line (.txt).",
            PAPERS,
        ),
        fields.number("communities", "Communities on the map", 5, 2, 50),
        fields.number("pages", "Pages to fetch", 1000, 1, 10_000_000),
    ]


def _harvest_form(fields: _Fields) -> list[Html]:
    return [
        fields.file(
            "metadata",
            "The papers that should be there",
            "A list with titles and authors: JSON, CSV, BibTeX, RIS or XML.",
            WORKS,
        ),
        fields.line("service", "Or a service that lists them", "dblp:WebDB, openalex:S4306420609, crossref:1076-9757"),
        fields.line("venue", "Only of this venue"),
        fields.line("years", "Only of these years", "1999-2003"),
        fields.file("holdings", "What is held already", "A list like the first one.", WORKS),
        fields.lines("venue_sites", "The venue's own site", "Addresses, one a line; crawled too."),
        fields.number("pages", "Pages to fetch", 1000, 1, 10_000_000),
    ]


def _evaluate_form(fields: _Fields) -> list[Html]:
    return [
        fields.file("topics", "Topics", "topics.jsonl: one a line, with its known relevant pages.", (".jsonl",)),
        fields.boxes("strategies", "Strategies", _strategies(), ("evidence", "best-first", "breadth-first")),
        fields.number("pages", "Pages of each crawl", 300, 1, 100_000),
    ]


FORMS: dict[str, Callable[[_Fields], list[Html]]] = {
    "crawl": _crawl_form, "collect": _collect_form, "panorama": _panorama_form, "harvest": _harvest_form,
    "evaluate": _evaluate_form,
}  # fmt: skip


async def place(request: Request) -> Response:
    """Take an order, or show the form again with what is wrong."""
    desk, kind, form = desk_of(request), _kind(request), await read_form(request)
    values = _values(form.values)
    try:
        made = _order(kind, form)
        job = begin(desk, runner_of(request), kind, made)
    except Mistakes as error:
        return _form_page(request, kind, values, error.by_field)
    except msgspec.ValidationError as error:
        return _form_page(request, kind, values, _complaints(error))
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


def _order(kind: str, form: Form) -> Order:
    """The order that a form stands for."""
    plain: dict[str, Any] = {}
    for field in msgspec.structs.fields(KINDS[kind]):
        name = field.name
        if (kind, name) == ("collect", "topics"):
            plain[name] = [
                {
                    "name": form.text(f"name-{n}", 2000),
                    "description": form.text(f"description-{n}", 2000),
                    "examples": form.lines(f"examples-{n}"),
                }
                for n in range(1, TOPICS + 1)
                if form.text(f"name-{n}", 2000) or form.lines(f"examples-{n}") or form.text(f"description-{n}", 2000)
            ]
        elif name in ("file", "paper", "metadata", "holdings") or (kind, name) == ("evaluate", "topics"):
            plain[name] = File(*form.files[name]) if name in form.files else None
        elif name in ("examples", "seeds", "venue_sites"):
            plain[name] = form.lines(name)
        elif name == "strategies":
            plain[name] = [value for value in form.values.getlist(name) if isinstance(value, str)]
        elif text := form.text(name, 2000):
            plain[name] = text
    files = {name: value for name, value in plain.items() if isinstance(value, File)}
    made: Order = msgspec.convert(
        {key: value for key, value in plain.items() if key not in files}, KINDS[kind], strict=False
    )
    return msgspec.structs.replace(made, **files)


def _complaints(error: msgspec.ValidationError) -> dict[str, str]:
    """A validator's words as a sentence beside its field."""
    text = str(error)
    said, _, where = text.partition(" - at `$.")
    return {where.rstrip("`").partition("[")[0] or "pages": f"{said}."}


def _values(form: FormData) -> dict[str, str]:
    """What was written, to be shown again."""
    found: dict[str, str] = {}
    for name, value in form.multi_items():
        if isinstance(value, UploadFile) or name == "form_token":
            continue
        found[name] = f"{found[name]}\n{value}" if name in found else value
    return found


def _jobs(desk: Desk, jobs: list[Job]) -> Html:
    rows = [
        tag(
            "tr",
            tag("th", tag("a", parts.words(job.title, 80), href=desk.at(f"/jobs/{job.id}")), scope="row"),
            tag("td", tag("span", job.state, class_=f"badge-state {job.state}")),
            tag("td", parts.ago(job.started)),
        )
        for job in jobs
    ]
    heads = [tag("th", name, scope="col") for name in ("Job", "State", "Begun")]
    body = tag("table", tag("thead", tag("tr", heads)), tag("tbody", rows), aria_label="Jobs")
    return tag("div", body, class_="scroll sheet", tabindex=0, role="region", aria_label="Jobs")


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
    Route("/start", start),
    Route("/start/{kind:str}", order, methods=["GET"]),
    Route("/start/{kind:str}", place, methods=["POST"]),
    Route("/jobs/{number:int}", job),
    Route("/jobs/{number:int}/live", job_live),
    Route("/jobs/{number:int}/stop", stop, methods=["POST"]),
]
