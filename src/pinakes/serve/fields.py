"""Fields of a form: each with its label, a hint, what was written in it and what is wrong with that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pinakes.report.markup import Html, tag


class Fields:
    """Makes the fields of one form."""

    def __init__(self, values: Mapping[str, str], wrong: Mapping[str, str]) -> None:
        self._values, self._wrong = values, wrong

    def has(self, name: str) -> bool:
        """Was something written there?"""
        return bool(self._values.get(name))

    def line(self, name: str, label: str, hint: str = "", value: str = "", **attributes: object) -> Html:
        given = self._values.get(name, value)
        return self._framed(
            name, label, hint, tag("input", type="text", value=given, **self._own(name, hint), **attributes)
        )

    def number(self, name: str, label: str, value: int, low: int, high: int) -> Html:
        given = self._values.get(name, str(value))
        field = tag("input", type="number", value=given, min=low, max=high, inputmode="numeric", **self._own(name, ""))
        return self._framed(name, label, "", field)

    def lines(self, name: str, label: str, hint: str = "", rows: int = 3) -> Html:
        return self._framed(
            name, label, hint, tag("textarea", self._values.get(name, ""), rows=rows, **self._own(name, hint))
        )

    def file(self, name: str, label: str, hint: str, accept: tuple[str, ...]) -> Html:
        return self._framed(
            name, label, hint, tag("input", type="file", accept=",".join(accept), **self._own(name, hint))
        )

    def choice(self, name: str, label: str, options: Mapping[str, str], value: str) -> Html:
        chosen = self._values.get(name, value)
        made = [tag("option", shown, value=key, selected=key == chosen) for key, shown in options.items()]
        return self._framed(name, label, "", tag("select", made, **self._own(name, "")))

    def boxes(self, name: str, label: str, options: Mapping[str, str], value: tuple[str, ...]) -> Html:
        chosen = set(self._values[name].split("\n")) if name in self._values else set(value)
        made = [
            tag("label", tag("input", type="checkbox", name=name, value=key, checked=key in chosen), " ", shown)
            for key, shown in options.items()
        ]
        return tag("fieldset", tag("legend", label), made, self._complaint(name), id=f"f-{name}", class_="boxes")

    def _own(self, name: str, hint: str) -> dict[str, Any]:
        about = " ".join(([f"h-{name}"] if hint else []) + ([f"w-{name}"] if name in self._wrong else []))
        return {
            "name": name,
            "id": f"f-{name}",
            "aria_describedby": about or None,
            "aria_invalid": "true" if name in self._wrong else None,
        }

    def _framed(self, name: str, label: str, hint: str, field: Html) -> Html:
        return tag(
            "div",
            tag("label", label, for_=f"f-{name}"),
            hint and tag("p", hint, class_="hint", id=f"h-{name}"),
            field,
            self._complaint(name),
            class_="field",
        )

    def _complaint(self, name: str) -> Html | None:
        return tag("p", self._wrong[name], class_="wrong", id=f"w-{name}") if name in self._wrong else None
