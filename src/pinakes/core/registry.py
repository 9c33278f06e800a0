"""Names for things that can be plugged in: a literal table, and whatever third parties register as entry points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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
            raise PinakesError(f"There is no {self.kind} '{name}'; choose one of {', '.join(self.names())}.")
        try:
            found = getattr(import_module(module), attribute)
        except (ImportError, AttributeError) as error:
            raise PinakesError(f"The {self.kind} {where} cannot be loaded: {error}.") from None
        if not isinstance(found, type):
            raise PinakesError(f"{where} is not a class; a {self.kind} is given as module:Class.")
        return found

    def _registered(self, name: str) -> str:
        return next((point.value for point in entry_points(group=self.group) if point.name == name), name)
