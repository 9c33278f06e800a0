"""Term matrices, clusters, hubs and authorities, labels and the map: by hand, and what is true of them always."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from pinakes.graph.clusters import choose_k, silhouette, spherical_k_means
from pinakes.graph.hits import adjacency, hits, typical
from pinakes.graph.labels import phrase_labels, profile_words
from pinakes.graph.layout import place
from pinakes.graph.term_matrix import term_matrix
from pinakes.text.phrases import PhraseReader
from pinakes.text.words import Words


def test_weights_are_eq_3_1_over_the_collection() -> None:
    pages = [{"owl": 4, "bird": 1}, {"owl": 1, "wing": 2}, {"bird": 1, "wing": 1}, {"bird": 3, "nest": 1}]
    matrix = term_matrix(pages)
    # nest stands on one page only and is dropped; bird on 3 of 4, which is not more than 80 %.
    assert matrix.terms == ("owl", "bird", "wing")
    owl, bird = (0.5 + 0.5 * 4 / 4) * log(4 / 2), (0.5 + 0.5 * 1 / 4) * log(4 / 3)
    length = sqrt(owl**2 + bird**2)
    assert matrix.weights[[0]].toarray().ravel() == pytest.approx([owl / length, bird / length, 0.0])


def test_terms_of_too_few_or_too_many_pages_are_dropped() -> None:
    pages = [{"all": 1, f"only{i}": 1, ("even" if i % 2 else "odd"): 1} for i in range(300)]
    pages[0]["twice"] = pages[1]["twice"] = 1  # 2 of 300 is less than 1 %
    assert set(term_matrix(pages).terms) == {"even", "odd"}


def _groups(sizes: list[int], seed: int = 0) -> tuple[sparse.csr_array, list[int]]:
    """Pages of clearly different vocabularies."""
    chance = np.random.default_rng(seed)
    pages, truth = [], []
    for group, size in enumerate(sizes):
        for _ in range(size):
            words = chance.choice(12, 8, replace=False)
            pages.append({f"g{group}w{w}": int(chance.integers(1, 4)) for w in words} | {f"c{chance.integers(6)}": 1})
            truth.append(group)
    return term_matrix(pages).weights, truth


def test_clear_groups_are_found_and_numbered_by_size() -> None:
    weights, truth = _groups([10, 30, 20])
    found = spherical_k_means(weights, 3)
    assert found.sizes().tolist() == [30, 20, 10]
    assert found.assigned.tolist() == [{0: 2, 1: 0, 2: 1}[group] for group in truth]
    assert found.members(2)[0] in range(10)
    assert silhouette(found) > 0.4
    assert choose_k(weights)[0] == 3


def test_more_pages_join_the_nearest_centres() -> None:
    """Pages weighed afterwards are what they would have been with the others, and clusters stay numbered by size."""
    chance = np.random.default_rng(1)
    pages = [{f"g{group}w{word}": 1 + int(word) for word in chance.choice(9, 6, replace=False)} | {"all": 2}
             for group in (0, 1) for _ in range(20)]  # fmt: skip
    matrix = term_matrix(pages)
    assert np.allclose(matrix.weigh(pages).toarray(), matrix.weights.toarray())
    assert matrix.weigh([{"unknown": 3}, {}]).toarray().tolist() == [[0.0] * len(matrix.terms)] * 2
    found = spherical_k_means(matrix.weights, 2)
    assert found.joined(found.cosines(matrix.weights)).assigned.tolist() == found.assigned.tolist()
    more = found.joined(found.cosines(matrix.weigh(pages + pages[20:])))
    assert more.sizes().tolist() == [40, 20] and set(more.assigned[20:].tolist()) == {0}
    assert np.allclose(more.cosines(matrix.weights), more.similarity[:40])


def test_the_same_state_gives_the_same_division() -> None:
    weights, _ = _groups([20, 20, 20], seed=3)
    first, second = (spherical_k_means(weights, 4, random_state=7) for _ in range(2))
    assert np.array_equal(first.assigned, second.assigned)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 5)), max_size=30), st.integers(1, 8))
def test_any_collection_is_divided_without_empty_clusters(pages: list[dict[str, int]], k: int) -> None:
    found = spherical_k_means(term_matrix(pages).weights, k)
    assert len(found.assigned) == len(pages)
    assert found.k <= min(k, len(pages))
    assert all(size > 0 for size in found.sizes())
    assert not pages or ((found.similarity >= 0).all() and (found.similarity <= 1).all())


def test_plain_hits_by_hand() -> None:
    """0 -> 2, 1 -> 2, 1 -> 3: eq. 3.4 converges to the leading eigenvector of AᵀA = [[2, 1], [1, 1]]."""
    found = hits(adjacency([0, 1, 1], [2, 2, 3], 4))
    ratio = (1 + sqrt(5)) / 2
    assert found.authorities[2] / found.authorities[3] == pytest.approx(ratio)
    assert found.hubs[1] / found.hubs[0] == pytest.approx(ratio)
    assert found.authorities @ found.authorities == pytest.approx(1.0)


def test_the_bias_turns_to_the_clusters_own_pages() -> None:
    """Eq. 3.5 by hand for one round, and in the limit."""
    links = adjacency([0, 0, 1, 1], [2, 3, 3, 4], 5)
    near = np.array([1.0, 0.1, 1.0, 1.0, 0.1])
    first = hits(links, near, rounds=1)
    authorities = np.array([0, 0, 1.0, 1.1, 0.1])
    hubs = np.array([1.0 + 1.1, 1.1 + 0.01, 0, 0, 0])
    assert first.authorities == pytest.approx(authorities / sqrt((authorities**2).sum()))
    assert first.hubs == pytest.approx(hubs / sqrt((hubs**2).sum()))
    found = hits(links, near)
    assert found.authorities[2] > 5 * found.authorities[4]
    assert hits(links).authorities[2] == pytest.approx(hits(links).authorities[4])
    assert typical(found.authorities, near, np.array([2, 3, 4]), 2) == [3, 2]


def test_a_graph_without_links_has_no_hubs() -> None:
    found = hits(adjacency([], [], 3))
    assert found.hubs.tolist() == found.authorities.tolist() == [0, 0, 0]
    assert typical(found.hubs, np.ones(3), np.arange(3), 2) == []


def test_profile_words_are_the_largest_components() -> None:
    pages = [{"owl": 3, "bird": 1}] * 3 + [{"car": 3, "bird": 1}] * 3
    words = term_matrix(pages)
    clusters = spherical_k_means(words.weights, 2)
    assert sorted(label[0] for label in profile_words(words, clusters)) == ["car", "owl"]


def test_labels_are_phrases_with_their_case_kept() -> None:
    read = PhraseReader(Words().stems).read
    systems = [
        read(f"Here is CORBA for you. This operating system, that CORBA. An operating system of kind {i} schedules.")
        for i in range(4)
    ]
    birds = [read(f"The barn owl hunts; a barn owl nests. The owls of barn number {i}.") for i in range(4)]
    first, second = phrase_labels([systems, birds])
    assert first[0] == "operating system" and "CORBA" in first
    assert second[0] == "barn owl"


def test_verbs_and_numbers_give_way_to_nouns() -> None:
    """A word that no article leads is hardly a noun, unless titles or capitals say otherwise."""
    read = PhraseReader(Words().stems).read
    text = "It fetches {0}, then fetches two. The crawler, a crawler, of the crawler: they fetched, and fetched two. BC"
    crawlers = [read(text.format(i), "") for i in range(4)]
    birds = [read("The owl of the barn, in a wood", "") for _ in range(4)]
    label, _ = phrase_labels([crawlers, birds], n=2)
    assert label == ["crawler", "BC"]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(1, 500), min_size=1, max_size=12), st.integers(0, 99))
def test_no_circle_lies_over_another(sizes: list[int], seed: int) -> None:
    n = len(sizes)
    likeness = np.random.default_rng(seed).random((n, n))
    circles = place(np.array(sizes, float), (likeness + likeness.T) / 2)
    for i, a in enumerate(circles):
        for b in circles[:i]:
            assert sqrt((a.x - b.x) ** 2 + (a.y - b.y) ** 2) >= a.radius + b.radius


def test_the_more_alike_stand_nearer() -> None:
    likeness = np.array([[1, 0.9, 0.1], [0.9, 1, 0.1], [0.1, 0.1, 1]])
    a, b, c = place(np.ones(3), likeness)
    assert (a.x - b.x) ** 2 + (a.y - b.y) ** 2 < (a.x - c.x) ** 2 + (a.y - c.y) ** 2
