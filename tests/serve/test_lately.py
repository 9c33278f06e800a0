"""Many who ask for the same at once cost as much as one."""

from __future__ import annotations

import threading

from pinakes.serve.lately import Lately


def test_a_value_is_made_once_a_moment() -> None:
    now = [0.0]
    made: list[int] = []
    lately = Lately[int](1.0, lambda: now[0])

    def make() -> int:
        made.append(1)
        return len(made)

    threads = [threading.Thread(target=lately.get, args=("a", make)) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert lately.get("b", make) == 2
    now[0] = 1.5
    assert lately.get("a", make) == 3 and lately.get("a", make) == 3


def test_it_does_not_grow_without_end() -> None:
    lately = Lately[int]()
    for number in range(1000):
        lately.get(number, lambda: 0)
    assert len(lately._made) <= 100 and len(lately._making) <= 101


def test_what_cannot_be_made_is_tried_again() -> None:
    lately = Lately[int]()
    for _ in range(2):
        try:
            lately.get("a", lambda: 1 // 0)
        except ZeroDivisionError:
            continue
        raise AssertionError("nothing was raised")
    assert lately.get("a", lambda: 5) == 5
