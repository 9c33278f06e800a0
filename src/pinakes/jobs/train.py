"""Training: judges from example pages, and anchor keywords from the logs of breadth-first crawls."""

from __future__ import annotations

import sqlite3
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec

from pinakes import __version__
from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Page, host_of
from pinakes.core.parameters import settings
from pinakes.jobs.judging import SavedJudge, learning_brief, make_trainable, save_judge
from pinakes.jobs.running import run
from pinakes.library.library import Library
from pinakes.strategies.anchor_keywords import Followed, Learnt, Met, beside, learn
from pinakes.text.words import Words
from pinakes.web.http import LiveOptions

DOCUMENT_TYPES = frozenset({"application/pdf", "application/postscript"})
DOCUMENT_ENDS = (".pdf", ".ps", ".ps.gz", ".ps.z")
LETTERS = 3
"""Shorter words beside documents are particles."""
LONGEST_PATH = 1000
WORDS_KEPT = 30


@dataclass(frozen=True, slots=True)
class TrainJudgeOptions:
    """What `pinakes train judge` is told."""

    out: Path
    examples: tuple[str, ...]
    negatives: tuple[str, ...]
    judge: str = "rocchio"
    topic: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    folds: int = 5
    web: str = "live"
    random_state: int = 0
    live: LiveOptions | None = None


class Measured(NamedTuple):
    """How well a judge does on pages it did not learn from."""

    precision: float
    recall: float
    f1: float
    folds: int


def train_judge(options: TrainJudgeOptions) -> SavedJudge:
    """Train a judge on example pages, measure it, and write it to `options.out`."""
    if len(options.examples) < 2 or len(options.negatives) < 2:
        raise PinakesError(
            "A judge learns from at least two pages of the kind you want and two of other kinds; "
            "give --example and --negative, each twice or more."
        )
    brief = run(learning_brief(options.topic, options.examples, options.negatives, options.web, options.live))
    brief = replace(brief, random_state=options.random_state)
    measured = cross_validate(options.judge, brief, options.parameters, options.folds)
    judge = make_trainable(options.judge, brief, options.parameters)
    saved = SavedJudge(
        judge=options.judge,
        parameters={**settings(judge), "model": judge.plain()},
        topic=options.topic,
        examples=len(options.examples),
        negatives=len(options.negatives),
        measured=measured._asdict(),
        words=tuple(judge.words(WORDS_KEPT)),
        version=__version__,
    )
    save_judge(saved, options.out)
    return saved


def cross_validate(name: str, brief: Brief, parameters: Mapping[str, Any], folds: int) -> Measured:
    """Train on all folds but one and judge that one, each in turn; the counts of all folds are taken together."""
    topic, examples = next(iter(brief.examples.items()))
    random = Random(brief.random_state)
    wanted, others = list(examples), list(brief.negatives)
    random.shuffle(wanted)
    random.shuffle(others)
    folds = max(2, min(folds, len(wanted), len(others)))
    hits = false = missed = 0
    for fold in range(folds):
        (tried, learnt), (tried_others, learnt_others) = _split(wanted, fold, folds), _split(others, fold, folds)
        rest = replace(brief, examples={topic: tuple(learnt)}, negatives=tuple(learnt_others))
        judge = make_trainable(name, rest, parameters)
        found = sum(judge.judge(page).nugget for page in tried)
        hits, missed = hits + found, missed + len(tried) - found
        false += sum(judge.judge(page).nugget for page in tried_others)
    precision = hits / (hits + false) if hits + false else 0.0
    return Measured(precision, hits / (hits + missed), 2 * hits / (2 * hits + false + missed), folds)


def _split(pages: Sequence[Page], fold: int, folds: int) -> tuple[list[Page], list[Page]]:
    tried = [page for at, page in enumerate(pages) if at % folds == fold]
    return tried, [page for at, page in enumerate(pages) if at % folds != fold]


@dataclass(frozen=True, slots=True)
class TrainAnchorsOptions:
    """What `pinakes train anchors` is told."""

    libraries: tuple[Path, ...]
    out: Path
    wanted: str = "documents"
    """What the crawl was to find: `documents` (PDF, PostScript), or `nuggets`."""
    common: int = 3
    ratio: float = 2.0
    sure: float = 2.0
    links: str = "all"
    """Which links teach: `all`, as in 003, or `pages`: how a document's own link is called says nothing about pages."""
    words: str = "anchors"
    """Which words are learnt: of `anchors`, as in 003, or also those that stand `beside` wanted documents."""


@dataclass(frozen=True, slots=True)
class AnchorsResult:
    """Anchor keywords learnt from crawls (003 §3.3)."""

    keywords: Mapping[str, float]
    """The weight of each, the heaviest first."""
    learnt: Mapping[str, Learnt]
    links: int
    """Links followed by the crawls."""
    interesting: int
    """Of these, links that led to something wanted."""
    found: int
    """Wanted documents."""


