"""Topics to evaluate on: what a strategy may know of each, and what counts as found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from pinakes.core.errors import PinakesError, unread
from pinakes.core.page import Brief, Page, Topic
from pinakes.formats.url import canonical


@dataclass(frozen=True, slots=True)
class EvaluationTopic:
    """One line of a topics file."""

    id: str
    name: str
    description: str = ""
    examples: tuple[str, ...] = ()
    seeds: tuple[str, ...] = ()
    relevant: frozenset[str] = frozenset()
    where: str = ""
    """The file and line it came from."""

    @property
    def targets(self) -> frozenset[str]:
        """The known relevant pages to be found: all but the examples."""
        return self.relevant - frozenset(self.examples)

    @property
    def topic(self) -> Topic:
        return Topic(self.name, self.description)

    def overlaps(self, other: EvaluationTopic) -> bool:
        """True when the two share an example or a known relevant page (004 §4.1)."""
        mine, theirs = self.relevant.union(self.examples), other.relevant.union(other.examples)
        return not mine.isdisjoint(theirs)


def load_topics(path: Path, tell: Callable[[str], None] | None = None) -> list[EvaluationTopic]:
    """Topics of a `.jsonl` file, addresses in canonical form. A bad line is named: to `tell`, which then goes without
    it, or as an error."""
    try:
        # What some editors write before the first line is no part of it.
        lines = path.read_bytes().removeprefix(b"\xef\xbb\xbf").splitlines()
    except OSError as error:
        raise unread(f"The topics file {path}", error) from None
    topics: dict[str, EvaluationTopic] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            topic = _read(line, f"{path.name}, line {number}")
            if topic.id in topics:
                raise PinakesError(f"{topic.where}: the id '{topic.id}' is that of {topics[topic.id].where} too.")
            topics[topic.id] = topic
        except PinakesError as error:
            if tell is None:
                raise
            tell(f"{error} It is left out.")
    return list(topics.values())


def save_topics(topics: Sequence[EvaluationTopic], path: Path) -> None:
    """Write a topics file; it is whole or not there at all."""
    lines = [
        msgspec.json.encode(
            {
                "id": topic.id,
                "name": topic.name,
                "description": topic.description,
                "examples": topic.examples,
                "seeds": topic.seeds,
                "relevant": sorted(topic.relevant),
            }
        )
        for topic in topics
    ]
    unfinished = path.with_name(f"{path.name}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(b"\n".join(lines) + b"\n")
        unfinished.replace(path)
    except OSError as error:
        raise PinakesError(f"The topics cannot be written to {path}: {error.strerror}.") from None


def topic_of(given: EvaluationTopic | Mapping[str, object]) -> EvaluationTopic:
    """A topic that a program gives, as a line of a topics file has it."""
    if isinstance(given, EvaluationTopic):
        return given
    return _read(msgspec.json.encode(given), f"the topic '{given.get('id', '')}'")


def _read(line: bytes, where: str) -> EvaluationTopic:
    try:
        topic = msgspec.json.decode(line, type=EvaluationTopic)
    except msgspec.MsgspecError as error:
        raise PinakesError(f"{where}: {error}; a topic has id, name, examples, seeds, relevant.") from None
    if not topic.id.strip() or not topic.name.strip():
        raise PinakesError(f"{where}: a topic needs an id and a name.")
    for kind, urls in (("seeds", topic.seeds), ("examples", topic.examples), ("relevant", topic.relevant)):
        if bad := next((url for url in urls if not canonical(url)), ""):
            raise PinakesError(f"{where}: {bad[:200]}, among the {kind}, is not a web address.")
    return replace(
        topic,
        examples=tuple(dict.fromkeys(map(canonical, topic.examples))),
        seeds=tuple(dict.fromkeys(map(canonical, topic.seeds))),
        relevant=frozenset(map(canonical, topic.relevant)),
        where=where,
    )


def settled(
    topic: EvaluationTopic, resolve: Callable[[str], str], tell: Callable[[str], None], *, known: bool = True
) -> EvaluationTopic:
    """The topic as a web knows it: final addresses of pages it holds. Says what it lacks; a topic that cannot be
    evaluated is an error, as is one without relevant pages where they are `known`."""
    where, name = topic.where or "topics", f"the topic '{topic.id}'"
    if not topic.seeds:
        raise PinakesError(f"{where}: {name} has no seeds.")
    seeds = tuple(url for url in topic.seeds if resolve(url))
    if not seeds:
        raise PinakesError(f"{where}: no seed of {name} is in this web; the first is {topic.seeds[0]}.")
    if known and not topic.relevant:
        raise PinakesError(f"{where}: {name} has no relevant pages to be found.")
    found = replace(
        topic,
        seeds=seeds,
        examples=tuple(dict.fromkeys(filter(None, map(resolve, topic.examples)))),
        relevant=frozenset(filter(None, map(resolve, topic.relevant))),
    )
    if known and not found.targets:
        raise PinakesError(f"{where}: {name} has no relevant page in this web besides its examples.")
    for kind, urls, then in (
        ("the seeds", topic.seeds, "it starts from the others"),
        ("the examples", topic.examples, "it learns from the others"),
        ("the relevant pages", sorted(topic.relevant), "nobody can find it"),
    ):
        if lost := [url for url in urls if not resolve(url)]:
            tell(f"{where}: {_some(lost)}, among {kind} of {name}, is not in this web; {then}.")
    return found


def _some(urls: Sequence[str]) -> str:
    return urls[0] if len(urls) == 1 else f"{urls[0]} and {len(urls) - 1} more"


def strangers(topic: EvaluationTopic, topics: Sequence[EvaluationTopic]) -> list[EvaluationTopic]:
    """The topics that share nothing with this one: only they give it negatives (004 §4.1)."""
    return [other for other in topics if other.id != topic.id and not other.overlaps(topic)]


def brief_of(
    topic: EvaluationTopic,
    topics: Sequence[EvaluationTopic],
    pages: Mapping[str, Page],
    *,
    budget: int,
    random_state: int = 0,
) -> Brief:
    """What a strategy may learn from: the topic's words and examples, other topics' examples as negatives.

    A topic that overlaps with this one gives it no negatives. Never `relevant`.
    """
    others = strangers(topic, topics)
    negatives = {url: pages[url] for other in others for url in other.examples if url in pages}
    background: Counter[str] = Counter()
    for page in {url: pages[url] for other in topics for url in other.examples if url in pages}.values():
        background.update(page.terms.keys())
        background[""] += 1
    return Brief(
        topics=(topic.topic,),
        examples={topic.name: tuple(pages[url] for url in topic.examples if url in pages)},
        negatives=tuple(negatives.values()),
        background=background,
        pages=budget,
        random_state=random_state,
    )
