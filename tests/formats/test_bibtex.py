from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from pinakes.formats.bibliography import Work, decoded, doi_in, given_first
from pinakes.formats.bibtex import authors, read_bibtex
from pinakes.formats.latex import plain

FILE = r"""
This is a comment, as everything outside entries.
@string{jir = "Journal of Invented Results"}
@STRING( press = {Harbour } # {Press} )
@preamble{ "\newcommand{\noop}[1]{}" }
@comment{ @article{hidden, title={Not seen}} was here }
@article{ferrier98,
  author = {Ferrier, Anna and {\O}stg{\aa}rd, Bj{\"o}rn and {The Shelf Consortium}},
  title  = "{A} Study of {{\'E}}tude's ``Shelves'': {$O(n)$} -- and {more {nested}} braces",
  journal = jir, year = 1998, month = mar # "~1", doi = {https://doi.org/10.1234/ABC.5},
  keywords = {shelves; missing books},
}
@InProceedings(rosa01,
  author = "de la Rosa, Carla and Knuth, Jr, Donald",
  title = {Crossed}, crossref = {vol7},
)
@proceedings{vol7, title = {Proceedings of the Seventh Workshop}, year = 2001, publisher = press}
"""


def test_entries() -> None:
    """Macros, concatenation, nested braces, accents, corporate authors, cross-references."""
    works, problems = read_bibtex(FILE.encode())
    by_key = {work.key: work for work in works}
    assert set(by_key) == {"ferrier98", "rosa01", "vol7", "hidden"}  # as in BibTeX, @comment hides no entry
    assert not problems
    assert by_key["ferrier98"] == Work(
        title="A Study of Étude's “Shelves”: O(n) – and more nested braces",
        authors=("Anna Ferrier", "Björn Østgård", "The Shelf Consortium"),
        year=1998,
        venue="Journal of Invented Results",
        kind="article",
        doi="10.1234/abc.5",
        keywords=("shelves", "missing books"),
        key="ferrier98",
        line=7,
    )
    crossed = by_key["rosa01"]
    assert crossed.venue == "Proceedings of the Seventh Workshop" and crossed.year == 2001
    assert crossed.authors == ("Carla de la Rosa", "Donald Knuth Jr")


def test_malformed_entries_are_reported_by_line_and_the_rest_is_read() -> None:
    text = "@article{a, title={One}}\n@article{b, title={Two, year=1999}\n@article{c, title={Three}}\n@misc{d, x=1}\n"
    works, problems = read_bibtex(text.encode())
    assert [work.title for work in works] == ["One", "Three"]
    assert [problem.line for problem in problems] == [2, 4]
    assert "not closed" in problems[0].what and "no title" in problems[1].what


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (r"G{\"o}del, Escher", "Gödel, Escher"),
        (r"Erd\H{o}s and \v{S}tef\'an", "Erdős and Štefán"),
        (r"Fran{\c c}ois, \c{C}elik, \aa rhus, Stra{\ss}e, {\L}ukasz", "François, Çelik, århus, Straße, Łukasz"),
        (r"na\"{\i}ve \'{\i}", "naïve í"),
        (r"100\% of R\&D in C\# at \$5", "100% of R&D in C# at $5"),
        (r"\emph{Very} \textbf{bold} {\em claims}", "Very bold claims"),
        ("pages 1--2 --- `` quoted ''", "pages 1–2 — “ quoted ”"),
        (r"{\LaTeX} and $\alpha$-{\it stable}", "LaTeX and α-stable"),
        ("plain", "plain"),
    ],
)
def test_latex(written: str, meant: str) -> None:
    assert plain(written) == meant


def test_names() -> None:
    assert authors("Doe, Jane and John {van der} Berg and others") == ["Jane Doe", "John van der Berg"]
    assert authors("{Barnes and Noble} and Li Wei") == ["Barnes and Noble", "Li Wei"]
    assert given_first("Knuth, Jr, Donald") == "Donald Knuth Jr" and given_first("Plato") == "Plato"
    assert doi_in("see doi:10.1000/X(1).") == "10.1000/x(1"


def test_encodings() -> None:
    assert decoded("né en".encode("latin-1")) == "né en" and decoded("\ufeffé".encode()) == "é"
    assert decoded("é".encode("utf-16")) == "é" and decoded("aé".encode()[:-1] + b"") == "a"


@given(some.text(alphabet='@{}()",=#\\%\n abc1', max_size=300))
def test_nothing_raises(text: str) -> None:
    read_bibtex(text.encode())
    read_bibtex(f"@article{{k, title = {{T}}, {text}".encode())


@pytest.mark.shared
def test_recorded_exports(shared: Path) -> None:
    """What publishers and databases export is read, or reported."""
    counts = {}
    for file in sorted((shared / "recordings" / "bibtex").iterdir()):
        works, problems = read_bibtex(file.read_bytes())
        counts[file.name] = len(works), len(problems)
        assert works and all(work.title for work in works)
    assert counts["scopus_bib.bib"] == (11, 0) and counts["dblp_bib.bib"] == (2, 0)
