"""The measures that read pages: 004 §4.1-4.3, 002 eq. 4.7 and 001 fig. 5 on webs small enough to count by hand."""

from __future__ import annotations

from math import exp, log, sqrt

import pytest

from pinakes.measures.assessment import Choices, assess
from pinakes.measures.classifiers import positive_pages
from pinakes.measures.judged import informed_probabilities, seed_likelihoods
from pinakes.measures.pooled_rank import bm25, pooled_ranks, printed, smart
from pinakes.measures.similarity import topic_similarities
from pinakes.measures.term_table import TermTable
from pinakes.models.bayes import multinomial, posterior
from pinakes.models.linear import best_cut, rocchio, table
from pinakes.models.samples import Sample

PAGES = {
    "owls": {"owl": 4, "nest": 2},
    "nests": {"nest": 1, "straw": 1},
    "looms": {"loom": 3},
    "empty": {},
}
POOL = TermTable.of(PAGES)
SAMPLE = Sample(
    positives=({"owl": 3, "nest": 1}, {"owl": 1, "nest": 2}),
    negatives=({"loom": 2, "the": 1}, {"treaty": 1}, {"loom": 1}, {"the": 2}),
)


def test_a_pool_is_picked_from_a_table() -> None:
    """Its rows and frequencies are its own; an address the table lacks is an empty page."""
    pool = POOL.among(["nests", "owls", "nests", "nowhere"])
    assert pool.urls == ("owls", "nests", "nowhere")
    assert [pool.page(row) for row in range(3)] == [PAGES["owls"], PAGES["nests"], {}]
    assert pool.idf_of(["nest", "owl", "loom"]) == pytest.approx({"nest": log(3 / 2), "owl": log(3)})
    assert POOL.among([]).urls == ()


def test_arrays_say_what_the_models_say() -> None:
    """Classifier and judge in bulk give what they give page by page."""
    data = table(SAMPLE, 50)
    model = rocchio(data)
    cut = best_cut(model, SAMPLE)
    assert positive_pages(POOL, SAMPLE)["rocchio"] == {url: float(model.value(p) >= cut) for url, p in PAGES.items()}
    judge = multinomial(SAMPLE)
    expected = {url: posterior(judge.value(page)) for url, page in PAGES.items()}
    assert informed_probabilities(POOL, SAMPLE) == pytest.approx(expected)


def test_atc_by_hand() -> None:
    """owl and straw are on one of four pages, nest on two."""
    owl, nest = log(4), log(2)
    page = {"owl": (0.5 + 0.5) * owl, "nest": (0.5 + 0.5 * 2 / 4) * nest}
    topic = {"owl": owl, "nest": nest}
    dot = sum(page[term] * topic[term] for term in page)
    lengths = sqrt(sum(w * w for w in page.values())) * sqrt(sum(w * w for w in topic.values()))
    scores = POOL.values(smart(POOL, {"owl": 1, "nest": 1, "unheard": 1}))
    assert scores["owls"] == pytest.approx(dot / lengths)
    assert scores["looms"] == scores["empty"] == 0.0


def test_the_printed_form_by_hand() -> None:
    """The same relative to 4, the greatest count of any page; the topic's terms too."""
    owl, nest, straw = log(4), log(2), log(4)
    page = {"nest": 0.5 * (1 + 1 / 4) * nest, "straw": 0.5 * (1 + 1 / 4) * straw}
    topic = {"owl": 0.5 * (1 + 2 / 4) * owl, "nest": 0.5 * (1 + 1 / 4) * nest}
    lengths = sqrt(sum(w * w for w in page.values())) * sqrt(sum(w * w for w in topic.values()))
    scores = POOL.values(printed(POOL, {"owl": 2, "nest": 1, "unheard": 7}))
    assert scores["nests"] == pytest.approx(page["nest"] * topic["nest"] / lengths)


def test_bm25_by_hand() -> None:
    """k1 = 1.2, b = .75, ln(1 + (N − n + ½)/(n + ½)); the mean page has 11/4 words."""
    idf = log(1 + (4 - 1 + 0.5) / 1.5)
    norm = 1.2 * (0.25 + 0.75 * 6 / (11 / 4))
    assert POOL.values(bm25(POOL, {"owl": 1, "unheard": 1}))["owls"] == pytest.approx(idf * 4 * 2.2 / (4 + norm))


