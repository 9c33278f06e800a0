"""The text of PDFs, read in a process of its own.

The PDF library is C++ fed with hostile bytes, so `confined` lets a child do the reading. Run as a module, this file is
that child.
"""

from __future__ import annotations

import contextlib
import json
import re
from typing import Any, NamedTuple

from pinakes.formats.confined import Confined, ConfinedError, serve

MOST_PAGES = 200
MOST_TEXT = 1_000_000

_hyphen = re.compile(r"[\ufffe\x02]\s?").sub  # how the library marks a word divided at the end of a line
_breaks = re.compile(r"\r\n?|[\x0b\x0c]").sub
_not_text = re.compile(r"[\x00-\x08\x0e-\x1f\ufffe\uffff]").sub
_file_name = re.compile(r"\S+\.(?:docx?|pdf|ps|dvi|tex|rtf|odt|qxd|indd|pptx?|wpd|eps)", re.IGNORECASE).fullmatch
_program = re.compile(
    r"(?:about:|https?:|file:|microsoft\s+\w+|untitled|no title|title|powerpoint)\b.{0,4}", re.IGNORECASE
).match


class PdfText(NamedTuple):
    title: str = ""
    """Of the document's metadata, where it looks like a title."""
    text: str = ""
    pages: int = 0
    error: str = ""
    """`encrypted`, `damaged`, `no-text`, `too-slow`, `crashed` (as when memory runs out), `unavailable` (no child)."""


class PdfReader:
    """Reads PDFs one at a time through one child, which starts when first needed. Not for several threads at once."""

    def __init__(self, cpu_seconds: int = 20, wall_seconds: float = 60.0, memory: int = 1 << 30) -> None:
        self.confined = Confined("pinakes.formats.pdf", cpu_seconds, wall_seconds, memory, 8 * MOST_TEXT)

    def read(self, data: bytes) -> PdfText:
        """Title and text of a PDF, or the name of what is wrong with it. Never raises; blocks up to `wall_seconds`."""
        try:
            return PdfText(*json.loads(self.confined.ask(data)))
        except ConfinedError as error:
            return PdfText(error=str(error))
        except (ValueError, TypeError):
            self.close()
            return PdfText(error="crashed")

    def close(self) -> None:
        """End the child; the next document starts another."""
        self.confined.close()


def extracted(data: bytes) -> PdfText:
    """Title and text of a PDF, read in this very process. For documents one trusts."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        return PdfText(error="encrypted" if "password" in str(error).lower() else "damaged")
    with contextlib.closing(document):
        pages = len(document)
        texts: list[str] = []
        room = MOST_TEXT
        for number in range(min(pages, MOST_PAGES)):
            if room <= 0:
                break
            with contextlib.suppress(pypdfium2.PdfiumError):
                texts.append(_page_text(document, number, room))
                room -= len(texts[-1]) + 1
        text = "\n".join(filter(None, texts))[:MOST_TEXT]
        title = ""
        with contextlib.suppress(pypdfium2.PdfiumError, UnicodeError):
            title = sane_title(document.get_metadata_value("Title"))
        return PdfText(title, text, pages, "" if text else "no-text" if pages else "damaged")


def _page_text(document: Any, number: int, room: int) -> str:
    with contextlib.closing(document[number]) as page, contextlib.closing(page.get_textpage()) as text_page:
        text = text_page.get_text_range(0, min(text_page.count_chars(), room))
    return _not_text("", _breaks("\n", _hyphen("", text))).strip()


def sane_title(title: str) -> str:
    """A metadata title, or nothing when a program or a file name stands in its place."""
    title = " ".join(_not_text("", title[:1000]).split())
    if not 4 <= len(title) <= 300 or _file_name(title) or _program(title) or not any(map(str.isalpha, title)):
        return ""
    return title


if __name__ == "__main__":
    import pypdfium2  # noqa: F401  loaded before memory is limited

    serve(lambda data: json.dumps(extracted(data)).encode())
