"""How pages of a kind turned out: those of a tag path, a host, a directory, a shape of address."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pinakes.core.page import host_of
from pinakes.core.roles import Plain
from pinakes.models.packing import pack, unpack

Numbers = NDArray[np.float64]

REMEMBERED = 100_000
"""Names that nobody uses any more whose outcomes are kept."""
FRONT_PAGES = ("index.", "home.", "welcome.", "default.", "main.")


class Columns:
    """Arrays that grow together, or one that grows alone."""

    def __init__(self, kind: Any, *several: int) -> None:
        self._data, self.size = np.zeros((*several, 1024), kind), 0

    @property
    def all(self) -> NDArray[Any]:
        return self._data[..., : self.size]

    def extend(self, values: Any, count: int) -> None:
        need = self.size + count
        if need > self._data.shape[-1]:
            grown = np.zeros((*self._data.shape[:-1], max(need, 2 * self._data.shape[-1])), self._data.dtype)
            grown[..., : self.size] = self.all
            self._data = grown
        self._data[..., self.size : need] = values
        self.size = need

    def replace(self, values: NDArray[Any]) -> None:
        self.size = 0
        self.extend(values, values.shape[-1])


class Yields:
    """Sums and counts of outcomes by name."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._sums, self._counts = Columns(np.float64), Columns(np.float64)

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
        """Forget all names but those in use and the latest that have outcomes; answers the new numbers by the old."""
        tried = np.flatnonzero(self._counts.all)[-REMEMBERED:]
        kept = np.zeros(len(self), bool)
        kept[tried] = kept[used] = True
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


def kinds_of(url: str) -> tuple[str, str, str]:
    """The host of an address, its directory, and its shape: how deep, in somebody's home, a front page or a page of
    which type, with a query."""
    path, _, query = url.partition("?")
    directory, _, last = path.rpartition("/")
    _, dot, kind = last.rpartition(".")
    if not last:
        kind = ""
    elif last.lower().startswith(FRONT_PAGES):
        kind = "front"
    else:
        kind = kind[:5].lower() if dot else "bare"
    home = "~" if "~" in path else ""
    return host_of(url), directory, f"{directory.count('/') - 1}{home} {kind}{'?' if query else ''}"
