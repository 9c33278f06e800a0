"""Rolling the full-text index to where the catalogue is.

What was visited since is taken up in order. The last visit known stands in the index itself and is committed with the
pages, so that a roll that dies goes on where it was. The catalogue is read as anyone may read it: no crawl waits.

Left out are pages that ask for it (`noindex`) and pages that only repeat another.
"""

from __future__ import annotations

import fcntl
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import tantivy
from tantivy import Document, Query

from pinakes.core.errors import PinakesError
from pinakes.core.page import host_of
from pinakes.library.fulltext import Facts, FullText, kind_of
from pinakes.library.library import Library
from pinakes.library.standing import Standings, hidden
from pinakes.library.twins import copies_of

COMMIT_PAGES = 2000
HEAP_BYTES = 64 << 20
KEPT = 20_000
"""Characters of a text that are kept for snippets."""
LONGEST_TITLE = 2_000
MOST_SITES = 8
MOST_IN_TOPIC = 1_000_000
_STATE = "state"
"""Where an address would stand, and no address is like this."""

Watch = Callable[[int, int], None]
"""Hears how many visits were taken up and how many there are."""


class _State(msgspec.Struct, frozen=True):
    """What the index knows of."""

    library: str = ""
    visit: int = 0
    built: float = 0.0


def roll(folder: Path, fulltext: FullText, watch: Watch | None = None) -> int:
    """Bring the index of a library to where its catalogue is; answers how many pages were put in. Where the library
    cannot be written the index stays as it is."""
    try:
        (folder / "index").mkdir(exist_ok=True)
        with (folder / "index" / "text.lock").open("w") as lock, Library(folder) as library:
            fcntl.flock(lock, fcntl.LOCK_EX)  # whoever has it is doing the very same
            return _Roll(library, fulltext).run(watch)
    except OSError as error:
        if fulltext.index() is None:
            raise PinakesError(
                f"{folder} has no full-text index and none can be made there ({error.strerror or error}); "
                "copy the library to where it can be written."
            ) from None
        return 0


class _Roll:
    def __init__(self, library: Library, fulltext: FullText) -> None:
        self._library, self._connection, self._fulltext = library, library.connection, fulltext
        index = fulltext.index(create=True)
        assert index is not None
        index.reload()
        self._index, self._before = index, index.searcher()

    def run(self, watch: Watch | None) -> int:
        mark, last, built = self._connection.execute(
            "SELECT (SELECT value FROM meta WHERE key = 'library'), (SELECT coalesce(max(id), 0) FROM visits),"
            " (SELECT coalesce(max(built), 0.0) FROM collections)"
        ).fetchone()
        state = self._state()
        if state == _State(mark, last, built):
            return 0
        writer = self._index.writer(HEAP_BYTES, 1)
        added = 0
        try:
            if state.library != mark or state.visit > last:
                # Another library's, or of a time after the backup this catalogue was restored from.
                writer.delete_all_documents()
                self._commit(writer, state := _State(mark))
                self._before = self._index.searcher()
            self._standings = Standings(self._connection)
            for at, urls in _visited(self._connection, state.visit, last):
                added += sum(self._put(writer, url) for url in urls)
                self._commit(writer, _State(mark, at, state.built))
                if watch is not None:
                    watch(at - state.visit, last - state.visit)
            added += sum(self._put(writer, url) for url in self._collected(state.built))
            self._commit(writer, _State(mark, last, built))
        finally:
            writer.wait_merging_threads()
        return added

    def _put(self, writer: tantivy.IndexWriter, url: str) -> int:
        """Let the index say of an address what the catalogue says."""
        number = self._library.shelf.number(url)
        if number is None:
            return 0
        kind, title, language, robots = self._connection.execute(
            "SELECT type, title, language, robots FROM pages WHERE id = ?", (number,)
        ).fetchone()
        _, topics, merit, _ = standing = self._standings.of(url)
        if hidden(robots) or standing.repeats:
            writer.delete_documents_by_term("url", url)
            return 0
        facts = msgspec.msgpack.encode(Facts(number, topics, merit))
        if facts == self._fulltext.kept(self._before, url):
            return 0
        writer.delete_documents_by_term("url", url)
        text = self._text(number)
        document = Document()
        document.add_unsigned("number", number)
        document.add_float("merit", merit)
        document.add_bytes("facts", facts)
        document.add_bytes("kept", b"" if "nosnippet" in robots.split() else _utf8(text[:KEPT]))
        document.add_text("url", url)
        document.add_text("host", host_of(url))
        document.add_text("type", kind_of(kind))
        if language:
            document.add_text("language", language)
        document.add_text("title", _utf8(title[:LONGEST_TITLE]).decode())
        document.add_text("text", _utf8(text).decode())
        for site in _sites(host_of(url)):
            document.add_text("site", site)
        for topic in topics:
            document.add_text("topic", topic)
            document.add_text("topic_key", topic.lower())
            document.add_text("topic_words", topic)
        writer.add_document(document)
        return 1

    def _text(self, number: int) -> str:
        try:
            return self._library.shelf.page(number).text
        except PinakesError:
            return ""  # damaged in the archive; by what the catalogue knows it can be found still

    def _collected(self, since: float) -> list[str]:
        """The addresses in collections that were built since, and those that were in them before."""
        names = {row[0] for row in self._connection.execute("SELECT name FROM collections WHERE built > ?", (since,))}
        urls = dict.fromkeys(self._standings.within(names))
        for name in names:
            query = Query.term_query(self._index.schema, "topic_key", name.lower(), "basic")
            hits = self._before.search(query, MOST_IN_TOPIC).hits
            for number in self._before.fast_field_values("number", [at for _, at in hits]):
                row = self._connection.execute("SELECT url FROM pages WHERE id = ?", (number,)).fetchone()
                urls |= {row[0]: None} if row else {}
        return list(urls)

    def _commit(self, writer: tantivy.IndexWriter, state: _State) -> None:
        writer.delete_documents_by_term("url", _STATE)
        document = Document()
        document.add_text("url", _STATE)
        document.add_bytes("facts", msgspec.msgpack.encode(state))
        writer.add_document(document)
        writer.commit()
        self._index.reload()

    def _state(self) -> _State:
        kept = self._fulltext.kept(self._before, _STATE)
        try:
            return msgspec.msgpack.decode(kept, type=_State) if kept else _State()
        except msgspec.MsgspecError:
            return _State()


def _visited(connection: sqlite3.Connection, since: int, last: int) -> Iterator[tuple[int, list[str]]]:
    """The addresses visited since, and copies of theirs that came before, in portions, each with the visit it reaches
    to."""
    while since < last:
        rows = connection.execute(
            "SELECT id, final, crawl FROM visits WHERE id > ? AND id <= ? AND page IS NOT NULL ORDER BY id LIMIT ?",
            (since, last, COMMIT_PAGES),
        ).fetchall()
        since = rows[-1][0] if rows else last
        yield (
            since,
            [*dict.fromkeys(one for _, url, crawl in rows for one in (url, *copies_of(connection, crawl, url)))],
        )


def _sites(host: str) -> list[str]:
    """A host and the domains above it, with and without its port."""
    name = host if host.startswith("[") else host.partition(":")[0]
    labels = name.split(".")
    above = [".".join(labels[n:]) for n in range(max(0, len(labels) - MOST_SITES), len(labels))]
    return list(dict.fromkeys([host, name, *above]))


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")
