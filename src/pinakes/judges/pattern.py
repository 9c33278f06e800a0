"""Is this page what we want? It has certain words, or matches a regular expression.

A pattern is looked for line by line in the title, the address and the beginning of the text, each line cut short:
Python's expressions can take time that grows with the square of a line and worse, and lines are the web's to choose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Page, Verdict
from pinakes.core.parameters import parameter
from pinakes.judges.verdicts import best_of
from pinakes.text.topics import topic_vectors
from pinakes.text.words import Words

MOST_TEXT = 200_000
LONGEST_LINE = 1_000


@dataclass
class PatternJudge:
    brief: Brief
    keywords: str = parameter("", "Words a page should have, with spaces between; without them, those of the topic.")
    pattern: str = parameter("", "A regular expression that a line of the page should match; letters' case is ignored.")
    threshold: float = parameter(1.0, "The share of the keywords that makes a page a nugget.")

    def __post_init__(self) -> None:
        try:
            self._search = re.compile(self.pattern, re.IGNORECASE).search if self.pattern else None
        except re.error as error:
            raise PinakesError(f"The pattern {self.pattern} is no regular expression: {error}.") from None
        words = Words()
        if self.keywords or self.pattern:
            topic = self.brief.topics[0].name if len(self.brief.topics) == 1 else ""
            named = [(topic, words.counts(words.stems(self.keywords)))]
        else:
            bare = Brief(topics=self.brief.topics)
            named = [(name, dict(counts)) for name, counts in topic_vectors(bare).items()]
        self._topics = {name: tuple(counts) for name, counts in named}
        if not self.pattern and not any(self._topics.values()):
            raise PinakesError("The judge pattern knows no words; give keywords, a pattern, or a topic.")

    def judge(self, page: Page) -> Verdict:
        """Score: the share of the keywords that the page has; 0 where a pattern is given and no line matches it."""
        if self._search is not None and not any(map(self._search, _lines(page))):
            return Verdict()
        scores = {
            name: sum(word in page.terms for word in words) / len(words) if words else 1.0
            for name, words in self._topics.items()
        }
        return best_of(scores, self.threshold)


def _lines(page: Page) -> Iterator[str]:
    yield page.title[:LONGEST_LINE]
    yield page.url[:LONGEST_LINE]
    for line in page.text[:MOST_TEXT].splitlines():
        yield line[:LONGEST_LINE]