@pytest.mark.parametrize("system", ["smart", "printed", "bm25"])
def test_equal_pages_share_their_ranks(system: str) -> None:
    """Two pages of no query term are third and fourth: 3.5 each; an empty pool has no ranks."""
    assert pooled_ranks(POOL, {"owl": 1, "nest": 1}, system) == {"owls": 1, "nests": 2, "looms": 3.5, "empty": 3.5}
    assert pooled_ranks(TermTable.of({}), {"owl": 1}, system) == {}


def test_topic_similarity_by_hand() -> None:
    """f · (1 + ln(|S|/n)); the topic has a word that no page has."""
    owl, nest, rare = 1 + log(4), 1 + log(2), 1 + log(4)
    page, topic = {"owl": 4 * owl, "nest": 2 * nest}, {"owl": owl, "rare": rare}
    lengths = sqrt(sum(w * w for w in page.values())) * sqrt(sum(w * w for w in topic.values()))
    found = topic_similarities(POOL, {"owl": 1, "rare": 1})
    assert found["owls"] == pytest.approx(page["owl"] * topic["owl"] / lengths)
    assert found["empty"] == found["looms"] == 0.0


def test_classifiers_accept_what_is_like_the_examples() -> None:
    """All three take the page of owls and refuse the one of looms and the empty one."""
    found = positive_pages(POOL, SAMPLE)
    assert set(found) == {"rocchio", "widrow_hoff", "eg"}
    for positive in found.values():
        assert (positive["owls"], positive["looms"], positive["empty"]) == (1.0, 0.0, 0.0)
    assert positive_pages(POOL, SAMPLE) == found


def test_a_single_feature_by_hand() -> None:
    """One term tells the classes apart: Rocchio's weight for it is 1, every example weighs 1, the cut is ½."""
    sample = Sample(({"owl": 1},), ({"loom": 1},))
    pages = TermTable.of({"a": {"owl": 2}, "b": {"owl": 1, "loom": 2}, "c": {"loom": 1}})
    found = positive_pages(pages, sample)["rocchio"]
    # b: weights owl ¾, loom 1, at length 1: owl .6 ≥ ½
    assert found == {"a": 1.0, "b": 1.0, "c": 0.0}


def test_the_informed_judge_by_hand() -> None:
    """Two classes of one page each: the log-odds are the at weights times ln of the words' probabilities."""
    found = informed_probabilities(
        TermTable.of({"a": {"owl": 1}, "none": {"other": 3}}), Sample(({"owl": 1},), ({"loom": 1},))
    )
    weight = log(2)  # of owl on its page; the vocabulary has two words
    odds = weight * log((1 + weight) / 1)
    assert found["a"] == pytest.approx(1 / (1 + exp(-odds))) and found["none"] == pytest.approx(0.5)


def test_seed_likelihood_by_hand() -> None:
    """001: a page like the examples is likelier than one that shares a word, and that than one that shares none."""
    found = seed_likelihoods(POOL, [{"owl": 4, "nest": 2}])
    assert found["owls"] > found["nests"] > found["looms"] == 0.0
    # owl and nest have probabilities 5/8 and 3/8; the other 38 places are filled with the rarer one
    assert found["owls"] == pytest.approx(exp((log(5 / 8) + 39 * log(3 / 8)) / 40))


def test_a_crawls_curves_are_looked_up() -> None:
    """Running means of the pages' values, in the crawl's order; the window its own way."""
    query = {"owl": 1, "nest": 1}
    found = assess(POOL, query, SAMPLE, SAMPLE, Choices(bm25=True, window=1))
    curves = found.curves(["owls", "looms", "nests"], 4)
    assert set(curves) == {
        "harvest_judged",
        "positive_rocchio",
        "positive_widrow_hoff",
        "positive_eg",
        "average_rank",
        "average_rank_bm25",
        "similarity",
        "window_relevance",
    }
    assert curves["average_rank"].tolist() == pytest.approx([1, (1 + 3.5) / 2, (1 + 3.5 + 2) / 3, (1 + 3.5 + 2) / 3])
    judged = informed_probabilities(POOL, SAMPLE)
    assert curves["window_relevance"].tolist() == pytest.approx(
        [judged["owls"], judged["looms"], judged["nests"], judged["nests"]]
    )
    likely = assess(POOL, query, SAMPLE, SAMPLE, Choices(likelihood=True)).curves(["owls"], 1)
    assert likely["window_relevance"][0] == pytest.approx(seed_likelihoods(POOL, SAMPLE.positives)["owls"])
    assert "average_rank_bm25" not in likely
