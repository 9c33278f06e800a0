"""All children of a page before the next move."""

from __future__ import annotations

import json
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from pinakes.strategies.moves import Moves

steps = st.lists(
    st.one_of(
        st.tuples(st.integers(0, 5), st.lists(st.sampled_from("abcdefgh"), max_size=5)),
        st.sampled_from("abcdefgh"),
    ),
    max_size=25,
)


def test_the_best_page_moves_with_all_its_children() -> None:
    """The next move takes the children of the page of the highest price that are left."""
    moves = Moves()
    assert moves.size == 1
    moves.offer(1.0, ["a", "b", "c"])
    moves.offer(2.0, ["d", "e"])
    assert moves.size == 2
    moves.gone("d")
    assert moves.size == 1
    moves.gone("e")
    assert moves.size == 3


def test_a_child_belongs_to_the_page_that_pays_most() -> None:
    """As in the frontier: a better price takes it over, an equal one does not."""
    moves = Moves()
    moves.offer(1.0, ["a", "b", "a"])
    assert moves.size == 2
    moves.offer(1.0, ["a"])
    assert moves.size == 2
    moves.offer(3.0, ["a"])
    assert moves.size == 1
    moves.gone("a")
    assert moves.size == 1


@given(steps)
def test_moves_agree_with_a_plain_model(steps: list[tuple[int, list[str]] | str]) -> None:
    """Whatever is offered and goes: the size is that of the best group of a dictionary kept by hand."""
    moves, model = Moves(), dict[str, tuple[float, int]]()
    for number, step in enumerate(steps):
        if isinstance(step, str):
            moves.gone(step)
            model.pop(step, None)
        else:
            price, urls = step
            moves.offer(float(price), urls)
            for url in urls:
                if url not in model or model[url][0] < price:
                    model[url] = (float(price), -number)
        best = max(model.values(), default=None)
        assert moves.size == max(1, sum(group == best for group in model.values()))
        again = Moves()
        again.restore(json.loads(json.dumps(moves.state())))
        assert list(_sizes(again)) == list(_sizes(moves))


def _sizes(moves: Moves) -> Iterator[int]:
    """The sizes of all moves from here on, without making them."""
    copy = Moves()
    copy.restore(moves.state())
    for url in "abcdefgh":
        yield copy.size
        copy.gone(url)
