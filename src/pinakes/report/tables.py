"""Tables: sortable ones, and matrices whose cells are shaded by their value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pinakes.report.markup import Html, tag

STEPS = 8
"""Shades of a matrix, `h0` … `h7`."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column's heading, and what is said of it when one points at it."""

    label: Html | str
    hint: str = ""
    number: bool = True


@dataclass(frozen=True, slots=True)
class Cell:
    """What a cell shows, and what it is sorted by."""

    shown: Html | str
    sort: float | str | None = None
    best: bool = False
    extra: str = ""
    """Small print behind the value, such as its error."""


def sortable(
    caption: str,
    columns: Sequence[Column],
    rows: Sequence[Sequence[Cell]],
    key: str,
    *,
    total: Sequence[Cell] = (),
    class_: str = "",
) -> Html:
    """A table whose headings sort it. The first cell of a row names it; a row of totals stays at the end."""
    heads = [
        tag(
            "th",
            tag("button", column.label, type="button", title=column.hint or None),
            scope="col",
            class_="number" if column.number else None,
        )
        for column in columns
    ]
    body = [_row(row, columns) for row in rows]
    download = tag(
        "button", "CSV", type="button", data_download="table", aria_label=f"Download {caption} as CSV", hidden=True
    )
    return tag(
        "div",
        tag("div", tag("strong", caption), tag("span", download, class_="tools"), class_="table-head"),
        tag(
            "div",
            tag(
                "table",
                tag("thead", tag("tr", heads)),
                tag("tbody", body),
                total and tag("tfoot", _row(total, columns)),
                class_="sortable",
                aria_label=caption,
            ),
            class_="scroll",
            role="region",
            aria_label=caption,
            tabindex=0,
        ),
        class_=f"table {class_}".strip(),
        data_key=key,
    )


def matrix(
    caption: str, corner: str, columns: Sequence[str], rows: Sequence[tuple[str, Sequence[Html]]], *, class_: str
) -> Html:
    """Names on both sides; cells are made by `shaded` or by the caller."""
    heads = [tag("th", tag("span", name), scope="col") for name in columns]
    body = [tag("tr", tag("th", name, scope="row"), cells) for name, cells in rows]
    return tag(
        "div",
        tag(
            "table",
            tag("thead", tag("tr", tag("th", corner, scope="col", class_="corner"), heads)),
            tag("tbody", body),
            class_=f"matrix {class_}",
            aria_label=caption,
        ),
        class_="scroll",
        role="region",
        aria_label=caption,
        tabindex=0,
    )


def shade(value: float | None, low: float, high: float, *, lower_is_better: bool = False) -> str:
    """The class of a cell: the better, the deeper."""
    if value is None:
        return "none"
    part = (value - low) / (high - low) if high > low else 1.0
    part = 1.0 - part if lower_is_better else part
    return f"h{min(STEPS - 1, max(0, int(part * STEPS)))}"


def _row(row: Sequence[Cell], columns: Sequence[Column]) -> Html:
    return tag("tr", [_cell(cell, columns[at], first=at == 0) for at, cell in enumerate(row)])


def _cell(cell: Cell, column: Column, *, first: bool) -> Html:
    sort = cell.sort if cell.sort is not None else ""
    shown = (tag("b", cell.shown) if cell.best else cell.shown, cell.extra and (" ", tag("small", cell.extra)))
    if first:
        return tag("th", shown, scope="row", data_sort=sort)
    return tag("td", shown, class_="number" if column.number else None, data_sort=sort)
