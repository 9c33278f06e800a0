"""The pages of a library as it tells of them: each address once, as last captured, without what asks to be left out."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from pinakes.core.errors import PinakesError
from pinakes.formats.bibliography import Work
from pinakes.formats.item import Item, clean
from pinakes.library.days import day_changed
from pinakes.library.harvests import Harvested, copies, load_papers
from pinakes.library.library import Library
from pinakes.library.standing import Standings, hidden

PAGE = "id, url, title, fetched_at, type, language, modified, words, robots"


class Items:
    """Reads the items of a library in order, a few at a time; or those of some addresses `only`, at the cost of these
    alone however large the library is."""

    def __init__(self, library: Library, only: Collection[str] | None = None) -> None:
        self._library, self._connection = library, library.connection
        self._standings = Standings(library.connection, only)
        self._works = copies(library.connection, only)

    def all(self, since: float = 0.0) -> Iterator[Item]:
        """The whole library in the order of capture, or what was captured `since` then."""
        last = 0
        while True:
            sql = f"SELECT {PAGE} FROM pages WHERE id > ? AND fetched_at >= ? ORDER BY id LIMIT 1000"
            rows = self._connection.execute(sql, (last, since)).fetchall()
            if not rows:
                return
            for row in rows:
                last = row[0]
                if (item := self._item(row)) is not None:
                    yield item

    @property
    def harvested(self) -> bool:
        """Has a harvest found papers?"""
        sql = "SELECT count(*) FROM harvest_copies WHERE status = 'found'"
        return bool(self._connection.execute(sql).fetchone()[0])

    def papers(self, since: float = 0.0) -> Iterator[Item]:
        """The papers that harvests found, each once and as its best copy, in the order in which they were wanted."""
        found: dict[tuple[str, tuple[str, ...]], Harvested] = {}
        for (crawl,) in self._connection.execute("SELECT DISTINCT crawl FROM harvest_copies ORDER BY crawl").fetchall():
            for paper in load_papers(self._connection, crawl):
                if any(copy.status == "found" for copy in paper.copies):
                    found[paper.title, paper.authors] = paper
        for paper in found.values():
            for copy in paper.copies:
                item = self._copy(copy.url) if copy.status == "found" else None
                if item is not None and item.fetched_at >= since:
                    yield item
                    break

    def _copy(self, url: str) -> Item | None:
        """A document, be it the same file as another."""
        number = self._library.shelf.number(url)
        row = self._connection.execute(f"SELECT {PAGE} FROM pages WHERE id = ?", (number,)).fetchone()
        return self._item(row, repeats=True) if row else None

    def at(self, url: str) -> Item | None:
        """The page of one address, unless it is left out."""
        row = self._connection.execute(f"SELECT {PAGE} FROM pages WHERE id = ?", (self._library.shelf.number(url),))
        found = row.fetchone()
        return self._item(found) if found else None

    def named(self, collection: str) -> str:
        """A collection's own name, by whatever case it was asked for."""
        names = [row[0] for row in self._connection.execute("SELECT name FROM collections ORDER BY id")]
        for name in names:
            if name.lower() == collection.lower():
                return str(name)
        raise PinakesError(f"There is no collection {collection}; the library has: {', '.join(names) or 'none'}.")

    def of(self, collection: str, since: float = 0.0) -> Iterator[Item]:
        """A collection's pages, best first."""
        name = self.named(collection)
        entries = self._connection.execute(
            "SELECT rank, url, merit, title, snippet FROM entries"
            " WHERE collection = (SELECT id FROM collections WHERE name = ?) ORDER BY rank",
            (name,),
        ).fetchall()
        for rank, url, merit, title, snippet in entries:
            capture = self._library.shelf.number(url, since)
            row = self._connection.execute(f"SELECT {PAGE} FROM pages WHERE id = ?", (capture,)).fetchone()
            item = self._item(row, name, rank, merit, title, snippet) if row else None
            if item is not None:
                yield item

    def _item(
        self, row: tuple[object, ...], collection: str = "", rank: int = 0, merit: float | None = None,
        title: str = "", snippet: str = "", repeats: bool = False,
    ) -> Item | None:  # fmt: skip
        number, url, own_title, fetched_at, kind, language, modified, words, robots = row
        assert isinstance(url, str) and isinstance(number, int) and isinstance(fetched_at, float)
        if hidden(str(robots)) or self._library.shelf.number(url) != number:
            return None
        standing = self._standings.of(url)
        if standing.repeats and not collection and not repeats:
            return None
        work = self._works.get(url)
        return Item(
            number=number,
            url=url,
            title=clean(work.title if work else "") or clean(str(own_title)) or clean(title),
            fetched_at=fetched_at,
            type=str(kind),
            language=clean(str(language), 20),
            modified=day_changed(str(modified)),
            topics=tuple(map(clean, standing.topics)),
            merit=round(standing.merit if merit is None else merit, 6),
            description="" if "nosnippet" in str(robots).split() else clean(snippet or standing.snippet),
            words=int(str(words)),
            collection=collection,
            rank=rank,
            work=_clean_work(work) if work else None,
        )


def _clean_work(paper: Harvested) -> Work:
    authors = tuple(name for given in paper.authors if (name := clean(given, 200)))
    return Work(
        title=clean(paper.title), authors=authors, year=paper.year, venue=clean(paper.venue),
        booktitle=clean(paper.booktitle), doi=clean(paper.doi, 200),
    )  # fmt: skip
