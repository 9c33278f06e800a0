"""What a paper says: read from a PDF, a PostScript file, a bibliography or a list of titles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from pinakes import demo
from pinakes.core.errors import PinakesError, unread
from pinakes.formats import postscript
from pinakes.formats.bibliography import Bibliography, decoded
from pinakes.formats.bibtex import read_bibtex
from pinakes.formats.paper import MOST_PAGES, Paper, PaperReader, Reference
from pinakes.formats.postscript import PostscriptError
from pinakes.formats.ris import read_ris
from pinakes.formats.tei import to_tei
from pinakes.jobs.running import run
from pinakes.services.grobid import ask_grobid
from pinakes.text.titles import title_words

LARGEST = 256 << 20
_MOST_TITLES = 10_000
_BIBLIOGRAPHIES = {".bib": read_bibtex, ".bibtex": read_bibtex, ".ris": read_ris}
_WRONG = {
    "encrypted": "is encrypted and asks for a password; save a copy without one.",
    "damaged": "is not a PDF that can be read: it is damaged, or something else; get it again.",
    "truncated": "is cut short; get the whole file again.",
    "no-pages": "has no pages.",
    "no-text": "holds pictures of pages and no text; run OCR over it first, as with ocrmypdf.",
    "garbled": "has text whose fonts do not say which letters they draw; run OCR over it first, as with ocrmypdf.",
    "too-slow": "takes too long to read; try a simpler copy.",
    "crashed": "makes the PDF reader fail, or needs too much memory; try a copy saved by another program.",
    "unavailable": "cannot be read, for no process could be started; close some programs and try again.",
}


@dataclass(frozen=True, slots=True)
class PaperOptions:
    """What `pinakes paper` is told."""

    file: str
    grobid: str = ""
    """The address of a GROBID server to ask instead of our own parser."""
    web: str = "live"
    """With `demo`, files named `demo:…` are those that ship with Pinakes."""


def read_paper(options: PaperOptions) -> Paper:
    """The paper of a file. A bibliography or a list of titles is a paper without a title, but with references."""
    path = paper_path(options.file, options.web)
    data = _bytes(path)
    if not data:
        raise PinakesError(f"{path} is empty.")
    kind = path.suffix.lower()
    if kind in _BIBLIOGRAPHIES:
        return _from_bibliography(path, _BIBLIOGRAPHIES[kind](data))
    if kind in (".txt", ".text", ".list"):
        return _from_titles(path, data)
    data = postscript.unpacked(data)
    if postscript.is_postscript(data):
        data = _converted(path, data)
    if b"%PDF-" not in data[:1024]:
        raise PinakesError(
            f"{path} is not a paper Pinakes can read; give a PDF or PostScript file, a bibliography (.bib, .ris) "
            "or a list of titles (.txt)."
        )
    if options.grobid:
        return run(ask_grobid(options.grobid, data))
    return checked(path, _parsed(data))


def paper_path(name: str, web: str) -> Path:
    """The file behind a name; `demo:paper.pdf` is the demo's."""
    if name.startswith("demo:"):
        if web != "demo":
            raise PinakesError(f"{name} is a file of the demo; add --web demo.")
        try:
            return demo.path(name.removeprefix("demo:"))
        except FileNotFoundError as error:
            raise PinakesError(f"{name}: {error}.") from None
    return Path(name).expanduser()


def checked(path: Path, paper: Paper) -> Paper:
    """The paper, or one sentence on why it cannot be read."""
    if paper.error == "too-long":
        raise PinakesError(
            f"{path} has {paper.pages:,} pages and Pinakes reads papers of up to {MOST_PAGES}; "
            "give the pages of one paper."
        )
    if paper.error:
        raise PinakesError(f"{path} {_WRONG.get(paper.error, 'cannot be read.')}")
    return paper


def plain(paper: Paper) -> dict[str, object]:
    """What is printed and kept as JSON."""
    said = msgspec.to_builtins(paper)
    del said["error"]
    return dict(said)


def kept(paper: Paper) -> dict[str, bytes]:
    """The files a paper is kept as, by their endings."""
    told = msgspec.json.format(msgspec.json.encode(plain(paper)), indent=1) + b"\n"
    return {".json": told, ".tei.xml": to_tei(paper).encode()}


def merged(papers: Sequence[Paper]) -> list[tuple[Reference, int]]:
    """References of several papers, each once with the number of papers that cite it; the most cited first."""
    counts: Counter[str] = Counter()
    best: dict[str, Reference] = {}
    for paper in papers:
        for key, reference in {"".join(title_words(r.title)): r for r in paper.references}.items():
            if not key:
                continue
            counts[key] += 1
            known = best.get(key)
            if known is None:
                best[key] = reference
            elif len(reference.authors) > len(known.authors) or (reference.year and not known.year):
                best[key] = replace(reference, year=reference.year or known.year)
    return [(best[key], count) for key, count in sorted(counts.items(), key=lambda item: -item[1])]


def _bytes(path: Path) -> bytes:
    try:
        if path.stat().st_size > LARGEST:
            raise PinakesError(f"{path} is larger than {LARGEST >> 20} MB; a paper is not.")
        return path.read_bytes()
    except OSError as error:
        raise unread(str(path), error) from None


def _parsed(data: bytes) -> Paper:
    reader = PaperReader()
    try:
        return reader.read(data)
    finally:
        reader.close()


def _converted(path: Path, data: bytes) -> bytes:
    try:
        return postscript.to_pdf(data)
    except PostscriptError as error:
        why = {
            "no-ghostscript": "is PostScript, which needs Ghostscript; install it, or give a PDF.",
            "too-slow": "takes Ghostscript too long; give a PDF.",
        }
        sentence = why.get(str(error), "is PostScript that Ghostscript cannot read; give a PDF.")
        raise PinakesError(f"{path} {sentence}") from None


def _from_bibliography(path: Path, bibliography: Bibliography) -> Paper:
    if not bibliography.works:
        problem = f" ({bibliography.problems[0].what})" if bibliography.problems else ""
        raise PinakesError(f"{path} names no works{problem}.")
    references = [
        Reference(work.title, work.authors, work.year, _listed(work.title, work.authors, work.year, work.venue))
        for work in bibliography.works
    ]
    return Paper(references=tuple(references))


def _listed(title: str, authors: Sequence[str], year: int | None, venue: str) -> str:
    return ". ".join(filter(None, [", ".join(authors), title, ", ".join(filter(None, [venue, str(year or "")]))]))


def _from_titles(path: Path, data: bytes) -> Paper:
    titles = [" ".join(line.split()) for line in decoded(data).split("\n")]
    titles = [title[:500] for title in titles if title and not title.startswith("#")][:_MOST_TITLES]
    if not titles or not any(any(map(str.isalpha, title)) for title in titles):
        raise PinakesError(f"{path} holds no titles; write one a line.")
    return Paper(references=tuple(Reference(title=title, raw=title) for title in titles))
