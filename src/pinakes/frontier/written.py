"""What the disk knows: the rows of links that wait, the table of all addresses met, and what is still to be written.

`Seen` says of every address met where its row lies, so that a link met again costs no read. What happens to links in
memory is written by `flush`, before a commit; see `Unwritten`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from pinakes.frontier.recovery import Recovered, leave, recover
from pinakes.frontier.rows import Arrival, Move, Rows
from pinakes.frontier.seen import GONE, fingerprint, mark
from pinakes.frontier.unwritten import Unwritten
from pinakes.frontier.waiting import HOST, LINK, ROW, SEQ, Entry

_RECENT = 1 << 14
"""Addresses visited last that are known without looking them up."""
_FEW = 12
"""Up to so many addresses are looked up one by one sooner than all at once."""

Place = tuple[float, int]
"""What the table holds of an address: its price on disk, and its mark."""


class Written:
    """The rows and the table of one crawl. `table` is where the latter lies between runs; None keeps it in memory."""

    def __init__(self, rows: Rows, table: Path | None) -> None:
        self.rows = rows
        self.unwritten = Unwritten()
        self.recent: dict[str, None] = {}
        """Addresses visited lately."""
        self._seen, self.last, self.waiting = recover(rows, table)
        """`last` and `waiting` are as they were found: the last number of arrival, and how many links waited."""

    def place(self, url: str) -> Place:
        return self._seen.get_one(fingerprint(url))

    def places(self, urls: Sequence[str]) -> dict[str, Place]:
        """The same of many addresses at once."""
        if len(urls) <= _FEW:
            return {url: self._seen.get_one(fingerprint(url)) for url in urls}
        found = self._seen.find(np.fromiter(map(fingerprint, urls), np.uint64, len(urls)))
        return dict(zip(urls, zip(*self._seen.get(found), strict=True), strict=True))

    def note(self, notes: Mapping[int, Place]) -> None:
        """Write down the price on disk and the mark of addresses, by fingerprint."""
        if not notes:
            return
        keys = np.fromiter(notes, np.uint64, len(notes))
        prices, marks = zip(*notes.values(), strict=True)
        self._seen.set(keys, np.array(prices), np.array(marks))

    def delete_gone(self) -> None:
        """No row may be read whose link no longer waits."""
        if self.unwritten.gone:
            self.rows.delete(self.unwritten.gone)
            self.unwritten.gone.clear()

    def flush(self, entry_of: Callable[[str], Entry]) -> None:
        """Write down what changed since; `entry_of` finds what waits in memory, or is on lease, at an address."""
        self.delete_gone()
        unwritten, self.unwritten = self.unwritten, Unwritten()
        inserts, moves = list[Arrival](), list[Move]()
        notes: dict[int, Place] = {}
        for url, key in unwritten.waiting.items():
            entry = entry_of(url)
            cost, seq, link = entry[ROW], entry[SEQ], entry[LINK]
            if key is None:
                inserts.append((entry[HOST], cost, seq, link))
            else:
                moves.append((cost, seq, link.distance, *key))
            notes[fingerprint(url)] = (-cost, mark(seq, link.distance))
        self.rows.move(moves)
        self.rows.insert(inserts)
        visited = [fingerprint(url) for url in unwritten.visited]
        self.rows.visit(visited)
        notes.update(dict.fromkeys(visited, (0.0, GONE)))
        self.note(notes)

    def visit(self, url: str, flush: Callable[[], None]) -> None:
        """An address is refused from now on; `flush` is called where too many are known only here."""
        if len(self.recent) >= _RECENT:
            flush()
            self.recent.clear()
        self.recent[url] = self.unwritten.visited[url] = None

    def leave(self, last: int, waiting: int) -> None:
        """Leave the table in order, so that the next opening need not make it anew."""
        leave(self.rows, Recovered(self._seen, last, waiting))
