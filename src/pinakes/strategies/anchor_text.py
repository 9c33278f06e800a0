"""Anchor text: links go by the keywords in their anchors, and inherit their parent's priority less one.

Z. Zhuang, R. Wagle, C. L. Giles, *What's There and What's Not? Focused Crawling for Missing Documents in Digital
Libraries*, JCDL 2005 (seed 003), §3.3:

    queues High, Medium, Low := -, -, the seeds
    loop: fetch the first URL of the highest queue that is not empty
          drop its links that the ignore list names or that lie outside the allowed domains
          documents (PDF, PostScript) are fetched at once; every other link goes to the queue Get_Priority names:

    Get_Priority(link):
        if no keyword is in its anchor and Priority(parent) > 0: Priority(parent) - 1
        else if its keywords weigh > 0: their weight
        else Low
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link, Page, Verdict, host_of
from pinakes.core.parameters import parameter
from pinakes.core.roles import Plain
from pinakes.strategies.anchor_keywords import HIGH, LOW, TABLE_4, of_topics, priorities
from pinakes.text.words import Words

DOCUMENT = 3
"""Documents are what the crawl is for: they go before the three queues."""
LATER = 1.5
"""Documents that are probably noise wait behind the High queue, before the Medium one."""
_letters = re.compile(r"[^\W\d_]+").findall
SEED = 2.5
"""Seeds that go first stand before the three queues too."""


@dataclass
class AnchorText:
    brief: Brief
    keywords: str = parameter(
        "topic", "Whose keywords: `table4`, the paper's sample; `trained`; or `topic`, the examples' strongest terms."
    )
    weights: Any = parameter(None, "The trained keywords and their weights, as `pinakes train anchors` writes them.")
    high: float = parameter(0.5, "A trained keyword of more than this weight is High, of less Medium.")
    high_terms: int = parameter(12, "With `topic`: how many of the strongest terms are High.")
    medium_terms: int = parameter(28, "With `topic`: how many of the next are Medium.")
    common: int = parameter(2, "With `topic`: on how many examples a term must be that the topic's own words lack.")
    match: str = parameter(
        "auto",
        "A keyword counts where it stands in the anchor as a `substring`, or only as a whole `word`, by its stem;"
        " `auto`: the topic's terms as words, for they are stems, all others as substrings.",
    )
    base: str = parameter("table4", "With `trained`: the paper's sample (`table4`), which training adds to, or `none`.")
    urls: bool = parameter(False, "Look for keywords in the addresses of links too, as 003 §5 suggests.")
    seeds: str = parameter("low", "Where seeds wait: `low`, with the least, or `first`, before all pages they lead to.")
    ignore: str = parameter(
        ".jpg .bmp .gif .png .jpeg .mpg .mpeg .avi", "The ignore list: endings and beginnings of addresses (table 2)."
    )
    allow: str = parameter("", "The allow list: hosts that may be crawled; none means all. Documents may be anywhere.")
    documents: str = parameter(".pdf .ps .ps.gz .ps.z", "Endings of addresses that are documents, fetched at once.")
    noise: str = parameter(
        "",
        "Words, such as `slides`, in the anchor or address of documents that wait until the High pages are read.",
    )
    limit: int | None = parameter(None, "How many links may wait; the worst are dropped beyond that.")
    batch: int = parameter(1, "How many links are claimed at once.")

    def __post_init__(self) -> None:
        if self.match not in ("auto", "substring", "word"):
            raise PinakesError(f"anchor-text: match={self.match} is none of auto, substring, word.")
        if self.seeds not in ("low", "first"):
            raise PinakesError(f"anchor-text: seeds={self.seeds} is neither low nor first.")
        if self.base not in ("none", "table4"):
            raise PinakesError(f"anchor-text: base={self.base} is neither table4 nor none.")
        self._priorities = self._lists()
        by_word = self.match == "word" or (self.match == "auto" and self.keywords == "topic")
        self._matching: Callable[[str], int] = self._by_word if by_word else self._by_substring
        self._words = Words()
        listed = self.ignore.lower().split()
        self._ignored_ends = tuple(entry for entry in listed if entry.startswith("."))
        self._ignored_starts = tuple(entry for entry in listed if not entry.startswith("."))
        self._allowed = frozenset(host_of(entry) or entry for entry in self.allow.lower().split())
        self._document_ends = tuple(self.documents.lower().split())
        self._noise = frozenset(self.noise.lower().split())

    def seed(self, links: Sequence[Link]) -> Iterable[Link]:
        return [link.priced(SEED if self.seeds == "first" else LOW) for link in links]

    def visit(self, page: Page, verdict: Verdict) -> Iterable[Link]:
        # A seed is of Low priority also where it goes first.
        inherited = LOW if page.link.priority == SEED else max(LOW, min(HIGH, int(page.link.priority)) - 1)
        found = []
        for link in page.links:
            path = link.url.partition("?")[0].lower()
            document = path.endswith(self._document_ends)
            if path.endswith(self._ignored_ends) or path.startswith(self._ignored_starts):
                continue
            if self._allowed and not document and host_of(link.url) not in self._allowed:
                continue
            # Get_Priority(); a Low parent has nothing to hand on, so "inherited" is Low as well.
            priority = self._document(link, path) if document else self._keywords(link, path) or inherited
            found.append(link.priced(float(priority)))
        return found

    def _document(self, link: Link, path: str) -> float:
        if not self._noise:
            return DOCUMENT
        said = _letters(f"{link.anchor.lower()} {path.split('/', 3)[-1]}")
        return LATER if not self._noise.isdisjoint(said) else DOCUMENT

    def _keywords(self, link: Link, path: str) -> int:
        found = self._matching(link.anchor)
        return found if not self.urls or found == HIGH else max(found, self._matching(path.split("/", 3)[-1]))

    def state(self) -> Plain:
        return None

    def restore(self, state: Plain) -> None:
        """There is nothing to restore: a page's priority came home with its link."""

    def _lists(self) -> Mapping[str, int]:
        if self.keywords == "table4":
            return TABLE_4
        if self.keywords == "topic":
            return of_topics(self.brief, self.high_terms, self.medium_terms, self.common)
        if self.keywords != "trained":
            raise PinakesError(f"anchor-text: keywords={self.keywords} is none of table4, trained, topic.")
        if not isinstance(self.weights, Mapping):
            raise PinakesError("anchor-text: keywords=trained needs weights; make them with `pinakes train anchors`.")
        trained = priorities(self.weights.get("keywords", self.weights), self.high)
        if self.base == "table4":
            trained |= {keyword: max(priority, trained.get(keyword, LOW)) for keyword, priority in TABLE_4.items()}
        return trained

    def _by_substring(self, anchor: str) -> int:
        """The weight of the best keyword that the anchor contains ("pub" in "Publications")."""
        text = anchor.lower()
        return max((priority for keyword, priority in self._priorities.items() if keyword in text), default=LOW)

    def _by_word(self, anchor: str) -> int:
        get = self._priorities.get
        return max((get(word, LOW) for word in self._words.stems(anchor)), default=LOW)
