"""A small recorded web with something of everything."""

from __future__ import annotations

from pathlib import Path

import pytest

from pinakes.core.page import Member
from pinakes.formats import warc
from pinakes.testing.recording import AT, a, html, recorded, write


@pytest.fixture(scope="session")
def toy_members() -> list[Member]:
    a_page = html("Birds", "<p>The blue heron wades.</p>", a("/b"), a("/old"), a("/b#again"), a("/gone"), a("/a"))
    robots = "User-agent: *\nDisallow: /private\n"
    original = warc.response("http://w.example/copy", b"HTTP/1.1 200 OK\r\n\r\n", b"<p>copied words", AT)
    again = warc.revisit(
        "http://w.example/again",
        b"HTTP/1.1 304 Not Modified\r\n\r\n",
        warc.sha1(b"<p>copied words"),
        AT + 60,
        refers_to_url="http://w.example/copy",
        refers_to_at=AT,
    )
    return [
        warc.warcinfo("toy.warc.gz", at=AT),
        recorded("http://w.example/a", a_page, ETag='"1"'),
        recorded(
            "http://w.example/b", html("Herons and egrets", "A heron, a blue one; the bird.", a("http://out.example/"))
        ),
        recorded("http://w.example/old", status=301, Location="/older?x=1"),
        recorded("http://w.example/older?x=1", status=302, Location="http://w.example/b"),
        recorded("http://w.example/loop", status=301, Location="/loop"),
        recorded("http://w.example/lost", status=301),
        recorded("http://w.example/gone", "nothing", status=410),
        recorded("http://w.example/secret", "no", status=403),
        recorded("http://w.example/teapot", "no", status=418),
        recorded("http://w.example/broken", "no", status=503),
        recorded("http://w.example/changed", html("Earlier"), at=AT - 100),
        recorded("http://w.example/changed", html("Later"), at=AT + 100),
        recorded("http://w.example/changed", "gone by now", status=404, at=AT + 200),
        recorded("http://w.example/robots.txt", robots, type="text/plain"),
        recorded("http://w.example/private/x", html("Private", a("/b"))),
        recorded("http://W.Example:80/%7euser/", html("User")),
        original,
        again,
    ]


@pytest.fixture(scope="session")
def toy_warc(tmp_path_factory: pytest.TempPathFactory, toy_members: list[Member]) -> Path:
    return write(tmp_path_factory.mktemp("toy") / "toy.warc.gz", toy_members)
