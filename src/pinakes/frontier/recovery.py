"""Opening a frontier on disk again: the table of addresses as it was left, or made anew from the rows."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pinakes.frontier.rows import Rows
from pinakes.frontier.seen import GONE, Seen, fingerprint, mark

_CHUNK = 50_000


class Recovered(NamedTuple):
    seen: Seen
    last: int
    """The last number of arrival."""
    waiting: int
    """How many links wait."""


def recover(rows: Rows, table: Path | None) -> Recovered:
    stamp = rows.stamp()
    if stamp:
        # From now on the table and the rows change: neither is valid with what the other was.
        rows.set_stamp(0)
    loaded = None if table is None else Seen.load(table, stamp)
    if loaded is not None:
        seen, facts = loaded
        return Recovered(seen, facts[0], facts[1])
    seen, last, waiting = Seen(table), 0, 0
    for some in rows.scan(_CHUNK):
        urls, costs, seqs, distances = zip(*some, strict=True)
        keys = np.fromiter(map(fingerprint, urls), np.uint64, len(urls))
        marks = np.fromiter(map(mark, seqs, distances), np.int64, len(urls))
        seen.set(keys, -np.array(costs), marks)
        last, waiting = max(last, *seqs), waiting + len(urls)
    for prints in rows.visited(_CHUNK):
        seen.set(np.array(prints, np.uint64), 0.0, GONE)
    return Recovered(seen, last, waiting)


def leave(rows: Rows, state: Recovered) -> None:
    """Put the table in order for the next opening, which trusts it if the rows were committed with the same stamp."""
    stamp = secrets.randbelow(1 << 62) + 1
    rows.set_stamp(stamp)
    state.seen.save(stamp, (state.last, state.waiting))
