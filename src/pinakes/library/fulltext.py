"""The full-text index of a library: words and phrases, fields, facets.

It is derived from the catalogue and the archive, and `library/rolling.py` brings it to the catalogue's state. Whoever
searches goes on in the index as last committed. A page stands in it once, as last captured.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec
import tantivy
from tantivy import Document, Filter, Occur, Query, SchemaBuilder, TextAnalyzerBuilder, Tokenizer

from pinakes.core.errors import PinakesError
from pinakes.formats.document import PARSER_VERSION
from pinakes.library.query import Asked, Piece

VERSION = f"1-{PARSER_VERSION}"
FACETS: Final = ("topic", "site", "type", "language")
FACET_VALUES = 12
TITLE_WEIGHT = 3.0
LONGEST_WORD = 60
MOST_HITS = 1000
_EACH = r"\p{Han}\p{Hiragana}\p{Katakana}"
_WORD = rf"[{_EACH}]|[\w--[_{_EACH}]]+"
"""A word, or one character where words are not told apart by spaces."""


class Facts(msgspec.Struct, frozen=True, array_like=True):
    """What the index keeps of a page beside its words."""

    number: int
    """The library's number of the page."""
    topics: tuple[str, ...] = ()
    """The collections it stands in, and the topics it was a nugget of."""
    merit: float = 0.0
    """The best score a judge gave it."""


@dataclass(frozen=True, slots=True)
class Match:
    """A page that was found."""

    facts: Facts
    score: float
    text: str
    """The beginning of its text; empty where the page asks for no snippet to be shown."""


