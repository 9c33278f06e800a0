"""Building the index of a frozen web: survey the files, parse the pages, merge, invert and link them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import msgspec
import numpy as np

from pinakes.core.page import host_of
from pinakes.formats.document import error_of
from pinakes.web import columns
from pinakes.web.cache import WebError, building
from pinakes.web.columns import Array, RaggedWriter
from pinakes.web.index import NO_ADDRESS, WebInfo
from pinakes.web.parsing import Parsed, Task
from pinakes.web.survey import Capture, Survey, survey
from pinakes.web.workers import parse_all

Watch = Callable[[str, int, int], None]
"""Told the stage (`survey`, `parse`), how much of it is done, and how much there is."""

_CHUNK_PAGES = 64
_CHUNK_BYTES = 2 << 20
_FEW = 32
"""Pages so few that starting workers would take longer than parsing them."""
_HOPS = 10


def build(files: Sequence[Path], name: str, *, workers: int, watch: Watch) -> Path:
    """Write the index of the files into the cache under `name`; answers where it is."""
    found = survey(files, lambda done, total: watch("survey", done, total))
    _refuse_unusable(files, found)
    pages = [capture for capture in found.captures.values() if _is_page(capture)]
    others = [capture for capture in found.captures.values() if not _is_page(capture)]
    captures = pages + others
    numbers = {capture.url: number for number, capture in enumerate(captures)}
    with building(name) as (folder, place):
        merge = _Merge(folder, numbers)
        tasks = [Task(page.file, page.offset, page.length, page.url, page.at) for page in pages]
        with merge:
            for parsed in parse_all(files, list(_chunks(tasks)), workers if len(tasks) > _FEW else 1):
                watch("parse", merge.add(parsed), len(tasks))
        final = _resolved(captures, len(pages), numbers)
        inside = _link(folder, merge, final, len(pages))
        _invert(folder, merge, len(pages))
        _write_captures(folder, captures, numbers, final)
        outside = merge.links - inside
        _dump(folder / "info", _info(found, captures, merge, (len(pages), inside, outside)))
    return place


def _refuse_unusable(files: Sequence[Path], found: Survey) -> None:
    if found.captures:
        return
    what = str(files[0]) if len(files) == 1 else f"{files[0].parent} and its {len(files)} files"
    if found.damage:
        name, damage = found.damage[0]
        mend = "" if "recompress" in damage.reason else "; give a WARC file (ISO 28500), plain or gzip"
        raise WebError(f"{what} cannot be read as a web: {name} at byte {damage.offset}: {damage.reason}{mend}.")
    raise WebError(f"{what} holds no response records of web pages; give a WARC file with responses.")


def _is_page(capture: Capture) -> bool:
    """robots.txt is about the web, not in it: it is served but neither searched nor counted."""
    return capture.good and not (capture.url.endswith("/robots.txt") and capture.url.count("/") == 3)


def _chunks(tasks: Sequence[Task]) -> Iterator[list[Task]]:
    chunk, size = list[Task](), 0
    for task in tasks:
        if chunk and (len(chunk) == _CHUNK_PAGES or size + task.length > _CHUNK_BYTES):
            yield chunk
            chunk, size = [], 0
        chunk.append(task)
        size += task.length
    if chunk:
        yield chunk


class _Numbering(dict[str, int]):
    """Numbers strings in the order of first meeting, the empty one first."""

    def __init__(self) -> None:
        super().__init__({"": 0})

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        return number

    def of(self, texts: Sequence[str]) -> Array:
        return np.fromiter(map(self.__getitem__, texts), np.uint32, len(texts))


class _Merge(ExitStack):
    """Gathers parsed pages into the columns of the whole web."""

    def __init__(self, folder: Path, numbers: dict[str, int]) -> None:
        super().__init__()
        self.folder, self.numbers = folder, numbers
        self.stems, self.tags = _Numbering(), _Numbering()
        self.types, self.languages = Counter[str](), Counter[str]()
        self.weights: list[Array] = []
        self.titles: list[str] = []
        self.pages = self.links = 0
        names = ("words", "terms", "counts", "links", "outside", "strings")
        self._columns = {name: self.enter_context(RaggedWriter(folder, name)) for name in names}

    def __exit__(self, *error: object) -> bool:
        done = super().__exit__(*error)  # type: ignore[arg-type]
        _dump(self.folder / "stems", list(self.stems))
        _dump(self.folder / "tags", list(self.tags))
        _dump(self.folder / "titles", self.titles)
        return bool(done)

    def add(self, parsed: Parsed) -> int:
        """Append some pages; answers how many there are now."""
        put = self._columns
        stems = self.stems.of(parsed.stems)
        put["words"].append(stems[_numbers(parsed.words)], _numbers(parsed.word_sizes))
        sizes = _numbers(parsed.term_sizes)
        put["terms"].append(stems[_numbers(parsed.terms)], sizes)
        put["counts"].append(parsed.counts, sizes)
        put["strings"].append(parsed.strings, _numbers(parsed.string_sizes))
        self._add_links(parsed)
        self.weights.append(_numbers(parsed.weights))
        self.titles += parsed.titles
        self.types.update(parsed.types)
        self.languages.update(parsed.languages)
        self.pages += len(sizes)
        return self.pages

    def _add_links(self, parsed: Parsed) -> None:
        """An address of this web is its number; one outside counts on from there, into the page's own list."""
        sizes, count = _numbers(parsed.link_sizes), len(self.numbers)
        known = np.fromiter((self.numbers.get(url, -1) for url in parsed.urls), np.int64, len(parsed.urls))
        outside, start = list[bytes](), 0
        for size in sizes.tolist():
            place = known[start : start + size]
            away = np.flatnonzero(place < 0)
            place[away] = count + np.arange(len(away))
            outside.append("\n".join([parsed.urls[start + at] for at in away.tolist()]).encode())
            start += size
        rest = _numbers(parsed.links).reshape(-1, 3)
        tags = self.tags.of(parsed.tags)
        rows = np.column_stack((known, rest[:, 0], tags[rest[:, 1]], tags[rest[:, 2]])) if len(known) else known
        self._columns["links"].append(rows.astype(np.uint32), sizes * 4)
        self._columns["outside"].append(b"".join(outside), np.array([len(row) for row in outside], np.int64))
        self.links += len(known)


