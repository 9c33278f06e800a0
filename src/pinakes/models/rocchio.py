"""The page model of `evidence`: a calibrated Rocchio centroid with negative feedback only.

x = (1 + ln tf) · idf, normalised; c = unit(unit(mean of the examples) + ⅖ · unit(the topic's words)) − ½ · unit(mean of
the negatives); a page's probability is a sigmoid of x·c placed between what ordinary pages and what examples score.
Where there are no examples, pages that a search found for the topic's words stand in for them (pseudo-relevance
feedback), with less say than the words. The less is known of a topic, the less is held against a page.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pinakes.core.page import Brief, Topic
from pinakes.core.roles import Plain
from pinakes.models.packing import pack, unpack
from pinakes.models.terms import SIZE, Document, Ids, Numbers, Rarity, TermIds, dense, sparse, table
from pinakes.text.background import english
from pinakes.text.words import Words

SAID = 0.4
"""What the topic's own words weigh beside its examples."""
SAID_OF_FOUND = 1.5
"""What they weigh beside pages that a search found."""
NEGATIVE = 0.5
ENOUGH_TERMS = 300
"""What is not wanted counts in full once so many terms say what is: taken off a sentence, it would drown it."""
STEEPNESS = 6.0
MIDDLE = 0.55
USUAL_PAGES = 100
"""The background's usual page, where there are no other negatives, weighs as much as so many."""
RECENT = 400
"""Fetched pages whose scores say where the middle of the negatives lies."""
SENTENCE_FLOOR = 0.12
SENTENCE_QUANTILE = 0.98
FEW, FETCHED_QUANTILE = 10, 0.8
"""Without examples, one in five of the latest pages is thought good, once so many were fetched."""


@dataclass(slots=True)
class Centre:
    """What one topic is made of."""

    words: Document
    """Its name, twice, and its description."""
    examples: list[Document] = field(default_factory=list)
    found: bool = False
    """The examples are what a search found, not what a person gave."""

    @property
    def said(self) -> float:
        """What its words weigh beside its examples."""
        return SAID_OF_FOUND if self.found else SAID


def unit(vector: Numbers) -> Numbers:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector


