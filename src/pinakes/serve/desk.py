"""What every request may use: the library, its index, addresses of this application, and who may write."""

from __future__ import annotations

import hashlib
import hmac
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

from starlette.requests import Request

from pinakes.core.errors import PinakesError
from pinakes.library.fulltext import FullText
from pinakes.library.inlinks import InLinks
from pinakes.library.library import Library
from pinakes.report.markup import Html
from pinakes.serve.readers import Readers
from pinakes.serve.runner import Busy
from pinakes.serve.tally import Tally

_QUOTED = re.compile(r"[^\w./~-]")
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True)
class Desk:
    """One library, opened to readers. Made once for the application."""

    folder: Path
    token: str
    """Whoever has it may write."""
    base_url: str = ""
    """Where readers find the application when it stands behind a proxy."""
    hosts: tuple[str, ...] = LOOPBACK
    """Names under which it may be asked: any other is somebody's trick to read it through a reader's browser."""
    contact: str = ""
    """Where whoever keeps the library can be written to."""
    inlinks: InLinks = field(init=False)
    readers: Readers = field(init=False)
    fulltext: FullText = field(init=False)
    tally: Tally = field(init=False)
    mark: str = field(init=False)
    _name: str = field(init=False)
    _frames: dict[tuple[str, ...], Html] = field(default_factory=dict, init=False)
    _thinking: threading.Lock = field(default_factory=threading.Lock, init=False)
    _waiting: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(4), init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "fulltext", FullText(self.folder))
        object.__setattr__(self, "inlinks", InLinks(self.folder))
        object.__setattr__(self, "readers", Readers(self.folder))
        object.__setattr__(self, "tally", Tally())
        with self.library() as library:
            row = library.connection.execute("SELECT value FROM meta WHERE key = 'library'").fetchone()
        object.__setattr__(self, "mark", str(row[0]))
        object.__setattr__(self, "_name", self.folder.resolve().name)

    @property
    def name(self) -> str:
        """The library's name for people."""
        return self._name

    @cached_property
    def root(self) -> str:
        """The path under which the application stands; empty at the top of its host."""
        return urlsplit(self.base_url).path.rstrip("/")

    def library(self) -> AbstractContextManager[Library]:
        """The library, open for reading. Readers wait for nobody and nobody waits for them."""
        return self.readers.one()

    @contextmanager
    def thinking(self) -> Iterator[None]:
        """For whoever brings a strategy back to where it stands, which takes a core for a while: one at a time, and few
        may wait for it, so that threads are left to show pages."""
        if not self._waiting.acquire(blocking=False):
            raise Busy("Many ask that at once; try again in a moment.")
        try:
            with self._thinking:
                yield
        finally:
            self._waiting.release()

    def at(self, path: str, query: Mapping[str, object] | None = None) -> str:
        """The address of one of our pages; what is empty in its query is left out."""
        here = f"{self.root}{path if path.isascii() and not _QUOTED.search(path) else quote(path)}"
        pairs = (
            [(key, str(value)) for key, value in query.items() if value not in ("", None, 0, False)] if query else ()
        )
        return f"{here}?{urlencode(pairs)}" if pairs else here

    def framed(self, key: tuple[str, ...], make: Callable[[], Html]) -> Html:
        """A piece that is the same on many pages, made once."""
        found = self._frames.get(key)
        if found is None:
            found = self._frames[key] = make()
        return found

    # -- who may write -----------------------------------------------------------------------------------------

    @cached_property
    def cookie(self) -> str:
        """The cookie's name: cookies are shared by all ports of a host, and there may be another library on one."""
        return f"pinakes-{hashlib.sha256(self.mark.encode()).hexdigest()[:12]}"

    @cached_property
    def session(self) -> str:
        """What the cookie holds."""
        return self._derived("session")

    @cached_property
    def form_token(self) -> str:
        """What a form of ours carries, so that no other site's can be taken for it."""
        return self._derived("form")

    def knows(self, token: str) -> bool:
        return hmac.compare_digest(token.encode(), self.token.encode())

    def signed_in(self, request: Request) -> bool:
        """Does this browser, or this program, hold the token?"""
        bearer = request.headers.get("authorization", "")
        if bearer[:7].lower() == "bearer ":
            return self.knows(bearer[7:].strip())
        return hmac.compare_digest(request.cookies.get(self.cookie, "").encode(), self.session.encode())

    def _derived(self, purpose: str) -> str:
        return hmac.new(self.token.encode(), f"pinakes {purpose}".encode(), hashlib.sha256).hexdigest()


def desk_of(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


def check_base_url(text: str) -> str:
    """The address readers use, without a slash at its end; refuses what is none."""
    if not text:
        return ""
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise PinakesError(f"--base-url {text} is not an address like https://library.example.org/birds.")
    return text.rstrip("/")
