"""One InfoSpiders agent: its keywords, its neural net, its energy and where it is (004 §6.3).

The net has an input for each keyword, which receives how often the keyword occurs near a link, near ones counting more,
and one output, the estimated similarity of the page behind the link. Units are logistic, with a bias; learning is
standard back-propagation with momentum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp
from random import Random

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from pinakes.core.page import Link, Page
from pinakes.core.roles import Plain

Array = NDArray[np.float64]

SITUATE = "situate"
"""The agent has not reached its starting page yet."""
MOVE = "move"
BACK = "back"
"""It returns to its last page from a dead end or a page that failed."""
AGAIN = "again"
"""It reads its page once more, because the link it chose was refused."""

TRAIL = 100
"""How many pages an agent can go back."""
VIEWERS = 16
"""Sets of keywords a page was looked at with that are remembered: most agents share theirs."""
_WHOLE = 2**64 - 1
_SPREAD, _TURN = 0x9E3779B97F4A7C15, 0xD1342543DE82EF95
_STEPS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1))


class Net:
    """A feed-forward net of logistic units; the last weight of each unit is its bias."""

    def __init__(self, layers: Sequence[Array]) -> None:
        self.layers = [np.asarray(layer, np.float64) for layer in layers]

    @classmethod
    def perceptron(cls, inputs: int, weight: float) -> Net:
        """One unit that each input excites alike."""
        return cls([np.array([[weight] * inputs + [0.0]])])

    @classmethod
    def multi_layer(cls, inputs: int, hidden: int, random: Random) -> Net:
        """A hidden layer and an output unit, their weights small and random."""
        shapes = (hidden, inputs + 1), (1, hidden + 1)
        return cls([np.array([[random.uniform(-0.5, 0.5) for _ in range(n)] for _ in range(m)]) for m, n in shapes])

    def clone(self) -> Net:
        return Net([layer.copy() for layer in self.layers])

    def estimate(self, inputs: Array) -> Array:
        """The output for each row of inputs."""
        if len(self.layers) > 1:
            return self._activations(inputs)[-1][:, 0]
        weights = self.layers[0][0]
        net: Array = inputs @ weights[:-1]
        net += weights[-1]
        return expit(net, net)  # type: ignore[no-any-return]

    def learn(self, inputs: Array, target: float, epochs: int, rate: float, momentum: float) -> None:
        """Move the estimate for one row of inputs towards the target."""
        if len(self.layers) == 1:
            self._learn_alone(inputs, target, epochs, rate, momentum)
            return
        before = [np.zeros_like(layer) for layer in self.layers]
        for _ in range(epochs):
            activations = self._activations(inputs[None, :])
            output = activations[-1][0]
            delta = (target - output) * output * (1.0 - output)
            for at in range(len(self.layers) - 1, -1, -1):
                activity = activations[at][0]
                change = rate * np.outer(delta, np.append(activity, 1.0)) + momentum * before[at]
                if at:
                    delta = (delta @ self.layers[at][:, :-1]) * activity * (1.0 - activity)
                self.layers[at] += change
                before[at] = change

    def _learn_alone(self, inputs: Array, target: float, epochs: int, rate: float, momentum: float) -> None:
        """The same for a single unit, whose weights all move along its inputs: how far is one number."""
        weights, bias = self.layers[0][0][:-1], float(self.layers[0][0][-1])
        net, square = float(weights @ inputs) + bias, float(inputs @ inputs) + 1.0
        moved = step = 0.0
        for _ in range(epochs):
            output = 1.0 / (1.0 + exp(-max(-500.0, net + moved * square)))
            step = rate * (target - output) * output * (1.0 - output) + momentum * step
            moved += step
        weights += moved * inputs
        self.layers[0][0][-1] = bias + moved

    def _activations(self, inputs: Array) -> list[Array]:
        activations = [inputs]
        for layer in self.layers:
            activations.append(expit(activations[-1] @ layer[:, :-1].T + layer[:, -1]))
        return activations


@dataclass(eq=False)
class Agent:
    id: int
    keywords: list[str]
    net: Net
    energy: float
    goal: str
    """The address it is on its way to."""
    mode: str = SITUATE
    revisit: bool = False
    """Its goal was visited before, and so comes from the library."""
    trail: list[str] = field(default_factory=list)
    """The pages it came by; the last is where it is."""
    inputs: Array = field(default_factory=lambda: np.zeros(0))
    """What its net was told of the link it follows."""

    def arrive(self, url: str) -> None:
        self.trail.append(url)
        del self.trail[:-TRAIL]

    def offspring(self, number: int, terms: Mapping[str, int]) -> Agent:
        """A clone with half the energy and one keyword exchanged for the page's most frequent other term."""
        young = replace(
            self,
            id=number,
            keywords=mutated(self.keywords, terms),
            net=self.net.clone(),
            energy=self.energy / 2,
            trail=list(self.trail),
        )
        self.energy -= young.energy
        return young

    def plain(self) -> Plain:
        return {
            "id": self.id,
            "keywords": self.keywords,
            "net": [layer.tolist() for layer in self.net.layers],
            "energy": self.energy,
            "goal": self.goal,
            "mode": self.mode,
            "revisit": self.revisit,
            "trail": self.trail,
            "inputs": self.inputs.tolist(),
        }

    @classmethod
    def of(cls, plain: Plain) -> Agent:
        net = Net([np.array(layer) for layer in plain["net"]])
        return cls(**{**plain, "net": net, "inputs": np.array(plain["inputs"], np.float64)})


