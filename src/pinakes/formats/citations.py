"""Pages as works to be cited: BibTeX, RIS, CSL-JSON. A page that does not say when it is from gets no year.

A document that a harvest was for is cited as the paper it is, with its authors, year and venue.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pinakes.formats.bibliography import family_first
from pinakes.formats.item import Item

_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\^{}",
}  # fmt: skip


class _Kind(NamedTuple):
    """What the formats call a kind of work, and BibTeX's field for where it stands."""

    bibtex: str
    container: str
    ris: str
    csl: str


_KINDS = {
    "page": _Kind("misc", "howpublished", "ELEC", "webpage"),
    "conference": _Kind("inproceedings", "booktitle", "CPAPER", "paper-conference"),
    "journal": _Kind("article", "journal", "JOUR", "article-journal"),
    "paper": _Kind("misc", "howpublished", "GEN", "article"),
}
_latex = re.compile(r"[\\{}$&%#_~^]")
_PLAIN = re.compile(r"[^A-Za-z0-9]+")


def bibtex(items: Iterable[Item]) -> Iterator[str]:
    for item in items:
        kind = _kind(item)
        fields = {
            "title": f"{{{_escaped(item.name)}}}",
            "author": _escaped(" and ".join(map(family_first, item.authors))),
            _KINDS[kind].container: _escaped(item.venue if item.work else item.host),
            "url": _address(item.url),
            "doi": _address(item.doi),
            "year": item.date[:4],
            "month": item.date[5:7].lstrip("0"),
            "urldate": item.fetched[:10],
            "language": item.language,
            "keywords": _escaped("; ".join(item.topics)),
            "abstract": _escaped(item.description),
        }
        told = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items() if value)
        yield f"@{_KINDS[kind].bibtex}{{{_key(item)},\n{told}\n}}\n\n"


def ris(items: Iterable[Item]) -> Iterator[str]:
    for item in items:
        lines = [
            ("TY", _KINDS[_kind(item)].ris),
            ("ID", str(item.number)),
            ("TI", item.name),
            *(("AU", family_first(name)) for name in item.authors),
            ("T2", item.venue),
            ("PY", item.date[:4]),
            ("DA", "" if item.work else item.date.replace("-", "/")),
            ("DO", item.doi),
            ("UR", item.url),
            ("Y2", item.fetched[:10].replace("-", "/")),
            ("PB", "" if item.work else item.host),
            ("LA", item.language),
            *(("KW", topic) for topic in item.topics),
            ("AB", item.description),
        ]
        told = "".join(f"{tag}  - {value}\r\n" for tag, value in lines if value)
        yield f"{told}ER  - \r\n\r\n"


def csl_json(items: Iterable[Item]) -> Iterator[str]:
    before = "["
    for item in items:
        told = {
            "id": str(item.number),
            "type": _KINDS[_kind(item)].csl,
            "title": item.name,
            "author": [_csl_name(name) for name in item.authors],
            "URL": item.url,
            "DOI": item.doi,
            "container-title": item.venue if item.work else item.host,
            "accessed": {"date-parts": [_parts(item.fetched[:10])]},
            "issued": {"date-parts": [_parts(item.date)]} if item.date else None,
            "language": item.language,
            "keyword": ", ".join(item.topics),
            "abstract": item.description,
        }
        told = {name: value for name, value in told.items() if value}
        yield f"{before}\n{json.dumps(told, ensure_ascii=False)}"
        before = ","
    yield "\n]\n" if before == "," else "[]\n"


def _kind(item: Item) -> str:
    if item.work is None:
        return "page"
    return "conference" if item.work.booktitle else "journal" if item.work.venue else "paper"


def _csl_name(name: str) -> dict[str, str]:
    family, _, given = family_first(name).partition(", ")
    return {"family": family, "given": given} if given else {"literal": family}


def _parts(day: str) -> list[int]:
    return [int(part) for part in day.split("-")]


def _escaped(text: str) -> str:
    return _latex.sub(lambda found: _LATEX[found[0]], text)


def _address(url: str) -> str:
    """An address as BibTeX's readers take it: only what would end the value is encoded."""
    return url.replace("{", "%7B").replace("}", "%7D").replace("\\", "%5C")


def _key(item: Item) -> str:
    host = item.host.removeprefix("www.").partition(".")[0]
    first = family_first(item.authors[0]).partition(",")[0] if item.authors else host
    return f"{_PLAIN.sub('', first) or 'page'}{item.date[:4]}-{item.number}"
