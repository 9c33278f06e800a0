"""How pages of a kind turned out: those of a tag path, a host, a directory, a shape of address."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pinakes.core.roles import Plain
from pinakes.models.packing import pack, unpack

Numbers = NDArray[np.float64]

FRONT_PAGES = ("index.", "home.", "welcome.", "default.", "main.")


class Column:
    """An array that grows."""

    def __init__(self, kind: Any, fill: float = 0) -> None:
        self._data, self.size, self._fill = np.full(1024, fill, kind), 0, fill

    @property
    def all(self) -> NDArray[Any]:
        return self._data[: self.size]

    def extend(self, values: Any, count: int) -> None:
        need = self.size + count
        if need > len(self._data):
            grown = np.full(max(need, 2 * len(self._data)), self._fill, self._data.dtype)
            grown[: self.size] = self.all
            self._data = grown
        self._data[self.size : need] = values
        self.size = need

    def replace(self, values: NDArray[Any]) -> None:
        self.size = 0
        self.extend(values, len(values))


class Yields:
    """Sums and counts of outcomes by name."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._sums, self._counts = Column(np.float64), Column(np.float64)

    def __len__(self) -> int:
        return len(self._numbers)

    def numbers(self, names: Sequence[str]) -> list[int]:
        """The numbers of names, new ones for those met for the first time."""
        known = self._numbers
        for name in [name for name in names if name not in known]:
            known.setdefault(name, len(known))
        more = len(known) - self._sums.size
        self._sums.extend(0.0, more)
        self._counts.extend(0.0, more)
        return [known[name] for name in names]

    def add(self, numbers: Any, value: float) -> None:
        np.add.at(self._sums.all, numbers, value)
        np.add.at(self._counts.all, numbers, 1.0)

    def rates(self, base: float, weight: float) -> Numbers:
        """Mean outcomes, each smoothed by `weight` pages of the base rate."""
        rates: Numbers = (self._sums.all + weight * base) / (self._counts.all + weight)
        return rates

    def keep(self, used: NDArray[np.int64]) -> NDArray[np.int64]:
        """Forget all names but those in use and those that have outcomes; answers the new numbers by the old."""
        kept = self._counts.all > 0
        kept[used] = True
        names = [name for name, stays in zip(self._numbers, kept.tolist(), strict=True) if stays]
        self._numbers = {name: number for number, name in enumerate(names)}
        for column in (self._sums, self._counts):
            column.replace(column.all[kept].copy())
        return np.cumsum(kept) - 1

    def state(self) -> Plain:
        return [list(self._numbers), pack(self._sums.all), pack(self._counts.all)]

    def restore(self, state: Plain) -> None:
        names, sums, counts = state
        self._numbers = {name: number for number, name in enumerate(names)}
        self._sums.replace(unpack(sums))
        self._counts.replace(unpack(counts))


def directory_of(url: str) -> str:
    return url.rpartition("/")[0]


def shape_of(url: str) -> str:
    """What kind of address it is: how deep, in somebody's home, a front page or a page of which type, with a query."""
    path, _, query = url.partition("?")
    parts = path.split("/")[3:]
    last = parts[-1].lower() if parts else ""
    kind = "front" if last.startswith(FRONT_PAGES) else last.rpartition(".")[2][:5] if "." in last else "bare"
    home = "~" if "~" in path else ""
    return f"{len(parts)}{home} {kind if last else ''}{'?' if query else ''}"