@dataclass(frozen=True, slots=True)
class Matches:
    total: int
    matches: tuple[Match, ...] = ()
    facets: Mapping[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    """By field, the commonest values among all that was found, with how often."""
    relaxed: bool = False
    """No page holds all that was asked for; these hold some of it."""


class FullText:
    """The index of one library. Several threads may search at once."""

    def __init__(self, library: Path) -> None:
        self.folder = library / "index" / f"text-{VERSION}"
        self.analyzer = _analyzer()
        self._schema = _schema()
        self._index: tantivy.Index | None = None

    def index(self, *, create: bool = False) -> tantivy.Index | None:
        """The index on the disk; one that cannot be read is made anew where `create` says so."""
        if self._index is None:
            self._index = self._opened(create)
        return self._index

    def kept(self, searcher: tantivy.Searcher, url: str) -> bytes:
        """What is kept of an address, as last committed."""
        hits = searcher.search(Query.term_query(self._schema, "url", url, "basic"), 1).hits
        return bytes(searcher.doc(hits[0][1]).get_first("facts") or b"") if hits else b""

    def _opened(self, create: bool) -> tantivy.Index | None:
        folder = str(self.folder)
        try:
            if self.folder.is_dir() and tantivy.Index.exists(folder):
                return self._named(tantivy.Index.open(folder))
        except (ValueError, OSError):
            if not create:
                raise PinakesError(f"The index {folder} cannot be read; delete it, it will be made anew.") from None
            shutil.rmtree(self.folder, ignore_errors=True)
        if not create:
            return None
        for other in self.folder.parent.glob("text-*"):
            shutil.rmtree(other, ignore_errors=True)  # of another version
        self.folder.mkdir(parents=True)
        return self._named(tantivy.Index(self._schema, folder))

    def _named(self, index: tantivy.Index) -> tantivy.Index:
        index.register_tokenizer("words", self.analyzer)
        return index

    def search(self, asked: Asked, n: int = 10, offset: int = 0) -> Matches:
        """The best pages, or those the judge thought best where no words are asked for."""
        if (index := self.index()) is None:
            return Matches(0)
        index.reload()
        searcher = index.searcher()
        n, offset = max(0, min(n, MOST_HITS)), max(0, min(offset, MOST_HITS))
        found = self._found(searcher, self._query(searcher, asked), asked, n, offset)
        if not found.total and len(asked.wanted) > 1:
            found = self._found(searcher, self._query(searcher, asked, any_of_them=True), asked, n, offset, True)
        return found

    def _found(
        self, searcher: tantivy.Searcher, query: Query, asked: Asked, n: int, offset: int, relaxed: bool = False
    ) -> Matches:
        by = None if asked.wanted else "merit"
        result = searcher.search(query, max(1, n), offset=offset, order_by_field=by)
        buckets = {
            name: {"terms": {"field": "host" if name == "site" else name, "size": FACET_VALUES}} for name in FACETS
        }
        counted = searcher.aggregate(query, buckets)
        facets = {
            name: tuple((str(bucket["key"]), int(bucket["doc_count"])) for bucket in counted[name]["buckets"])
            for name in FACETS
        }
        matches = tuple(self._match(searcher.doc(at), float(score)) for score, at in result.hits[:n])
        return Matches(int(result.count), matches, facets, relaxed and bool(result.count))  # type: ignore[attr-defined]

    def _match(self, document: Document, score: float) -> Match:
        facts = msgspec.msgpack.decode(bytes(document.get_first("facts") or b""), type=Facts)
        return Match(facts, score, bytes(document.get_first("kept") or b"").decode())

    def _query(self, searcher: tantivy.Searcher, asked: Asked, any_of_them: bool = False) -> Query:
        groups = [[query for piece in group if (query := self._piece(piece))] for group in asked.wanted]
        wanted = [_any(group) for group in groups if group]
        needed: list[tuple[Occur, Query]] = [(Occur.Must, Query.exists_query("number"))]
        if any_of_them:
            needed.append((Occur.Must, _any(wanted)))
        else:
            needed += [(Occur.Must, query) for query in wanted]
        for name, values in asked.only.items():
            needed.append((Occur.Must, _any([self._field(searcher, name, value) for value in values])))
        for name, values in asked.never.items():
            needed += [(Occur.MustNot, self._field(searcher, name, value)) for value in values]
        needed += [(Occur.MustNot, query) for piece in asked.unwanted if (query := self._piece(piece))]
        return Query.boolean_query(
            [(occur, _unscored(query) if n == 0 else query) for n, (occur, query) in enumerate(needed)]
        )

    def _piece(self, piece: Piece) -> Query | None:
        """The words next to each other, in the title or in the text."""
        words = self.analyzer.analyze(piece.text)
        if not words:
            return None
        title = Query.boost_query(self._words("title", words), TITLE_WEIGHT)
        return title if piece.in_title else Query.disjunction_max_query([title, self._words("text", words)], 0.2)

    def _words(self, name: str, words: list[str]) -> Query:
        if len(words) == 1:
            return Query.term_query(self._schema, name, words[0])
        return Query.phrase_query(self._schema, name, list(words))

    def _field(self, searcher: tantivy.Searcher, name: str, value: str) -> Query:
        if name == "topic":
            words = self.analyzer.analyze(value)
            if words and not searcher.doc_freq("topic_key", value):
                return _unscored(self._words("topic_words", words))
            return self._exactly("topic_key", value)
        if name == "site":
            value = value.partition("://")[2].partition("/")[0] if "://" in value else value.partition("/")[0]
            return self._exactly("site", value.removeprefix("*").strip("."))
        return self._exactly(name, kind_of(value) if name == "type" else value)

    def _exactly(self, name: str, value: str) -> Query:
        return _unscored(Query.term_query(self._schema, name, value, "basic"))


def _analyzer() -> tantivy.TextAnalyzer:
    """How texts and questions are cut into words: small letters, without accents, English endings cut off."""
    builder = TextAnalyzerBuilder(Tokenizer.regex(_WORD))
    for each in (Filter.remove_long(LONGEST_WORD), Filter.lowercase(), Filter.ascii_fold(), Filter.stemmer("english")):
        builder = builder.filter(each)
    return builder.build()


def kind_of(media_type: str) -> str:
    """What people call a media type: `pdf`, `html`, `text`."""
    name = media_type.rpartition("/")[2].removeprefix("x-").removeprefix("vnd.")
    return {"plain": "text", "xhtml+xml": "html", "htm": "html", "postscript": "ps", "txt": "text"}.get(name, name)


def _unscored(query: Query) -> Query:
    return Query.const_score_query(query, 0.0)


def _any(queries: list[Query]) -> Query:
    if len(queries) == 1:
        return queries[0]
    return Query.boolean_query([(Occur.Should, query) for query in queries], 1)


def _schema() -> tantivy.Schema:
    builder = SchemaBuilder()
    builder.add_unsigned_field("number", fast=True)
    builder.add_float_field("merit", fast=True)
    for name in ("url", "site", "topic_key"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in ("host", "type", "language", "topic"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic", fast=True)
    for name in ("topic_words", "title", "text"):
        builder.add_text_field(name, tokenizer_name="words")
    for name in ("facts", "kept"):
        builder.add_bytes_field(name, stored=True)
    return builder.build()
