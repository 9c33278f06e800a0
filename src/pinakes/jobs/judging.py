"""Trying a judge on pages, and judges kept as files of plain data."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import msgspec

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Fetched, Link, Page, Topic, Verdict
from pinakes.core.parameters import build
from pinakes.core.roles import Judge, Plain, Web
from pinakes.formats.url import canonical
from pinakes.jobs.examples import check_example, fetch_example
from pinakes.jobs.running import run
from pinakes.jobs.webs import open_web
from pinakes.judges.bayes import NaiveBayesJudge
from pinakes.judges.linear import EGJudge, RocchioJudge, WidrowHoffJudge
from pinakes.judges.registry import make_judge
from pinakes.web.http import LiveOptions

TRAINABLE: Mapping[str, type] = {
    "naive-bayes": NaiveBayesJudge,
    "rocchio": RocchioJudge,
    "widrow-hoff": WidrowHoffJudge,
    "eg": EGJudge,
}


class TrainableJudge(Judge, Protocol):
    """A judge that learns from examples and can be kept."""

    def words(self, n: int) -> list[tuple[str, float]]:
        """The words it goes by, the strongest first."""

    def plain(self) -> Plain:
        """What it learnt, as data; the same judge is made of it by the parameter `model`."""


@dataclass(frozen=True, slots=True)
class SavedJudge:
    """A trained judge, as it stands in its file."""

    judge: str
    parameters: Mapping[str, Any]
    """All its parameters, what it learnt included."""
    topic: str = ""
    examples: int = 0
    negatives: int = 0
    measured: Mapping[str, float] = field(default_factory=dict)
    """Precision, recall and F1 in cross-validation."""
    words: tuple[tuple[str, float], ...] = ()
    version: str = ""
    """The Pinakes that wrote it."""


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """What `pinakes judge` is told."""

    pages: tuple[str, ...]
    """Addresses or files to judge."""
    judge: str = "cosine"
    """A judge's name, or the file of a trained one."""
    topic: str = ""
    examples: tuple[str, ...] = ()
    negatives: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    web: str = "live"
    live: LiveOptions | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judge thinks of a page."""

    page: str
    url: str
    title: str
    score: float
    nugget: bool
    topic: str
    threshold: float
    words: tuple[tuple[str, float], ...] = ()
    """The judge's words that the page has, the strongest first; only of trained judges."""


WORDS_SHOWN = 10


def judge_pages(options: JudgeOptions) -> list[Judged]:
    """Let a judge look at pages."""
    return run(_judge(options))


async def _judge(options: JudgeOptions) -> list[Judged]:
    place = options.web, options.live
    brief = await learning_brief(options.topic, options.examples, options.negatives, *place)
    judge = open_judge(options.judge, brief, options.parameters)
    known = judge.words(10_000) if hasattr(judge, "words") else []
    judged = []
    pages = await read_pages(options.pages, *place, "page to judge")
    for name, page in zip(options.pages, pages, strict=True):
        verdict: Verdict = judge.judge(page)
        words = tuple(word for word in known if word[0] in page.terms)[:WORDS_SHOWN]
        judged.append(
            Judged(name, page.url, page.title, verdict.score, verdict.nugget, verdict.topic, judge.threshold, words)
        )
    return judged


def open_judge(name: str, brief: Brief, parameters: Mapping[str, Any]) -> Any:
    """The judge of a name, or the trained judge of a file."""
    if not Path(name).is_file():
        return make_trainable(name, brief, parameters) if name in TRAINABLE else make_judge(name, brief, parameters)
    saved = load_judge(Path(name))
    return make_trainable(saved.judge, brief, {**saved.parameters, **parameters})


def make_trainable(name: str, brief: Brief, parameters: Mapping[str, Any]) -> TrainableJudge:
    if name not in TRAINABLE:
        raise PinakesError(f"The judge {name} cannot be trained; choose one of {', '.join(TRAINABLE)}.")
    made: TrainableJudge = build(TRAINABLE[name], f"The judge {name}", brief, parameters)
    return made


def save_judge(saved: SavedJudge, path: Path) -> None:
    """Write a judge so that its file is whole, or not there at all."""
    unfinished = path.with_name(f"{path.name}.tmp")
    try:
        with unfinished.open("wb") as file:
            file.write(msgspec.json.format(msgspec.json.encode(saved), indent=1))
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError as error:
        raise PinakesError(f"The judge cannot be written to {path}: {error.strerror}.") from None


def load_judge(path: Path) -> SavedJudge:
    try:
        return msgspec.json.decode(path.read_bytes(), type=SavedJudge)
    except (OSError, msgspec.MsgspecError) as error:
        raise PinakesError(f"{path} is not a trained judge ({error}); make one with `pinakes train judge`.") from None


async def learning_brief(
    topic: str, examples: Sequence[str], negatives: Sequence[str], web: str, live: LiveOptions | None = None
) -> Brief:
    """A brief of example and counter-example pages."""
    wanted = await read_pages(examples, web, live)
    others = await read_pages(negatives, web, live, "negative example")
    return Brief(
        topics=(Topic(topic),) if topic or wanted else (),
        examples={topic: tuple(wanted)} if wanted else {},
        negatives=tuple(others),
    )


async def read_pages(
    names: Sequence[str], web: str, live: LiveOptions | None = None, what: str = "example"
) -> tuple[Page, ...]:
    """The pages of addresses and files; a web is opened only where an address is among them. `what` each is."""
    if not names:
        return ()
    for name in names:
        check_example(name, what)
    opened: Web = open_web(web, live=live).web if any(map(canonical, names)) else _Nowhere()
    try:
        return tuple([await fetch_example(name, opened, what) for name in names])
    finally:
        await opened.close()


class _Nowhere:
    """The web of a job that reads files only."""

    ordered = True

    async def fetch(self, link: Link) -> Fetched:
        return Fetched(Page(link, link.url, error="not-found"))

    async def close(self) -> None:
        pass
