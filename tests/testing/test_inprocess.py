"""The in-process web: real pages, real WARC members, trouble by name."""

from __future__ import annotations

import asyncio
import io
import re
import time

import numpy as np
import pytest
from warcio.archiveiterator import ArchiveIterator

from pinakes.core.page import Fetched, Link, Page
from pinakes.testing.answer import Answer, of_html
from pinakes.testing.inprocess import InProcessWeb
from pinakes.testing.procedural import ProceduralWeb

ROUGH = ProceduralWeb(
    pages=20_000,
    hosts=200,
    topics=10,
    not_found=0.05,
    server_errors=0.05,
    resets=0.05,
    stalls=0.05,
    redirects=0.1,
    mirrors=0.1,
)


def fetch(web: InProcessWeb, url: str) -> Fetched:
    return asyncio.run(web.fetch(Link(url, anchor="how it was met")))


@pytest.fixture(scope="module")
def ordinary() -> list[Page]:
    web = InProcessWeb(ROUGH, records=False)
    numbers = (n for n in range(0, ROUGH.pages, 7) if ROUGH.plain(n))
    return [web.page(ROUGH.url(n)) for n, _ in zip(numbers, range(400), strict=False)]


def test_a_page_is_read_by_the_real_reader() -> None:
    url = ROUGH.seeds(1)[0]
    fetched = fetch(InProcessWeb(ROUGH, clock=lambda: 1234.5), url)
    page = fetched.page
    assert (page.url, page.status, page.error, page.type, page.language) == (url, 200, "", "text/html", "en")
    assert page.link.anchor == "how it was met"
    assert page.fetched_at == 1234.5
    assert page.title
    assert 150 < len(page.words) < 900
    html = ROUGH.html(url).decode()
    assert page.links
    assert {link.url for link in page.links} == set(re.findall(r'href="([^"]+)"', html)) - {url}
    for link in page.links:
        assert ROUGH.number(link.url) is not None
        assert f'<a href="{link.url}">{link.anchor}</a>' in html
        assert link.parent == url
    assert any(link.before for link in page.links)


def test_the_words_round_a_link_and_its_target_agree(ordinary: list[Page]) -> None:
    """Anchors of links into the core are mostly words of that core's topic."""
    told = total = 0
    for page in ordinary:
        for link in page.links:
            if ROUGH.ring_of(link.url) == 0:
                terms = ROUGH.vocabulary.pool(ROUGH.topic_of(link.url) or 0).terms
                told += link.anchor.split()[0] in terms
                total += 1
    assert total > 1000
    assert told / total > 0.75


def test_ordinary_pages_are_no_near_duplicates(ordinary: list[Page]) -> None:
    """No two pages' fingerprints are within 3 bits."""
    prints = np.array([page.fingerprint for page in ordinary], dtype=np.uint64)
    assert prints.all()
    distances = np.bitwise_count(prints[:, None] ^ prints[None, :])
    np.fill_diagonal(distances, 64)
    assert distances.min() > 3


def test_a_mirror_has_its_originals_digest_and_fingerprint() -> None:
    web = InProcessWeb(ROUGH)
    mirror = next(n for n in range(ROUGH.pages) if ROUGH.original(n) != n)
    one, other = fetch(web, ROUGH.url(mirror)), fetch(web, ROUGH.url(ROUGH.original(mirror)))
    assert one.digest == other.digest != ""
    assert one.page.fingerprint == other.page.fingerprint
    assert one.page.url != other.page.url


def test_records_are_warc_members_of_the_exchange() -> None:
    url = ROUGH.seeds(1)[0]
    fetched = fetch(InProcessWeb(ROUGH), url)
    assert [member.kind for member in fetched.record] == ["request", "response"]
    data = b"".join(member.data for member in fetched.record)
    records = {
        record.rec_type: (record.rec_headers, record.content_stream().read())
        for record in ArchiveIterator(io.BytesIO(data), check_digests="raise")
    }
    headers, body = records["response"]
    assert headers.get_header("WARC-Target-URI") == url
    assert headers.get_header("WARC-Payload-Digest") == fetched.digest
    assert body == ROUGH.html(url)
    assert fetched.head.startswith(b"HTTP/1.1 200 OK\r\n")
    bare = fetch(InProcessWeb(ROUGH, records=False), url)
    assert (bare.record, bare.digest, bare.head) == ((), "", b"")
    assert bare.page.terms == fetched.page.terms


@pytest.mark.parametrize(
    ("fault", "status", "outcome"),
    [("reset", 0, "connection"), ("stall", 0, "timeout"), ("", 404, "not-found"), ("", 500, "server-error")],
)
def test_trouble_is_named(fault: str, status: int, outcome: str) -> None:
    """A failed page has its outcome's name, no words and no links."""
    url = next(
        url
        for n in range(ROUGH.pages)
        if (answer := ROUGH.answer(url := ROUGH.url(n))).fault == fault and answer.status == status
    )
    fetched = fetch(InProcessWeb(ROUGH), url)
    page = fetched.page
    assert (page.error, page.status, page.url) == (outcome, status, url)
    assert not page.links
    assert not page.terms
    assert bool(fetched.record) == bool(status)


def test_a_redirect_comes_back_as_a_hop() -> None:
    url = next(url for n in range(ROUGH.pages) if ROUGH.answer(url := ROUGH.url(n)).status == 301)
    fetched = fetch(InProcessWeb(ROUGH), url)
    assert fetched.hop == dict(ROUGH.answer(url).headers)["Location"]
    assert fetched.page.status == 301
    assert [member.kind for member in fetched.record] == ["request", "response"]


def test_without_latency_it_is_ordered_and_does_not_wait() -> None:
    slow = ProceduralWeb(pages=10_000, topics=10, latency=60.0)
    web = InProcessWeb(slow)
    assert web.ordered
    assert fetch(web, slow.url(5)).page.status == 200
    asyncio.run(web.close())


def test_with_latency_answers_arrive_in_their_own_time() -> None:
    class Two:
        def answer(self, url: str) -> Answer:
            return of_html(b"<p>x", delay=0.1 if "slow" in url else 0.0)

    async def both() -> list[str]:
        arrived = []

        async def one(url: str) -> None:
            arrived.append((await web.fetch(Link(url))).page.url)

        await asyncio.gather(one("http://slow.example/"), one("http://quick.example/"))
        return arrived

    web = InProcessWeb(Two(), latency=True)
    assert not web.ordered
    assert asyncio.run(both()) == ["http://quick.example/", "http://slow.example/"]


def test_with_latency_a_stall_takes_the_timeout() -> None:
    url = next(url for n in range(ROUGH.pages) if ROUGH.answer(url := ROUGH.url(n)).fault == "stall")
    start = time.monotonic()
    assert fetch(InProcessWeb(ROUGH, latency=True, timeout=0.1), url).page.error == "timeout"
    assert time.monotonic() - start >= 0.1
