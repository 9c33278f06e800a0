"""The form of each job: what is asked for, and the order that a filled-in form stands for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from starlette.datastructures import FormData, UploadFile

from pinakes.report.markup import Html, tag
from pinakes.serve.fields import Fields
from pinakes.serve.forms import Form
from pinakes.serve.orders import KINDS, PAPERS, WORKS, File, Order
from pinakes.strategies.registry import TABLE

TOPICS = 4
"""Topics a form has room for; a file has room for more."""


def _strategies() -> dict[str, str]:
    return {name: f"{name}: {entry.summary}" for name, entry in TABLE.items()}


def _crawl_form(fields: Fields) -> list[Html]:
    return [
        fields.line("topic", "What do you want?", "A few words: owls and other birds of prey."),
        fields.lines("examples", "Example pages", "Addresses of pages of the kind you want, one a line."),
        fields.lines("seeds", "Where to start", "Addresses, one a line. Without them: the examples, else search hits."),
        fields.choice("strategy", "Strategy", _strategies(), "evidence"),
        fields.number("pages", "Pages to fetch", 1000, 1, 10_000_000),
    ]


def _collect_form(fields: Fields) -> list[Html]:
    topics = [_topic_fields(fields, number) for number in range(1, TOPICS + 1)]
    more = tag("details", tag("summary", "More topics"), topics[1:], open=fields.has("name-2"))
    return [
        tag("div", topics[0], more, id="f-topics", class_="topic-fields"),
        fields.file("file", "Or a topics file", "A topics.toml, for more of them.", (".toml",)),
        fields.lines("seeds", "Where to start", "Addresses, one a line. Without them: the examples."),
        fields.number("pages", "Pages to fetch", 1000, 1, 10_000_000),
    ]


def _topic_fields(fields: Fields, n: int) -> Html:
    return tag(
        "fieldset",
        tag("legend", f"Topic {n}"),
        fields.line(f"name-{n}", "Name"),
        fields.line(f"description-{n}", "Description", "What belongs to it, in a sentence."),
        fields.lines(f"examples-{n}", "Example pages", "Addresses, one a line; else search hits stand in.", rows=2),
    )


def _panorama_form(fields: Fields) -> list[Html]:
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


def _harvest_form(fields: Fields) -> list[Html]:
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


def _evaluate_form(fields: Fields) -> list[Html]:
    return [
        fields.file("topics", "Topics", "topics.jsonl: one a line, with its known relevant pages.", (".jsonl",)),
        fields.boxes("strategies", "Strategies", _strategies(), ("evidence", "best-first", "breadth-first")),
        fields.number("pages", "Pages of each crawl", 300, 1, 100_000),
    ]


FORMS: dict[str, Callable[[Fields], list[Html]]] = {
    "crawl": _crawl_form, "collect": _collect_form, "panorama": _panorama_form, "harvest": _harvest_form,
    "evaluate": _evaluate_form,
}  # fmt: skip


def order_of(kind: str, form: Form) -> Order:
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


def complaints(error: msgspec.ValidationError) -> dict[str, str]:
    """A validator's words as a sentence beside its field."""
    text = str(error)
    said, _, where = text.partition(" - at `$.")
    return {where.rstrip("`").partition("[")[0] or "pages": f"{said}."}


def written(form: FormData) -> dict[str, str]:
    """What was written, to be shown again."""
    found: dict[str, str] = {}
    for name, value in form.multi_items():
        if isinstance(value, UploadFile) or name == "form_token":
            continue
        found[name] = f"{found[name]}\n{value}" if name in found else value
    return found
