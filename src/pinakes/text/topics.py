"""A topic as a vector of terms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from pinakes.core.page import Brief
from pinakes.text.words import Words


def topic_vectors(brief: Brief) -> dict[str, Mapping[str, int]]:
    """Term frequencies of each topic: its name and description, and the texts of its examples where it has any."""
    words = Words()
    vectors: dict[str, Mapping[str, int]] = {}
    for topic in brief.topics:
        counts: Counter[str] = Counter(words.counts(words.stems(topic.text)))
        for example in brief.examples.get(topic.name, ()):
            counts.update(example.terms)
        vectors[topic.name] = counts
    return vectors
