"""A library: the folder that holds everything crawls have found.

`catalogue.db` is the truth about it, `archive/` holds the bytes as WARC, `recipes/` what made each crawl,
`index/` what can be rebuilt, `reports/` what was written for people. Beside them stand what people said of pages
(`labels.db`) and what harvesters were told (`announced.db`).
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self, cast

import msgspec

from pinakes.core.errors import PinakesError
from pinakes.core.roles import Plain, Progress
from pinakes.core.vein import Vein
from pinakes.formats.document import Reader
from pinakes.library import recipe as recipes
from pinakes.library import schema
from pinakes.library.archive import Archive
from pinakes.library.control import Control
from pinakes.library.desk import address_of
from pinakes.library.ledger import CrawlLedger
from pinakes.library.recipe import Recipe
from pinakes.library.shared import SharedCatalogue, decided_on
from pinakes.library.shelf import Shelf

CACHE_KIB = 64 * 1024
CHECKPOINT_PAGES = 16_000


@dataclass(frozen=True, slots=True)
class Crawl:
    """One crawl of a library, as the catalogue tells it."""

    id: int
    job: str
    recipe: str
    started: float
    ended: float | None
    stopped: str
    """Why it stopped; empty while it runs, or when it died."""
    progress: Progress

    @property
    def unfinished(self) -> bool:
        """True when there is something to resume."""
        return self.stopped in ("", "interrupted", "stopped", "time", "hosts parked")


class Library:
    """A library opened for reading, by one thread at a time, or for writing, by one process at a time.

    Where the catalogue is in PostgreSQL (`shared`), `work` opens it for one of the many who bring pages home.
    """

    def __init__(
        self,
        folder: Path,
        *,
        write: bool = False,
        create: bool = False,
        work: bool = False,
        archive: str = "",
        reader: Reader | None = None,
    ) -> None:
        self.folder = folder
        self.shared: SharedCatalogue | None = None
        self.archive: Archive
        if address := address_of(folder):
            with ExitStack() as opened:
                self.shared = SharedCatalogue(address, folder, write=write, work=work, create=create, archive=archive)
                opened.callback(self.shared.close)
                self.connection = self.shared.connection
                # Both archives do the same: one writes files of its own, the other shares the numbering.
                self.archive = cast(Archive, self.shared.archive)
                self._furnish(opened, reader, Control(folder, self.connection))
            return
        if archive or work:
            raise PinakesError(f"{folder} is one machine's library; --archive and work are for postgresql://… ones.")
        with ExitStack() as opened:
            try:
                if create:
                    self._make_folder()
                elif not (folder / "catalogue.db").is_file():
                    raise PinakesError(
                        f"{folder} is not a Pinakes library; name the folder a job was told to write --into."
                    )
                if write:
                    opened.enter_context(self._locked())
                if create:
                    self._make_catalogue()
                self.connection = opened.enter_context(closing(self._connected(write)))
            except OSError as error:
                raise PinakesError(f"The library {folder} cannot be opened: {error.strerror or error}.") from None
            except sqlite3.DatabaseError as error:
                raise PinakesError(f"The catalogue of {folder} cannot be opened: {error}.") from None
            mark = schema.check(self.connection, str(folder))
            if write:
                schema.upgrade(self.connection)
            rows = self.connection.execute("SELECT id, name, bytes FROM segments")
            segments = {number: (name, size) for number, name, size in rows}
            self.archive = opened.enter_context(
                closing(Archive(folder / "archive", segments, library=mark, write=write))
            )
            self._furnish(opened, reader, Control(folder))

    def _furnish(self, opened: ExitStack, reader: Reader | None, control: Control) -> None:
        self.reader = opened.enter_context(closing(reader or Reader()))
        self.shelf = Shelf(self.connection, self.archive, self.reader)
        self.control = opened.enter_context(closing(control))
        self._opened = opened.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._opened.close()

    # -- crawls ------------------------------------------------------------------------------------------------

    def vein(self, crawl: int) -> Vein:
        """How rich the latest pages of a crawl were, and the best."""
        sql = "SELECT nugget FROM visits WHERE crawl = ? AND outcome IN ('ok', 'duplicate') ORDER BY id"
        return Vein(bool(nugget) for (nugget,) in self.connection.execute(sql, (crawl,)))

    def crawls(self) -> list[Crawl]:
        rows = self.connection.execute(
            "SELECT id, job, recipe, started, ended, stopped, pages, nuggets, outcomes, waiting, seconds,"
            " strategy_seconds, last FROM crawls ORDER BY id"
        )
        return [
            Crawl(
                number,
                job,
                recipe,
                started,
                ended,
                stopped,
                Progress(pages, nuggets, msgspec.json.decode(outcomes), waiting, 0, seconds, strategy_seconds, last),
            )
            for (
                number,
                job,
                recipe,
                started,
                ended,
                stopped,
                pages,
                nuggets,
                outcomes,
                waiting,
                seconds,
                strategy_seconds,
                last,
            ) in rows
        ]

    def unfinished(self) -> Crawl | None:
        """The latest crawl, if it can be resumed."""
        crawls = self.crawls()
        return crawls[-1] if crawls and crawls[-1].unfinished else None

    def begin(self, recipe: Recipe) -> CrawlLedger:
        """Start a crawl: its recipe is on the disk before anything is fetched."""
        number = (self.connection.execute("SELECT max(id) FROM crawls").fetchone()[0] or 0) + 1
        name = f"{number:04d}.json"
        if self.shared is not None:
            text = recipes.encoded(recipe).decode()
            self.connection.execute("INSERT INTO recipes VALUES (?, ?)", (name, text))
        else:
            recipes.save(recipe, self.folder / "recipes" / name)
        self.connection.execute(
            "INSERT INTO crawls (id, job, recipe, started) VALUES (?, ?, ?, ?)",
            (number, recipe.job, name, recipe.started or time.time()),
        )
        return self.ledger(number, recipe)

    def ledger(self, crawl: int, recipe: Recipe | None = None) -> CrawlLedger:
        keep_terms = bool(recipe and recipe.options.get("keep_terms"))
        return CrawlLedger(self.connection, self.archive, self.shelf, self.control, crawl, keep_terms=keep_terms)

    def recipe(self, crawl: Crawl) -> Recipe:
        if self.shared is not None:
            row = self.connection.execute("SELECT data FROM recipes WHERE name = ?", (crawl.recipe,)).fetchone()
            return recipes.decoded(row[0])
        return recipes.load(self.folder / "recipes" / crawl.recipe)

    def reopen(self, crawl: Crawl) -> CrawlLedger:
        """Take a crawl up again."""
        sql = "UPDATE crawls SET ended = NULL, stopped = '' WHERE id = ?"
        self.connection.execute(sql, (crawl.id,))
        self.control.wish(crawl.id, "stop", None)
        return self.ledger(crawl.id, self.recipe(crawl))

    def snapshot(self, crawl: int) -> Plain:
        """The last kept states of `strategy` and `border`, or None."""
        row = self.connection.execute("SELECT state FROM snapshots WHERE crawl = ?", (crawl,)).fetchone()
        return msgspec.json.decode(row[0]) if row else None

    def journal(self, crawl: int) -> list[tuple[str, Plain]]:
        """What the strategy was told since its last kept state, in order."""
        rows = self.connection.execute("SELECT kind, data FROM journal WHERE crawl = ? ORDER BY id", (crawl,))
        return [(kind, msgspec.json.decode(data)) for kind, data in rows]

    # -- opening -----------------------------------------------------------------------------------------------

    def _make_folder(self) -> None:
        folder = self.folder
        if folder.exists() and not folder.is_dir():
            raise PinakesError(f"{folder} is a file; name a new folder, or that of a library, after --into.")
        ours = {"archive", "index", "recipes", "reports", "lock", "catalogue.new", "catalogue.db"}
        held = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
        if held and "catalogue.db" not in held and not held <= ours:
            raise PinakesError(f"{folder} holds other files and no Pinakes library; name an empty or new folder.")
        for name in ("archive", "index", "recipes", "reports"):
            (folder / name).mkdir(parents=True, exist_ok=True)

    def _make_catalogue(self) -> None:
        """An empty catalogue, whole or not there at all; made under the lock."""
        if (self.folder / "catalogue.db").exists():
            return
        unfinished = self.folder / "catalogue.new"
        unfinished.unlink(missing_ok=True)
        connection = sqlite3.connect(unfinished)
        schema.create(connection)
        connection.close()
        unfinished.replace(self.folder / "catalogue.db")

    def _locked(self) -> IO[str]:
        file = (self.folder / "lock").open("w")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise PinakesError(
                f"{self.folder} is in use by another Pinakes; wait for it, stop it, or write --into another library."
            ) from None
        return file

    def _connected(self, write: bool) -> sqlite3.Connection:
        path = self.folder / "catalogue.db"
        if not write:
            return self._connected_for_reading(path)
        connection = sqlite3.connect(path, timeout=30.0)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
        return connection

    def _connected_for_reading(self, path: Path) -> sqlite3.Connection:
        """Readers write nothing; where not even SQLite's own files can be made, nobody else writes either."""
        alone = not os.access(self.folder, os.W_OK) or os.statvfs(self.folder).f_flag & os.ST_RDONLY
        way = "immutable=1" if alone else "mode=ro"
        address = f"{path.resolve().as_uri()}?{way}"
        connection = sqlite3.connect(address, uri=True, timeout=30.0, check_same_thread=False)
        connection.execute("PRAGMA query_only = ON")
        return connection


def in_use(folder: Path) -> bool:
    """True while some process has the library open for writing."""
    if address := address_of(folder):
        return decided_on(address)
    try:
        with (folder / "lock").open() as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        pass
    return False
