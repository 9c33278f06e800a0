"""The measures of an evaluation by name: what each says, in which direction it is good, and whose it is.

Names are the keys of `results.json`; reports and tables take their words from here. A name such as `recall@300` is
the measure `recall` at 300 pages.
"""

from __future__ import annotations

from dataclasses import dataclass

PAPERS = {
    "000": "Bergmark et al. 2002",
    "001": "Diligenti et al. 2000",
    "002": "Pant et al. 2004",
    "003": "Zhuang et al. 2005",
    "004": "Menczer et al. 2001",
}
"""How the papers are cited where their numbers would not be understood."""


@dataclass(frozen=True, slots=True)
class Measure:
    """How a measure is read."""

    name: str
    label: str
    says: str
    """One sentence for a reader of the report."""
    source: str = ""
    """The paper and the section, figure or equation."""
    better: str = "higher"
    """`higher`, `lower`, or empty where neither is good in itself."""
    share: bool = True
    """True for a value in [0, 1]."""
    over_pages: bool = True
    """True when it makes a curve over the pages crawled."""

    @property
    def cited(self) -> str:
        """The source for readers who do not have the numbers of the papers; empty without one."""
        paper, _, place = self.source.partition(" ")
        return f"{PAPERS.get(paper, paper)}, {place}" if place else self.source

    @property
    def direction(self) -> str:
        """In which direction it is good, as a sentence."""
        return {"higher": "Higher is better.", "lower": "Lower is better."}.get(self.better, "")


def _table(*measures: Measure) -> dict[str, Measure]:
    return {measure.name: measure for measure in measures}


MEASURES = _table(
    Measure(
        "auc",
        "AUC",
        "Area under the found-relevant curve as a share of the oracle's.",
        over_pages=False,
    ),
    Measure("recall", "Recall", "Share of the known relevant pages that was found.", "004 §8"),
    Measure("harvest_rate", "Harvest rate", "Share of the pages fetched that are known to be relevant.", "004 §3.2"),
    Measure(
        "search_length",
        "Search length",
        "Pages fetched until half of the known relevant pages were found, over the topics where they were.",
        "004 §3.2",
        better="lower",
        share=False,
        over_pages=False,
    ),
    Measure(
        "harvest_judged",
        "Judged harvest",
        "Mean probability of the pages fetched, by a Naive Bayes judge that learnt from more than the crawler did.",
        "002 eq. 4.7",
    ),
    Measure(
        "window_relevance",
        "Relevance in a window",
        "Mean relevance of the last pages fetched, 200 unless told otherwise: does the crawl stay on its topic?",
        "001 fig. 5",
    ),
    Measure("positive_rocchio", "Positive by Rocchio", "Share of the pages fetched that Rocchio accepts.", "004 §4.1"),
    Measure(
        "positive_widrow_hoff",
        "Positive by Widrow-Hoff",
        "Share of the pages fetched that Widrow-Hoff accepts.",
        "004 §4.1",
    ),
    Measure(
        "positive_eg",
        "Positive by EG",
        "Share of the pages fetched that exponentiated gradient accepts.",
        "004 §4.1",
    ),
    Measure(
        "average_rank",
        "Average rank",
        "Mean rank of the pages fetched among the pages of all strategies, the topic's text as query, atc weights.",
        "004 §4.2",
        better="lower",
        share=False,
    ),
    Measure(
        "average_rank_bm25",
        "Average rank, BM25",
        "Mean rank of the pages fetched among the pages of all strategies, by a second retrieval system, BM25.",
        "004 §8",
        better="lower",
        share=False,
    ),
    Measure("similarity", "Topic similarity", "Mean cosine of the topic and the pages fetched, tf·idf.", "004 §4.3"),
    Measure(
        "documents",
        "Documents found",
        "Documents (PDF, PostScript) that the pages fetched lead to.",
        "003 figs 10-12",
        share=False,
    ),
    Measure(
        "robustness",
        "Robustness",
        "Overlap of the pages of two crawls, each from one half of the seeds.",
        "004 §3.2",
    ),
    Measure("robustness_servers", "Robustness, servers", "The same overlap, counted in servers.", "004 §3.2"),
    Measure(
        "remoteness",
        "Remoteness",
        "Mean number of links between the seeds and the relevant pages found.",
        "004 §3.2",
        share=False,
    ),
    Measure(
        "nugget_share",
        "Nuggets",
        "Share of the pages fetched that the judge which guides the crawl takes for nuggets; compare only strategies"
        " of the same judge.",
        "000 table 5",
        over_pages=False,
    ),
    Measure(
        "frontier",
        "Frontier",
        "The most links that ever waited in a crawl.",
        "000 table 5",
        better="",
        share=False,
        over_pages=False,
    ),
    Measure(
        "backlinks",
        "Back-link calls",
        "How often back-links were asked for during the crawl.",
        better="",
        share=False,
        over_pages=False,
    ),
    Measure(
        "searches",
        "Searches",
        "How often a search engine was asked during the crawl.",
        better="",
        share=False,
        over_pages=False,
    ),
    Measure(
        "cpu_ms_per_page",
        "CPU ms a page",
        "Processor time the strategy takes to decide, a page; fetching and parsing are not in it.",
        "004 §5.3",
        better="lower",
        share=False,
        over_pages=False,
    ),
    Measure(
        "quality_per_cost",
        "AUC per CPU ms",
        "AUC divided by the CPU milliseconds a page.",
        "004 §8",
        share=False,
        over_pages=False,
    ),
    Measure(
        "pages",
        "Pages fetched",
        "How many pages the crawl fetched before it ended.",
        better="",
        share=False,
        over_pages=False,
    ),
)


def measure_of(name: str) -> Measure:
    """The measure a key of the results speaks of; a name not in the table is its own label."""
    base, at, pages = name.partition("@")
    known = MEASURES.get(base)
    if known is None:
        return Measure(name, name.replace("_", " "), "", share=False)
    if not at:
        return known
    return Measure(
        name, f"{known.label} at {pages}", known.says, known.source, known.better, known.share, over_pages=False
    )
