from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from pinakes.text.fingerprint import FEWEST_WORDS, NEAR, Fingerprints, blocks, hamming


def page(words: int, random_state: int) -> list[str]:
    """Words of a made-up page: a Zipf-like mixture, a third of them stop words."""
    draw = random.Random(random_state)
    return [f"w{int(draw.paretovariate(0.7)) % 5000}" if draw.random() > 0.33 else "" for _ in range(words)]


def test_a_small_edit_is_near() -> None:
    """Pages of 400 words and more that differ in a date, a word or a short footer are near-duplicates."""
    fingerprints, draw = Fingerprints(), random.Random(1)
    near = 0
    for number in range(100):
        words = page(400 + 20 * number, number)
        place = draw.randrange(len(words) - 3)
        dated = [*words[:place], "12", "novemb", "2020", *words[place + 3 :]]
        swapped = [*words[:place], "swap", *words[place + 1 :]]
        footed = [*words, "retriev", "archiv", "octob", "2019", "server"]
        own = fingerprints.of(words)
        near += sum(hamming(own, fingerprints.of(edited)) <= NEAR for edited in (dated, swapped, footed))
    assert near >= 290


def test_different_pages_are_far() -> None:
    """No two of 400 different pages are near-duplicates, and most differ in about half their bits."""
    fingerprints = Fingerprints()
    found = [fingerprints.of(page(300, number)) for number in range(400)]
    distances = [hamming(a, b) for place, a in enumerate(found) for b in found[:place]]
    assert min(distances) > NEAR
    assert 28 < sum(distances) / len(distances) < 36


def test_short_pages_have_none() -> None:
    fingerprints = Fingerprints()
    assert fingerprints.of(page(FEWEST_WORDS - 1, 1)) == 0
    assert fingerprints.of(page(FEWEST_WORDS, 1)) != 0
    assert fingerprints.of([""] * 100) == 0
    assert fingerprints.of([*[""] * 100, "two", "words"]) == 0


def test_stable_over_releases() -> None:
    """Libraries keep fingerprints, so they must not change; stop words do not matter to them."""
    words = [f"word{number % 37}" for number in range(80)]
    assert Fingerprints().of(words) == 0x6E2BF832B33AF735
    assert Fingerprints(remember=2).of([*words, "", ""]) == 0x6E2BF832B33AF735


@given(st.integers(0, 2**64 - 1), st.sets(st.integers(0, 63), max_size=NEAR))
def test_near_fingerprints_share_a_block(fingerprint: int, flipped: set[int]) -> None:
    other = fingerprint
    for bit in flipped:
        other ^= 1 << bit
    assert hamming(fingerprint, other) == len(flipped)
    assert set(blocks(fingerprint)) & set(blocks(other))


@given(st.integers(0, 2**64 - 1))
def test_blocks_are_told_apart_by_their_place(fingerprint: int) -> None:
    assert len(set(blocks(fingerprint))) == 4
    assert all(place == block >> 16 for place, block in enumerate(blocks(fingerprint)))
