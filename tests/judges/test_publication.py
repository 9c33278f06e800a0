"""Publications and noise (003 §4.2)."""

from __future__ import annotations

import random
from pathlib import Path
from time import thread_time

import pytest

from pinakes.core.page import Brief, Link, Page
from pinakes.formats.document import Reader
from pinakes.judges.publication import PublicationJudge

BODY = "We study how a focused crawler orders the links that it meets on its way to a page [3], as others did [12]. "
PAPER = (
    "Focused Crawling of the Web\nA. Author\nSome University\nAbstract\n" + BODY * 3 + "\n1 Introduction\n"
    + "\n".join([BODY] * 120) + "\n5 Conclusion\n" + BODY + "\nReferences\n[1] B. Other. A paper. In Proceedings."
)  # fmt: skip
SLIDES = "Focused Crawling\nA. Author\n" + "\n".join(["• crawl", "• links", "Why?", "• faster", "Questions?"] * 20)
HOMEWORK = "CS 101: Algorithms\nHomework 3\nInstructor: A. Author\nDue Friday\n1. Prove that sorting takes time.\n"
CV = "A. Author\nCurriculum Vitae\nEducation\n1999 Ph.D.\n" + "Publications\nA. Author. A paper. In Proceedings.\n" * 60
SCHEDULE = "Project schedule\nJanuary: start\nMarch: review\nMay: end\n"


def document(text: str, type: str = "application/pdf") -> Page:
    words = tuple(text.split())
    return Page(Link("http://a.example/x.pdf"), "http://a.example/x.pdf", type=type, text=text, words=words)


@pytest.mark.parametrize(
    ("text", "publication"),
    [(PAPER, True), (SLIDES, False), (HOMEWORK, False), (CV, False), (SCHEDULE, False), ("", False)],
)
def test_papers_from_noise(text: str, publication: bool) -> None:
    """The paper's own kinds of noise: course material, slides, schedules."""
    verdict = PublicationJudge(Brief()).judge(document(text))
    assert verdict.nugget is publication and 0 <= verdict.score <= 1


def test_only_documents_are_looked_at() -> None:
    """A web page is none, unless asked for."""
    page = document(PAPER, "text/html")
    assert PublicationJudge(Brief()).judge(page).score == 0
    assert PublicationJudge(Brief(), html=True).judge(page).nugget


def test_hostile_text_takes_linear_time() -> None:
    """Brackets, digits and blank lines without end."""
    judge = PublicationJudge(Brief())
    for piece in ("[1,", "(", "\n ", "\n1 . ", "research ", "a, 19"):
        start = thread_time()
        judge.judge(document(piece * (400_000 // len(piece))))
        assert thread_time() - start < 2


@pytest.mark.shared
def test_real_papers(shared: Path) -> None:
    """Of a handful of real papers, drawn at random, every one is recognised."""
    papers = sorted((shared / "papers").glob("*.pdf"))
    reader, judge = Reader(), PublicationJudge(Brief())
    try:
        for path in random.Random(1).sample(papers, 6):
            link = Link(f"http://a.example/{path.name}")
            page = reader.read(link, link.url, 200, {"content-type": "application/pdf"}, path.read_bytes(), 0.0)
            assert judge.judge(page).nugget, f"{path.name}: {[sign.name for sign in judge.signs(page)]}"
    finally:
        reader.close()
