"""Who links here, by Wikipedia: its articles that cite a web page, and those that link to one of its own articles.

No service answers for the whole web any more; an encyclopaedia's external links are the nearest thing to it. Any other
MediaWiki with the usual paths (`/w/api.php`, `/wiki/…`) will do as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote, unquote

import msgspec

from pinakes.formats.url import canonical
from pinakes.services.client import ServiceClient
from pinakes.services.errors import ServiceError
from pinakes.services.limits import Ration

_ROWS = 500
_PAGES = 5
"""Pages of rows read for one address."""
_API, _ARTICLES = "/w/api.php", "/wiki/"
_BUSY = frozenset({"maxlag", "ratelimited", "readonly"})
_COMMON = {"action": "query", "format": "json", "formatversion": "2", "maxlag": "5"}
_UNESCAPED = ";@$!*(),/~:"
"""What MediaWiki leaves as it is in the address of an article."""


class _Row(msgspec.Struct):
    title: str | None = None
    url: str | None = None


class _Rows(msgspec.Struct):
    exturlusage: list[_Row] = []
    backlinks: list[_Row] = []


class _Error(msgspec.Struct):
    code: str | None = None
    info: str | None = None


class _Answer(msgspec.Struct, rename={"further": "continue"}):
    query: _Rows = msgspec.field(default_factory=_Rows)
    further: dict[str, str | int] = {}
    """What to add to the request for the next rows; empty at the end."""
    error: _Error | None = None
    """Errors come with status 200."""


class Wikipedia:
    """The role `Backlinks` by one wiki."""

    name = "Wikipedia"

    def __init__(self, client: ServiceClient, ration: Ration) -> None:
        self._client, self._ration = client, ration

    async def backlinks(self, url: str, n: int = 10) -> Sequence[str]:
        articles = self._client.base + _ARTICLES
        if url.startswith(articles):
            title = unquote(url[len(articles) :]).replace("_", " ")
            asked = {"list": "backlinks", "bltitle": title, "bllimit": str(_ROWS), "blnamespace": "0"}
            return await self._found({**asked, "blfilterredir": "nonredirects"}, "", n)
        # The wiki finds every link that begins so, by http and by https; the others are sorted out here.
        asked = {"list": "exturlusage", "euquery": _bare(url), "eulimit": str(_ROWS), "eunamespace": "0"}
        return await self._found({**asked, "euprop": "title|url"}, url, n)

    async def _found(self, asked: Mapping[str, str], url: str, n: int) -> list[str]:
        found: dict[str, None] = {}
        further: dict[str, str] = {}
        for _ in range(_PAGES):
            if not self._ration.take():
                break
            try:
                answer = await self._client.json(_API, {**_COMMON, **asked, **further}, _Answer, check=self._check)
            except ServiceError:
                if not found:
                    raise
                break  # some are better than none
            for row in answer.query.exturlusage if url else answer.query.backlinks:
                if row.title and (not url or _same(row.url or "", url)) and (address := self._address(row.title)):
                    found[address] = None
            # A page may be short or empty and yet not be the last.
            following = {name: str(value) for name, value in answer.further.items()}
            if len(found) >= n or not following or following == further:
                break
            further = following
        return list(found)[:n]

    def _check(self, answer: _Answer) -> None:
        if answer.error is not None:
            code = answer.error.code or "error"
            what = f"answered {code[:40]}, “{(answer.error.info or '')[:160].rstrip('.')}”"
            outcome = "rate-limited" if code in _BUSY else "client-error"
            raise self._client.error(outcome, what, passing=code in _BUSY)

    def _address(self, title: str) -> str:
        return canonical(f"{self._client.base}{_ARTICLES}{quote(title.replace(' ', '_'), safe=_UNESCAPED)}")


def _bare(url: str) -> str:
    return url.partition("://")[2]


def _same(cited: str, url: str) -> bool:
    """True when an address on a wiki is that of the page, by whatever protocol and with or without a last slash."""
    cited = canonical(f"https:{cited}" if cited.startswith("//") else cited)
    return _bare(cited).rstrip("/") == _bare(url).rstrip("/")
