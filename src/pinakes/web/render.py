"""Pages that are empty without JavaScript, as a browser shows them.

    web = RenderingWeb(LiveWeb(options), Kitchen(options))

The browser never touches the network. Whatever a page asks for is fetched by our own client under the same guard as
everything else (public addresses only, http and https only, bounded in size and time) and handed to the browser; the
page itself is what was fetched already, under its robots.txt. Everything but GET is refused, as are pictures, media and
fonts. What a page may ask for, how much and for how long is bounded, and a page that outlives its time keeps the shape
it came in.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from pinakes.core.errors import PinakesError
from pinakes.core.page import Fetched, Link
from pinakes.core.roles import Web
from pinakes.formats import http, warc
from pinakes.formats.document import HTML, Reader
from pinakes.formats.warc_reader import Record, read
from pinakes.web.answers import Answer
from pinakes.web.client import Client

FEW_WORDS = 25
FEW_LINKS = 3
"""An HTML page with a script, fewer words than `FEW_WORDS` and no more links than `FEW_LINKS` is empty."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_WANTED = frozenset({"document", "script", "xhr", "fetch", "stylesheet", "other"})
_KEPT = ("content-type", "access-control-allow-origin", "access-control-allow-credentials", "cache-control")
_SETTLE = 0.5
"""Seconds without a request after which a page counts as finished."""


@dataclass(frozen=True, slots=True)
class RenderLimits:
    """What one page may cost."""

    seconds: float = 15.0
    requests: int = 60
    bytes: int = 20 << 20
    """Of all that it asks for, together."""
    pages: int = 4
    """Pages in the browser at once."""


class Kitchen:
    """A browser that is kept from the network, and the client that asks for it."""

    def __init__(self, client: Callable[[], Client], limits: RenderLimits | None = None) -> None:
        """`client` is made when first needed, for it belongs to the running event loop."""
        self._make_client, self.limits = client, limits or RenderLimits()
        self._program = find_browser()
        self._client: Client | None = None
        self._playwright: Any = None
        self._browser: Any = None
        self._starting = asyncio.Lock()
        self._room = asyncio.Semaphore(self.limits.pages)

    async def cook(self, url: str, body: bytes, kind: str) -> bytes | None:
        """The page as it stands once its scripts have run; None when that took too long or went wrong."""
        async with self._room:
            try:
                async with asyncio.timeout(self.limits.seconds + 5):
                    browser = await self._open()
                    return await self._cooked(browser, url, body, kind)
            except Exception:  # whatever becomes of a page in a browser, the crawl goes on without it
                await self._throw_out()
                return None

    async def close(self) -> None:
        await self._throw_out()
        if self._playwright is not None:
            with suppress(Exception):
                await self._playwright.stop()
        if self._client is not None:
            await self._client.close()

    async def _cooked(self, browser: Any, url: str, body: bytes, kind: str) -> bytes | None:
        context = await browser.new_context(service_workers="block", accept_downloads=False)
        meal = _Meal(self._asking(), self.limits, url, body, kind)
        try:
            await context.route("**/*", meal.serve)
            page = await context.new_page()
            page.on("dialog", lambda dialog: asyncio.ensure_future(dialog.dismiss()))
            page.on("popup", lambda other: asyncio.ensure_future(other.close()))
            until = time.monotonic() + self.limits.seconds
            await page.goto(url, wait_until="domcontentloaded", timeout=1000 * self.limits.seconds)
            while time.monotonic() < until and time.monotonic() - meal.last < _SETTLE:
                await asyncio.sleep(0.05)
            text: str = await page.content()
            return text.encode("utf-8", "replace")[: self.limits.bytes]
        finally:
            async with asyncio.timeout(3):
                await context.close()

    def _asking(self) -> Client:
        if self._client is None:
            self._client = self._make_client()
        return self._client

    async def _open(self) -> Any:
        async with self._starting:
            if self._browser is None or not self._browser.is_connected():
                from playwright.async_api import async_playwright

                if self._playwright is None:
                    self._playwright = await async_playwright().start()
                self._browser = await self._playwright.chromium.launch(
                    executable_path=self._program,
                    # A proxy that is not there, also for the loopback: what is not intercepted leads nowhere.
                    proxy={"server": "http://127.0.0.1:9", "bypass": "<-loopback>"},
                    args=[
                        "--host-resolver-rules=MAP * ~NOTFOUND",
                        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
                        "--js-flags=--max-old-space-size=256",
                        "--disable-dev-shm-usage",
                        *(["--no-sandbox"] if os.geteuid() == 0 else []),
                    ],
                )
            return self._browser

    async def _throw_out(self) -> None:
        """A browser that does not answer is replaced by the next that is needed."""
        browser, self._browser = self._browser, None
        if browser is not None:
            with suppress(Exception):
                async with asyncio.timeout(5):
                    await browser.close()


