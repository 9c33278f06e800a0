"""Example pages: addresses or files that show what is wanted."""

from __future__ import annotations

import mimetypes
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pinakes.core.errors import PinakesError, unread
from pinakes.core.page import Brief, Link, Page
from pinakes.core.roles import Web
from pinakes.formats.document import Reader
from pinakes.formats.url import canonical

HOPS = 10


async def fetch_examples(brief: Brief, given: Mapping[str, Sequence[str]], web: Web) -> Brief:
    """The brief with the example pages of each topic; an example that cannot be read stops the job."""
    examples = {topic: tuple([await fetch_example(name, web) for name in names]) for topic, names in given.items()}
    return replace(brief, examples={**brief.examples, **examples})


def check_example(name: str, what: str = "example") -> None:
    """Complain of what is neither an address nor a file, before any web is opened for it."""
    if not canonical(name) and not Path(name).is_file():
        raise PinakesError(
            f"The {what} {name} is neither a web address nor a file; check its name, or write an"
            " address like http://example.org/page."
        )


async def fetch_example(name: str, web: Web, what: str = "example") -> Page:
    """The page of an address or a file; `what` it is to the job, for the sentence that says it cannot be read."""
    check_example(name, what)
    url = canonical(name)
    if not url:
        return _from_file(Path(name), what)
    link, seen = Link(url), {url}
    for _ in range(HOPS):
        fetched = await web.fetch(link)
        if not fetched.hop or fetched.hop in seen:
            break
        seen.add(fetched.hop)
        link = link._replace(url=fetched.hop)
    if fetched.hop or not fetched.page.readable:
        raise PinakesError(f"The {what} {name} cannot be read ({fetched.page.outcome}); leave it out or name another.")
    return _readable(fetched.page, name, what)


def _readable(page: Page, name: str, what: str) -> Page:
    if not page.terms:
        raise PinakesError(f"The {what} {name} has no words that can be read; leave it out or name another.")
    return page


def _from_file(path: Path, what: str) -> Page:
    reader = Reader()
    try:
        kind = mimetypes.guess_type(path.name)[0] or ""
        url = path.resolve().as_uri()
        page = reader.read(Link(url), url, 200, {"content-type": kind}, path.read_bytes(), path.stat().st_mtime)
        return _readable(page, str(path), what)
    except OSError as error:
        raise unread(f"The {what} {path}", error) from None
    finally:
        reader.close()
