"""Pages as works to be cited: BibTeX, RIS, CSL-JSON. A page that does not say when it is from gets no year."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from pinakes.formats.item import Item

_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\^{}",
}  # fmt: skip
_latex = re.compile(r"[\\{}$&%#_~^]")
_PLAIN = re.compile(r"[^A-Za-z0-9]+")


def bibtex(items: Iterable[Item]) -> Iterator[str]:
    for item in items:
        fields = {
            "title": f"{{{_escaped(item.name)}}}",
            "url": _address(item.url),
            "howpublished": _escaped(item.host),
            "year": item.modified[:4],
            "month": item.modified[5:7].lstrip("0"),
            "urldate": item.fetched[:10],
            "language": item.language,
            "keywords": _escaped("; ".join(item.topics)),
            "abstract": _escaped(item.description),
        }
        told = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items() if value)
        yield f"@misc{{{_key(item)},\n{told}\n}}\n\n"


def ris(items: Iterable[Item]) -> Iterator[str]:
    for item in items:
        lines = [
            ("TY", "ELEC"),
            ("ID", str(item.number)),
            ("TI", item.name),
            ("PY", item.modified[:4]),
            ("DA", item.modified.replace("-", "/")),
            ("UR", item.url),
            ("Y2", item.fetched[:10].replace("-", "/")),
            ("PB", item.host),
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
            "type": "webpage",
            "title": item.name,
            "URL": item.url,
            "container-title": item.host,
            "accessed": {"date-parts": [_parts(item.fetched[:10])]},
            "issued": {"date-parts": [_parts(item.modified)]} if item.modified else None,
            "language": item.language,
            "keyword": ", ".join(item.topics),
            "abstract": item.description,
        }
        told = {name: value for name, value in told.items() if value}
        yield f"{before}\n{json.dumps(told, ensure_ascii=False)}"
        before = ","
    yield "\n]\n" if before == "," else "[]\n"


def _parts(day: str) -> list[int]:
    return [int(part) for part in day.split("-")]


def _escaped(text: str) -> str:
    return _latex.sub(lambda found: _LATEX[found[0]], text)


def _address(url: str) -> str:
    """An address as BibTeX's readers take it: only what would end the value is encoded."""
    return url.replace("{", "%7B").replace("}", "%7D").replace("\\", "%5C")


def _key(item: Item) -> str:
    word = _PLAIN.sub("", item.host.removeprefix("www.").partition(".")[0])
    return f"{word or 'page'}{item.modified[:4]}-{item.number}"
