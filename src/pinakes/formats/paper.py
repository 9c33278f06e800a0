"""A research paper as a record: title, authors, abstract and references, read from the layout of its PDF.

The reading is done in a child process with limits, for PDFs are hostile. Run as a module, this file is that child.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from pinakes.formats.confined import Confined, ConfinedError, serve
from pinakes.formats.layout import laid_out
from pinakes.formats.paper_authors import authors
from pinakes.formats.paper_front import front, year
from pinakes.formats.pdf import sane_title
from pinakes.formats.prose import vocabulary
from pinakes.formats.reference_fields import fields
from pinakes.formats.references import reference_list

MOST_PAGES = 400
"""Of a paper, or a thesis; what is longer is a book of many papers."""
_RAW = 2_000
_ANSWER = 32 << 20
_date = re.compile(r"D:((?:19|20)\d\d)").match
_start = re.compile(rb"startxref\s+(\d+)")


@dataclass(frozen=True, slots=True)
class Reference:
    """One entry of a list of references."""

    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    raw: str = ""
    """As it is printed, on one line."""


@dataclass(frozen=True, slots=True)
class Paper:
    """What a paper says of itself."""

    title: str = ""
    authors: tuple[str, ...] = ()
    affiliations: tuple[str, ...] = ()
    abstract: str = ""
    keywords: tuple[str, ...] = ()
    year: int | None = None
    references: tuple[Reference, ...] = ()
    pages: int = 0
    error: str = ""
    """`encrypted`, `damaged`, `truncated`, `no-pages`, `no-text`, `garbled`, `too-long`, `too-slow`, `crashed` or
    `unavailable`; empty when it could be read."""


class PaperReader:
    """Reads papers one at a time through one child. Not for several threads at once."""

    def __init__(self, cpu_seconds: int = 60, wall_seconds: float = 180.0, memory: int = 2 << 30) -> None:
        self.confined = Confined("pinakes.formats.paper", cpu_seconds, wall_seconds, memory, _ANSWER)

    def read(self, data: bytes) -> Paper:
        """The paper of a PDF, or the name of what is wrong with it. Never raises; blocks up to `wall_seconds`."""
        try:
            return msgspec.json.decode(self.confined.ask(data), type=Paper)
        except ConfinedError as error:
            return Paper(error=str(error))
        except msgspec.MsgspecError:
            self.close()
            return Paper(error="crashed")

    def close(self) -> None:
        self.confined.close()


def parsed(data: bytes) -> Paper:
    """The paper of a PDF, read in this very process. For documents one trusts."""
    import pypdfium2
    from pypdfium2 import raw

    starts = _start.findall(data[-(1 << 20) :])
    truncated = not starts or int(starts[-1][:12]) == 0
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            return Paper(error="encrypted")
        return Paper(error="truncated" if truncated and data[:5] == b"%PDF-" else "damaged")
    with contextlib.closing(document):
        pages = len(document)
        if not pages or pages > MOST_PAGES:
            return Paper(pages=pages, error="too-long" if pages else "truncated" if truncated else "no-pages")
        layout = laid_out(document, raw, MOST_PAGES)
        if not any(page.lines for page in layout.pages):
            return Paper(pages=pages, error="truncated" if truncated else "no-text")
        title = sane_title(_metadata(document, "Title"))
        made = _date(_metadata(document, "CreationDate"))
    words = vocabulary(line.text for line in layout.lines())
    head = front(layout, title, words)
    names, places = authors(head.header, head.footnotes)
    references = tuple(
        Reference(*fields(entry.text, entry.fonts, layout.italic), entry.text[:_RAW])
        for entry in reference_list(layout, words)
    )
    if truncated and (not references or not all(page.width for page in layout.pages)):
        return Paper(pages=pages, error="truncated")
    if not _readable(head.title) and not _readable(" ".join(line.text for line in layout.lines()[:200])):
        return Paper(pages=pages, error="garbled")
    cited = sorted(reference.year for reference in references if reference.year)
    # One misread year among the cited ones should not decide.
    latest = cited[-2] if len(cited) > 5 and cited[-1] - cited[-2] > 2 else cited[-1] if cited else 0
    return Paper(
        head.title,
        tuple(names),
        tuple(places),
        head.abstract,
        head.keywords,
        year(layout, head.page, int(made[1]) if made else 0, latest),
        references,
        pages,
    )


def _readable(text: str) -> bool:
    """Whether most of a text is words: fonts without a map to Unicode give signs at random."""
    tokens = text.split()
    return sum(token.strip(".,;:()[]“”’'\"-").replace("-", "").isalpha() for token in tokens) > 0.45 * len(tokens)


def _metadata(document: Any, name: str) -> str:
    with contextlib.suppress(RuntimeError, UnicodeError):
        return str(document.get_metadata_value(name))
    return ""


def _answered(read: Callable[[bytes], Paper]) -> Callable[[bytes], bytes]:
    return lambda data: msgspec.json.encode(read(data))


if __name__ == "__main__":
    import pypdfium2  # noqa: F401  loaded before memory is limited

    serve(_answered(parsed))
