"""Challenges are recognised, said and left alone."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from pinakes.core.page import Fetched, Link
from pinakes.testing.live import on_wire
from pinakes.testing.wire import Asked, Say, Wired, Write, page
from pinakes.web.challenge import challenge_of
from pinakes.web.http import LiveWeb

HTML = page(b"<title>A page</title><a href='/b'>b</a>")
HOST, URL = "a.example", "http://a.example/"
asking = partial(on_wire, robots=None)


def answering(robots: bytes, rest: bytes = HTML) -> Say:
    async def say(asked: Asked, write: Write) -> bool:
        await write(robots if asked.target == "/robots.txt" else rest)
        return True

    return say


CLOUDFLARE = (
    b"<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>"
    b"<script src='/cdn-cgi/challenge-platform/h/b/x.js'></script></body></html>"
)
ANUBIS = (
    b"<!doctype html><html><head><title>Checking</title>"
    b'<script id="anubis_version" type="application/json">"1.2"</script></head></html>'
)
ARTICLE = (
    b"<title>Making sure you're not a bot: how Anubis works</title>"
    b'<p>The page shows &lt;script id="anubis_version"&gt; and Cloudflare says Just a moment...</p>'
)


class TestChallenges:
    @pytest.mark.parametrize(
        ("status", "headers", "body", "whose"),
        [
            ("200 OK", (), ANUBIS, "Anubis"),
            ("403 Forbidden", (), CLOUDFLARE, "Cloudflare"),
            ("503 Wait", ("cf-mitigated: challenge",), b"anything", "Cloudflare"),
            ("202 Accepted", ("x-amzn-waf-action: challenge",), b"", "AWS WAF"),
            ("429 Slow", ("x-vercel-mitigated: challenge",), b"", "Vercel"),
        ],
    )
    def test_a_host_that_wants_proof_of_being_human_is_left_alone(
        self, status: str, headers: tuple[str, ...], body: bytes, whose: str
    ) -> None:
        """Whatever the status: named, said, parked, and not asked again."""
        said: list[str] = []

        async def use(web: LiveWeb, wired: Wired) -> tuple[Fetched, Fetched, int]:
            first, second = await web.fetch(Link(URL)), await web.fetch(Link(URL + "b"))
            return first, second, len(wired.asked)

        say = answering(page(b"", status="404 No"), page(body, *headers, status=status))
        first, second, asked = asking(say, use, given={"tell": said.append})
        assert (first.page.error, first.page.links, first.retry_at, first.host_delay) == ("challenge", (), 0.0, 86_400)
        assert (second.page.error, asked) == ("challenge", 2)
        assert len(said) == 1 and HOST in said[0] and whose in said[0]

    def test_the_recorded_one_is_recognised(self, shared: Path) -> None:
        """dblp's, which came with status 500 and 200."""
        record = json.loads((shared / "recordings/dblp/bot_challenge_excerpt.json").read_text())
        answer = record["interactions"][0]["response"]
        headers = {name.lower(): value for name, value in answer["headers"].items()}
        assert challenge_of(headers, answer["body"].encode()) == "Anubis"

    @pytest.mark.parametrize("body", [ARTICLE, b"<title>Just a moment...</title><p>A poem</p>", b"", b"\0" * 99])
    def test_a_page_that_talks_about_one_is_a_page(self, body: bytes) -> None:
        """A title alone, or a quotation, proves nothing; nor does what is not HTML."""
        assert challenge_of({"content-type": "text/html"}, body) == ""
        assert challenge_of({"content-type": "text/plain"}, ANUBIS) == ""
        assert challenge_of({"content-type": "text/html"}, ANUBIS, words=5000) == ""