def mutated(keywords: Sequence[str], terms: Mapping[str, int]) -> list[str]:
    """The keywords with the one least frequent in a page replaced by the term most frequent there.

    Among equals the last keyword goes, the topic's least frequent, and the first term of the alphabet comes.
    """
    changed = list(keywords)
    others = terms.keys() - set(keywords)
    if changed and others:
        rarest = min(range(len(changed)), key=lambda at: (terms.get(changed[at], 0), -at))
        changed[rarest] = min(others, key=lambda term: (-terms[term], term))
    return changed


def boltzmann(estimates: Array, temperature: float) -> Array:
    """What each link weighs in the choice among them, e^(estimate / temperature), the best of them weighing 1."""
    weights: Array = estimates / temperature
    weights -= weights.max()
    return np.exp(weights, weights)


def picked(weights: Array, lot: float) -> int:
    """The place of the link on which a lot in [0, 1) falls, the chance of each being in proportion to its weight."""
    up_to = weights.cumsum()
    return min(int(up_to.searchsorted(lot * up_to[-1], "right")), len(up_to) - 1)


def lot(turn: int, number: int) -> float:
    """A number in [0, 1) drawn for an agent in a turn, whoever else draws: the mixing function of SplitMix64."""
    mixed = number * _SPREAD + turn * _TURN & _WHOLE
    for shift, factor in _STEPS:
        mixed = (mixed ^ (mixed >> shift)) * factor & _WHOLE
    return mixed / 2.0**64


class Surroundings:
    """The links of a page, and the words round each."""

    def __init__(self, page: Page, links: Sequence[Link]) -> None:
        self.links, self._words = links, page.words
        self._first = np.array([link.at for link in links], np.int64)
        self._last = self._first + np.array([max(0, len(link.anchor.split()) - 1) for link in links], np.int64)
        # Agents come by again and again, and many share their keywords: what is near the links is found once.
        self._seen: dict[tuple[int, tuple[str, ...]], Array] = {}

    def near(self, keywords: Sequence[str], window: int) -> Array:
        """For each link a row: how often each keyword occurs near it, an occurrence counting 1 / its distance in words.

        The anchor's words and the word next to it are at distance 1; what is further than `window` words is not near.
        """
        key = window, tuple(keywords)
        rows = self._seen.get(key)
        if rows is None:
            if len(self._seen) >= VIEWERS:
                self._seen.clear()
            rows = self._seen[key] = self._rows(keywords, window)
        return rows

    def _rows(self, keywords: Sequence[str], window: int) -> Array:
        shape = len(self.links), len(keywords)
        number = {word: at for at, word in enumerate(keywords)}
        found = [(place, number[word]) for place, word in enumerate(self._words) if word in number]
        if not found or not self.links:
            return np.zeros(shape)
        places, numbers = np.array(found, np.int64).T
        # Each link with each occurrence in its window, as two long columns.
        start = places.searchsorted(self._first - window)
        counts = places.searchsorted(self._last + window, "right") - start
        link = np.arange(shape[0]).repeat(counts)
        hit = np.arange(len(link)) + (start - counts.cumsum() + counts).repeat(counts)
        place = places[hit]
        distance = np.maximum(1, np.maximum(self._first[link] - place, place - self._last[link]))
        cells = link * shape[1] + numbers[hit]
        summed: Array = np.asarray(np.bincount(cells, 1.0 / distance, shape[0] * shape[1]), np.float64)
        return summed.reshape(shape)
