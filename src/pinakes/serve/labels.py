"""Labels: this page belongs here, this one does not; and the ranking they lead to, beside the one before."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pinakes.core.counting import count_of
from pinakes.core.errors import PinakesError
from pinakes.jobs.browse import Listed
from pinakes.jobs.rerank import label
from pinakes.library.labels import Label, Labels, Reranking
from pinakes.report.markup import Html, join, tag
from pinakes.serve import parts
from pinakes.serve.desk import Desk, desk_of
from pinakes.serve.forms import read_form
from pinakes.serve.runner import Job, Runner, runner_of

MEANINGS = {"good": True, "bad": False, "none": None}
PATIENCE = 8.0
"""Seconds a re-ranking is waited for before its progress is shown instead."""
_THUMB = "M2 10h3v10H2zM7 20V10l4.2-7.4c.9 0 1.7.8 1.7 1.8V8h5.6c1.3 0 2.2 1.2 1.9 2.4l-1.8 7.8c-.2 1-1.1 1.8-2.2 1.8z"


@dataclass(frozen=True)
class Opinions:
    """What was said of a collection's pages, and what it changed."""

    labels: dict[str, Label]
    last: Reranking | None

    @property
    def unheard(self) -> int:
        """Labels that no ranking has heard of."""
        since = self.last.at if self.last else 0.0
        counted = (self.last.good + self.last.bad) if self.last else 0
        new = sum(one.at > since for one in self.labels.values())
        return new or abs(len(self.labels) - counted)

    def move(self, url: str) -> Html | None:
        """Where a page stood before the last re-ranking."""
        if self.last is None or url not in self.last.after:
            return None
        moved = self.last.moved(url)
        if moved is None:
            return tag("span", "new", class_="move up")
        if not moved:
            return None
        sign, how = ("▲", "up") if moved > 0 else ("▼", "down")
        return tag(
            "span",
            f"{sign}{abs(moved)}",
            class_=f"move {how}",
            title=f"{how} {abs(moved)} since it was re-ranked",
            aria_label=f"{how} by {abs(moved)}",
        )

    def thumbs(self, desk: Desk, entry: Listed, query: dict[str, object], writes: bool) -> Html | None:
        given = self.labels.get(entry.url)
        if not writes:
            return tag("p", "👍" if given.good else "👎", class_="thumbs") if given else None
        buttons = [
            tag(
                "button",
                tag("svg", tag("path", d=_THUMB), viewBox="0 0 22 22", aria_hidden="true"),
                type="submit",
                name="label",
                value="none" if given and given.good is good else name,
                aria_pressed="true" if given and given.good is good else "false",
                aria_label=f"{told}: {parts.plain(entry.title, 80)}",
                title=told,
                class_=name,
            )
            for name, good, told in (("good", True, "Belongs here"), ("bad", False, "Does not belong here"))
        ]
        back = desk.at("/collection", query)
        return parts.write_form(
            desk,
            "/label",
            parts.hidden(name=query["name"], url=entry.url, back=f"{back}#rank-{entry.rank}"),
            buttons,
            class_="thumbs",
        )

    def banner(self, desk: Desk, name: str, writes: bool) -> Html | None:
        """What labels await, and what the last ones changed."""
        pieces: list[Html] = []
        if writes and self.unheard:
            told = f"{count_of(len(self.labels), 'label')} given. The judge learns from them and ranks anew."
            again = tag("button", "Re-rank", type="submit", class_="primary")
            pieces.append(
                parts.write_form(desk, "/rerank", parts.hidden(name=name), tag("p", told), again, class_="banner")
            )
        if self.last is not None:
            pieces.append(_before_and_after(desk, self.last))
        return join(pieces) if pieces else None


def opinions_of(desk: Desk, name: str) -> Opinions:
    labels = Labels(desk.folder)
    return Opinions({one.url: one for one in labels.of(name)}, labels.last(name))


def _before_and_after(desk: Desk, last: Reranking) -> Html:
    places = {url: rank for rank, url in enumerate(last.before, 1)}
    rows = [
        tag(
            "tr",
            tag("td", places.get(url, "–"), class_="number"),
            tag("td", rank, class_="number"),
            tag("td", parts.page_link(desk, "", url, None)),
        )
        for rank, url in enumerate(last.after[:50], 1)
    ]
    gone = [url for url in last.before if url not in last.after][:50]
    rows += [
        tag(
            "tr",
            tag("td", places[url], class_="number"),
            tag("td", "out", class_="number"),
            tag("td", parts.page_link(desk, "", url, None)),
        )
        for url in gone
    ]
    up = sum((last.moved(url) or 0) > 0 for url in last.after)
    down = sum((last.moved(url) or 0) < 0 for url in last.after)
    new = sum(url not in places for url in last.after)
    changes = [
        f"{number} {word}"
        for number, word in ((up, "rose"), (down, "fell"), (new, "came new"), (len(gone), "left"))
        if number
    ]
    told = (
        f"Re-ranked {parts.ago(last.at)} by {last.good} good and {last.bad} bad: {', '.join(changes) or 'no change'}."
    )
    heads = [
        tag("th", name, scope="col", class_=kind)
        for name, kind in (("Before", "number"), ("After", "number"), ("Page", None))
    ]
    return tag(
        "details",
        tag("summary", told),
        parts.sheet("Before and after", heads, rows, framed=False),
        class_="reranked",
    )


async def give(request: Request) -> Response:
    desk, form = desk_of(request), await read_form(request)
    meaning = form.text("label")
    if meaning not in MEANINGS:
        raise PinakesError("A label is good, bad or none.")
    label(desk.folder, form.text("name"), form.text("url", 8000), MEANINGS[meaning])
    return RedirectResponse(_back(desk, form.text("back", 8000), form.text("name")), 303)


async def rank_anew(request: Request) -> Response:
    desk, form = desk_of(request), await read_form(request)
    runner = runner_of(request)
    job = rerank(desk, runner, form.text("name"))
    await runner.wait(job.id, PATIENCE)
    done = runner.job(job.id)
    return RedirectResponse(done.shows if done.state == "done" else desk.at(f"/jobs/{job.id}"), 303)


def rerank(desk: Desk, runner: Runner, name: str) -> Job:
    """Begin to rank a collection by its labels."""
    title, shows = f"Re-rank {parts.plain(name, 80)}", desk.at("/collection", {"name": name})
    return runner.start("label", title, ["label", str(desk.folder), "--", name], writes=True, shows=shows)


def _back(desk: Desk, wished: str, name: str) -> str:
    """Where the reader was; never to another site."""
    inside = wished.startswith(f"{desk.root}/") and not wished.startswith(("//", "/\\"))
    return wished if inside and wished.isprintable() else desk.at("/collection", {"name": name})


ROUTES = [Route("/label", give, methods=["POST"]), Route("/rerank", rank_anew, methods=["POST"])]
