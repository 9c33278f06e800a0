"""The homepage database as a table that a person can read, correct, and hand back.

One row a candidate: whether it is kept, and the rule that kept or dropped it; one row without an address for everybody
of whom there is no candidate at all. Handed back as it is, the table says the same again: rows that say `yes` are
believed, rows that say `no` are never taken, each with its old rule. Where a person has changed that word, the rule
says so. A table of names and addresses alone is believed throughout.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pinakes.core.errors import PinakesError, unread
from pinakes.formats.bibliography import decoded
from pinakes.formats.url import canonical
from pinakes.jobs.harvest.assigning import KEPT, PRIORITIES, Candidate
from pinakes.text.names import PersonName, folded

COLUMNS = ("name", "homepage", "kept", "priority", "score", "rule", "title")
REFUSED, BELIEVED, CORRECTED = "refused by hand", f"{KEPT}: known", f"{KEPT}: corrected by hand"
_NAMES = ("name", "author", "person")
_URLS = ("homepage", "url", "address", "link", "website")
_YES = frozenset(("yes", "y", "true", "1", "x", "ja", "oui"))
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Known:
    """What a table says of homepages."""

    rows: tuple[Candidate, ...] = ()
    """By the names that the table has."""

    def of(self, authors: Iterable[str]) -> Said:
        """The same of authors as the metadata writes them; `Berg, Anna` is `Anna Berg`."""
        exact: dict[str, str] = {}
        turned: dict[str, list[str]] = {}
        for author in dict.fromkeys(authors):
            exact.setdefault(_folded(author), author)
            turned.setdefault(_in_order(author), []).append(author)
        said: dict[str, list[Candidate]] = {}
        others: list[Candidate] = []
        for row in self.rows:
            alike = turned.get(_in_order(row.name), [])
            name = exact.get(_folded(row.name)) or (alike[0] if len(alike) == 1 else "")
            if name:
                said.setdefault(name, []).append(replace(row, name=name))
            else:
                others.append(row)
        unknown = tuple(dict.fromkeys(row.name for row in others))
        return Said({name: tuple(_one_kept(rows)) for name, rows in said.items()}, tuple(others), unknown)


@dataclass(frozen=True, slots=True)
class Said:
    """A table's rows by author."""

    rows: Mapping[str, tuple[Candidate, ...]]
    others: tuple[Candidate, ...] = ()
    """Rows of people who are no authors, or are not looked for."""
    unknown: tuple[str, ...] = ()
    """Who of them is no author at all."""

    @property
    def homepages(self) -> dict[str, str]:
        return {name: row.url for name, rows in self.rows.items() for row in rows if row.kept}

    @property
    def refused(self) -> dict[str, frozenset[str]]:
        """Of authors without a homepage, addresses that are not theirs. Of somebody who has one the other candidates
        were dropped for it; they say nothing against anybody."""
        homepages = self.homepages
        return {
            name: frozenset(row.url for row in rows) for name, rows in self.rows.items() if name not in homepages
        }  # fmt: skip


def read_known(path: Path) -> Known:
    """A table of homepages: columns `name` and `homepage`; where it has them, also those that `write_candidates`
    writes."""
    try:
        text = decoded(path.read_bytes())
    except OSError as error:
        raise unread(str(path), error) from None
    header = text.partition("\n")[0]
    delimiter = max(",;\t", key=header.count)
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, restval="")
    columns = {(name or "").strip().lower(): name for name in rows.fieldnames or ()}
    name_column = next((columns[name] for name in _NAMES if name in columns), None)
    url_column = next((columns[name] for name in _URLS if name in columns), None)
    if name_column is None or url_column is None:
        raise PinakesError(f"{path} has no columns called name and homepage; write them into its first row.")
    found: list[Candidate] = []
    for number, row in enumerate(rows, 2):
        cells = {name: (row[column] or "").strip() for name, column in columns.items() if column is not None}
        name, given = _plain((row[name_column] or "").strip()), (row[url_column] or "").strip()
        if not _folded(name) or not given:
            continue
        url = canonical(given if "://" in given else f"https://{given}")
        if not url:
            raise PinakesError(f"{path}, row {number}: {given[:100]} is not a web address.")
        found.append(_candidate(name, url, cells))
    return Known(tuple(found))


def _candidate(name: str, url: str, cells: Mapping[str, str]) -> Candidate:
    """A row, its rule brought in line with what a person may have written into `kept`; an empty cell means yes."""
    rule, said = cells.get("rule", ""), cells.get("kept", "").lower()
    kept = not said or said in _YES
    if kept and not rule.startswith(KEPT):
        rule = CORRECTED if rule and said else BELIEVED
    elif not kept and (not rule or rule.startswith(KEPT)):
        rule = REFUSED
    try:
        score = float(cells.get("score", ""))
    except ValueError:
        score = 0.0
    priority = cells.get("priority", "").lower()
    fallback = "high" if kept else "low"
    return Candidate(
        name, url, _plain(cells.get("title", "")), score, rule, priority if priority in PRIORITIES else fallback, kept
    )


def _one_kept(rows: list[Candidate]) -> Iterable[Candidate]:
    """Of several rows that say yes the one a person wrote is believed, else the last; a row that stands there twice is
    one."""
    kept = [row for row in rows if row.kept]
    best = max(enumerate(kept), key=lambda one: (one[1].rule in (CORRECTED, BELIEVED), one[0]), default=None)
    for row in dict.fromkeys(rows):
        if row.kept and best is not None and row != best[1]:
            yield replace(row, kept=False, rule=f"another row of the table is believed: {best[1].url}")
        else:
            yield row


def corrected(
    rows: Iterable[Candidate], homepages: Mapping[str, str], refused: Mapping[str, str]
) -> Iterator[Candidate]:
    """Rows as if a person had written these words into them: a homepage for some authors, `no` to another's."""
    for row in rows:
        if row.url == canonical(refused.get(row.name, "")):
            yield replace(row, kept=False, rule=REFUSED)
        elif row.name not in homepages or row.url != canonical(homepages[row.name]):
            told = f"another homepage was given by hand: {homepages.get(row.name)}"
            yield replace(row, kept=False, rule=told) if row.kept and row.name in homepages else row
    for name, url in homepages.items():
        yield Candidate(name, canonical(url) or url, "", 0.0, CORRECTED, "high", True)


def write_candidates(path: Path, candidates: Iterable[Candidate], failures: Mapping[str, str]) -> None:
    """The homepage database, the kept candidate of a person first; and whoever has no candidate, to be filled in."""
    listed = list(candidates)
    named = {one.name for one in listed}
    empty = [Candidate(name, "", "", 0.0, why, "") for name, why in failures.items() if name not in named]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        for one in sorted([*listed, *empty], key=lambda one: (one.name, not one.kept, -one.score, one.url, one.rule)):
            kept = ("yes" if one.kept else "no") if one.url else ""
            score = f"{one.score:.1f}" if one.url else ""
            table.writerow([_cell(one.name), one.url, kept, one.priority, score, one.rule, _cell(one.title)])


def _folded(name: str) -> str:
    return " ".join(folded(name).split())


def _in_order(name: str) -> str:
    """A name as it is spoken, given names first."""
    read = PersonName.read(name)
    return " ".join((*read.given, *read.surname)) or _folded(name)


def _cell(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(_FORMULAS) else text


def _plain(text: str) -> str:
    """What `_cell` was told."""
    return text[1:] if text[:1] == "'" and text[1:].startswith(_FORMULAS) else text
