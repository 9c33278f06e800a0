"""Bringing a strategy back to where a crawl left it: its last kept state, then everything it was told since."""

from __future__ import annotations

from dataclasses import replace

from pinakes.core.page import Link, Page, Verdict
from pinakes.core.roles import Ask, Asking, Dropping, Judge, Repricing, Strategy
from pinakes.library.library import Library


def restore_strategy(strategy: Strategy, judge: Judge, library: Library, crawl: int) -> None:
    """Replay the journal of a crawl into a fresh strategy.

    What the strategy answers is discarded: the frontier holds the outcome already. Addresses it repriced are not
    kept, so a repricing is replayed with none; the engine asks for all prices once when the crawl goes on.
    """
    state = library.snapshot(crawl)
    if state is not None:
        strategy.restore(state)
    for kind, data in library.journal(crawl):
        if kind == "seed":
            list(strategy.seed([Link(url) for url in data]))
        elif kind == "page":
            _visit(strategy, judge, library.shelf.visit(data[0], data[1]))
        elif kind == "revisit":
            page = library.shelf.recall(crawl, data) or Page(Link(data), data, error="not-found")
            _visit(strategy, judge, replace(page, revisit=True))
        elif kind == "dropped" and isinstance(strategy, Dropping):
            strategy.dropped(data[1], data[0])
        elif kind == "answered" and isinstance(strategy, Asking):
            list(strategy.asks())
            list(strategy.answered(Ask(*data[0]), data[1]))
        elif kind == "reprice" and isinstance(strategy, Repricing):
            strategy.reprice([])


def _visit(strategy: Strategy, judge: Judge, page: Page) -> None:
    verdict = judge.judge(page) if page.readable else Verdict()
    if page.error == "duplicate":
        verdict = replace(verdict, nugget=False)
    list(strategy.visit(page, verdict))
