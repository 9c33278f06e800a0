"""Names for things that can be plugged in: a literal table, and whatever third parties register as entry points."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import entry_points

from pinakes.core.errors import PinakesError


@dataclass(frozen=True, slots=True)
class Registry:
    kind: str
    """What is registered, in a word: `strategy`, `judge`."""
    group: str
    """The entry-point group third parties use."""
    table: Mapping[str, str]
    """Name to `module:Class`."""

    def names(self) -> list[str]:
        return [*self.table, *(point.name for point in entry_points(group=self.group) if point.name not in self.table)]

    def find(self, name: str) -> type:
        """The class behind a name, or behind `module:Class`."""
        where = self.table.get(name) or self._registered(name)
        module, colon, attribute = where.partition(":")
        if not colon:
            meant = get_close_matches(name, self.names(), 1)
            hint = f"did you mean {meant[0]}?" if meant else f"choose one of {', '.join(self.names())}."
            raise PinakesError(f"There is no {self.kind} '{name}'; {hint}")
        try:
            with _current_folder():
                found = getattr(import_module(module), attribute)
        except (ImportError, AttributeError) as error:
            raise PinakesError(f"The {self.kind} {where} cannot be loaded: {error}.") from None
        if not isinstance(found, type):
            raise PinakesError(f"{where} is not a class; a {self.kind} is given as module:Class.")
        return found

    def _registered(self, name: str) -> str:
        return next((point.value for point in entry_points(group=self.group) if point.name == name), name)


@contextmanager
def _current_folder() -> Iterator[None]:
    """Lets a module be found that lies where the person stands, as `python -m` does."""
    sys.path.insert(0, "")
    try:
        yield
    finally:
        sys.path.remove("")
