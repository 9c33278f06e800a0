"""Bringing strategy, judge and border back to where a crawl left them: their last kept states, then what came after."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from pinakes.core.page import Link, Page, Verdict, host_of
from pinakes.core.roles import Ask, Asking, Border, Dropping, Judge, Remembering, Repricing, Strategy
from pinakes.core.wishes import with_links
from pinakes.library.library import Library


def restore(strategy: Strategy, border: Border | None, judge: Judge, library: Library, crawl: int) -> None:
    """Replay the journal of a crawl into a fresh strategy and a fresh border, where one is wanted.

    The links the strategy answers are shown to the border, which met them, and then discarded: the frontier holds the
    outcome already. Addresses it repriced are not kept, so a repricing is replayed with none; the engine asks for all
    prices once when the crawl goes on.
    """
    states = library.snapshot(crawl)
    if states is not None:
        strategy.restore(states["strategy"])
        if border is not None:
            border.restore(states["border"])
        if isinstance(judge, Remembering) and states.get("judge") is not None:
            judge.restore(states["judge"])
    for kind, data in library.journal(crawl):
        if kind == "seed":
            _meet(border, strategy.seed([Link(url) for url in data]))
        elif kind == "page":
            page = library.shelf.visit(data[0], data[1])
            verdict = _verdict(judge, page)
            if border is not None:
                border.visit(page, verdict)
            _meet(border, strategy.visit(page, verdict))
        elif kind == "revisit":
            page = library.shelf.recall(crawl, data) or Page(Link(data), data, error="not-found")
            page = replace(page, revisit=True)
            _meet(border, strategy.visit(page, _verdict(judge, page)))
        elif kind == "listed":
            page = library.shelf.recall(crawl, data[0]) or Page(Link(data[0]), data[0], error="not-found")
            _meet(border, strategy.visit(with_links(page, data[1]), _verdict(judge, page)))
        elif kind == "dropped" and isinstance(strategy, Dropping):
            strategy.dropped(data[1], data[0].partition(":")[0])
        elif kind == "asked" and isinstance(strategy, Asking):
            list(strategy.asks())
        elif kind == "answered" and isinstance(strategy, Asking):
            _meet(border, strategy.answered(Ask(*data[0]), data[1]))
        elif kind == "reprice" and isinstance(strategy, Repricing):
            strategy.reprice([])


def unasked(judge: Judge, library: Library, crawl: int) -> Iterator[tuple[Page, Verdict]]:
    """The first page of every site that had not yet told which pages it has when the crawl stopped."""
    told = {host_of(url) for url in library.ledger(crawl).listed()}
    sql = "SELECT id, final FROM visits WHERE crawl = ? AND outcome IN ('ok', 'duplicate') ORDER BY id"
    for number, url in library.connection.execute(sql, (crawl,)).fetchall():
        if host_of(url) not in told:
            told.add(host_of(url))
            page = library.shelf.visit(number, ())
            yield page, _verdict(judge, page)


def _verdict(judge: Judge, page: Page) -> Verdict:
    verdict = judge.judge(page) if page.readable else Verdict()
    return replace(verdict, nugget=False) if page.error == "duplicate" else verdict


def _meet(border: Border | None, links: Iterable[Link]) -> None:
    for link in links:
        if border is not None:
            border(link)
