"""What an InfoSpiders agent is made of: its net, its view of a link, its choice, its offspring; by hand."""

from __future__ import annotations

from math import exp
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.core.page import Link, Page
from pinakes.strategies.agents import Agent, Net, Surroundings, boltzmann, lot, mutated, picked


def sigmoid(net: float) -> float:
    return 1 / (1 + exp(-net))


def test_a_perceptron_estimates_by_its_inputs() -> None:
    """Every keyword weighs 1 at first: inputs 1 and .5 give σ(1.5), none at all σ(0)."""
    net = Net.perceptron(2, 1.0)
    assert net.estimate(np.array([[1.0, 0.5], [0.0, 0.0]])) == pytest.approx([0.817574, 0.5], abs=1e-6)


def test_one_epoch_by_hand() -> None:
    """o = σ(1.5) = .817574, target .2: δ = (t − o) o (1 − o) = −.092107, and each weight moves by .5 δ x."""
    net = Net.perceptron(2, 1.0)
    net.learn(np.array([1.0, 0.5]), 0.2, epochs=1, rate=0.5, momentum=0.9)
    assert net.layers[0][0] == pytest.approx([1 - 0.0460536, 1 - 0.0230268, -0.0460536], abs=1e-6)


def test_momentum_adds_nine_tenths_of_the_last_step() -> None:
    """Two epochs: the second step is .5 δ₂ x plus .9 of the first."""
    net = Net.perceptron(1, 1.0)
    net.learn(np.array([2.0]), 0.0, epochs=2, rate=0.5, momentum=0.9)
    first = 0.5 * (0 - sigmoid(2)) * sigmoid(2) * (1 - sigmoid(2))
    out = sigmoid((1 + 2 * first) * 2 + first)
    second = 0.5 * (0 - out) * out * (1 - out) + 0.9 * first
    assert net.layers[0][0] == pytest.approx([1 + 2 * (first + second), first + second])


def test_a_hidden_layer_learns_by_the_gradient() -> None:
    """One epoch without momentum moves every weight against the slope of the squared error."""
    net, inputs, target, rate, step = Net.multi_layer(3, 2, Random(5)), np.array([0.3, 0.0, 1.2]), 0.9, 0.5, 1e-6
    slopes = []
    for layer in net.layers:
        slope = np.zeros_like(layer)
        for at in np.ndindex(layer.shape):
            layer[at] += step
            more = (target - net.estimate(inputs[None])[0]) ** 2 / 2
            layer[at] -= 2 * step
            less = (target - net.estimate(inputs[None])[0]) ** 2 / 2
            layer[at] += step
            slope[at] = (more - less) / (2 * step)
        slopes.append(slope)
    before = [layer.copy() for layer in net.layers]
    net.learn(inputs, target, epochs=1, rate=rate, momentum=0.9)
    for old, new, slope in zip(before, net.layers, slopes, strict=True):
        assert new - old == pytest.approx(-rate * slope, abs=1e-8)


@given(
    st.lists(st.floats(0, 3), min_size=1, max_size=6),
    st.floats(0, 1),
    st.integers(1, 8),
    st.floats(0.01, 1),
    st.booleans(),
)
def test_learning_alone_is_back_propagation(
    inputs: list[float], target: float, epochs: int, rate: float, with_momentum: bool
) -> None:
    """The single unit's short cut does what the general rule does, weight by weight."""
    momentum = 0.9 if with_momentum else 0.0
    quick = Net.perceptron(len(inputs), 0.7)
    quick.learn(np.array(inputs), target, epochs, rate, momentum)
    weights, change = np.array([0.7] * len(inputs) + [0.0]), np.zeros(len(inputs) + 1)
    along = np.array([*inputs, 1.0])
    for _ in range(epochs):
        out = sigmoid(float(weights @ along))
        change = rate * (target - out) * out * (1 - out) * along + momentum * change
        weights = weights + change
    assert quick.layers[0][0] == pytest.approx(weights, abs=1e-9)


def test_a_link_is_seen_through_the_words_round_it() -> None:
    """Words at distance d count 1/d, the anchor's own and its neighbours 1; beyond the window they count nothing."""
    words = ("owl", "x", "owl", "stone", "falcon", "x", "x", "owl", "owl")
    link = Link("http://b.example/", anchor="Stone falcon", at=3)
    page = Page(Link("http://a.example/"), "http://a.example/", words=words)
    row = Surroundings(page, [link]).near(["owl", "falcon", "eagle"], window=3)
    # owl: at 2 (distance 1), at 0 (3), at 7 (3); the one at 8 is four words away. falcon: in the anchor.
    assert row.tolist() == [pytest.approx([1 + 1 / 3 + 1 / 3, 1.0, 0.0])]


