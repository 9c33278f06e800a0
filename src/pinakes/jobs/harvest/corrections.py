"""The homepage database as a table that a person can read, correct, and hand back.

One row a candidate: whether it is kept, and the rule that kept or dropped it. Handed back, rows that say `yes` are
believed and rows that say `no` are never taken again; a table of names and addresses alone is believed throughout.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pinakes.core.errors import PinakesError
from pinakes.formats.bibliography import decoded
from pinakes.formats.url import canonical
from pinakes.jobs.harvest.assigning import Candidate
from pinakes.text.names import folded

COLUMNS = ("name", "homepage", "kept", "priority", "score", "rule", "title")
_NAMES = ("name", "author", "person")
_URLS = ("homepage", "url", "address", "link", "website")
_YES = frozenset(("yes", "y", "true", "1", "x", "ja", "oui"))


@dataclass(frozen=True, slots=True)
class Known:
    """What a person says of homepages."""

    homepages: Mapping[str, str] = field(default_factory=dict)
    """Folded name -> homepage."""
    refused: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Folded name -> addresses that are not theirs."""

    def of(self, names: Iterable[str]) -> tuple[dict[str, str], dict[str, frozenset[str]]]:
        """The same for authors as the metadata writes them."""
        listed = [(name, " ".join(folded(name).split())) for name in names]
        return (
            {name: self.homepages[key] for name, key in listed if key in self.homepages},
            {name: self.refused[key] for name, key in listed if key in self.refused},
        )


def read_known(path: Path) -> Known:
    """A table of homepages: columns `name` and `homepage`, and `kept` where rows are to be refused."""
    try:
        text = decoded(path.read_bytes())
    except OSError as error:
        raise PinakesError(f"{path} cannot be read: {error.strerror}.") from None
    header = text.partition("\n")[0]
    delimiter = max(",;\t", key=header.count)
    rows = csv.DictReader(io.StringIO(text), delimiter=delimiter, restval="")
    columns = {(name or "").strip().lower(): name for name in rows.fieldnames or ()}
    name_column = next((columns[name] for name in _NAMES if name in columns), None)
    url_column = next((columns[name] for name in _URLS if name in columns), None)
    if name_column is None or url_column is None:
        raise PinakesError(f"{path} has no columns called name and homepage; write them into its first row.")
    homepages: dict[str, str] = {}
    refused: dict[str, set[str]] = {}
    for number, row in enumerate(rows, 2):
        name, given = " ".join(folded(row[name_column]).split()), (row[url_column] or "").strip()
        if not name or not given:
            continue
        url = canonical(given if "://" in given else f"https://{given}")
        if not url:
            raise PinakesError(f"{path}, row {number}: {given[:100]} is not a web address.")
        if "kept" in columns and (row[columns["kept"]] or "").strip().lower() not in _YES:
            refused.setdefault(name, set()).add(url)
        else:
            homepages[name] = url
    # Of somebody who has a homepage the other candidates were dropped anyway; they say nothing against anybody.
    return Known(homepages, {name: frozenset(urls) for name, urls in refused.items() if name not in homepages})


def write_candidates(path: Path, candidates: Iterable[Candidate]) -> None:
    """The homepage database, the kept candidate of a person first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        for one in sorted(candidates, key=lambda one: (one.name, not one.kept, -one.score, one.url)):
            kept = "yes" if one.kept else "no"
            table.writerow(
                [_cell(one.name), one.url, kept, one.priority, f"{one.score:.1f}", one.rule, _cell(one.title)]
            )


def _cell(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
