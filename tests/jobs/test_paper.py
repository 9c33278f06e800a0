"""Papers from files: every kind, and every way to fail in one sentence."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fpdf import FPDF

import pinakes
from pinakes import demo
from pinakes.core.errors import PinakesError
from pinakes.formats.paper import Paper, Reference
from pinakes.jobs.paper import PaperOptions, merged, read_paper


def pages(count: int, text: str = "") -> bytes:
    pdf = FPDF()
    pdf.set_font("Helvetica", size=12)
    for _ in range(count):
        pdf.add_page()
        if text:
            pdf.cell(0, 10, text)
    return bytes(pdf.output())


def locked() -> bytes:
    pdf = FPDF()
    pdf.set_encryption(owner_password="owner", user_password="secret")
    pdf.add_page()
    return bytes(pdf.output())


def test_the_demo_paper() -> None:
    """Through the function for programs."""
    paper = pinakes.paper("demo:paper.pdf", web="demo")
    assert paper.title == "Maps of Small Webs: From One Paper to the Communities Around It"
    assert paper.authors == ("Oskar Hollins", "Mei Calloway", "Lucia Fenner")
    assert len(paper.references) == 14
    assert paper.references[2] == Reference(
        "Spherical Clusters of Web Pages", ("P. Thornfield",), 2002, paper.references[2].raw
    )


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("empty.pdf", b"", "is empty"),
        ("page.pdf", b"<html><p>not found", "is not a paper Pinakes can read"),
        ("locked.pdf", locked(), "is encrypted"),
        ("scan.pdf", pages(3), "run OCR"),
        ("cut.pdf", demo.path("paper.pdf").read_bytes()[:4000], "is cut short"),
        ("long.pdf", pages(2000, "word"), "has 2,000 pages"),
        ("none.bib", b"% nothing here", "names no works"),
        ("none.ris", b"just words", "names no works (line 1 belongs to no record"),
        ("none.txt", b"\n# a comment\n", "holds no titles"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.count(".") == 1 else "",
)
def test_what_cannot_be_read_ends_in_one_sentence(name: str, data: bytes, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_bytes(data)
    with pytest.raises(PinakesError) as error:
        read_paper(PaperOptions(str(file)))
    assert sentence in str(error.value) and name in str(error.value)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    for name, web, sentence in (
        (str(tmp_path / "no.pdf"), "live", "there is no such file"),
        (str(tmp_path), "live", "it is a folder"),
        ("demo:paper.pdf", "live", "add --web demo"),
        ("demo:other.pdf", "demo", "the demo has no file"),
    ):
        with pytest.raises(PinakesError, match=sentence):
            read_paper(PaperOptions(name, web=web))


def test_bibliographies_and_lists(tmp_path: Path) -> None:
    """They are papers without a title, but with references."""
    (tmp_path / "a.bib").write_text("@article{k, title={Owls at {Night}}, author={Doe, Jane and Li Wei}, year=1999}")
    (tmp_path / "b.ris").write_text("TY  - JOUR\nTI  - Owls by day\nAU  - Doe, Jane\nPY  - 2001\nER  - \n")
    (tmp_path / "c.txt").write_text("Owls at dusk\n\n# later\nOwls at dawn\n")
    read = [read_paper(PaperOptions(str(tmp_path / name))).references for name in ("a.bib", "b.ris", "c.txt")]
    raw = "Jane Doe, Li Wei. Owls at Night. 1999"
    assert read[0] == (Reference("Owls at Night", ("Jane Doe", "Li Wei"), 1999, raw),)
    assert read[1][0].title == "Owls by day" and read[1][0].authors == ("Jane Doe",)
    assert [reference.title for reference in read[2]] == ["Owls at dusk", "Owls at dawn"]


def test_references_of_several_papers_are_merged() -> None:
    """However a title is written, it counts once a paper; what most papers cite comes first."""
    one = Paper(references=(Reference("Alone"), Reference("The Efficient Owl"), Reference("The efficient owl")))
    two = Paper(references=(Reference("The eﬃcient owl", ("A. Doe",), 1999), Reference("")))
    assert merged([one, two]) == [
        (Reference("The eﬃcient owl", ("A. Doe",), 1999), 2),
        (Reference("Alone"), 1),
    ]


@pytest.mark.skipif(not shutil.which("gs"), reason="Ghostscript is not installed")
def test_postscript(tmp_path: Path) -> None:
    """Ghostscript makes a PDF of it, in its safe mode and under limits."""
    file = tmp_path / "paper.ps.gz"
    file.write_bytes(
        gzip.compress(
            b"%!PS-Adobe-3.0\n/Times-Bold findfont 18 scalefont setfont 100 700 moveto (On the Habits of Owls) show\n"
            b"/Times-Roman findfont 12 scalefont setfont 100 660 moveto (Jane Doe) show\n"
            b"100 600 moveto (Abstract) show 100 580 moveto (Owls sleep by day.) show showpage\n"
        )
    )
    paper = read_paper(PaperOptions(str(file)))
    assert (paper.title, paper.authors) == ("On the Habits of Owls", ("Jane Doe",))
    (tmp_path / "bad.ps").write_bytes(b"%!PS-Adobe-3.0\n(/etc/passwd) (r) file")
    with pytest.raises(PinakesError, match="Ghostscript cannot read"):
        read_paper(PaperOptions(str(tmp_path / "bad.ps")))


def test_postscript_without_ghostscript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    (tmp_path / "paper.ps").write_bytes(b"%!PS-Adobe-3.0\nshowpage")
    with pytest.raises(PinakesError, match="needs Ghostscript; install it"):
        read_paper(PaperOptions(str(tmp_path / "paper.ps")))


def test_the_command(tmp_path: Path) -> None:
    """One JSON object, XML that is well-formed whatever the paper says, and a view for people."""
    from xml.etree.ElementTree import fromstring

    def run(*arguments: str) -> str:
        command = [sys.executable, "-m", "pinakes", "paper", "demo:paper.pdf", "--web", "demo", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    said = json.loads(run("--json", "--save", str(tmp_path / "kept")).splitlines()[-1])
    assert set(said) >= {"title", "authors", "affiliations", "abstract", "keywords", "year", "references"}
    assert set(said["references"][0]) == {"title", "authors", "year", "raw"}
    assert json.loads((tmp_path / "kept" / "paper.pdf.json").read_text()) == said
    root = fromstring(run("--xml"))
    assert len(root.findall(".//{*}listBibl/{*}biblStruct")) == 14
    shown = run()
    assert "14 references" in shown and "Oskar Hollins, Mei Calloway, Lucia Fenner" in shown
