"""The merged context graph of 001, against cases worked out by hand."""

from __future__ import annotations

from math import inf, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.models.context_graph import ContextGraph, Placement

REFERENCE = {"owl": 10, "egg": 20, "staff": 10, "campus": 5, "the": 100, "": 100}
LAYERS = (
    [{"owl": 3, "egg": 1, "the": 4}, {"owl": 1, "staff": 1}],
    [{"staff": 4, "egg": 1}, {"staff": 2, "owl": 1}],
    [{"campus": 6, "staff": 1}],
)


def test_the_vocabulary_is_that_of_the_examples() -> None:
    """Or also of the first layer, by option; words of every document are no part of the vector."""
    assert ContextGraph(LAYERS, REFERENCE).reduced({"owl": 1, "campus": 9, "the": 50}) == ["owl"]
    layers = [LAYERS[0], LAYERS[2]]
    assert ContextGraph(layers, REFERENCE, vocabulary_layers=2).reduced({"campus": 1, "owl": 1}) == ["campus", "owl"]


def test_a_page_is_reduced_to_its_strongest_terms() -> None:
    """f / f_max · log(N / f(w)) (eq. 1): 3·ln 10 of owl, 4·ln 5 of egg, 1·ln 10 of staff."""
    graph = ContextGraph(LAYERS, REFERENCE, kept=2)
    assert graph.reduced({"owl": 3, "egg": 4, "staff": 1, "the": 9}) == ["owl", "egg"]
    assert 3 * log(10) > 4 * log(5) > log(10)


def test_likelihood_by_hand() -> None:
    """Eq. 4's probabilities, V = {owl, egg, the, staff}: the mean of the logarithms over the kept terms.

    The examples' kept terms are owl 3, egg 1, owl 1, staff 1: six and four for V. `the` is kept nowhere."""
    graph = ContextGraph(LAYERS, REFERENCE, kept=2)
    page = {"owl": 1, "egg": 1}
    assert graph.likelihood(0, page) == pytest.approx((log(5 / 10) + log(2 / 10)) / 2)
    assert graph.likelihood(1, page) == pytest.approx((log(2 / 12) + log(2 / 12)) / 2)
    assert graph.likelihood(0, {"loom": 3}) == -inf


def test_a_page_with_few_terms_is_filled_up() -> None:
    """A single frequent word is no better than it with a rare one more."""
    graph = ContextGraph(LAYERS, REFERENCE, kept=2)
    assert graph.likelihood(2, {"owl": 1}) == pytest.approx((log(1 / 5) + log(1 / 5)) / 2)
    assert graph.likelihood(0, {"owl": 1}) == pytest.approx((log(5 / 10) + log(1 / 10)) / 2)


def test_layers_learn_from_reduced_pages() -> None:
    """A word of the examples that is never among a page's strongest is as unlikely as one they lack."""
    pages = [{"owl": 9, "egg": 9, "the": 90, "staff": 1}] * 3
    graph = ContextGraph([pages], REFERENCE, kept=2)
    assert graph.likelihood(0, {"staff": 1, "egg": 1}) == pytest.approx((log(28 / 58) + log(1 / 58)) / 2)


@given(st.dictionaries(st.sampled_from([f"w{n}" for n in range(9)]), st.integers(1, 4)), st.integers(1, 9))
def test_the_strongest_terms_are_found_by_a_shorter_way(page: dict[str, int], kept: int) -> None:
    """Terms that occur once are passed over only where they cannot be among the strongest."""
    reference = {"": 1000, **{f"w{n}": 1 + n * n for n in range(9)}}
    graph = ContextGraph([[{f"w{n}": 1 for n in range(9)}]], reference, kept=kept)
    weights = {term: count * log(1000 / reference[term]) for term, count in page.items()}
    expected = sorted(weights, key=lambda term: (weights[term], term), reverse=True)[:kept]
    assert graph.reduced(page) == expected


def test_the_likeliest_layer_wins() -> None:
    """Eq. 2: prior times likelihood; with equal priors likelihood alone."""
    graph = ContextGraph(LAYERS, REFERENCE, kept=2, uniform=True)
    assert graph.depth == 2
    assert graph.place({"owl": 5, "egg": 1}).layer == 0
    assert graph.place({"staff": 5, "egg": 1}).layer == 1
    assert graph.place({"campus": 9}) == Placement(3, -inf)
    # owl and egg: 5/10 and 2/10 in layer 0, 2/12 each in layer 1; four hundred times the pages make up for that
    crowded = ContextGraph([LAYERS[0], LAYERS[1] * 400], REFERENCE, kept=2)
    assert (
        crowded.place({"owl": 1, "egg": 1}).layer
        != ContextGraph(LAYERS[:2], REFERENCE, kept=2).place({"owl": 1, "egg": 1}).layer
    )


def test_other_is_below_the_least_of_the_training_pages() -> None:
    """The threshold of a layer is the least likelihood among its own pages, and that page is still of the layer."""
    graph = ContextGraph(LAYERS, REFERENCE, kept=2)
    for number, layer in enumerate(LAYERS):
        assert graph.thresholds[number] == min(graph.likelihood(number, page) for page in layer)
    alone = ContextGraph([[{"owl": 9, "egg": 1}, {"owl": 9, "staff": 1}]], REFERENCE, kept=2)
    assert alone.place({"owl": 1, "egg": 1}).layer == 0
    assert alone.place({"staff": 1, "egg": 1}).layer == 1


def test_a_page_that_stands_in_a_layer_twice_counts_twice() -> None:
    """The parent of two documents appears twice in the next layer."""
    once, twice = (ContextGraph([LAYERS[0], [{"egg": 1}, *[{"owl": 1}] * n]], REFERENCE, kept=1) for n in (1, 2))
    assert once.likelihood(1, {"owl": 1}) == pytest.approx(log(2 / 6))
    assert twice.likelihood(1, {"owl": 1}) == pytest.approx(log(3 / 7))


@given(st.dictionaries(st.sampled_from(["owl", "egg", "the", "staff", "campus", "loom"]), st.integers(1, 9)))
def test_every_page_has_a_place(page: dict[str, int]) -> None:
    """Some layer or `other`, by a likelihood that is never above 0; empty layers are passed over."""
    graph = ContextGraph([LAYERS[0], [], LAYERS[2]], REFERENCE)
    place = graph.place(page)
    assert 0 <= place.layer <= graph.depth + 1 == 2 and place.likelihood <= 0
    assert ContextGraph([], {}).place(page) == Placement(0, -inf)
