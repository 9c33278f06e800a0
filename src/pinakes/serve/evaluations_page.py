"""Evaluations: how strategies compare, as `pinakes evaluate` measured it into the library's reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from pinakes.core.counting import count_of
from pinakes.report.evaluation import render
from pinakes.report.evaluation_curves import bars, learning_curves
from pinakes.report.evaluation_tables import by_strategy
from pinakes.report.evaluation_view import View
from pinakes.report.markup import Html, tag
from pinakes.serve import parts, shell
from pinakes.serve.desk import Desk, desk_of


@dataclass(frozen=True)
class Measured:
    """An evaluation at a glance."""

    name: str
    """Its folder among the reports."""
    web: str
    pages: int
    topics: int
    strategies: tuple[str, ...]
    """The best first."""
    best: tuple[tuple[str, float | None], ...]
    """The first few with their AUC, or what else ranks them."""
    measure: str
    made: float


def evaluations_of(desk: Desk) -> list[Measured]:
    """All evaluations, the latest first."""
    found = []
    for path in (desk.folder / "reports").glob("*/results.json"):
        try:
            results = _results(path, path.stat().st_mtime_ns)
            view = View.of(results)
            named = view.contestants
            best = tuple((name, view.value(name, view.primary)) for name in named[:3])
            found.append(
                Measured(
                    path.parent.name,
                    view.web_name,
                    view.pages,
                    len(results.get("topics", ())),
                    tuple(named),
                    best,
                    view.primary,
                    path.stat().st_mtime,
                )
            )
        except (OSError, msgspec.MsgspecError, KeyError, TypeError, ValueError, AttributeError):
            continue  # not an evaluation's results after all
    return sorted(found, key=lambda one: -one.made)


def results_of(desk: Desk, name: str) -> dict[str, Any]:
    """The results of one, by a name that is on the list and no other."""
    if name not in {one.name for one in evaluations_of(desk)}:
        raise LookupError(f"The library has no evaluation {parts.plain(name, 60)}.")
    path = desk.folder / "reports" / name / "results.json"
    return _results(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=8)
def _results(path: Path, changed: int) -> dict[str, Any]:
    return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])


def evaluations(request: Request) -> Response:
    desk = desk_of(request)
    found = evaluations_of(desk)
    link = tag("a", "Compare strategies", href=desk.at("/start/evaluate"))
    body = table(desk, found) or tag("p", "There are no evaluations yet. ", link, ".", class_="lead")
    return shell.page(request, "Evaluations", tag("h1", "Evaluations"), body, section="evaluations")


def table(desk: Desk, found: Sequence[Measured]) -> Html | None:
    if not found:
        return None
    heads = [
        tag("th", name, scope="col", class_="number" if name in ("Pages", "Topics") else None)
        for name in ("Evaluation", "Web", "Pages", "Topics", "Best", "Made")
    ]
    rows = [
        tag(
            "tr",
            tag("th", tag("a", parts.words(one.name, 60), href=_at(desk, one.name)), scope="row"),
            tag("td", parts.words(one.web, 60)),
            tag("td", f"{one.pages:,}", class_="number"),
            tag("td", f"{one.topics:,}", class_="number"),
            tag("td", ", ".join(f"{name} {value:.2f}" if value is not None else name for name, value in one.best)),
            tag("td", parts.ago(one.made)),
        )
        for one in found
    ]
    return parts.sheet("Evaluations", heads, rows)


def _at(desk: Desk, name: str, what: str = "") -> str:
    return desk.at(f"/evaluation{what}", {"name": name})


def evaluation(request: Request) -> Response:
    desk, name = desk_of(request), request.query_params.get("name", "")
    view = View.of(results_of(desk, name))
    links = [
        tag("li", tag("a", label, href=_at(desk, name, what)))
        for label, what in (("The whole report", "/report"), ("results.json", "/results"))
    ]
    return shell.page(
        request,
        f"Evaluation {parts.plain(name, 60)}",
        tag(
            "div",
            tag("p", "Evaluation", class_="kind"),
            tag("h1", parts.words(name, 60)),
            parts.facts(
                f"on {parts.plain(view.web_name, 80)}",
                count_of(view.pages, "page"),
                count_of(len(view.contestants), "strategy", "strategies"),
            ),
            tag("ul", links, class_="chips"),
            class_="page-head",
        ),
        tag("section", tag("h2", "Along the crawl"), learning_curves(view)),
        tag("section", tag("h2", "In the end"), bars(view)),
        tag("section", tag("h2", "Every measure"), by_strategy(view)),
        section="evaluations",
    )


def report(request: Request) -> Response:
    return shell.report(render(results_of(desk_of(request), request.query_params.get("name", ""))))


def results(request: Request) -> Response:
    desk, name = desk_of(request), request.query_params.get("name", "")
    results_of(desk, name)
    path = desk.folder / "reports" / name / "results.json"
    return FileResponse(path, media_type="application/json", filename="results.json")


ROUTES = [
    Route("/evaluations", evaluations),
    Route("/evaluation", evaluation),
    Route("/evaluation/report", report),
    Route("/evaluation/results", results),
]
