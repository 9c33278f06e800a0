"""The path study, by hand: a small crawl whose every number can be counted."""

from __future__ import annotations

import numpy as np
import pytest

from pinakes.measures.paths import Sample, Steps, bracket, final_rate, study

T = 0.5
CRAWL = [
    ("s", "", 0.2, False, 0),  # a seed: a pseudo-nugget
    ("a", "s", 0.48, False, 1),  # an almost-nugget
    ("b", "s", 0.1, False, 1),
    ("n", "a", 0.7, True, 2),
    ("c", "a", 0.3, False, 2),
    ("d", "n", 0.2, False, 1),  # a nugget's child, one dud from the next nugget
    ("e", "n", 0.26, False, 1),  # another, with nothing below
    ("f", "d", 0.24, False, 2),
    ("m", "f", 0.9, True, 3),
]
_urls, _parents, *_rest = map(np.array, zip(*CRAWL, strict=True))
_numbers = np.array([[ord(letter) if letter else 0 for letter in column] for column in (_urls, _parents)])
STEPS = Steps(*_numbers, *_rest)
NONE = np.zeros(0, np.int64)
SAMPLES = [Sample(0.0, 0, 1), Sample(8.0, 6, 9), Sample(10.0, 9, 4)]


def test_levels() -> None:
    """Table 2: seeds are not included."""
    result = study(STEPS, NONE, SAMPLES, name="x", strategy="cutoff", threshold=T)
    assert [(row.level, row.pages, row.nuggets) for row in result.levels] == [(1, 4, 0), (2, 3, 1), (3, 1, 1)]
    assert result.levels[0].mean == pytest.approx((0.48 + 0.1 + 0.2 + 0.26) / 4)
    assert result.levels[1].most == 0.7


@pytest.mark.parametrize(
    ("score", "number"), [(0.0, 0), (0.05, 0), (0.051, 1), (0.45, 8), (0.4501, 9), (0.5, 9), (0.51, 10)]
)
def test_brackets_are_closed_above(score: float, number: int) -> None:
    """(.45, .5] is the tenth, as in table 3."""
    assert bracket(score, T) == number


def test_children_of_almost_nuggets() -> None:
    """Table 3: of a's two children one scores .7, one .3."""
    result = study(STEPS, NONE, SAMPLES, name="x", strategy="cutoff", threshold=T)
    children = {row.high: row.children for row in result.brackets if row.children}
    assert children == {0.3: 1, 0.7: 1}
    assert sum(row.pages for row in result.brackets) == len(CRAWL)


def test_onward() -> None:
    """Table 4: below d there is one dud before m; below e nothing."""
    rows = {row.high: row for row in study(STEPS, NONE, [], name="", strategy="", threshold=T).onward}
    assert (rows[0.2].pages, rows[0.2].mean, rows[0.2].without) == (1, 1.0, 0)
    assert (rows[0.3].pages, rows[0.3].mean, rows[0.3].without) == (0, None, 1)


def test_history() -> None:
    """Fig. 1: m has a low parent (f) and grandparent d; n has a high parent (a) and the seed as grandparent."""
    low, high = study(STEPS, NONE, [], name="", strategy="", threshold=T).ancestry
    assert (low.count_nuggets, low.nuggets[3]) == (1, 1.0)
    assert (high.count_nuggets, high.count_duds) == (1, 1)


def test_paths() -> None:
    """Length = duds + 2; the last duds b, c and e end their paths, unless their links still wait."""
    result = study(STEPS, np.array([ord("c")]), SAMPLES, name="x", strategy="cutoff", threshold=T)
    assert result.lengths == {3: 1, 4: 1}
    assert (result.completed, result.terminated, result.incomplete) == (2, 2, 1)


def test_table_5() -> None:
    result = study(STEPS, NONE, SAMPLES, name="x", strategy="cutoff", threshold=T)
    assert result.above_half == 5 and result.nuggets == 2
    assert list(result.bands) == ["0.5–0.6", "0.6–0.7", "0.7–0.8", "0.8–0.9", "0.9–1"]
    assert sum(result.bands.values()) == 2
    assert result.final_rate == pytest.approx(3 / 2) and result.frontier == 4
    assert final_rate([]) == 0.0
