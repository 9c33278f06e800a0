"""A crawl's recipe: everything that made it, written before the first fetch and kept with the library."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link
from pinakes.text.joined import plain


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a crawl was told to do, complete with defaults, so that it can be resumed and repeated."""

    job: str
    strategy: str
    judge: str
    web: str
    """`live`, `demo` or the path of a frozen web."""
    parameters: dict[str, Any] = field(default_factory=dict)
    """The strategy's parameters, all of them."""
    judge_parameters: dict[str, Any] = field(default_factory=dict)
    seeds: tuple[Link, ...] = ()
    brief: Brief = field(default_factory=Brief)
    options: dict[str, Any] = field(default_factory=dict)
    """The job's other options, by name."""
    version: str = ""
    """The Pinakes that wrote it."""
    started: float = 0.0


def encoded(recipe: Recipe) -> bytes:
    return msgspec.json.encode(recipe, enc_hook=plain)


def save(recipe: Recipe, path: Path) -> None:
    """Write a recipe so that it is on the disk, whole, or not there at all."""
    path.parent.mkdir(exist_ok=True)
    unfinished = path.with_suffix(".tmp")
    with unfinished.open("wb") as file:
        file.write(encoded(recipe))
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


def load(path: Path) -> Recipe:
    try:
        return decoded(path.read_bytes())
    except (OSError, msgspec.MsgspecError) as error:
        raise PinakesError(f"The recipe {path} cannot be read ({error}); restore it from a backup.") from None


def decoded(data: bytes | str) -> Recipe:
    return msgspec.json.decode(data, type=Recipe)
