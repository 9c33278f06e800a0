"""What watchers are told of a crawl: enough at its beginning, not too much later."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, cast

from pinakes.core.observing import EACH, LATELY, Observing
from pinakes.core.roles import HostRest, Progress


class Book:
    """A ledger that listens."""

    def __init__(self) -> None:
        self.samples: list[int] = []
        self.told: list[HostRest] = []

    def sample(self, progress: Progress) -> None:
        self.samples.append(progress.pages)

    def hosts(self, hosts: Sequence[HostRest]) -> None:
        self.told = list(hosts)


class Clockwork:
    """A frontier that knows when hosts may be asked."""

    def __init__(self) -> None:
        self.until: dict[str, float] = {}

    def not_before(self, host: str) -> float:
        return self.until.get(host, -inf)


def observing() -> tuple[Observing, Book, Clockwork]:
    book, clockwork = Book(), Clockwork()
    return Observing(cast(Any, book), cast(Any, clockwork)), book, clockwork


def test_each_page_at_first_then_ever_fewer() -> None:
    watch, book, _ = observing()
    for pages in range(1, 100_001):
        watch.grown(pages, lambda pages=pages: Progress(pages=pages))  # type: ignore[misc]
    assert book.samples[:EACH] == list(range(1, EACH + 1))
    assert len(book.samples) < 300
    late = [after / before for before, after in zip(book.samples, book.samples[1:], strict=False) if before > 1000]
    assert max(late) < 1.06


def test_hosts_are_told_of_as_they_stand_at_the_commit() -> None:
    watch, book, clockwork = observing()
    watch.committing()
    assert book.told == []
    clockwork.until["a.example"] = 103.0
    watch.settled("http://a.example/1", 100.0)
    clockwork.until["a.example"] = inf  # and is being asked again
    watch.committing()
    assert book.told == [HostRest("a.example", 3.0, inf)]


def test_only_hosts_asked_lately_are_told_of() -> None:
    watch, book, _ = observing()
    for n in range(3 * LATELY):
        watch.settled(f"http://h{n}.example/", 0.0)
    watch.settled(f"http://h{2 * LATELY}.example/", 0.0)
    watch.committing()
    assert len(book.told) == LATELY and book.told[-1].host == f"h{2 * LATELY}.example"


def test_nobody_is_told_who_does_not_listen() -> None:
    """And nobody is asked how things stand for their sake; a frontier that knows no rests leaves the samples."""
    asked: list[str] = []

    def progress() -> Progress:
        asked.append("progress")
        return Progress(pages=1)

    class Watchful(Clockwork):
        def not_before(self, host: str) -> float:
            asked.append(host)
            return 0.0

    deaf = Observing(cast(Any, object()), cast(Any, Watchful()))
    book = Book()
    restless = Observing(cast(Any, book), cast(Any, object()))
    for watch in (deaf, restless):
        watch.grown(1, progress)
        watch.settled("http://a.example/", 0.0)
        watch.committing()
    assert asked == ["progress"], "for the ledger that listens, once"
    assert book.samples == [1] and book.told == []
