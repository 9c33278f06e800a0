"""Papers set in several publishers' styles, and real ones where they are at hand."""

from __future__ import annotations

import json
import sys
import unicodedata
from pathlib import Path

import pytest

from pinakes.formats.paper import Paper, PaperReader, parsed
from pinakes.formats.reference_fields import fields

sys.path.insert(0, str(Path(__file__).parent))
from typeset import CITED, STYLES, typeset

TITLE = "Archives That Grow by Themselves: Finding What Readers Miss in Small Libraries"
AUTHORS = ("Amélie Durand", "Jürgen van den Broek", "Seán O'Neill", "Li Wei")


def same(text: str) -> str:
    """Letters and digits only, without case and accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if c.isalnum())


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("style", STYLES)
def test_styles(style: str, columns: int) -> None:
    """Title, authors and every reference are found in each style, in one column and in two."""
    paper = parsed(
        typeset(style, title=TITLE, authors=AUTHORS, columns=columns, head="Proc. of the 9th Shelf Workshop")
    )
    assert paper.title == TITLE
    assert [same(name) for name in paper.authors] == [same(name) for name in AUTHORS]
    assert [same(r.title) for r in paper.references] == [same(work.title) for work in CITED]
    assert [r.year for r in paper.references] == [work.year for work in CITED]
    assert [len(r.authors) for r in paper.references] == [len(work.authors) for work in CITED]
    for reference, work in zip(paper.references, CITED, strict=True):
        assert [same(name.split()[-1]) for name in reference.authors] == [
            same(family.split()[-1]) for _, family in work.authors
        ]
    assert paper.abstract.startswith("We study how small archives grow")
    assert paper.abstract.endswith("hardly matters.")
    assert paper.keywords == ("archives", "shelves", "missing books")


@pytest.mark.parametrize("arrangement", [{"marks": True}, {"grid": True}])
def test_authors_with_raised_marks_or_in_columns(arrangement: dict[str, bool]) -> None:
    """Marks are not parts of names, nor are affiliations and addresses names."""
    authors = AUTHORS[:3] if "grid" in arrangement else AUTHORS
    paper = parsed(typeset("acm", title=TITLE, authors=authors, columns=2, **arrangement))
    assert [same(name) for name in paper.authors] == [same(name) for name in authors]
    assert any("Harbour College" in place for place in paper.affiliations)
    assert not any("@" in place for place in paper.affiliations)


def test_a_banner_is_no_title_and_an_appendix_no_reference() -> None:
    """What stands above the title and behind the references belongs to neither."""
    banner = "Journal of Invented Results, Vol. 12, No. 3, March 2004. ISSN 0000-0000\nhttp://results.example/"
    paper = parsed(typeset("ieee", title=TITLE, authors=AUTHORS, banner=banner, appendix=True))
    assert paper.title == TITLE
    assert len(paper.references) == len(CITED)
    assert "Proof" not in paper.references[-1].raw
    assert paper.year == 2004


@pytest.mark.parametrize("heading", ["Literature Cited", "REFERENCES AND NOTES", "7. Bibliography", ""])
def test_headings_of_the_references(heading: str) -> None:
    """As publishers say it; letters to journals number their references under no heading at all."""
    paper = parsed(typeset("springer", title=TITLE, authors=AUTHORS, columns=2, heading=heading))
    assert [same(r.title) for r in paper.references] == [same(work.title) for work in CITED]


@pytest.mark.parametrize("cover", ["repository", "thesis"])
def test_a_cover(cover: str) -> None:
    """The title behind a repository's cover, or the one on a thesis' own, which does not come again."""
    authors = AUTHORS[:1] if cover == "thesis" else AUTHORS
    paper = parsed(typeset("acm", title=TITLE, authors=authors, cover=cover))
    assert paper.title == TITLE
    assert [same(name) for name in paper.authors] == [same(name) for name in authors]
    assert paper.abstract.startswith("We study how small archives grow")


@pytest.mark.parametrize(
    ("raw", "title", "people"),
    [
        (
            "B. Gupta and Z. Li, Queries over shelves, Nature 57 (2015) 183–192.",
            "Queries over shelves",
            ["B. Gupta", "Z. Li"],
        ),
        (
            "E. Mayr, Trends in lending, 1990–2010, in Proc. of Shelves, 2011, pp. 3–4.",
            "Trends in lending, 1990–2010",
            ["E. Mayr"],
        ),
        ("Iyer, O., & Smith, E. (2014). Topic models (2nd ed.). MIT Press.", "Topic models", ["O. Iyer", "E. Smith"]),
        ("Gupta, Jan, et al. Learning of habits. MIT Press, 1992.", "Learning of habits", ["Jan Gupta"]),
        (
            "Søren A. Brin and Wei Li. Counting, in order. In Proc. X, 1978.",
            "Counting, in order",
            ["Søren A. Brin", "Wei Li"],
        ),
        (
            "Brin, María, Rosa H. Marchand, and Zoltán B. Ng. 1986. A calculus of margins. MIT Press.",
            "A calculus of margins",
            ["María Brin", "Rosa H. Marchand", "Zoltán B. Ng"],
        ),
        (
            "Garg B, Brown I. Do readers know? Library Science. 2018;67(3):8-9. doi:10.1/8",
            "Do readers know?",
            ["B. Garg", "I. Brown"],
        ),
    ],
)
def test_what_a_reference_says(raw: str, title: str, people: list[str]) -> None:
    """Styles in which only the order of things and their punctuation tell the title."""
    found = fields(raw)
    assert found.title == title
    assert list(found.authors) == people


def test_a_hostile_reference_is_read_in_no_time() -> None:
    assert fields("Smith J. " + "Why? A " * 600).title
    assert fields("Smith, John; " * 300)


def test_a_title_may_speak_of_journals() -> None:
    title = "Transactions, Journals and the Volume of Proceedings: A History"
    assert parsed(typeset("apa", title=title, authors=AUTHORS)).title == title


def test_ligatures_and_accents() -> None:
    """Ligatures come apart, accents set over letters are put on them."""
    from pinakes.formats.glyphs import Glyph, _put_accents_on, _text

    assert [_text(code) for code in (0xFB01, 0x0E, 0x02, 0x41, 0x07)] == ["fi", "ffi", "-", "A", ""]
    glyphs = [Glyph("M", 0, 9, 0, 10, 0), Glyph("¨", 10, 14, 0, 10, 0), Glyph("u", 9.5, 14.5, 0, 10, 0)]
    _put_accents_on(glyphs)
    assert [glyph.text for glyph in glyphs] == ["M", "ü"]


def blank(pages: int, draw: bool = False) -> bytes:
    from fpdf import FPDF

    pdf = FPDF()
    for _ in range(pages):
        pdf.add_page()
        if draw:
            pdf.rect(20, 20, 100, 200, style="F")
    return bytes(pdf.output())


def locked() -> bytes:
    from fpdf import FPDF

    pdf = FPDF()
    pdf.set_font("Helvetica", size=12)
    pdf.set_encryption(owner_password="owner", user_password="secret")
    pdf.add_page()
    pdf.cell(0, 10, "Hidden")
    return bytes(pdf.output())


def test_what_cannot_be_read_is_named() -> None:
    """Through the child, which goes on with the next document."""
    reader = PaperReader()
    whole = typeset("acm", title=TITLE, authors=AUTHORS)
    assert reader.read(blank(2, draw=True)).error == "no-text"
    assert reader.read(locked()).error == "encrypted"
    assert reader.read(whole[: len(whole) // 2]).error == "truncated"
    assert reader.read(b"<html>").error == "damaged"
    assert reader.read(b"").error == "damaged"
    assert reader.read(blank(401)) == Paper(pages=401, error="too-long")
    assert reader.read(whole).title == TITLE
    reader.close()


def test_a_slow_or_greedy_document_costs_only_its_child() -> None:
    reader = PaperReader(wall_seconds=0.0)
    assert reader.read(blank(1)).error == "too-slow"
    reader.close()


@pytest.mark.shared
def test_real_papers(shared: Path) -> None:
    """The floors of the parser on real papers of many layouts; `benchmarks/papers.py` lists each miss."""
    folder = shared / "papers"
    truth = json.loads((folder / "truth.json").read_text())
    titles = counts = listed = found = right = wrong = missed = 0
    for told in truth:
        paper = parsed((folder / told["file"]).read_bytes())
        titles += "".join(paper.title.casefold().split()) == "".join(told["title"].casefold().split())
        said, meant = set(map(same, paper.authors)), set(map(same, told["authors"]))
        right, wrong, missed = right + len(said & meant), wrong + len(said - meant), missed + len(meant - said)
        counts += abs(len(paper.references) - told["n_references"]) <= 0.1 * told["n_references"]
        read = {same(reference.title) for reference in paper.references}
        listed += len(told["reference_titles"])
        found += sum(same(title) in read for title in told["reference_titles"])
    assert titles >= 25
    assert 2 * right / (2 * right + wrong + missed) >= 0.97
    assert counts >= 25
    assert found / listed >= 0.97
