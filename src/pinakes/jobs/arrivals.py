"""Pages on their way from whoever fetched them to whoever decides, as rows of the catalogue.

A worker writes one in the transaction that settles its lease; the decider deletes it in the one that writes down the
verdict. So a page is fetched, arrived or decided, and never two of these or none.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import Any

import msgspec

from pinakes.core.homecoming import Homecoming
from pinakes.core.page import Fetched, Filed, Link
from pinakes.core.roles import Arrival
from pinakes.formats.hashes import hash_of
from pinakes.frontier.postgres import PostgresFrontier
from pinakes.jobs.frontiers import LEASE
from pinakes.library.library import Library
from pinakes.web.shipping import encoded, packed, unpacked

CHECKED = 2.0
"""Seconds between two looks at who is still there."""
_decode = msgspec.msgpack.Decoder(
    tuple[str, str, str, str, int, str, str, str, int, int, float, str, tuple[str, ...]]
).decode
REGRET = """
    INSERT INTO regrets AS r SELECT worker, sum(greatest(0, %(best)s + cost)) FROM frontier_leases
    JOIN frontier_links USING (crawl, hash) WHERE crawl = %(crawl)s AND deadline > %(since)s + %(lease)s GROUP BY worker
    ON CONFLICT (worker) DO UPDATE SET regret = r.regret + excluded.regret
"""


class ArrivedPages:
    """Implements `Arrivals` for the one who decides, who also gives back what workers held that are gone."""

    def __init__(self, library: Library, frontier: PostgresFrontier, crawl: int) -> None:
        assert library.shared is not None
        self._shared, self._frontier, self._crawl = library.shared, frontier, crawl
        self._checked = 0.0
        self._since = inf

    def take(self, n: int) -> Sequence[Arrival]:
        self._look_round()
        self._regret()
        rows = self._shared.raw.execute(
            "WITH taken AS (DELETE FROM arrived WHERE id IN (SELECT id FROM arrived WHERE crawl = %s ORDER BY id"
            ' LIMIT %s) RETURNING id, at, link, page, segment, "offset", length, original, waited)'
            " SELECT * FROM taken ORDER BY id",
            (self._crawl, n),
        ).fetchall()
        self._since = min((row[1] for row in rows), default=inf)
        return self._once([_arrival(*row[2:]) for row in rows])

    def _once(self, arrivals: Sequence[Arrival]) -> Sequence[Arrival]:
        """Two links may lead to one page, and be brought by two at the same moment: then it is known the second
        time."""
        hashes = [hash_of(one.fetched.page.url) for one in arrivals if _brings(one.fetched)]
        if not hashes:
            return arrivals
        rows = self._shared.raw.execute(
            "SELECT final FROM visits WHERE crawl = %s AND url_hash = ANY(%s::bigint[])"
            " AND outcome IN ('ok', 'duplicate')",
            (self._crawl, hashes),
        )
        home = {row[0] for row in rows}
        return [_known(one) if _again(one.fetched, home) else one for one in arrivals]

    def waiting(self) -> int:
        row = self._shared.raw.execute("SELECT count(*) FROM arrived WHERE crawl = %s", (self._crawl,)).fetchone()
        return row[0] if row else 0

    def rest(self) -> None:
        self._shared.commit()

    def _regret(self) -> None:
        """Workers do not wait for decisions. Of every link that one claimed after a page had arrived and before it was
        decided on, write down by how much the best link that this brought is better: its priority regret, at most,
        since that link's host need not have been ready."""
        best = self._frontier.best_admitted()
        if self._since < inf and best > -inf:
            self._shared.raw.execute(REGRET, {"crawl": self._crawl, "best": best, "since": self._since, "lease": LEASE})

    def _look_round(self) -> None:
        now = time.monotonic()
        if now - self._checked < CHECKED:
            return
        self._checked = now
        alive = self._shared.alive()
        for worker in self._frontier.holders() - alive:
            self._frontier.release(worker, time.time())


def arrive(library: Library, crawl: int, fetched: Fetched, home: Homecoming, filed: Filed | None) -> None:
    """Write down what came home, for the one who decides."""
    assert library.shared is not None
    parcel = b"".join(packed(0, replace(fetched, page=home.page, record=(), head=b"")))
    place = filed or (None, None, None, None)
    library.shared.raw.execute(
        'INSERT INTO arrived (crawl, worker, readable, waited, link, page, segment, "offset", length, original)'
        " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
        (
            crawl,
            library.shared.worker,
            home.page.readable,
            home.waited,
            encoded(tuple(home.page.link)),
            parcel,
            *place,
        ),
    )


def _brings(fetched: Fetched) -> bool:
    return fetched.page.readable and not fetched.hop


def _again(fetched: Fetched, home: set[str]) -> bool:
    """Does it bring a page that is home already? From now on it is."""
    again = _brings(fetched) and fetched.page.url in home
    home.update([fetched.page.url] if _brings(fetched) else ())
    return again


def _known(arrival: Arrival) -> Arrival:
    fetched = arrival.fetched
    return arrival._replace(fetched=replace(fetched, page=replace(fetched.page, error="known", links=())))


def _arrival(link: bytes, page: bytes, segment: int | None, *rest: Any) -> Arrival:
    offset, length, original, waited = rest
    the_link = Link(*_decode(link))
    _, fetched = unpacked(page, lambda number: the_link)
    assert fetched is not None
    filed = None if segment is None else Filed(segment, offset, length, original)
    return Arrival(replace(fetched, filed=filed), waited)
