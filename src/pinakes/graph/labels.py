"""What to call a cluster: the words or phrases that stand for its pages.

`profile_words` is 002 eq. 3.6: the five largest components of the sum of the cluster's TF-IDF vectors, over words as
they are written. `phrase_labels` is ours, and what the paper wished for: phrases beside words, acronyms with their case
kept, words that are common to all clusters left out, and those preferred that many of a cluster's pages carry.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from math import log, sqrt

import numpy as np

from pinakes.graph.clusters import Clusters
from pinakes.graph.names import Names
from pinakes.graph.term_matrix import TermMatrix
from pinakes.text.generic import GENERIC
from pinakes.text.phrases import Key, Phrases, written
from pinakes.text.words import Words

WORDS = 5
LEAST_WORDS = 3
PAGES_READ = 40
"""Phrases are looked for on so many pages nearest to a centre; more of them add cost, not words."""
LONGER = (1.0, 1.7, 1.9)
"""What a phrase of one, two, three words is worth: the longer ones tell a reader more, and occur less."""


LEAST_LED, LEAST_TITLES = 0.12, 2
"""A word that follows articles and the like in less than this share of its places, and is in fewer titles, is hardly a
noun; it is worth UNLED of one. Texts that have few articles (other languages) are not asked."""
UNLED = 0.25
SPREAD = 0.5
"""How much a phrase gains that stands on many of the pages, beyond how often they say it."""
HOST = 0.1
"""How much less a page counts with each more of its host."""
LEAST_WITHOUT = 8
"""Of fewer pages none is left out of account."""
UNSURE = 1.0
"""Of few pages little can be told: as though so many more of them said each phrase, in this cluster as in the others.
Without it, what two pages of a small cluster say and no other does would name it."""
LEAST_SHARE = 0.15
"""A label's phrase stands on so many of the pages that are read, two at least."""
EMPTY = (0.2, 0.5, 0.5)
"""What a word is worth that says little of any subject; and a phrase of two, three such words."""
CONSIDERED = 20
"""So many times as many candidates as a label has words are looked at closely."""


def profile_words(words: TermMatrix, clusters: Clusters, n: int = WORDS) -> list[list[str]]:
    """The `n` words of each cluster with the largest component of its profile vector (eq. 3.6)."""
    labels = []
    for cluster in range(clusters.k):
        profile = np.asarray(words.weights[clusters.assigned == cluster].sum(axis=0)).ravel()  # eq. 3.6
        best = sorted(np.flatnonzero(profile > 0), key=lambda i: (-profile[i], words.terms[i]))
        labels.append([words.terms[i] for i in best[:n]])
    return labels


def phrase_labels(
    clusters: Sequence[Sequence[Phrases]], n: int = WORDS, hosts: Sequence[Sequence[str]] | None = None
) -> list[list[str]]:
    """The `n` best phrases of each cluster, given the phrases of (the most typical of) its pages, and their hosts.

    A phrase is worth how much the cluster's pages say it (the mean of ln(1 + count), so that a word in every page's
    frame does not win over one the pages are about) times how much more they do than the other clusters' pages. Of
    a host with many pages each counts a little less: what one site says on all its pages is its own.
    """
    weights = [_weights(own) for own in hosts] if hosts else [[1.0] * len(pages) for pages in clusters]
    said = [_said(pages, own) for pages, own in zip(clusters, weights, strict=True)]
    names = [Names(*pair) for pair in zip(clusters, hosts, strict=True)] if hosts else [None] * len(clusters)
    return [_label(cluster, said, pages, names[cluster], n) for cluster, pages in enumerate(clusters)]


def as_written(stems: Sequence[str], pages: Sequence[Phrases], texts: Sequence[str] = ()) -> list[str]:
    """Stems as the words the pages write most for them, for eq. 3.6 is over words.

    Words that begin no phrase, or stand in the pages' frames, are looked for in their whole `texts`.
    """
    shown = {stem: _shown((stem,), pages) for stem in stems}
    if any(not word for word in shown.values()):
        plain = Words().stems
        forms: dict[str, Counter[str]] = {stem: Counter() for stem, word in shown.items() if not word}
        for word, count in Counter(word.lower() for text in texts for word in _word(text)).items():
            stem = "".join(plain(word))
            if stem in forms:
                forms[stem][word] += count
        shown |= {stem: written(found) for stem, found in forms.items() if found}
    return [shown[stem] or stem for stem in stems]


def filled(label: Sequence[str], words: Sequence[str], least: int = LEAST_WORDS) -> list[str]:
    """A label no shorter than `least`, as far as the heaviest words (eq. 3.6) can make it so.

    Pages that say nothing of their own, such as a calendar's, have no phrases in common but those of their frame.
    """
    said = {part.lower() for phrase in label for part in phrase.split()}
    more = [word for word in words if word.isalpha() and len(word) > 2 and word.lower() not in said]
    return [*label, *more[: max(0, least - len(label))]]