def train_anchors(options: TrainAnchorsOptions) -> AnchorsResult:
    """Learn anchor keywords from the breadth-first crawls of libraries, and write them to `options.out`."""
    if options.wanted not in ("documents", "nuggets"):
        raise PinakesError(f"--wanted {options.wanted} is neither documents nor nuggets.")
    if options.links not in ("all", "pages"):
        raise PinakesError(f"--links {options.links} is neither all nor pages.")
    if options.words not in ("anchors", "beside"):
        raise PinakesError(f"--words {options.words} is neither anchors nor beside.")
    links: list[Followed] = []
    near: list[Met] = []
    found = 0
    for folder in options.libraries:
        with Library(folder) as library:
            crawls = [crawl.id for crawl in library.crawls() if library.recipe(crawl).strategy == "breadth-first"]
            if not crawls:
                raise PinakesError(
                    f"{folder} has no breadth-first crawl; make one with "
                    f"`pinakes crawl --strategy breadth-first --into {folder}`."
                )
            for crawl in crawls:
                visits = list(_visits(library.connection, crawl, options.wanted))
                found += sum(visit.wanted for visit in visits)
                links += followed(visits, pages=options.links == "pages")
                if options.words == "beside":
                    wanted = {visit.url for visit in visits if visit.wanted}
                    near += links_met(_pages(library, crawl), wanted, options.wanted == "documents")
    learnt = {**beside(near, options.ratio), **learn(links, options.common, options.ratio, options.sure)}
    learnt = dict(sorted(learnt.items(), key=lambda entry: (-entry[1].weight, -entry[1].interesting, entry[0])))
    result = AnchorsResult(
        keywords={keyword: entry.weight for keyword, entry in learnt.items()},
        learnt=learnt,
        links=len(links),
        interesting=sum(bool(link.weights) for link in links),
        found=found,
    )
    try:
        options.out.write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=1))
    except OSError as error:
        raise PinakesError(f"The keywords cannot be written to {options.out}: {error.strerror}.") from None
    return result


class Logged(NamedTuple):
    """A line of a crawl's log."""

    url: str
    """Where the link led."""
    parent: str
    anchor: str
    wanted: bool


def followed(log: Iterable[Logged], pages: bool = False) -> list[Followed]:
    """The links of a crawl's traverse tree, each with D(Q) / D(P) for every wanted document below it (eq. 1); with
    `pages`, only those that lead to pages."""
    visits: dict[str, Logged] = {}
    for visit in log:
        visits.setdefault(visit.url, visit)
    weights: dict[str, list[float]] = {url: [] for url in visits}
    for document in visits.values():
        if not document.wanted:
            continue
        path = list(_path(visits, document))
        for steps, url in enumerate(path):
            weights[url].append((len(path) - steps) / len(path))
    words = Words()
    return [
        Followed(frozenset(filter(None, words.stems(visit.anchor))), weights[url])
        for url, visit in visits.items()
        if visit.parent in visits and not (pages and visit.wanted)
    ]


def links_met(pages: Iterable[Page], wanted: Container[str], documents: bool) -> Iterator[Met]:
    """The links of a crawl's pages, each address once a page, with the words beside them; of `documents`, also those
    that only look like one count as wanted."""
    words = Words()
    for page in pages:
        for link in {one.url: one for one in page.links}.values():
            likely = documents and link.url.partition("?")[0].lower().endswith(DOCUMENT_ENDS)
            said = (word for word in words.stems(f"{link.before} {link.after}") if len(word) >= LETTERS)
            yield Met(host_of(page.url), frozenset(filter(str.isalpha, said)), likely or link.url in wanted)


def _pages(library: Library, crawl: int) -> Iterator[Page]:
    """The web pages that a crawl read."""
    sql = "SELECT visits.page FROM visits JOIN pages ON pages.id = visits.page WHERE crawl = ? AND type = 'text/html'"
    for (number,) in library.connection.execute(sql, (crawl,)).fetchall():
        yield library.shelf.page(number)


def _path(visits: Mapping[str, Logged], visit: Logged) -> Iterator[str]:
    """The pages from a document up to, and without, the seed."""
    seen: set[str] = set()
    while visit.parent in visits and visit.url not in seen and len(seen) < LONGEST_PATH:
        seen.add(visit.url)
        yield visit.url
        visit = visits[visit.parent]


def _visits(connection: sqlite3.Connection, crawl: int, wanted: str) -> Iterator[Logged]:
    rows = connection.execute(
        "SELECT visits.final, visits.parent, visits.link, visits.nugget, visits.status, pages.type FROM visits"
        " LEFT JOIN pages ON pages.id = visits.page WHERE visits.crawl = ? ORDER BY visits.id",
        (crawl,),
    )
    for final, parent, link, nugget, status, kind in rows:
        document = kind in DOCUMENT_TYPES or (status == 200 and final.lower().endswith(DOCUMENT_ENDS))
        yield Logged(final, parent, msgspec.json.decode(link)[1], bool(nugget) if wanted == "nuggets" else document)
