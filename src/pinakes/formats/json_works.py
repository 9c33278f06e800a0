"""Works in JSON: CSL-JSON as reference managers and Crossref write it, and plain records, one a line or in a list.

Names of fields differ from tool to tool, so each is looked for under those that are in use.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import unescape
from typing import Any

import msgspec

from pinakes.formats.bibliography import (
    LONGEST,
    MOST_PROBLEMS,
    MOST_WORKS,
    Bibliography,
    Problem,
    Work,
    decoded,
    doi_in,
    given_first,
    orcid_in,
    year_in,
)

_TITLE = ("title", "name", "display_name")
_AUTHORS = ("authors", "author", "creators", "creator")
_YEAR = ("year", "issued", "published", "published-print", "published-online", "date", "publication_year",
         "publication_date")  # fmt: skip
_VENUE = ("venue", "container-title", "publicationtitle", "proceedingstitle", "conferencename", "journal", "conference",
          "event", "collection-title", "booktitle", "source")  # fmt: skip
_LISTS = ("items", "results", "works", "papers", "records", "data")
_tags = re.compile(r"<[^<>]{1,60}>")


def read_json_works(data: bytes) -> Bibliography:
    """The works of a JSON file: a list, an object that holds one, a single work, or one work a line."""
    text = decoded(data).strip()
    if not text:
        return Bibliography(problems=(Problem(1, "the file is empty"),))
    try:
        whole = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        return _lines(text)
    return _works((1, one) for one in _listed(whole))


def _lines(text: str) -> Bibliography:
    problems: list[Problem] = []
    found: list[tuple[int, Any]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            found.append((number, msgspec.json.decode(line)))
        except (msgspec.MsgspecError, RecursionError) as error:
            problems.append(Problem(number, f"not JSON ({error})"))
    read = _works(found)
    return Bibliography(read.works, (*problems, *read.problems)[:MOST_PROBLEMS])


def _listed(whole: Any) -> Sequence[Any]:
    if isinstance(whole, list):
        return whole
    if isinstance(whole, dict) and not any(whole.get(name) for name in _TITLE):
        inner = whole.get("message") if isinstance(whole.get("message"), dict) else whole  # Crossref's envelope
        assert isinstance(inner, dict)
        for name in _LISTS:
            if isinstance(inner.get(name), list):
                return inner[name]  # type: ignore[no-any-return]
        return [inner]
    return [whole]


def _works(given: Iterable[tuple[int, Any]]) -> Bibliography:
    works: list[Work] = []
    problems: list[Problem] = []
    for line, one in given:
        if len(works) >= MOST_WORKS:
            break
        work = work_of(one, line) if isinstance(one, dict) else None
        if work is not None and work.title:
            works.append(work)
        else:
            problems.append(Problem(line, "no title" if work else "not a record"))
    return Bibliography(tuple(works), tuple(problems[:MOST_PROBLEMS]))


def work_of(record: Mapping[str, Any], line: int = 0) -> Work:
    """One work, whatever its fields are called."""
    if isinstance(record.get("data"), dict) and "title" not in record:
        record = record["data"]  # Zotero's envelope
    record = {str(name).lower(): value for name, value in record.items()}
    booktitle = _text(record.get("booktitle")) or _text(record.get("event-title"))
    people = [one for one in _many(_value(record, _AUTHORS)) if _person(one)][:5_000]
    places = tuple(place for one in _many(record.get("affiliations")) if (place := _text(one)))
    own = tuple(_affiliation(one) for one in people)
    identities = tuple(_identity(one) for one in people)
    return Work(
        title=_first(record, _TITLE),
        authors=tuple(_person(one) for one in people),
        year=next((year for name in _YEAR if (year := _year(record.get(name)))), None),
        venue=_first(record, _VENUE),
        kind=_text(record.get("type")).lower(),
        doi=doi_in(_text(record.get("doi"))),
        url=_text(record.get("url")),
        abstract=_text(record.get("abstract")),
        key=_text(record.get("id")) or _text(record.get("key")) or _text(record.get("citation-key")),
        line=line,
        booktitle=booktitle,
        affiliations=places or (own if any(own) else ()),
        identities=identities if any(identities) else (),
    )


def _value(record: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((record[name] for name in names if record.get(name)), None)


def _first(record: Mapping[str, Any], names: Sequence[str]) -> str:
    return next((text for name in names if (text := _text(record.get(name)))), "")


def _text(value: Any) -> str:
    """A text, be it alone, the first of a list, or under the usual names of an object."""
    if isinstance(value, list):
        value = next((one for one in value if one), "")
    if isinstance(value, dict):
        value = next(
            (value[name] for name in ("name", "title", "display_name", "literal", "text") if name in value), ""
        )
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return " ".join(unescape(_tags.sub("", str(value))).split())[:LONGEST]


def _many(value: Any) -> Sequence[Any]:
    if isinstance(value, str):
        return [part for part in re.split(r"\s*;\s*|\s+and\s+", value) if part]
    return value if isinstance(value, list) else [value] if value else []


def _person(value: Any) -> str:
    """A name with the given names in front, from a string or from the parts that CSL and Zotero give."""
    if isinstance(value, dict):
        value = {str(name).lower(): part for name, part in value.items()}
        if isinstance(value.get("author"), dict):  # OpenAlex
            return _person(value["author"])
        kind = _text(value.get("creatortype"))
        if kind and kind != "author":
            return ""
        given = _text(value.get("given") or value.get("firstname") or value.get("first"))
        family = _text(value.get("family") or value.get("lastname") or value.get("last"))
        particle = _text(value.get("non-dropping-particle"))
        joined = " ".join(filter(None, (given, particle, family)))
        return joined or given_first(_text(value))
    return given_first(_text(value))


def _identity(value: Any) -> str:
    """A person's ORCID, as Crossref, OpenAlex and plain records give it."""
    if not isinstance(value, dict):
        return ""
    within = value.get("author")  # OpenAlex
    value = {str(name).lower(): part for name, part in (within if isinstance(within, dict) else value).items()}
    return orcid_in(_text(value.get("orcid")))


def _affiliation(value: Any) -> str:
    """The first affiliation of a person, as Crossref, OpenAlex and plain records give it."""
    if not isinstance(value, dict):
        return ""
    place = value.get("affiliation") or value.get("affiliations") or value.get("institutions") or ""
    first = place[0] if isinstance(place, list) and place else place
    country = first.get("country_code") or first.get("country") if isinstance(first, dict) else ""
    named = _text(first)
    return ", ".join(filter(None, (named, _text(country)))) if named else ""


def _year(value: Any) -> int | None:
    if isinstance(value, dict):
        parts = value.get("date-parts")
        if isinstance(parts, list) and parts and isinstance(parts[0], list) and parts[0]:
            return year_in(str(parts[0][0]))
        return year_in(_text(value.get("raw") or value.get("literal") or value.get("year")))
    return year_in(_text(value))