class PageModel:
    """Scores pages and pieces of text against every topic of a brief; the best topic counts.

    What topics look like lies in a table of the terms of their examples and words only, a column each; what nobody
    wants is the same for all of them.
    """

    def __init__(self, brief: Brief, *, rarity: bool = True) -> None:
        """`rarity`: learn document frequencies in the crawl."""
        self.ids, self._words, self._learns_rarity = TermIds(), Words(), rarity
        background = brief.background or english()
        self.rarity = Rarity(self.ids, background)
        self._negatives = [self.document(page.terms) for page in brief.negatives if page.terms]
        if not brief.background:  # what is not wanted is of this web, and says what is common there
            for document in self._negatives:
                self.rarity.see(document)
        self._usual = table()
        if not self._negatives:  # then the background's usual page is what is not wanted
            stems = [stem for stem in background if stem]
            np.add.at(self._usual, self.ids.of(stems), np.array([background[stem] for stem in stems], float))
        self._names = [topic.name for topic in brief.topics]
        self._centres = [self._centre(brief, topic) for topic in brief.topics]
        self._number_terms()
        self._feedback, self._feedback_pages = table(), 0
        self._recent: deque[Document] = deque(maxlen=RECENT)
        self.refit()

    @property
    def empty(self) -> bool:
        """True when nothing says what is wanted."""
        return not self._centres

    @property
    def idf(self) -> Numbers:
        return self.rarity.idf

    def document(self, terms: Mapping[str, int]) -> Document:
        counts = np.fromiter(terms.values(), np.float64, len(terms))
        return Document(self.ids.of(terms), 1.0 + np.log(counts))

    def probability(self, document: Document) -> float:
        """How likely the page is what is wanted, in (.01, .99)."""
        weights, rows = self.rarity.weights(document), self._rows[document.ids]
        known = np.flatnonzero(rows)
        scores = weights[known] @ self.positive[rows[known]] - self._against * (weights @ self.negative[document.ids])
        logits = STEEPNESS / self._spread * (scores - self._low - MIDDLE * self._spread)
        return float(np.clip(1.0 / (1.0 + np.exp(-logits.max(initial=-30.0))), 0.01, 0.99))

    def likeness(self, ids: Ids, starts: Ids, ends: Ids) -> Numbers:
        """c·idf·text / |text|, the best topic's, for pieces of a text given by the places of its words."""
        if not len(ids) or self.empty:
            return np.zeros(len(starts))
        rows, idf = self._rows[ids], self.idf[ids]
        wanted, sums = np.flatnonzero(rows), np.zeros((len(ids) + 1, 2))
        np.cumsum(idf * self.negative[ids], out=sums[1:, 0])
        np.cumsum(idf * idf, out=sums[1:, 1])
        # Most words are no topic's: the few that are, with the gain they bring each topic, are added up by themselves.
        gains = np.zeros((len(wanted) + 1, self.positive.shape[1]))
        np.cumsum(self.positive[rows[wanted]] * idf[wanted, None], axis=0, out=gains[1:])
        low, high = np.searchsorted(wanted, starts), np.searchsorted(wanted, ends)
        others, length = (sums[ends] - sums[starts]).T
        found = (gains[high] - gains[low] - others[:, None] * self._against).max(axis=1)
        likeness: Numbers = np.where(length > 1e-9, found / np.sqrt(np.maximum(length, 1e-9)), 0.0)
        return likeness

    def adopt(self, topic: str, document: Document) -> None:
        """A page that a search found for a topic stands in for an example; to be taken in by the next `refit`."""
        for name, centre in zip(self._names, self._centres, strict=True):
            if name == topic and len(document.ids) and (centre.found or not centre.examples):
                centre.examples.append(document)
                centre.found = True
        self._number_terms()

    def watch(self, document: Document, *, ordinary: bool = True) -> None:
        """A page was fetched: it says which words are common and, unless it was searched for, what an ordinary page
        scores."""
        if ordinary:
            self._recent.append(document)
        if self._learns_rarity:
            self.rarity.see(document)

    def refuse(self, document: Document) -> None:
        """Negative feedback: the page is not wanted, and neither was its link."""
        np.add.at(self._feedback, document.ids, self.rarity.weights(document))
        self._feedback_pages += 1

    def refit(self) -> None:
        """Place the centroids and the sigmoid anew."""
        self.rarity.fit()
        weight = min(1.0, (len(self._negatives) or USUAL_PAGES) / max(1, self._feedback_pages))
        usual = USUAL_PAGES * unit(self._usual * self.idf)
        ids, weights, _ = self._joined(self._negatives)
        others = np.bincount(ids, weights, SIZE + 1).astype(np.float64)
        self.negative = unit(usual + others + weight * self._feedback)
        self.positive = np.zeros((self._known + 1, len(self._centres)))
        for number, centre in enumerate(self._centres):
            self.positive[:, number] = self._positive(centre)
        self._weigh_against()
        self._calibrate()

    def state(self) -> Plain:
        return {
            "feedback": [sparse(self._feedback), self._feedback_pages],
            "recent": [[pack(document.ids), pack(document.counts)] for document in self._recent],
            "rarity": self.rarity.state(),
            "found": [
                [name, [[pack(document.ids), pack(document.counts)] for document in centre.examples]]
                for name, centre in zip(self._names, self._centres, strict=True)
                if centre.found
            ],
            "fitted": [pack(self.positive), sparse(self.negative), pack(self._low), pack(self._spread)],
        }

    def restore(self, state: Plain) -> None:
        """The fit is taken over as it was, not made anew: pages came home since."""
        feedback, self._feedback_pages = state["feedback"]
        self._feedback = dense(feedback)
        self._recent.extend(Document(unpack(ids), unpack(counts)) for ids, counts in state["recent"])
        self.rarity.restore(state["rarity"])
        for name, documents in state["found"]:
            for ids, counts in documents:
                self.adopt(name, Document(unpack(ids), unpack(counts)))
        positive, negative, low, spread = state["fitted"]
        self.positive, self.negative = unpack(positive), dense(negative)
        self._low, self._spread = unpack(low), unpack(spread)
        self._weigh_against()

    def _number_terms(self) -> None:
        """Rows for the terms that topics are made of; row 0 is for all others."""
        documents = [document.ids for centre in self._centres for document in (centre.words, *centre.examples)]
        places = np.unique(np.concatenate([np.zeros(0, np.int64), *documents]))
        self._known = len(places)
        self._rows = np.zeros(SIZE + 1, np.int32)
        self._rows[places] = np.arange(1, len(places) + 1)

    def _positive(self, centre: Centre) -> Numbers:
        """What the topic looks like: its examples, and its own words."""
        said = unit(self._sum([centre.words]))
        return unit(unit(self._sum(centre.examples)) + centre.said * said) if centre.examples else said

    def _weigh_against(self) -> None:
        terms = np.count_nonzero(self.positive, axis=0)
        self._against = NEGATIVE * np.minimum(1.0, terms / ENOUGH_TERMS)

    def _calibrate(self) -> None:
        ordinary = [*self._negatives, *self._recent]
        scores = self._scores(ordinary) if ordinary else np.zeros((1, len(self._centres)))
        self._low, self._spread = np.median(scores, axis=0), np.ones(len(self._centres))
        for number, centre in enumerate(self._centres):
            if len(centre.examples) > 1:
                high = float(np.mean(self._alone(number)))
            else:
                high = max(SENTENCE_FLOOR, float(np.quantile(scores[:, number], SENTENCE_QUANTILE)))
            if (centre.found or len(centre.examples) < 2) and len(self._recent) >= FEW:
                # What a search finds for some words has them all; pages that are as good have not.
                latest = scores[len(self._negatives) :, number]
                high = min(high, float(np.quantile(latest, FETCHED_QUANTILE)))
            self._spread[number] = max(1e-3, high - self._low[number])

    def _scores(self, documents: Sequence[Document]) -> Numbers:
        """x·c of each document and topic."""
        ids, weights, owner = self._joined(documents)
        others = np.bincount(owner, self.negative[ids] * weights, len(documents))
        rows = self._rows[ids]
        known = np.flatnonzero(rows)
        rows, weights, owner = rows[known], weights[known], owner[known]
        likes = [np.bincount(owner, column[rows] * weights, len(documents)) for column in self.positive.T.copy()]
        found: Numbers = np.array(likes, float).reshape(len(self._centres), len(documents)).T
        found -= others[:, None] * self._against
        return found

    def _alone(self, topic: int) -> Numbers:
        """What each example x scores when the others alone, S − x, and the topic's words w make the centroid."""
        centre = self._centres[topic]
        ids, weights, owner = self._joined(centre.examples)
        whole, said = self._sum(centre.examples), unit(self._sum([centre.words]))
        rows, number = self._rows[ids], len(centre.examples)
        like_whole = np.bincount(owner, whole[rows] * weights, number)
        like_said = np.bincount(owner, said[rows] * weights, number)
        like_negative = np.bincount(owner, self.negative[ids] * weights, number)
        length = np.sqrt(np.maximum(whole @ whole - 2 * like_whole + 1.0, 1e-9))  # |S − x|
        others = (like_whole - 1.0) / length
        said_others = (whole @ said - like_said) / length
        both = np.sqrt(1.0 + centre.said**2 * (said @ said) + 2 * centre.said * said_others)
        alone: Numbers = (others + centre.said * like_said) / both - self._against[topic] * like_negative
        return alone

    def _centre(self, brief: Brief, topic: Topic) -> Centre:
        said = [*self._words.stems(topic.name), *self._words.stems(topic.text)]
        examples = [self.document(page.terms) for page in brief.examples.get(topic.name, ()) if page.terms]
        return Centre(self.document(self._words.counts(said)), examples)

    def _sum(self, documents: Sequence[Document]) -> Numbers:
        """The sum of documents a topic is made of, in the rows of their terms."""
        ids, weights, _ = self._joined(documents)
        total: Numbers = np.bincount(self._rows[ids], weights, self._known + 1).astype(np.float64)
        return total

    def _joined(self, documents: Sequence[Document]) -> tuple[Ids, Numbers, Ids]:
        """Places, weights (at length 1 a document) and numbers of the documents, one after the other."""
        if not documents:
            return np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int64)
        ids = np.concatenate([document.ids for document in documents])
        owner = np.repeat(np.arange(len(documents)), [len(document.ids) for document in documents])
        weights = np.concatenate([document.counts for document in documents]) * self.idf[ids]
        lengths = np.sqrt(np.bincount(owner, weights**2, len(documents)))
        return ids, weights / np.maximum(lengths, 1e-12)[owner], owner
