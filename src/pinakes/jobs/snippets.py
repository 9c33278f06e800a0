"""What a page says about a topic, in a line: the passage in which the topic's words stand closest."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from pinakes.core.page import Brief, Page
from pinakes.library.shelf import Shelf
from pinakes.models.centroid import Rarity, concatenated
from pinakes.text.words import Words

LENGTH = 240
LOOKED_AT = 20_000
"""Characters of a page that are looked at."""
STRONGEST = 60
_spaces = re.compile(r"\s+").sub
_sentence_end = re.compile(r"\w[.!?][\"'”’)]*(?:\s|$)").search
_sentences = re.compile(r"(?<=[.!?])\s+(?=[\"'“(]?\w)").split


class Snippets:
    """Snippets of pages for the topics of a brief."""

    def __init__(self, shelf: Shelf, brief: Brief) -> None:
        self._shelf, self._words = shelf, Words()
        documents = {topic.name: [page.terms for page in brief.examples.get(topic.name, ())] for topic in brief.topics}
        everything = [counts for group in documents.values() for counts in group]
        rarity = Rarity(everything) if len(documents) > 1 else Rarity(())
        self._strong: dict[str, dict[str, float]] = {}
        for topic in brief.topics:
            weights = dict(rarity.weigh(concatenated(documents[topic.name])))
            most = max(weights.values(), default=1.0)
            best = sorted(weights, key=lambda term: -weights[term])[:STRONGEST]
            self._strong[topic.name] = {term: weights[term] / most for term in best}
            for stem in self._words.stems(topic.text):
                if stem:
                    self._strong[topic.name].setdefault(stem, 0.5)

    def of(self, page: Page, topic: str) -> str:
        """One sentence or a few, the ones with most of the topic's words, cut at a word's end."""
        strong = self._strong.get(topic, {})
        best, most = "", -1.0
        for passage in _passages(page.text[:LOOKED_AT]):
            stems = set(self._words.stems(passage))
            worth = sum(strong.get(stem, 0.0) for stem in stems)
            if worth > most + 1e-9:
                best, most = passage, worth
        return cut(best)


def _passages(text: str) -> list[str]:
    """Passages of a page's paragraphs; of its other lines only where it has none: they are menus and headings."""
    lines = [line for part in text.split("\n") if (line := _spaces(" ", part).strip())]
    paragraphs = [line for line in lines if _sentence_end(line)]
    return [passage for block in paragraphs or [" ".join(lines)] for passage in _runs(block)]


def _runs(block: str) -> list[str]:
    """Runs of sentences of about a snippet's length; a short one is joined by those that follow it."""
    sentences = _sentences(block)
    passages = []
    for start in range(len(sentences)):
        passage = sentences[start]
        for following in sentences[start + 1 :]:
            if len(passage) + len(following) >= LENGTH:
                break
            passage = f"{passage} {following}"
        passages.append(passage)
    return passages


def cut(text: str, length: int = LENGTH) -> str:
    """The text, ended at a word with … where it is too long."""
    if len(text) <= length:
        return text
    return text[: length - 1].rsplit(" ", 1)[0].rstrip(" ,;:-") + "…"


def day_of(modified: str, fetched_at: float) -> str:
    """The day a page was last changed by its own word, else the day it was fetched; empty when neither is known."""
    try:
        return parsedate_to_datetime(modified).date().isoformat() if modified else _day(fetched_at)
    except (ValueError, TypeError, OverflowError, IndexError):
        return _day(fetched_at)


def _day(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).date().isoformat() if at else ""
