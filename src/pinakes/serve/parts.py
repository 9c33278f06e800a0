"""Pieces that pages are made of: titles, addresses, facts, bars, and ways to leaf on.

Titles and addresses are strangers' words: they are cut, freed of what turns the direction of writing or cannot be seen,
and set apart from the text round them.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from pinakes.core.errors import PinakesError
from pinakes.formats.item import clean, title_or_name
from pinakes.report.markup import Html, join, tag
from pinakes.serve.desk import Desk

LONGEST_TITLE = 160
LONGEST_ADDRESS = 120
_UNSEEN = re.compile("[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u0080-\u009f]")


def plain(text: str, longest: int = LONGEST_TITLE) -> str:
    """A stranger's words in one line, bounded."""
    if len(text) <= longest and text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()  # as most are
    shown = _UNSEEN.sub("", clean(text, longest + 1)).strip()
    return shown if len(shown) <= longest else f"{shown[: longest - 1].rstrip()}…"


def words(text: str, longest: int = LONGEST_TITLE) -> Html:
    """The same, set apart: its direction of writing is its own affair."""
    return tag("bdi", plain(text, longest))


def address(url: str, longest: int = LONGEST_ADDRESS) -> Html:
    """An address as text, cut in its middle where it is long."""
    shown = plain(url, 4000)
    if len(shown) > longest:
        shown = f"{shown[: longest - 31]}…{shown[-30:]}"
    return tag("bdi", shown, class_="address")


def outside(url: str, label: Html | str) -> Html:
    """A link to the live web; to nothing else."""
    if not url.startswith(("http://", "https://")):
        return tag("span", label)
    return tag("a", label, href=plain(url, 8000), rel="noreferrer noopener", class_="outside")


def named(title: str, url: str, longest: int = LONGEST_ADDRESS) -> Html:
    """What a page is called: its title, a document's file, else its address."""
    name = title_or_name(plain(title), url)
    return words(name) if plain(name) else address(url, longest)


def page_link(desk: Desk, title: str, url: str, number: int | None) -> Html:
    """To what the library knows of a page: by its number where it is held, else by its address."""
    shown = named(title, url, 80)
    href = desk.at(f"/pages/{number}") if number else desk.at("/page", {"url": url[:4000]})
    return tag("a", shown, href=href)


def sheet(label: str, heads: Sequence[Html], rows: Sequence[Html], *, framed: bool = True) -> Html:
    """A table that can be scrolled aside, by keys too, where the window is narrow."""
    table = tag("table", tag("thead", tag("tr", heads)), tag("tbody", rows), aria_label=label)
    look = "scroll sheet" if framed else "scroll"
    return tag("div", table, class_=look, tabindex=0, role="region", aria_label=label)


def facts(*parts: Html | str | None) -> Html:
    """Small facts in a row."""
    return tag("p", [tag("span", part) for part in parts if part], class_="row")


def meter(value: float, most: float = 1.0, label: str = "") -> Html:
    """A value as a bar."""
    part = max(0.0, min(1.0, value / most if most else 0.0))
    drawn = tag(
        "svg",
        tag("rect", width=round(100 * part, 1), height=6, class_="full"),
        viewBox="0 0 100 6",
        preserveAspectRatio="none",
        aria_hidden="true",
    )
    return tag("span", drawn, tag("span", label or f"{value:.2f}", class_="figure"), class_="meter")


def pager(desk: Desk, path: str, query: Mapping[str, object], offset: int, n: int, total: int) -> Html | None:
    """To the pages before and after."""
    if total <= n and not offset:
        return None
    last = min(offset + n, total)
    before = offset > 0 and tag(
        "a", "← Before", href=desk.at(path, {**query, "offset": max(0, offset - n)}), rel="prev"
    )
    after = last < total and tag("a", "After →", href=desk.at(path, {**query, "offset": offset + n}), rel="next")
    shown = tag("span", f"{min(offset + 1, total):,}–{last:,} of {total:,}")
    return tag(
        "nav", before or tag("span"), shown, after or tag("span"), class_="pager", aria_label="Pages of the list"
    )


def chooser(name: str, label: str, options: Iterable[tuple[str, str]], chosen: str) -> Html:
    """A labelled choice of a form."""
    made = [tag("option", shown, value=value, selected=value == chosen) for value, shown in options]
    return tag("label", tag("span", label), tag("select", made, name=name))


def hidden(**values: object) -> Html:
    """Fields that a form carries along."""
    return join(tag("input", type="hidden", name=name, value=value) for name, value in values.items() if value != "")


def write_form(desk: Desk, path: str, *children: object, class_: str = "", files: bool = False) -> Html:
    """A form that writes: it carries the token of our own forms."""
    return tag(
        "form",
        hidden(form_token=desk.form_token),
        list(children),
        method="post",
        action=desk.at(path),
        enctype="multipart/form-data" if files else None,
        class_=class_ or None,
    )


def note(*children: object, kind: str = "note") -> Html:
    return tag("p", list(children), class_=kind)


def moment(at: float) -> Html:
    """A time, for people and machines."""
    when = datetime.fromtimestamp(at, UTC)
    return tag("time", when.strftime("%-d %B %Y, %H:%M UTC"), datetime=when.strftime("%Y-%m-%dT%H:%M:%SZ"))


def ago(at: float) -> str:
    """How long since, in words."""
    passed = max(0.0, time.time() - at)
    for size, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if passed >= size:
            count = int(passed // size)
            return f"{count} {name}{'' if count == 1 else 's'} ago"
    return "just now"


def lasted(seconds: float) -> str:
    """A span of time in a few characters."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def size(number: int) -> str:
    return f"{number / 1e9:,.1f} GB" if number >= 1e9 else f"{number / 1e6:,.1f} MB"


def number_of(text: str | None, default: int, low: int = 0, high: int = 1_000_000) -> int:
    """A whole number of a query, kept within bounds; anything else is an error of whoever asked."""
    if text is None or text == "":
        return default
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise PinakesError(f"{plain(text, 40)} is not a number.")
    return max(low, min(high, int(text)))
