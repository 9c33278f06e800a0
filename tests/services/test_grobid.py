"""GROBID: its recorded documents, and a constructed server (no recording of its errors was found)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from aiohttp import web

from pinakes.core.errors import PinakesError
from pinakes.formats.paper import Paper, Reference
from pinakes.formats.tei import to_tei
from pinakes.services.errors import ServiceError
from pinakes.services.grobid import ask_grobid, from_tei
from pinakes.services.xml import parse

PAPER = Paper(
    "Owls & <others>", ("Jane Doe", "Plato"), ("Harbour College",), "They fly.", ("owls",), 1999,
    (Reference("Night flights", ("A. Li",), 1998, "A. Li. Night flights. 1998."), Reference(raw="[2] ?")),
)  # fmt: skip


def test_what_we_write_is_what_we_read() -> None:
    """Our XML has things where GROBID has them, and characters XML forbids do no harm."""
    assert from_tei(parse(to_tei(PAPER).encode())) == PAPER
    assert from_tei(parse(to_tei(Paper("a\x00b\ufffe")).encode())).title == "ab"


@pytest.mark.shared
def test_recorded_documents(shared: Path) -> None:
    folder = shared / "recordings" / "grobid"
    small = from_tei(parse((folder / "fulltext_small.tei.xml").read_bytes()))
    assert small.title == "Dummy Example File" and small.authors == ("Brewster Kahle", "J Doe") and small.year == 2000
    assert small.abstract == "Everything you ever wanted to know about nothing"
    assert [(r.title, r.authors, r.year) for r in small.references] == [
        ("Everything is Wonderful", ("A Seaperson",), 2001),
        ("All about Facts", (), 2011),
    ]
    assert any("Technion" in place for place in small.affiliations)
    for name in ("fulltext_0046d83a", "fulltext_0f318087", "fulltext_wagner2022"):
        paper = from_tei(parse((folder / f"{name}.tei.xml").read_bytes()))
        assert paper.title and paper.authors and len(paper.references) > 10
        assert sum(bool(r.title) for r in paper.references) > 0.8 * len(paper.references)
    assert len(from_tei(parse((folder / "references_sample1.tei.xml").read_bytes())).references) > 10


def answers(replies: Sequence[tuple[int, str]], waits: list[float]) -> Paper:
    """What comes of a server that gives these answers in turn."""
    heard: list[dict[str, str]] = []

    async def answer(request: web.Request) -> web.Response:
        assert request.path == "/grobid/api/processFulltextDocument"
        form = await request.post()
        heard.append({name: str(value) for name, value in form.items() if name != "input"})
        assert "xml" in request.headers["Accept"]
        status, body = replies[min(len(heard), len(replies)) - 1]
        return web.Response(status=status, text=body, content_type="application/xml")

    async def run() -> Paper:
        application = web.Application()
        application.router.add_post("/{path:.*}", answer)
        runner = web.AppRunner(application)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = runner.addresses[0][1]

        async def sleep(seconds: float) -> None:
            waits.append(seconds)

        try:
            return await ask_grobid(f"http://127.0.0.1:{port}/grobid/", b"%PDF-", sleep=sleep)
        finally:
            await runner.cleanup()

    paper = asyncio.run(run())
    assert heard[0] == {"consolidateHeader": "0", "consolidateCitations": "0", "includeRawCitations": "1"}
    return paper


def test_a_busy_server_is_asked_again() -> None:
    waits: list[float] = []
    assert answers([(503, ""), (503, ""), (200, to_tei(PAPER))], waits) == PAPER
    assert waits == [5.0, 10.0]


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        ((204, ""), "found nothing to read"),
        ((503, ""), "is busy"),
        ((500, "boom"), "answered 500"),
        ((302, ""), "answered 302"),
        ((200, "<html"), "sent XML that cannot be read"),
        ((200, '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'), "declares entities"),
    ],
)
def test_errors_are_sentences(reply: tuple[int, str], sentence: str) -> None:
    with pytest.raises(ServiceError, match=sentence):
        answers([reply], [])


def test_no_server() -> None:
    with pytest.raises(ServiceError, match="could not be reached"):
        asyncio.run(ask_grobid("http://127.0.0.1:1", b"%PDF-"))
    with pytest.raises(PinakesError, match="is not the address"):
        asyncio.run(ask_grobid("grobid", b"%PDF-"))