class _Meal:
    """What one page asks for."""

    def __init__(self, client: Client, limits: RenderLimits, url: str, body: bytes, kind: str) -> None:
        self._client, self._limits, self._url, self._body, self._kind = client, limits, url, body, kind
        self._left, self._bytes, self._shown = limits.requests, limits.bytes, False
        self.last = time.monotonic()

    async def serve(self, route: Any) -> None:
        request = route.request
        self.last = time.monotonic()
        with suppress(Exception):  # the page may have gone meanwhile
            if request.url == self._url and request.is_navigation_request() and not self._shown:
                self._shown = True
                await route.fulfill(status=200, headers={"content-type": self._kind}, body=self._body)
                return
            answer = await self._asked(request)
            self.last = time.monotonic()
            if answer is None:
                await route.abort()
                return
            headers = {name: answer.headers[name] for name in _KEPT if name in answer.headers}
            message = http.parse(answer.head + answer.body)
            body = http.content(message)[: max(0, self._bytes)]
            self._bytes -= len(body)
            await route.fulfill(status=answer.status, headers=headers, body=body)

    async def _asked(self, request: Any) -> Answer | None:
        """The answer to a request the page makes; None when it may not make it. A redirect is not followed."""
        if request.method != "GET" or request.resource_type not in _WANTED or self._left <= 0 or self._bytes <= 0:
            return None
        self._left -= 1
        answer = await self._client.get(request.url.partition("#")[0], self._bytes)
        return answer if isinstance(answer, Answer) and not 300 <= answer.status < 400 else None


class RenderingWeb:
    """A live web whose empty pages are looked at in a browser. What is kept is the page as fetched and, after it, as
    rendered: the latter is read again when the library is."""

    ordered = False

    def __init__(self, web: Web, kitchen: Kitchen) -> None:
        self._web, self._kitchen, self._reader = web, kitchen, Reader()

    async def fetch(self, link: Link) -> Fetched:
        fetched = await self._web.fetch(link)
        found = empty(fetched)
        if found is None:
            return fetched
        body = await self._kitchen.cook(fetched.page.url, *found)
        return fetched if body is None else self._served(fetched, body)

    async def close(self) -> None:
        await self._kitchen.close()
        await self._web.close()
        self._reader.close()

    def _served(self, fetched: Fetched, body: bytes) -> Fetched:
        old = fetched.page
        headers = {"content-type": "text/html; charset=utf-8", "x-pinakes-rendered": "chromium"}
        page = self._reader.read(old.link, old.url, old.status, headers, body, old.fetched_at)
        if len(page.words) <= len(old.words) and len(page.links) <= len(old.links):
            return fetched
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        head = f"HTTP/1.1 {old.status} OK\r\n{lines}Content-Length: {len(body)}\r\n\r\n".encode()
        response = warc.response(old.url, head, body, old.fetched_at)
        page = replace(page, etag=old.etag, modified=old.modified, robots=page.robots | old.robots)
        return replace(fetched, page=page, record=(*fetched.record, response), digest=warc.sha1(body), head=head)


def empty(fetched: Fetched) -> tuple[bytes, str] | None:
    """The body and type of a page that has a script and says next to nothing without it; None for all others."""
    page = fetched.page
    if page.error or page.type != HTML or len(page.terms) >= FEW_WORDS or len(page.links) > FEW_LINKS:
        return None
    if sum(1 for word in page.words if word) >= FEW_WORDS:
        return None
    for member in reversed(fetched.record):
        if member.kind == "response" and member.url == page.url:
            record = read(member.data)
            if not isinstance(record, Record):
                return None
            message = http.parse(record.block)
            body = http.content(message)
            return (body, message.headers.get("content-type", HTML)) if b"<script" in body.lower() else None
    return None


def find_browser() -> str:
    """The program to render with, and the package that drives it."""
    try:
        import playwright  # noqa: F401
    except ModuleNotFoundError:
        raise PinakesError("--render needs the package playwright; pip install 'pinakes[render]'.") from None
    program = next((found for name in BROWSERS if (found := shutil.which(name))), "")
    if not program:
        raise PinakesError("--render needs Chromium; install it, for example with: apt install chromium.")
    return program
