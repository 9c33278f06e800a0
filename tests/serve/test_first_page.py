"""The first page of a library, and what pages are called that have no title."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pinakes
from pinakes.serve import parts


def test_without_collections_the_best_pages_stand_there(tmp_path: Path, serve: Callable[..., Any]) -> None:
    """Best first, each a link to its own page; with collections there are those."""
    seeds = ["http://www.pinakes.example/"]
    done = pinakes.crawl(topic="owls and other birds of prey", web="demo", seeds=seeds, into=tmp_path / "l", pages=40)
    with serve(tmp_path / "l") as found:
        body = found.get("/").body
        section = body[body.index("The best pages") :]
        titles = [page.title for page in done.best]
        assert len(titles) >= 5 and all(title.replace(">", "&gt;") in section for title in titles)
        assert 'href="/pages/' in section


def test_with_collections_they_do_not(served: Any) -> None:
    assert "The best pages" not in served.get("/").body and "Collections" in served.get("/").body


def test_a_document_without_a_title_is_called_by_its_file() -> None:
    assert "price slides.pdf" in str(parts.named(" ", "http://a.example/talks/price%20slides.pdf?x=1"))
    assert "http://a.example/talks/" in str(parts.named("", "http://a.example/talks/"))
    assert "A title" in str(parts.named("A title", "http://a.example/talks/x.pdf"))
    assert "<b>" not in str(parts.named("", "http://a.example/%3Cb%3E.pdf"))
