from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest
from fpdf import FPDF

from pinakes.formats.pdf import PdfReader, PdfText, sane_title


def pdf(text: str = "Focused crawlers seek pages.", title: str = "", password: str = "", pages: int = 1) -> bytes:
    document = FPDF()
    document.set_font("Helvetica", size=12)
    if title:
        document.set_title(title)
    if password:
        document.set_encryption(owner_password="owner", user_password=password)
    for _ in range(pages):
        document.add_page()
        if text:
            document.multi_cell(0, 10, text)
    return bytes(document.output())


@pytest.fixture(scope="module")
def reader() -> Iterator[PdfReader]:
    reader = PdfReader()
    yield reader
    reader.close()


def test_text_and_title(reader: PdfReader) -> None:
    assert reader.read(pdf(title="A study of owls")) == PdfText("A study of owls", "Focused crawlers seek pages.", 1)
    assert reader.read(pdf("one page", pages=3)) == PdfText("", "one page\none page\none page", 3)


def test_what_cannot_be_read_is_named(reader: PdfReader) -> None:
    """Nothing raises, and the reader goes on with the next document."""
    good = pdf()
    assert reader.read(good[:200]).error == "damaged"
    assert reader.read(b"").error == "damaged"
    assert reader.read(b"<html>not a PDF").error == "damaged"
    assert reader.read(pdf(password="secret")).error == "encrypted"
    assert reader.read(pdf("")) == PdfText(pages=1, error="no-text")
    assert reader.read(good).text == "Focused crawlers seek pages."


def test_pages_and_text_are_bounded(reader: PdfReader) -> None:
    long = reader.read(pdf("word " * 10, pages=230))
    assert long.pages == 230
    assert long.text.count("\n") + 1 == 200


def test_a_slow_document_is_given_up() -> None:
    """A child that has not answered in time is killed and replaced."""
    reader = PdfReader(wall_seconds=0.0)
    assert reader.read(pdf()).error == "too-slow"
    reader.confined.wall_seconds = 60
    assert reader.read(pdf()).error == ""
    reader.close()


def test_processor_time_is_limited() -> None:
    """A child that computes too long is ended by the system, and named as slow."""
    reader = PdfReader(cpu_seconds=-1)
    assert reader.read(pdf("word " * 10, pages=200)).error == "too-slow"
    reader.close()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits a process's memory")
def test_memory_is_limited() -> None:
    """A document that needs more memory than allowed costs only its child."""
    reader = PdfReader(memory=1 << 20)
    assert reader.read(pdf() + b" " * (64 << 20)).error == "crashed"
    reader.close()


def test_a_dead_child_is_replaced() -> None:
    reader = PdfReader()
    assert reader.read(pdf()).error == ""
    first = reader.confined.child
    assert first
    first.kill()
    first.wait()
    assert reader.read(pdf()).error == ""
    assert reader.confined.child is not first
    reader.close()
    reader.close()
    assert reader.confined.child is None


def test_no_child_to_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", os.devnull)
    assert PdfReader().read(pdf()).error == "unavailable"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("  A  study\nof owls ", "A study of owls"),
        ("Microsoft Word - owls.doc", ""),
        ("owls_final.dvi", ""),
        ("untitled", ""),
        ("Untitled-1", ""),
        ("1234-56", ""),
        ("x", ""),
        ("x" * 301, ""),
        ("\x00\x01Owls\x02", "Owls"),
    ],
)
def test_sane_titles(title: str, expected: str) -> None:
    """File names and names of programs are no titles."""
    assert sane_title(title) == expected