def test_a_page_without_keywords_or_words_is_seen_too() -> None:
    page = Page(Link("http://a.example/"), "http://a.example/")
    assert Surroundings(page, [Link("http://b.example/")]).near(["owl"], 5).tolist() == [[0.0]]
    assert Surroundings(page, [Link("http://b.example/")]).near([], 5).shape == (1, 0)


@given(
    st.lists(st.sampled_from(["owl", "falcon", "x", ""]), max_size=40),
    st.lists(st.tuples(st.integers(0, 45), st.integers(0, 3)), min_size=1, max_size=6),
    st.integers(1, 10),
)
def test_the_view_of_a_link_is_the_plain_sum(words: list[str], places: list[tuple[int, int]], window: int) -> None:
    """Whatever the page, each cell is the sum over occurrences in the window of 1 / max(1, distance)."""
    page = Page(Link("http://a.example/"), "http://a.example/", words=tuple(words))
    links = [Link("http://b.example/", anchor="w " * long, at=at) for at, long in places]
    rows = Surroundings(page, links).near(["owl", "falcon"], window)
    for row, (at, long) in zip(rows, places, strict=True):
        last = at + max(1, long) - 1
        for cell, keyword in zip(row, ["owl", "falcon"], strict=True):
            near = [
                1 / max(1, at - place, place - last)
                for place, word in enumerate(words)
                if word == keyword and at - window <= place <= last + window
            ]
            assert cell == pytest.approx(sum(near))


def test_the_boltzmann_choice_by_hand() -> None:
    """Estimates σ(1) = .7311 and .5 at temperature .125: odds of e^1.8485 = 6.35 to 1."""
    weights = boltzmann(np.array([sigmoid(1), 0.5]), 0.125)
    assert weights / weights.sum() == pytest.approx([0.86395, 0.13605], abs=1e-5)
    assert [picked(weights, drawn) for drawn in (0.0, 0.8639, 0.8640, 0.999999)] == [0, 0, 1, 1]


def test_a_low_temperature_does_not_overflow() -> None:
    assert boltzmann(np.array([1.0, 0.0]), 1e-9).tolist() == [1.0, 0.0]


def test_lots_are_drawn_evenly_and_anew_each_turn() -> None:
    drawn = [[lot(turn, agent) for agent in range(100)] for turn in (1, 2)]
    assert all(0.0 <= each < 1.0 for turn in drawn for each in turn) and not set(drawn[0]) & set(drawn[1])
    assert all(abs(np.mean(turn) - 0.5) < 0.1 for turn in drawn)


def test_mutation_exchanges_the_least_frequent_keyword_for_the_most_frequent_term() -> None:
    assert mutated(["owl", "falcon", "heron"], {"owl": 3, "heron": 1, "nest": 2, "egg": 5}) == ["owl", "egg", "heron"]


def test_mutation_breaks_ties_the_same_way_every_time() -> None:
    """Of two keywords the page lacks the later goes; of two terms the first of the alphabet comes."""
    assert mutated(["owl", "falcon"], {"nest": 2, "egg": 2}) == ["owl", "egg"]
    assert mutated(["owl"], {"owl": 2}) == ["owl"]
    assert mutated([], {"owl": 2}) == []


def test_offspring_takes_half_of_the_energy_and_learns_by_itself() -> None:
    parent = Agent(0, ["owl", "falcon"], Net.perceptron(2, 1.0), 2.5, "http://a.example/", trail=["http://a.example/"])
    young = parent.offspring(1, {"owl": 1, "egg": 4})
    assert (parent.energy, young.energy, young.id) == (1.25, 1.25, 1)
    assert (parent.keywords, young.keywords) == (["owl", "falcon"], ["owl", "egg"])
    young.net.learn(np.array([1.0, 1.0]), 0.0, 5, 0.5, 0.9)
    young.arrive("http://b.example/")
    assert parent.net.layers[0].tolist() == [[1.0, 1.0, 0.0]]
    assert parent.trail == ["http://a.example/"]


def test_an_agent_survives_being_plain_data() -> None:
    agent = Agent(3, ["owl"], Net.multi_layer(1, 2, Random(0)), 0.5, "http://a.example/", inputs=np.array([0.25]))
    assert Agent.of(agent.plain()).plain() == agent.plain()