def _numbers(data: bytes) -> Array:
    return np.frombuffer(data, np.uint32)


def _resolved(captures: Sequence[Capture], pages: int, numbers: dict[str, int]) -> Array:
    """For each address the number of the page it leads to, through redirects; `NO_ADDRESS` when to none."""
    final = np.full(len(captures), NO_ADDRESS, np.int64)
    final[:pages] = np.arange(pages)
    for number in range(pages, len(captures)):
        at: int | None = number
        for _ in range(_HOPS):
            if at is None or at < pages:
                break
            at = numbers.get(captures[at].hop)
        if at is not None and at < pages:
            final[number] = at
    return final


def _link(folder: Path, merge: _Merge, final: Array, pages: int) -> int:
    """Write who links to whom among the pages, both ways; answers how many links lead into the web."""
    column = columns.read_ragged(folder, "links", np.uint32)
    target = column.values.reshape(-1, 4)[:, 0].astype(np.int64)
    source = np.repeat(np.arange(pages), column.sizes // 4)
    held = target < len(final)
    source, target = source[held], final[target[held]]
    held = target != NO_ADDRESS
    inside = int(held.sum())
    held &= source != target
    source, target = source[held], target[held]
    _, first = np.unique(source * max(pages, 1) + target, return_index=True)
    first.sort()
    source, target = source[first], target[first]
    columns.write_ragged(folder, "out", target.astype(np.uint32), np.bincount(source, minlength=pages))
    order = np.argsort(target, kind="stable")
    columns.write_ragged(folder, "in", source[order].astype(np.uint32), np.bincount(target, minlength=pages))
    return inside


def _invert(folder: Path, merge: _Merge, pages: int) -> None:
    """Write the inverted index: for each stem its pages and how often it occurs there."""
    column = columns.read_ragged(folder, "terms", np.uint32)
    weight = np.concatenate([np.zeros(0, np.uint32), *merge.weights])
    page = np.repeat(np.arange(pages, dtype=np.uint32), column.sizes)
    order = np.argsort(column.values, kind="stable")
    sizes = np.bincount(column.values, minlength=len(merge.stems))
    columns.write_ragged(folder, "postings", page[order], sizes)
    columns.write(folder, "weights", weight[order].astype(np.float32))
    columns.write(folder, "lengths", np.bincount(page, weight, minlength=pages).astype(np.float32))


def _write_captures(folder: Path, captures: Sequence[Capture], numbers: dict[str, int], final: Array) -> None:
    _dump(folder / "addresses", [capture.url for capture in captures])
    _dump(folder / "hops", {numbers[capture.url]: capture.hop for capture in captures if capture.hop})
    places = [(capture.file, capture.offset, capture.length, capture.status) for capture in captures]
    columns.write(folder, "places", np.array(places, np.int64))
    columns.write(folder, "dates", np.array([capture.at for capture in captures], np.float64))
    columns.write(folder, "final", final)


def _info(found: Survey, captures: Sequence[Capture], merge: _Merge, counts: tuple[int, int, int]) -> WebInfo:
    pages, inside, outside = counts
    errors = Counter(error_of(capture.status) for capture in captures if not capture.good and not capture.hop)
    dates = [capture.at for capture in captures if capture.at]
    return WebInfo(
        records=dict(found.kinds),
        pages=pages,
        redirects=sum(1 for capture in captures if capture.hop and not capture.good),
        errors=dict(errors),
        hosts=len({host_of(capture.url) for capture in captures}),
        links_inside=inside,
        links_outside=outside,
        types=dict(merge.types.most_common()),
        languages=dict(merge.languages.most_common()),
        first=min(dates, default=0.0),
        last=max(dates, default=0.0),
        damage=tuple(f"{name} at byte {damage.offset}: {damage.reason}" for name, damage in found.damage),
    )


def _dump(path: Path, data: object) -> None:
    path.write_bytes(msgspec.msgpack.encode(data))
