"""Columns of numbers and bytes on disk, memory-mapped so that processes share them.

A ragged column has any number of values for each row: `NAME` holds the values of all rows one after another,
`NAME.bounds` where each row begins.
"""

from __future__ import annotations

import mmap
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class Ragged:
    """A ragged column, open for reading: `column[row]` is a view of that row's values."""

    __slots__ = ("bounds", "values")

    def __init__(self, values: Array, bounds: Array) -> None:
        self.values, self.bounds = values, bounds

    def __getitem__(self, row: int) -> Array:
        return self.values[self.bounds[row] : self.bounds[row + 1]]

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @property
    def sizes(self) -> Array:
        return np.diff(self.bounds)


class RaggedWriter:
    """A ragged column being written, some rows at a time, however many there come to be."""

    def __init__(self, folder: Path, name: str) -> None:
        self._file = (folder / name).open("wb")
        self._path = folder / f"{name}.bounds"
        self._sizes: list[Array] = []

    def append(self, values: bytes | Array, sizes: Array) -> None:
        """Add rows: their values one after another, and how many each has."""
        self._file.write(values if isinstance(values, bytes) else np.ascontiguousarray(values).data)
        self._sizes.append(sizes.astype(np.int64))

    def __enter__(self) -> RaggedWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        if kind is None:
            ends = np.cumsum(np.concatenate([np.zeros(1, np.int64), *self._sizes]))
            ends.tofile(self._path)


def write(folder: Path, name: str, values: Array) -> None:
    np.ascontiguousarray(values).tofile(folder / name)


def write_ragged(folder: Path, name: str, values: Array, sizes: Array) -> None:
    with RaggedWriter(folder, name) as column:
        column.append(values, sizes)


def read(folder: Path, name: str, dtype: Any) -> Array:
    with (folder / name).open("rb") as file:
        if file.seek(0, 2) == 0:
            return np.zeros(0, dtype)
        return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), dtype)


def read_ragged(folder: Path, name: str, dtype: Any) -> Ragged:
    return Ragged(read(folder, name, dtype), read(folder, f"{name}.bounds", np.int64))
