"""Who takes part in an evaluation: strategies by name, with the parameters a person sets."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from pinakes.core.errors import PinakesError
from pinakes.core.parameters import parameters_of
from pinakes.strategies.registry import STRATEGIES

ORACLE = "oracle"
LIMITS = {"best-first": 200, "best-n-first": 200, "evidence": 50_000}
"""Limits of evaluations where crawls have none: MAX_BUFFER of 004 fig. 2, and the working set of `evidence`."""
MAX_BUFFER = "max_buffer"
_setting = re.compile(r"[a-z_]\w*=").match


@dataclass(frozen=True, slots=True)
class Entrant:
    """A strategy that takes part."""

    name: str
    """As it was written: `naive-bayes:price=odds`."""
    strategy: str
    """A registered name, `module:Class`, or `oracle`."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    max_buffer: int | None = None
    """The limit of links that wait, where it is not the strategy's own."""
    given: type | None = None
    """A class that only this process knows, such as one typed into a notebook."""

    @property
    def kind(self) -> type:
        return self.given or STRATEGIES.find(self.strategy)

    def takes(self, parameter: str) -> bool:
        return self.strategy != ORACLE and parameter in {known.name for known in parameters_of(self.kind)}


def entrants_of(given: str | Iterable[str]) -> list[Entrant]:
    """The strategies of `a,b:n=2,c`, of such texts, or `all`, as often as they are named. Unknown ones are an error,
    which names them all."""
    texts = [given] if isinstance(given, str) else list(given)
    found: list[Entrant] = []
    wrong: dict[str, None] = {}
    for name in [name for text in texts for name in _names(text)]:
        try:
            found += _every() if name == "all" else [_entrant(name)]
        except PinakesError as error:
            wrong[str(error)] = None
    if wrong:
        raise PinakesError(" ".join(wrong))
    if not found:
        raise PinakesError("No strategy is named; give --strategies a,b,c or all.")
    return found


def once(entrants: Sequence[Entrant], tell: Callable[[str], None]) -> list[Entrant]:
    """Each entrant once, saying which were named again."""
    found: dict[str, Entrant] = {}
    again: dict[str, None] = {}
    for entrant in entrants:
        if found.setdefault(entrant.name, entrant) is not entrant:
            again[entrant.name] = None
    if again:
        tell(f"{', '.join(again)}: named more than once, run once.")
    return list(found.values())


def entrants_from(given: str | Iterable[str] | Mapping[str, Any]) -> list[Entrant]:
    """The strategies a program names: as after --strategies, or a mapping of names of its own to classes, to what could
    be written there, or to the parameters of the strategy that has the name."""
    if not isinstance(given, Mapping):
        return entrants_of(given)
    found = []
    for name, what in given.items():
        if isinstance(what, type):
            where = f"{what.__module__}:{what.__qualname__}"
            found.append(_checked(Entrant(name, where, given=None if _importable(what) else what)))
        elif isinstance(what, str):
            found.append(replace(_entrant(what), name=name))
        else:
            written = _entrant(name)
            found.append(_checked(replace(written, parameters={**written.parameters, **(what or {})})))
    if not found:
        raise PinakesError("No strategy is named; give at least one.")
    return found


def limited(entrants: Sequence[Entrant], max_buffer: int | None) -> list[Entrant]:
    """The entrants, all with one limit, or each with the one it has in evaluations."""

    def limit(entrant: Entrant) -> Entrant:
        own = LIMITS.get(entrant.strategy) if "limit" not in entrant.parameters else None
        most = max_buffer if max_buffer is not None and entrant.strategy != ORACLE else own
        if entrant.max_buffer is not None or most is None:
            return entrant
        return replace(entrant, max_buffer=most)

    return [limit(entrant) for entrant in entrants]


