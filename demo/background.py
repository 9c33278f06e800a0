"""Counts the document frequencies that ship with Pinakes, from our own text: the demo web's sources and the manual.

    python demo/background.py           # writes src/pinakes/text/english.txt
    python demo/background.py --check   # exit 1 if the file is not what the sources give

A document is a page, a paper or a section. A word is kept when several sources use it and no two of them have most of
it, so that what the demo web is about (owls, comets, looms) does not pass for a commonplace of the language.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from pinakes.text.words import Words

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "src" / "pinakes" / "text" / "english.txt"
SOURCES = 3
"""A word that fewer sources use is left out."""
STRONGEST = 0.6
"""So is one of whose documents so large a share lies in two sources."""
_ADDRESS = re.compile(r"\((?:\w+:|https?:)[^)\s]*\)|`[^`]*`")


def documents() -> Iterator[tuple[str, str]]:
    """Source and text of each document."""
    for path in sorted((ROOT / "demo" / "pages").glob("*.txt")):
        for page in re.split(r"^@ ", path.read_text("utf-8"), flags=re.MULTILINE)[1:]:
            heading, _, body = page.partition("\n")
            if "lang=" not in heading:
                yield path.name, f"{heading.split('|')[1]} {body}"
    for paper in re.split(r"^@ ", (ROOT / "demo" / "papers.txt").read_text("utf-8"), flags=re.MULTILINE)[1:]:
        yield "papers", paper.partition("\n")[2]
    for path in [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "demo" / "README.md"]:
        for section in re.split(r"^## ", path.read_text("utf-8"), flags=re.MULTILINE):
            yield path.name, re.sub(r"^```.*?^```", "", section, flags=re.MULTILINE | re.DOTALL)


def counted() -> str:
    words, frequencies, sources = Words(), Counter[str](), defaultdict[str, Counter[str]](Counter)
    for source, text in documents():
        stems = set(words.stems(_ADDRESS.sub(" ", text))) - {""}
        frequencies.update(stems)
        frequencies[""] += 1
        for stem in stems:
            sources[stem][source] += 1
    kept = {}
    for stem, count in frequencies.items():
        strongest = sum(number for _, number in sources[stem].most_common(2))
        if stem.isalpha() and len(sources[stem]) >= SOURCES and strongest <= max(2, STRONGEST * count):
            kept[stem] = count
    by_count = sorted(kept, key=lambda stem: (-kept[stem], stem))
    lines = [f"{frequencies['']}", *(f"{stem} {kept[stem]}" for stem in by_count)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    text = counted()
    if "--check" in sys.argv:
        sys.exit(OUT.read_text("utf-8") != text)
    OUT.write_text(text, "utf-8")
    print(f"{len(text.splitlines()) - 1:,} stems, {len(text):,} bytes")
