"""Pages that are empty without JavaScript, in a real browser that is kept from the network."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from pinakes.core.page import Fetched, Link
from pinakes.formats import http
from pinakes.formats.warc_reader import Record, read
from pinakes.testing.live import HURRIED, IMPATIENT
from pinakes.testing.wire import Asked, Wired, Write, page, wire
from pinakes.web.http import LiveOptions, LiveWeb, make_client
from pinakes.web.render import Kitchen, RenderingWeb, RenderLimits

APP = b"""<!doctype html><title>App</title><div id=root></div><script src="/app.js"></script>"""
WORDS = "The barn owl hunts at night over open fields and listens for voles in the grass. " * 3
CODE = f"""
fetch('/data.json').then(answer => answer.json()).then(found => {{
  document.title = found.title;
  document.getElementById('root').innerHTML =
    '<p>{WORDS}</p>' + found.links.map(link => `<a href="${{link}}">${{link}}</a>`).join(' ');
}});
"""
DATA = b'{"title": "Owls", "links": ["/one", "/two", "http://b.example/"]}'

pytestmark = pytest.mark.usefixtures("chromium")


def cooked(
    files: dict[str, bytes],
    use: Callable[[RenderingWeb, Wired], Awaitable[object]],
    limits: RenderLimits | None = None,
    **options: object,
) -> object:
    """Run `use` with a web whose hosts are one server of these files; scripts and data have their types."""

    async def say(asked: Asked, write: Write) -> bool:
        body = files.get(asked.target)
        kind = "text/javascript" if ".js" in asked.target else "text/html"
        await write(page(b"", status="404 No") if body is None else page(body, kind=kind))
        return True

    async def run() -> object:
        async with wire(say, robots=b"") as wired:
            usual = LiveOptions("someone@example.org", pace=HURRIED, timeouts=IMPATIENT, resolve=(wired.route,))
            given = replace(usual, **options)  # type: ignore[arg-type]
            web = RenderingWeb(LiveWeb(given), Kitchen(lambda: make_client(given), limits))
            try:
                return await use(web, wired)
            finally:
                await web.close()

    return asyncio.run(run())


def test_what_a_script_writes_is_read_and_kept() -> None:
    """Title, words and links as a reader sees them; the archive holds the page as fetched and as rendered."""

    async def use(web: RenderingWeb, wired: Wired) -> tuple[Fetched, list[str]]:
        return await web.fetch(Link("http://a.example/")), [asked.target for asked in wired.asked]

    found, asked = cooked({"/": APP, "/app.js": CODE.encode(), "/data.json": DATA}, use)  # type: ignore[misc]
    assert found.page.title == "Owls" and "barn owl hunts" in found.page.text
    assert [link.url for link in found.page.links] == [f"http://a.example/{n}" for n in ("one", "two")] + [
        "http://b.example/"
    ]
    assert sorted(asked) == ["/", "/app.js", "/data.json", "/robots.txt"], "the page itself is asked for once"
    responses = [member for member in found.record if member.kind == "response" and member.url == "http://a.example/"]
    first, last = (read(member.data) for member in responses)
    assert isinstance(first, Record) and isinstance(last, Record)
    assert http.parse(first.block).body == APP
    assert b"barn owl hunts" in http.parse(last.block).body
    assert last.headers["warc-payload-digest"] == found.digest


def test_pages_that_say_something_are_left_alone() -> None:
    """Words enough, or no script: no browser is started."""

    async def use(web: RenderingWeb, wired: Wired) -> list[str]:
        return [(await web.fetch(Link(f"http://a.example/{name}"))).page.title for name in ("full", "plain")]

    full = b"<title>Full</title><script src=/app.js></script><p>" + WORDS.encode()
    assert cooked({"/full": full, "/plain": b"<title>Plain</title>"}, use) == ["Full", "Plain"]


ATTACK = """
const seen = [];
const to = (name, url) => fetch(url).then(() => seen.push(name)).catch(() => seen.push('no ' + name));
const socket = new WebSocket('ws://127.0.0.1:PORT/socket');
const frame = document.createElement('iframe');
frame.src = 'http://127.0.0.1:PORT/frame';
document.body.append(frame);
window.open('http://127.0.0.1:PORT/popup');
navigator.sendBeacon('http://127.0.0.1:PORT/beacon', 'x');
Promise.all([
  to('loopback', 'http://127.0.0.1:PORT/private'),
  to('metadata', 'http://169.254.169.254/latest/'),
  to('decimal', 'http://2130706433:PORT/decimal'),
  to('file', 'file:///etc/passwd'),
  fetch('/post', {method: 'POST', body: 'x'}).catch(() => seen.push('no post')),
]).then(() => { document.getElementById('root').innerHTML = '<p>' + seen.sort().join(', ') + '. WORDS</p>'; });
"""


def test_a_page_reaches_nothing_it_should_not() -> None:
    """Private addresses by any way and spelling, files, sockets, frames, popups, beacons and posts: nothing arrives."""

    async def use(web: RenderingWeb, wired: Wired) -> tuple[Fetched, list[str]]:
        files["/app.js"] = ATTACK.replace("PORT", str(wired.port)).replace("WORDS", WORDS).encode()
        return await web.fetch(Link("http://a.example/")), [asked.target for asked in wired.asked]

    files = {"/": APP}
    found, asked = cooked(files, use)  # type: ignore[misc]
    assert "no decimal, no file, no loopback, no metadata, no post." in found.page.text
    assert sorted(asked) == ["/", "/app.js", "/robots.txt"]


@pytest.mark.parametrize("script", ["for (;;) {}", "setInterval(() => fetch('/more?' + Math.random()), 1)"])
def test_a_script_without_an_end_costs_its_time_only(script: str) -> None:
    """It comes home as it came, what it asks for is bounded, and the next page is rendered all the same."""

    async def use(web: RenderingWeb, wired: Wired) -> tuple[str, int, str]:
        files["/app.js"] = script.encode()
        first = await web.fetch(Link("http://a.example/"))
        asked = len(wired.asked)
        files["/app.js"] = CODE.encode()
        return first.page.title, asked, (await web.fetch(Link("http://b.example/"))).page.title

    files = {"/": APP, "/data.json": DATA}
    title, asked, next_title = cooked(files, use, RenderLimits(seconds=2.0, requests=10))  # type: ignore[misc]
    assert (title, next_title) == ("App", "Owls")
    assert asked <= 12
