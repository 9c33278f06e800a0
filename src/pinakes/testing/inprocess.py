"""A made-up web without a network: real pages through the real reader, real WARC members, trouble by name."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from http import HTTPStatus

from pinakes.core.page import Fetched, Link, Page
from pinakes.formats.document import Reader
from pinakes.formats.url import canonical
from pinakes.formats.warc import exchange
from pinakes.testing.answer import Answer, Answers

FAULTS = {"reset": "connection", "stall": "timeout"}
"""What a client calls the faults of an `Answer`."""
_REASONS = {status.value: status.phrase for status in HTTPStatus}


class InProcessWeb:
    """The `Web` role over anything that answers, such as a `ProceduralWeb`.

    Without `latency` nothing waits and pages come home in the order they were claimed. With it answers take the time
    they say, stalls take `timeout` seconds, and arrival is in any order.
    """

    def __init__(
        self,
        web: Answers,
        *,
        records: bool = True,
        latency: bool = False,
        ordered: bool | None = None,
        timeout: float = 10.0,
        reader: Reader | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.web, self.records, self.latency, self.timeout, self.clock = web, records, latency, timeout, clock
        self.ordered = not latency if ordered is None else ordered
        self.reader = reader or Reader()

    async def fetch(self, link: Link) -> Fetched:
        answer = self.web.answer(link.url)
        if self.latency:
            await asyncio.sleep(self.timeout if answer.fault == "stall" else answer.delay)
        return deliver(link, answer, self.reader, self.clock(), self.records)

    def page(self, url: str) -> Page:
        """One page at once, for example as an example of a topic."""
        return deliver(Link(url), self.web.answer(url), self.reader, self.clock(), records=False).page

    async def close(self) -> None:
        self.reader.close()


def deliver(link: Link, answer: Answer, reader: Reader, now: float, records: bool) -> Fetched:
    """What a client makes of an answer."""
    if answer.fault:
        return Fetched(Page(link, link.url, error=FAULTS[answer.fault], fetched_at=now))
    headers = {name.lower(): value for name, value in answer.headers}
    hop = canonical(headers["location"], link.url) if 300 <= answer.status < 400 and "location" in headers else ""
    if hop:
        page = Page(link, link.url, status=answer.status, fetched_at=now)
    else:
        page = reader.read(link, link.url, answer.status, headers, answer.body, now)
    if not records:
        return Fetched(page, hop=hop)
    host, path = link.url.split("/", 3)[2:]
    asked = f"GET /{path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
    lines = "".join(f"{name}: {value}\r\n" for name, value in answer.headers)
    head = f"HTTP/1.1 {answer.status} {_REASONS.get(answer.status, '')}\r\n{lines}\r\n".encode()
    record, digest = exchange(link.url, asked, head, answer.body, now)
    return Fetched(page, record, digest, head, hop)
