"""Parameters of strategies and judges: dataclass fields that can be listed, explained and set by name."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief


class Parameter(NamedTuple):
    name: str
    default: Any
    doc: str
    free: bool = False
    """Numbers and words alike are taken, as in `threshold=auto`."""


def parameter(default: Any, doc: str) -> Any:
    """A dataclass field that is a parameter, with a sentence for the manual."""
    return dataclasses.field(default=default, metadata={"doc": doc})


def parameters_of(kind: type) -> list[Parameter]:
    """The parameters a class takes besides its brief; a plain class has none."""
    if not dataclasses.is_dataclass(kind):
        return []
    return [
        Parameter(field.name, field.default, field.metadata["doc"], field.type in ("Any", Any))
        for field in dataclasses.fields(kind)
        if "doc" in field.metadata
    ]


def build(kind: type, what: str, brief: Brief, given: Mapping[str, Any]) -> Any:
    """Make a strategy or judge from its brief and parameters as a person wrote them."""
    known = {parameter.name: parameter for parameter in parameters_of(kind)}
    for name in given:
        if name not in known:
            choice = ", ".join(sorted(known)) or "none at all"
            raise PinakesError(f"{what} has no parameter '{name}'{meant(name, known)}; it takes {choice}.")
    values = {name: _read(known[name], value, what) for name, value in given.items()}
    try:
        return kind(brief, **values)
    except TypeError as error:
        raise PinakesError(f"{what} cannot be made from a brief and its parameters: {error}.") from None


def meant(name: str, known: Iterable[str]) -> str:
    """A question after a name that was likely mistyped; the judge's threshold can be set wherever parameters can."""
    close = get_close_matches(name, [*known, "threshold"], 1)
    return f" (did you mean {close[0]}?)" if close else ""


def settings(made: Any) -> dict[str, Any]:
    """All parameters of something built, as they stand."""
    return {parameter.name: getattr(made, parameter.name) for parameter in parameters_of(type(made))}


def _read(known: Parameter, value: Any, what: str) -> Any:
    """A value as given (text from the command line, or typed from TOML) in the kind its default has."""
    if not isinstance(value, str) or (isinstance(known.default, str) and not _number(value)):
        return value
    if value.lower() in ("none", "null") and not isinstance(known.default, (bool, str)):
        return None
    if known.free:
        number = _number(value)
        return value if number is None else number
    if isinstance(known.default, bool):
        if value.lower() in ("true", "yes", "on", "1"):
            return True
        if value.lower() in ("false", "no", "off", "0"):
            return False
    else:
        number = _number(value)
        if number is not None and (isinstance(number, int) or not isinstance(known.default, int)):
            return number
    raise PinakesError(f"{what}: {known.name}={value} is not of the kind of its default, {known.default}.")


def _number(text: str) -> int | float | None:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None
