"""Topics to evaluate on: what a strategy may know of each, and what counts as found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from pinakes.core.errors import PinakesError
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


def load_topics(path: Path) -> list[EvaluationTopic]:
    """Topics of a `.jsonl` file, addresses in canonical form; a bad line is named."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise PinakesError(f"The topics file {path} cannot be read: {error.strerror}.") from None
    topics: list[EvaluationTopic] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            topic = msgspec.json.decode(line, type=EvaluationTopic)
        except msgspec.MsgspecError as error:
            raise PinakesError(
                f"{path}, line {number}: {error}; a topic has id, name, examples, seeds, relevant."
            ) from None
        topics.append(
            EvaluationTopic(
                topic.id,
                topic.name,
                topic.description,
                tuple(filter(None, map(canonical, topic.examples))),
                tuple(filter(None, map(canonical, topic.seeds))),
                frozenset(filter(None, map(canonical, topic.relevant))),
            )
        )
    return topics


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
    strangers = [other for other in topics if other.id != topic.id and not other.overlaps(topic)]
    negatives = {url: pages[url] for other in strangers for url in other.examples if url in pages}
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
