"""A library whose catalogue is in PostgreSQL: the same answers, whoever asks, and bytes that exist only if named."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from pinakes.core.errors import PinakesError
from pinakes.core.page import Member
from pinakes.library.archive import Place
from pinakes.library.desk import address_of, library_path, name_of
from pinakes.library.library import Library, in_use
from pinakes.library.postgres import translated
from pinakes.library.shared_archive import FolderStore, ObjectStore, SharedArchive, Store


@pytest.fixture
def desks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PINAKES_DATA", str(tmp_path / "desks"))
    return tmp_path / "desks"


def test_desk(desks: Path) -> None:
    """An address leads to one folder, whatever the password; nobody else can read it, and it is never shown."""
    one = library_path("postgresql://ada:secret@db.example/birds")
    assert one == library_path("postgresql://ada:other@db.example/birds") and one.parent == desks
    assert one != library_path("postgresql://ada@db.example/fish")
    assert address_of(one) == "postgresql://ada:other@db.example/birds"
    assert (one / "catalogue.url").stat().st_mode & 0o777 == 0o600
    assert name_of(one) == "postgresql://ada@db.example/birds"
    assert library_path("some/folder") == Path("some/folder") and name_of(Path("some/folder")) == "some/folder"


@pytest.mark.parametrize(
    "said, meant",
    [
        ("SELECT id FROM pages WHERE url = ? AND offset > ?", 'SELECT id FROM pages WHERE url = %s AND "offset" > %s'),
        ("SELECT 1 FROM pages WHERE robots NOT LIKE '%no%'", "SELECT 1 FROM pages WHERE robots NOT ILIKE '%%no%%'"),
        ("INSERT OR IGNORE INTO twins VALUES (?, ?)", "INSERT INTO twins VALUES (%s, %s) ON CONFLICT DO NOTHING"),
        ("INSERT INTO visits (crawl) VALUES (?)", "INSERT INTO visits (id, crawl) VALUES (%s, %s)"),
    ],
)
def test_translated(said: str, meant: str) -> None:
    """What SQLite understands is said so that PostgreSQL does."""
    assert translated(said, False)[0] == meant


def test_catalogue(desks: Path, database: str, tmp_path: Path) -> None:
    """It is made once and opened again; text no database holds is kept as near as can be; one decides at a time."""
    folder = library_path(database)
    with pytest.raises(PinakesError, match="holds no Pinakes library"):
        Library(folder)
    with Library(folder, write=True, create=True, archive=str(tmp_path / "pages")) as library:
        rows = [("a\x00b", 1.5), ("bird \ud83d", 2.0)]
        library.connection.executemany("INSERT INTO harvest_people (name, looked, data) VALUES (?, ?, '')", rows)
        library.connection.commit()
        assert in_use(folder)
        with pytest.raises(PinakesError, match="pinakes work"):
            Library(folder, write=True)
        with Library(folder) as reader:
            found = reader.connection.execute("SELECT name, looked FROM harvest_people ORDER BY looked").fetchall()
            assert found == [("ab", 1.5), ("bird ?", 2.0)]
            assert reader.connection.execute("SELECT sum(id) FROM segments").fetchone() == (None,)
            assert reader.shared is not None and [one.decides for one in reader.shared.workers() if one.alive] == [True]
    assert not in_use(folder)
    with pytest.raises(PinakesError, match="leave --archive out"):
        Library(folder, write=True, create=True, archive=str(tmp_path / "elsewhere"))


def test_no_server(desks: Path) -> None:
    """One sentence says what is wrong."""
    with pytest.raises(PinakesError, match=r"cannot be reached .*is the server up"):
        Library(library_path("postgresql://nobody@127.0.0.1:1/none"))


def store_of(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> Store:
    if kind == "folder":
        return FolderStore(tmp_path / "folder")
    address = {"file": f"file://{tmp_path}/objects", "memory": "memory://pages"}.get(kind)
    return ObjectStore(address or request.getfixturevalue("s3"))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the S3 client's own
@pytest.mark.parametrize("which", ["folder", "file", "memory", "s3"])
def test_shared_archive(tmp_path: Path, which: str, request: pytest.FixtureRequest) -> None:
    """Members are read back from where they were filed, before and after a commit; what a dead writer did not commit
    is dropped, and what a living one is writing is not."""
    pytest.importorskip("fsspec")
    from pinakes.formats import warc

    (tmp_path / "objects").mkdir()
    store = store_of(which, tmp_path, request)
    numbers = iter(range(1, 100))
    names: dict[int, str] = {}

    def member(text: str) -> Member:
        return warc.warcinfo(text, {"said": text})

    def open_for(worker: int) -> SharedArchive:
        return SharedArchive(
            store, names, library="mark", aside=tmp_path / "aside", worker=worker, allot=lambda: next(numbers)
        )

    mine, other = open_for(1), open_for(2)
    places: list[Place] = []
    committed: dict[str, int] = {}
    for text in ("one", "two", "three"):
        places += [mine.append(member(text)), other.append(member(text + " too"))]
        assert b"said: " + text.encode() in mine.read(places[-2]).block
        for archive in (mine, other):
            committed |= {name: size for _, name, size in archive.flush()}
    for at, place in enumerate(places):
        text = ("one", "two", "three")[at // 2] + (" too" if at % 2 else "")
        assert b"said: " + text.encode() in open_for(0).read(place).block
    other.append(member("lost"))
    other.flush()
    lost = sum(store.size(name) for name in store.names()) - sum(committed.values())
    assert lost > 0 and open_for(3).seal(committed, lambda worker: True) == 0
    assert open_for(3).seal(committed, lambda worker: worker == 1) == lost
    assert sum(store.size(name) for name in store.names()) == sum(committed.values())
    assert mine.local(names[places[0].segment]).read_bytes()[: places[0].length]
    if which == "memory":
        for name in store.names():
            store.cut(name, 0)


def test_segments_become_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A commit names every segment that grew since the last, also those that became full meanwhile."""
    from pinakes.library import archive as module
    from pinakes.library import shared_archive

    monkeypatch.setattr(module, "SEGMENT_BYTES", 500)
    monkeypatch.setattr(shared_archive, "SEGMENT_BYTES", 500)
    members = [Member("response", "http://a.example/", os.urandom(200)) for _ in range(8)]
    (tmp_path / "archive").mkdir()
    own: Any = module.Archive(tmp_path / "archive", {}, library="mark", write=True)
    numbers = iter(range(1, 100))
    shared: Any = SharedArchive(
        FolderStore(tmp_path / "shared"), {}, library="mark", aside=tmp_path, allot=lambda: next(numbers)
    )
    for archive in (own, shared):
        places = [archive.append(member) for member in members]
        grown = archive.flush()
        assert len(grown) > 1 and len({number for number, *_ in grown}) == len(grown)
        sizes = {number: size for number, _, size in grown}
        ends = {place.segment: place.offset + place.length for place in places}
        assert sizes == ends
        assert [archive.bytes_at(place) for place in places] == [member.data for member in members]
        archive.close()
