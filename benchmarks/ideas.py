"""Ideas for `evidence` that were tried: each against the plain strategy, over all topics of a recorded web.

    python benchmarks/ideas.py WEB.warc.gz TOPICS.jsonl [--pages 1000] [--only "NAME; NAME"] [--kept FILE]

Prints what `ablation.py` does. An idea is taken up only where it wins on more than one web.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from ablation import Variant, compare
from numpy.typing import NDArray
from xxhash import xxh32_intdigest

from pinakes.core.page import Brief, Link, Page, Verdict
from pinakes.models.terms import Document
from pinakes.strategies.evidence import CONTEXT, Evidence
from pinakes.strategies.yields import Yields
from pinakes.text.words import Words

Numbers = NDArray[np.float64]

GOOD = 100.0
"""Good pages after which the combination begins to learn."""
TITLE = 3
"""What a word of the title counts, where it counts more than others."""
BOLD = 0.3
"""How strongly kinds of links that were tried seldom are preferred."""
BITS, GRAM = 18, 4
RATE, FARAWAY = 0.15, 0.5
"""Of learning what words are worth; what a word beside the anchor counts."""
SAY = 1.0
"""What the words learnt add to a price at most."""
HEARD = 5
"""In-links of a link whose words are listened to."""


class LateLearner(Evidence):
    """Keeps the prior until enough good pages have come home."""

    def reprice(self, urls: Sequence[str]) -> Sequence[float]:
        self.learn = self._sum >= GOOD
        return super().reprice(urls)


def titled(page: Page) -> Page:
    terms = dict(page.terms)
    for stem in Words().stems(page.title):
        if stem:
            terms[stem] = terms.get(stem, 0) + TITLE - 1
    return replace(page, terms=terms)


class TitleReader(Evidence):
    """Words of the title count more than others."""

    def visit(self, page: Page, verdict: Verdict) -> Iterable[Link]:
        return super().visit(titled(page), verdict)


def titles(brief: Brief) -> Brief:
    examples = {name: tuple(map(titled, pages)) for name, pages in brief.examples.items()}
    return replace(brief, examples=examples, negatives=tuple(map(titled, brief.negatives)))


class BoldYields(Yields):
    """Upper confidence bounds instead of smoothed means (UCB1)."""

    def rates(self, base: float, weight: float) -> Numbers:
        tried = self._counts.all
        return super().rates(base, weight) + BOLD * np.sqrt(np.log1p(tried.sum()) / (tried + weight))


class Bandit(Evidence):
    """Tag paths are the arms of a bandit: those tried seldom get the benefit of the doubt."""

    def __post_init__(self) -> None:
        super().__post_init__()
        links = self._links
        links.tags = BoldYields()
        links._kinds = (links.tags, *links._kinds[1:])


class WordLearner(Evidence):
    """Learns in the crawl what single words of anchors, their surroundings and addresses are worth: a logistic
    regression with AdaGrad over hashed words, whose answer is added to the price."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._worth, self._squares = np.zeros(1 << BITS), np.full(1 << BITS, 1e-8)
        self._said: dict[str, list[tuple[NDArray[np.int64], Numbers]]] = {}
        self._last: float | None = None

    def tokens(self, text: str) -> list[str]:
        return [stem for stem in self._words.stems(text) if stem]

    def visit(self, page: Page, verdict: Verdict) -> Iterable[Link]:
        self._last = None
        said = self._said.pop(page.link.origin, None)
        links = list(super().visit(page, verdict))
        if said and self._last is not None:
            self._teach(said, self._last)
        return links

    def reprice(self, urls: Sequence[str]) -> Sequence[float]:
        prices = list(super().reprice(urls))
        known = [at for at, url in enumerate(urls) if url in self._said and url not in self._seeds]
        if not known:
            return prices
        said = [self._said[urls[at]] for at in known]
        ids = np.concatenate([ids for each in said for ids, _ in each])
        values = np.concatenate([values / len(each) for each in said for _, values in each])
        owner = np.repeat(np.arange(len(known)), [sum(len(ids) for ids, _ in each) for each in said])
        scores = np.bincount(owner, self._worth[ids] * values, len(known))
        for at, more in zip(known, (SAY / (1.0 + np.exp(-np.clip(scores, -30, 30)))).tolist(), strict=True):
            prices[at] += more
        return prices

    def _learn(self, document: Document, p: float, row: Numbers | None, *, ordinary: bool) -> None:
        self._last = p
        super()._learn(document, p, row, ordinary=ordinary)

    def _teach(self, said: list[tuple[NDArray[np.int64], Numbers]], p: float) -> None:
        ids = np.concatenate([ids for ids, _ in said])
        values = np.concatenate([values for _, values in said]) / len(said)
        score = float(self._worth[ids] @ values)
        slope = (1.0 / (1.0 + np.exp(-np.clip(score, -30, 30))) - p) * values
        np.add.at(self._squares, ids, slope**2)
        np.add.at(self._worth, ids, -RATE * slope / np.sqrt(self._squares[ids]))

    def _meet(self, page: Page, p: float, path: float) -> Sequence[Link]:
        for link in page.links:
            heard = self._said.setdefault(link.url, [])
            if len(heard) < HEARD:
                beside = page.words[max(0, link.at - CONTEXT) : link.at + CONTEXT]
                near = [f"a {token}" for token in self.tokens(link.anchor)]
                near += [f"u {token}" for token in self.tokens(link.url.split("/", 3)[-1])]
                far = [f"c {stem}" for stem in beside if stem]
                heard.append((hashed([*near, *far]), np.array([1.0] * len(near) + [FARAWAY] * len(far))))
        return super()._meet(page, p, path)


class LetterLearner(WordLearner):
    """The same with runs of four letters, which other languages and run-together addresses have too."""

    def tokens(self, text: str) -> list[str]:
        return [text[at : at + GRAM].lower() for at in range(max(1, len(text) - GRAM + 1))]


def hashed(tokens: Sequence[str]) -> NDArray[np.int64]:
    return np.array([xxh32_intdigest(token.encode("utf-8", "surrogatepass")) >> (32 - BITS) for token in tokens], int)


def with_strength(strength: float) -> Variant:
    settings: Mapping[str, Any] = {"strength": strength}
    return Variant(settings)


IDEAS = {
    "evidence": Variant({}),
    "strength 100": with_strength(100.0),
    "strength 300": with_strength(300.0),
    "learning after 100 good pages": Variant({}, kind=LateLearner),
    "titles count threefold": Variant({}, titles, TitleReader),
    "a bandit of tag paths": Variant({}, kind=Bandit),
    "words learnt": Variant({}, kind=WordLearner),
    "letters learnt": Variant({}, kind=LetterLearner),
}

if __name__ == "__main__":
    compare(IDEAS, __doc__)
