"""What a made-up web says to one request, or does instead of saying anything."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Answer(NamedTuple):
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    fault: str = ""
    """`reset` when the connection breaks and `stall` when nothing ever comes; then there is no response."""
    delay: float = 0.0
    """Seconds until the answer starts."""


class Answers(Protocol):
    """A made-up web: an answer for every address, without state and without raising."""

    def answer(self, url: str) -> Answer: ...


def of_html(body: bytes, status: int = 200, delay: float = 0.0) -> Answer:
    headers = (("Content-Type", "text/html; charset=utf-8"), ("Content-Length", str(len(body))))
    return Answer(status, headers, body, delay=delay)


def of_redirect(target: str, delay: float = 0.0) -> Answer:
    return Answer(301, (("Location", target), ("Content-Length", "0")), delay=delay)


def of_error(status: int, delay: float = 0.0) -> Answer:
    return of_html(b"<!DOCTYPE html><title>%d</title><h1>%d</h1>" % (status, status), status, delay)