@dataclass(frozen=True, slots=True)
class Sweep:
    """A parameter that is given several values, one after another."""

    parameter: str
    values: tuple[str, ...]

    @classmethod
    def read(cls, text: str) -> Sweep:
        name, equals, values = text.partition("=")
        several = tuple(dict.fromkeys(value.strip() for value in values.split(",") if value.strip()))
        name = name.strip().replace("-", "_")
        if not equals or not name or not several:
            raise PinakesError(f"--sweep {text} is not of the form NAME=VALUE,VALUE…, such as max_buffer=50,200,1000.")
        if name == "pages":
            raise PinakesError("Every curve shows quality against pages already; --sweep another parameter.")
        if name == MAX_BUFFER and (bad := [value for value in several if not value.isdigit() or int(value) < 1]):
            raise PinakesError(f"--sweep max_buffer={bad[0]}: a limit is a number from 1 on.")
        return cls(name, several)

    def swept(self, entrants: Sequence[Entrant]) -> list[tuple[Entrant, str, str]]:
        """Each entrant with each value: the entrant, the name it had before, the value. Those that do not have the
        parameter take part as they are, with no value."""
        found = [
            (self._with(entrant, value), entrant.name, value)
            for entrant in entrants
            for value in (self.values if self._reaches(entrant) else ("",))
        ]
        if not any(value for _, _, value in found):
            raise PinakesError(f"No strategy named has the parameter '{self.parameter}' to --sweep.")
        return found

    def _reaches(self, entrant: Entrant) -> bool:
        return entrant.strategy != ORACLE if self.parameter == MAX_BUFFER else entrant.takes(self.parameter)

    def _with(self, entrant: Entrant, value: str) -> Entrant:
        if not value:
            return entrant
        colon = "," if "=" in entrant.name else ":"
        name = f"{entrant.name}{colon}{self.parameter}={value}"
        if self.parameter == MAX_BUFFER:
            return replace(entrant, name=name, max_buffer=int(value))
        return replace(entrant, name=name, parameters={**entrant.parameters, self.parameter: value})


def adapted(entrants: Sequence[Entrant], hosts: int, tell: Callable[[str], None]) -> list[Entrant]:
    """On a web of one host a strategy that counts links to other hosts only would see none: it counts all."""
    found = []
    for entrant in entrants:
        known = {} if entrant.strategy == ORACLE else {one.name: one for one in parameters_of(entrant.kind)}
        links = known.get("links")
        if hosts == 1 and links is not None and links.default == "off-domain" and "links" not in entrant.parameters:
            tell(f"{entrant.name} counts all links (links=all), since this web is of one host.")
            found.append(replace(entrant, parameters={**entrant.parameters, "links": "all"}))
        else:
            found.append(entrant)
    return found


def source_of(entrant: Entrant) -> bytes:
    """The code of a strategy that is not ours, so that a changed one is run anew."""
    if entrant.strategy == ORACLE or entrant.kind.__module__.startswith("pinakes."):
        return b""
    try:
        return Path(inspect.getfile(entrant.kind)).read_bytes()
    except (OSError, TypeError):
        return repr(entrant.kind).encode()


def _importable(kind: type) -> bool:
    """True when another process can find the class: not one of a notebook, of a function, of a module it cannot see."""
    package = kind.__module__.partition(".")[0]
    if kind.__module__ == "__main__" or "." in kind.__qualname__ or PathFinder.find_spec(package) is None:
        return False
    return getattr(sys.modules.get(kind.__module__), kind.__qualname__, None) is kind


def _names(text: str) -> list[str]:
    """The entrants of `a,b:x=1,y=2,c`: a piece that sets a parameter belongs to the name before it."""
    names: list[str] = []
    for piece in filter(None, map(str.strip, text.split(","))):
        if _setting(piece) and names:
            names[-1] += f",{piece}"
        else:
            names.append(piece)
    return names


def _every() -> list[Entrant]:
    return [*(Entrant(name, name) for name in STRATEGIES.names()), Entrant(ORACLE, ORACLE)]


def _entrant(name: str) -> Entrant:
    pieces = re.split(r"[:,]", name)
    settings = [piece for piece in pieces if _setting(piece)]
    strategy = ":".join(piece for piece in pieces if not _setting(piece))
    given = dict(tuple(setting.split("=", 1)) for setting in settings)
    return _checked(Entrant(name, strategy, given))


def _checked(entrant: Entrant) -> Entrant:
    """Says now, before anything ran, what would go wrong later."""
    if entrant.strategy == ORACLE:
        if entrant.parameters:
            raise PinakesError(f"{entrant.name}: the oracle has no parameters.")
        return entrant
    known = [one.name for one in parameters_of(entrant.kind)]
    for name in entrant.parameters:
        if name not in known:
            raise PinakesError(
                f"{entrant.name}: {entrant.strategy} has no parameter '{name}'; it takes {', '.join(known) or 'none'}."
            )
    return entrant