def _label(
    cluster: int, said: list[dict[Key, float]], pages: Sequence[Phrases], names: Names | None, n: int
) -> list[str]:
    here = said[cluster]
    standing: Counter[Key] = Counter()
    occurring: Counter[Key] = Counter()
    for page in pages:
        standing.update(page.counts.keys())
        occurring.update(page.counts)
    # On a handful of pages every word is frequent: a phrase has to stand on two of them, and on a share of many.
    least = max(min(2, len(pages)), LEAST_SHARE * len(pages))
    unsure = UNSURE / max(1, len(pages))
    worth: dict[Key, float] = {}
    for key, much in here.items():
        if standing[key] >= least:
            rest = [frequency.get(key, 0.0) for at, frequency in enumerate(said) if at != cluster] or [0.0]
            # Clusters round one subject share its words: the one that says such a word most may be called by it.
            others = sqrt(max(rest) * sum(rest) / len(rest))
            if much > max(rest):
                ratio = log((much + unsure) / (others + unsure))
                worth[key] = much * ratio * LONGER[len(key) - 1] * (standing[key] / len(pages)) ** SPREAD
    nouns = _Nouns(pages, occurring)
    # Whole names before the words they are made of.
    named = set()
    for key in sorted(_ranked(worth)[: CONSIDERED * n], key=len, reverse=True):
        share = names.share(key) if names else 1.0
        worth[key] *= nouns.share(key) * share
        if share < 1.0:
            named.add(key)
    chosen: list[Key] = []
    for key in _ranked(worth):
        rivals = [other for other in chosen if set(key) & set(other) or _akin(key, other)]
        if not rivals:
            if len(chosen) < n:
                chosen.append(key)
        elif key in named:
            continue
        elif len(rivals) == 1 and set(rivals[0]) < set(key) and occurring[key] >= 0.6 * occurring[rivals[0]]:
            # The longer phrase is what is mostly meant by the word: it takes the word's place.
            chosen[chosen.index(rivals[0])] = key
    return [_shown(key, pages) for key in chosen]


def _ranked(worth: Mapping[Key, float]) -> list[Key]:
    return sorted(worth, key=lambda key: (-worth[key], key))


@cache
def _generic() -> frozenset[str]:
    stems = Words().stems
    return frozenset(stem for word in GENERIC for stem in stems(word))


_word = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?").findall
_participle = re.compile(r"[a-z]{3,}ed").fullmatch
_adverb = re.compile(r"[a-z]{3,}(?:ab|al|ant|ent|ib|ic|iv|ous)e?ly").fullmatch
LEAST_KIN = 5


def _akin(key: Key, other: Key) -> bool:
    """Are two words made of one, as `crawler` and `crawling` are, or `Russian` and `Russia`? One of them is enough."""
    if len(key) > 1 or len(other) > 1:
        return False
    short, long = sorted((key[0], other[0]), key=len)
    return len(short) >= LEAST_KIN and long.startswith(short)


class _Nouns:
    """Which words are likely nouns, by what stands before them and by titles."""

    def __init__(self, pages: Sequence[Phrases], occurring: Mapping[Key, int]) -> None:
        self._occurring = occurring
        self._led: Counter[str] = Counter()
        self._titled: Counter[Key] = Counter()
        for page in pages:
            self._led.update(page.led)
            self._titled.update(page.titled)
        words = sum(count for key, count in occurring.items() if len(key) == 1)
        self._told = self._led.total() >= LEAST_LED * words
        self._pages = pages

    def share(self, key: Key) -> float:
        """1 for a phrase or a likely noun, less for another word or one that says little."""
        if _generic().issuperset(key) or (len(key) == 1 and _adverb(_shown(key, self._pages))):
            return EMPTY[len(key) - 1]
        if len(key) > 1 or not self._told or self._titled[key] >= LEAST_TITLES:
            return 1.0
        if _participle(_shown(key, self._pages)):
            return UNLED
        if self._led[key[0]] >= LEAST_LED * self._occurring[key]:
            return 1.0
        return 1.0 if _shown(key, self._pages).isupper() else UNLED  # acronyms go without articles


def _weights(hosts: Sequence[str]) -> list[float]:
    pages = Counter(hosts)
    return [pages[host] ** -HOST for host in hosts]


def _said(pages: Sequence[Phrases], weights: Sequence[float]) -> dict[Key, float]:
    """How much the pages say each phrase, in the weighted mean; but for the one that says it most.

    What a cluster is called is not for a single page to say, however often it does.
    """
    said: dict[Key, float] = {}
    most: dict[Key, float] = {}
    for page, weight in zip(pages, weights, strict=True):
        for key, count in page.counts.items():
            much = weight * log(1.0 + count)
            said[key] = said.get(key, 0.0) + much
            if much > most.get(key, 0.0):
                most[key] = much
    whole = sum(weights)
    if len(pages) < LEAST_WITHOUT:
        return {key: much / whole for key, much in said.items()}
    return {key: (much - most[key]) / whole for key, much in said.items() if much > most[key]}


def _shown(key: Key, pages: Sequence[Phrases]) -> str:
    """The phrase as its pages write it most; a form counts once a page, so that one page's headings do not rule."""
    forms: Counter[str] = Counter()
    for page in pages:
        if key in page.counts and (found := page.forms(key)):
            forms[written(found)] += 1
    return written(forms) if forms else ""
