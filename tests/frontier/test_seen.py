"""The table of addresses met."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pinakes.frontier.seen import FORGOTTEN, GONE, Seen, fingerprint, mark, unmark

keys_of = st.lists(st.integers(1, 2**64 - 1), unique=True, max_size=60)


@settings(max_examples=50, deadline=None)
@given(st.lists(keys_of, max_size=6))
def test_is_a_mapping(batches: list[list[int]]) -> None:
    """Whatever is written batch by batch is found again, the last word counting."""
    seen, truth = Seen(), {}
    for number, batch in enumerate(batches):
        keys = np.array(batch, np.uint64)
        seen.set(keys, float(number), number)
        truth.update(dict.fromkeys(batch, number))
    prices, marks = seen.get(seen.find(np.array([*truth, 2**63 + 12345], np.uint64)))
    assert marks[:-1] == list(truth.values()) and prices[:-1] == list(truth.values())
    assert len(seen) == len(truth)
    assert all(seen.get_one(key) == (number, number) for key, number in truth.items())


def test_crowded_buckets() -> None:
    """Fingerprints that all belong in one bucket find places in the next ones."""
    seen = Seen()
    keys = np.arange(1, 300, dtype=np.uint64)
    seen.set(keys, 1.0, keys.astype(np.int64))
    assert seen.get(seen.find(keys))[1] == list(range(1, 300))
    assert seen.get_one(300)[1] == FORGOTTEN
    seen.set_one(300, GONE)
    seen.set_one(7, GONE)
    assert seen.get_one(300)[1] == seen.get_one(7)[1] == GONE


def test_growth_keeps_all_but_the_forgotten() -> None:
    """A growing table moves everything but the addresses that were evicted."""
    seen = Seen()
    keys = np.array([fingerprint(f"http://a.example/{number}") for number in range(40_000)], np.uint64)
    for start in range(0, 40_000, 1000):
        part = keys[start : start + 1000]
        seen.set(part, np.arange(start, start + 1000, dtype=np.float64), start)
        seen.set(part[:500], 0.0, FORGOTTEN)
    prices, marks = seen.get(seen.find(keys))
    for start in range(0, 40_000, 1000):
        assert marks[start : start + 500] == [FORGOTTEN] * 500
        assert marks[start + 500 : start + 1000] == [start] * 500
        assert prices[start + 500 : start + 1000] == list(range(start + 500, start + 1000))
    assert len(seen) < 40_000


def test_saved_and_loaded_once(tmp_path: Path) -> None:
    """A saved table is valid under its stamp, until it has been opened."""
    path = tmp_path / "folder" / "seen"
    seen = Seen(path)
    keys = np.array([fingerprint(str(number)) for number in range(20_000)], np.uint64)
    seen.set(keys, 0.5, GONE)
    seen.save(77, (5, 6))
    assert Seen.load(path, 78) is None
    loaded = Seen.load(path, 77)
    assert loaded is not None and loaded[1][:2] == [5, 6]
    assert loaded[0].get(loaded[0].find(keys)) == ([0.5] * 20_000, [GONE] * 20_000)
    assert Seen.load(path, 77) is None
    assert Seen.load(tmp_path / "nothing", 77) is None


def test_marks() -> None:
    """A mark holds arrival number and distance; a distance beyond all reason is cut."""
    assert unmark(mark(1 << 40, 7)) == (1 << 40, 7)
    assert unmark(mark(3, 10**9)) == (3, 65535)
    assert unmark(mark(3, -1)) == (3, 0)
