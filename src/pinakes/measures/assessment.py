"""The measures that look at pages' words, for one topic: the pages of all strategies are assessed once, and every
crawl's curves are looked up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pinakes.measures.classifiers import positive_pages
from pinakes.measures.curves import Curve
from pinakes.measures.judged import informed_probabilities, seed_likelihoods
from pinakes.measures.pooled_rank import pooled_ranks
from pinakes.measures.running import running_mean, sliding_mean, values_of
from pinakes.measures.similarity import topic_similarities
from pinakes.measures.term_table import TermTable
from pinakes.models.samples import Sample
from pinakes.text.weights import Counts


@dataclass(frozen=True, slots=True)
class Choices:
    """What can be chosen about these measures."""

    printed: bool = False
    """Rank with the weights as 004 §4.2 prints them instead of SMART's."""
    bm25: bool = False
    """Rank by BM25 too."""
    window: int = 200
    likelihood: bool = False
    """The window's relevance is the likelihood of 001, instead of the evaluation judge's probability."""
    random_state: int = 0


@dataclass(frozen=True, slots=True)
class Assessment:
    """What each page of the pool is worth by each measure."""

    pages: Mapping[str, Mapping[str, float]]
    """{measure: {url: value}}; a crawl's curve is the running mean."""
    window: Mapping[str, float]
    width: int

    def curves(self, urls: Sequence[str], budget: int) -> dict[str, Curve]:
        """The curves of a crawl that fetched these pages of the pool in this order, by the measure's name."""
        found = {name: running_mean(values_of(urls, values), budget) for name, values in self.pages.items()}
        found["window_relevance"] = sliding_mean(values_of(urls, self.window), budget, self.width)
        return found


def assess(
    pool: TermTable,
    query: Counts,
    sample: Sample,
    informed: Sample,
    choices: Choices = Choices(),  # noqa: B008 - frozen
) -> Assessment:
    """Assess the pooled pages of one topic.

    `pool`: every page any strategy fetched for the topic. `query`: those of the topic's text. `sample`:
    what a crawler may learn from (the topic's examples against other topics'). `informed`: more of both, for the
    evaluation judge: all pages known to be relevant against those of other topics.
    """
    judged = informed_probabilities(pool, informed)
    pages: dict[str, Mapping[str, float]] = {"harvest_judged": judged}
    for method, positive in positive_pages(pool, sample, random_state=choices.random_state).items():
        pages[f"positive_{method}"] = positive
    pages["average_rank"] = pooled_ranks(pool, query, "printed" if choices.printed else "smart")
    if choices.bm25:
        pages["average_rank_bm25"] = pooled_ranks(pool, query, "bm25")
    pages["similarity"] = topic_similarities(pool, query)
    window = seed_likelihoods(pool, sample.positives) if choices.likelihood else judged
    return Assessment(pages, window, choices.window)
