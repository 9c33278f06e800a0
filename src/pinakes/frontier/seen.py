"""Every address a crawl has met, 24 bytes each: fingerprint, price and rank of its row on disk.

An open-addressing table of buckets that fit a cache line, looked up and filled a page's links at a time. It lies in
a memory-mapped file so that the kernel may page it out, but is only a cache: what it says can be rebuilt from the
database, and is unless the file was closed cleanly after the database's last change.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import xxhash

Ints = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]

GONE = -1
"""The mark of an address that was fetched and is refused for good."""
FORGOTTEN = -2
"""The mark of an address that waited once and was evicted; it counts as never met."""

_BUCKET = 8
_LEAST = 1 << 13
_FULL = 0.7
_HEADER = 8
_MAGIC = 0x50494E414B455331
_MOST_DISTANT = 0xFFFF


def fingerprint(url: str) -> int:
    """64 bits of the address; never 0, which means an empty place."""
    number: int = xxhash.xxh3_64_intdigest(url.encode("utf-8", "replace"))
    return number or 1


def mark(seq: int, distance: int) -> int:
    """Arrival number and distance of a waiting link in one integer."""
    return seq << 16 | (distance if 0 <= distance <= _MOST_DISTANT else 0 if distance < 0 else _MOST_DISTANT)


def unmark(mark: int) -> tuple[int, int]:
    return mark >> 16, mark & _MOST_DISTANT


class Seen:
    """Maps fingerprints to `price` and `mark`, arrays indexed by what `find` and `insert` answer.

    Growing moves everything, so `reserve` room before places are looked up and kept.
    """

    price: Floats
    mark: Ints

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._used = 0
        self._allocate(_LEAST)

    def __len__(self) -> int:
        """How many places are taken, the forgotten included."""
        return self._used

    def reserve(self, n: int) -> None:
        if self._used + n > _FULL * len(self._keys):
            self._grow(n)

    def find(self, keys: Keys) -> Ints:
        """The place of each fingerprint, -1 where it was never met."""
        bucket = self._home(keys)
        places, more = self._look(keys, bucket)
        while len(more):
            bucket[more] = (bucket[more] + 1) & self._mask
            places[more], on = self._look(keys[more], bucket[more])
            more = more[on]
        return places

    def _look(self, keys: Keys, bucket: Ints) -> tuple[Ints, Ints]:
        """Places of fingerprints in these buckets or -1, and which to look for in the next."""
        rows = self._buckets[bucket]
        places = bucket * _BUCKET + (rows == keys[:, None]).argmax(axis=1)
        missed = self._keys[places] != keys
        places[missed] = -1
        # Buckets fill from the left and nothing is ever taken out: an empty last place ends the search.
        return places, np.flatnonzero(missed & (rows[:, -1] != 0))

    def insert(self, keys: Keys) -> Ints:
        """Make places for fingerprints, all different, that `find` did not find."""
        places = np.empty(len(keys), np.int64)
        pending = np.arange(len(keys))
        bucket = self._home(keys)
        while len(pending):
            free = self._buckets[bucket] == 0
            room = free.any(axis=1)
            at = bucket * _BUCKET + free.argmax(axis=1)
            self._keys[at[room]] = keys[pending[room]]
            # Where several wanted one place the last got it, and the others look again.
            won = room & (self._keys[at] == keys[pending])
            places[pending[won]] = at[won]
            bucket = np.where(room, bucket, (bucket + 1) & self._mask)[~won]
            pending = pending[~won]
        self._used += len(keys)
        return places

    def set(self, keys: Keys, prices: Floats | float, marks: Ints | int) -> None:
        """Write what is known of fingerprints, all different, met before or not."""
        self.reserve(len(keys))
        self.write(keys, self.find(keys), prices, marks)

    def write(self, keys: Keys, places: Ints, prices: Floats | float, marks: Ints | int) -> None:
        """The same at the places that `find` found, for which there must be room."""
        new = places < 0
        places[new] = self.insert(keys[new])
        self.price[places] = prices
        self.mark[places] = marks

    def set_one(self, key: int, mark: int) -> None:
        """Write the mark of one fingerprint."""
        place = self._place(key)
        if place < 0:
            self.set(np.array([key], np.uint64), 0.0, mark)
        else:
            self.mark[place] = mark

    def get(self, places: Ints) -> tuple[list[float], list[int]]:
        """Price and mark at each place; FORGOTTEN where there is none."""
        marks = np.where(places < 0, FORGOTTEN, self.mark[places])
        return self.price[places].tolist(), marks.tolist()

    def get_one(self, key: int) -> tuple[float, int]:
        """Price and mark of one fingerprint; FORGOTTEN when it was never met."""
        place = self._place(key)
        return (0.0, FORGOTTEN) if place < 0 else (float(self.price[place]), int(self.mark[place]))

    def _place(self, key: int) -> int:
        """What `find` answers, for one; a tenth of its cost."""
        bucket = key >> 20 & self._mask
        while True:
            row = self._buckets[bucket].tolist()
            if key in row:
                return bucket * _BUCKET + int(row.index(key))
            if not row[-1]:
                return -1
            bucket = bucket + 1 & self._mask

    def _home(self, keys: Keys) -> Ints:
        home: Ints = (keys >> np.uint64(20)).astype(np.int64) & self._mask
        return home

    def _allocate(self, capacity: int) -> None:
        """Take empty arrays of `capacity` places as the table."""
        if self._path is None:
            self._whole: Ints = np.zeros(_HEADER + 3 * capacity, np.int64)
        else:
            _make(self._path, capacity)
            self._whole = _map(self._path, capacity)
        self._adopt(capacity)

    def _adopt(self, capacity: int) -> None:
        body = np.asarray(self._whole)[_HEADER:]
        self._keys: Keys = body[:capacity].view(np.uint64)
        self._buckets = self._keys.reshape(-1, _BUCKET)
        self.price = body[capacity : 2 * capacity].view(np.float64)
        self.mark = body[2 * capacity :]
        self._mask = capacity // _BUCKET - 1

    def _grow(self, n: int) -> None:
        """Move everything but the forgotten to a table with room for `n` more."""
        live = (self._keys != 0) & (self.mark != FORGOTTEN)
        capacity = _LEAST
        # Room to spare, lest a table of mostly forgotten addresses be moved again soon.
        while (int(live.sum()) + n) * 1.25 > _FULL * capacity:
            capacity *= 2
        keys, price, marks = self._keys, self.price, self.mark
        self._used = 0
        self._allocate(capacity)
        for start in range(0, len(keys), 1 << 18):
            part = slice(start, start + (1 << 18))
            some = live[part]
            places = self.insert(keys[part][some])
            self.price[places] = price[part][some]
            self.mark[places] = marks[part][some]

    def save(self, stamp: int, facts: Sequence[int]) -> None:
        """Close cleanly: the file is then valid for a database that holds the same stamp. Up to four facts go along."""
        self._flush()
        header = [_MAGIC, len(self._keys), self._used, *facts]
        self._whole[: len(header)] = header
        self._whole[_HEADER - 1] = stamp
        self._flush()

    @classmethod
    def load(cls, path: Path, stamp: int) -> tuple[Seen, list[int]] | None:
        """The table and the facts saved in a file under this stamp; None when there is no such file.

        The file's stamp is erased at once, so that it is not taken for valid after a crash.
        """
        header = _header(path)
        if header is None or header[0] != _MAGIC or not stamp or header[_HEADER - 1] != stamp:
            return None
        capacity = header[1]
        if capacity < _LEAST or capacity & (capacity - 1) or path.stat().st_size != _size(capacity):
            return None
        seen = cls.__new__(cls)
        seen._path, seen._used = path, header[2]
        seen._whole = _map(path, capacity)
        seen._whole[_HEADER - 1] = 0
        seen._flush()
        seen._adopt(capacity)
        return seen, header[3 : _HEADER - 1]

    def _flush(self) -> None:
        if isinstance(self._whole, np.memmap):
            self._whole.flush()


def _size(capacity: int) -> int:
    return (_HEADER + 3 * capacity) * 8


def _header(path: Path) -> list[int] | None:
    try:
        with path.open("rb") as file:
            header: list[int] = np.frombuffer(file.read(_HEADER * 8), np.int64).tolist()
    except (OSError, ValueError):
        return None
    return header if len(header) == _HEADER else None


def _make(path: Path, capacity: int) -> None:
    """An empty file for a table, in place of the old one, which a growing table is still reading."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(path.name + ".new")
    with fresh.open("wb") as file:
        file.truncate(_size(capacity))
        # Writing into a hole of a mapped file when the disk is full would kill the process: reserve its blocks now.
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, _size(capacity))
    fresh.replace(path)


def _map(path: Path, capacity: int) -> Ints:
    return np.memmap(path, np.int64, "r+", shape=(_HEADER + 3 * capacity,))
