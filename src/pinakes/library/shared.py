"""A catalogue in PostgreSQL as one process has it open: to read, to bring pages home, or to decide.

Whoever works holds an advisory lock of its number and whoever decides one more, both on the very connection it writes
with. A lock ends with its connection: who is gone, by whatever way, is known to be, and cannot write any more.
"""

from __future__ import annotations

import os
import socket
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from pinakes.core.errors import PinakesError
from pinakes.library import postgres
from pinakes.library.gate import AddressGate
from pinakes.library.postgres import PostgresConnection, shown
from pinakes.library.shared_archive import SharedArchive, store_at

DECIDER, WORKER = 0x50696E, 0x50696F
"""Kinds of advisory locks."""
TOLD = 0.5
"""Seconds between two words of whoever decides on how it stands."""
_HELD = (
    "SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = %s"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


class Worker(NamedTuple):
    """Someone who works, or worked, on the library."""

    id: int
    name: str
    """Its machine and process."""
    alive: bool
    decides: bool
    started: float
    seen: float
    """When it last told how it stands."""
    pages: int
    in_flight: int
    regret: float
    """By how much, on average, a link it claimed was worse than the best that a decision then brought."""


class SharedCatalogue:
    """`connection` speaks like SQLite's; `archive` is where this process files pages; `worker` is its number, or 0."""

    def __init__(
        self, address: str, desk: Path, *, write: bool, work: bool = False, create: bool = False, archive: str = ""
    ) -> None:
        self._address = address
        self._gate: AddressGate | None = None
        self.raw = postgres.connect(address, autocommit=not (write or work))
        try:
            if create:
                self._create(desk, archive)
            meta = self._meta()
            self.plain = PostgresConnection(self.raw)
            self.connection = self.plain.as_sqlite()
            self.worker = self._join() if write or work else 0
            if write:
                self._decide()
            names = dict(self.raw.execute("SELECT id, name FROM segments").fetchall())
            self.archive = SharedArchive(
                store_at(meta["archive"]),
                names,
                library=meta["library"],
                aside=desk / "index" / "segments",
                worker=self.worker,
                allot=self._allot if self.worker else None,
            )
            if write:
                self._seal()
            if not self.raw.autocommit:
                self.raw.commit()
                # What is written is not waited for, one statement after the other, but when something is read.
                self.raw.pipeline().__enter__()
        except BaseException:
            self.raw.close()
            raise

    @property
    def clock_offset(self) -> float:
        """By how much the server's clock is ahead of this machine's: leases and pauses go by the server's."""
        before = time.time()
        row = self.raw.execute("SELECT extract(epoch FROM clock_timestamp())::float8").fetchone()
        return (row[0] if row else before) - (before + time.time()) / 2

    def alive(self) -> set[int]:
        """The numbers of those who work now."""
        return {row[0] for row in self.raw.execute(_HELD, (WORKER,)).fetchall()}

    def decided(self) -> bool:
        """Does someone decide?"""
        return bool(self.raw.execute(_HELD, (DECIDER,)).fetchall())

    def workers(self) -> list[Worker]:
        alive = self.alive()
        rows = self.raw.execute(
            "SELECT id, name, decides, started, seen, pages, in_flight, coalesce(regret / nullif(claims, 0), 0)"
            " FROM workers LEFT JOIN regrets ON worker = id ORDER BY id"
        ).fetchall()
        return [
            Worker(number, name, number in alive, decides and number in alive, *rest)
            for number, name, decides, *rest in rows
        ]

    def tell(self, pages: int = 0, in_flight: int = 0, claims: int = 0) -> None:
        """Write down how this worker stands: `pages` and `claims` are added. Nobody else writes this row while it is
        there, lest one wait for the other."""
        self.raw.execute(
            "UPDATE workers SET seen = %s, pages = pages + %s, in_flight = %s, claims = claims + %s WHERE id = %s",
            (time.time(), pages, in_flight, claims, self.worker),
        )

    def tell_of(self, standing: Callable[[], tuple[int, int]]) -> None:
        """Write down now and then, with what is committed anyway, how whoever decides stands as one who fetches: how
        many pages it has brought home since it began, and how many are under way."""
        told, at = 0, 0.0

        def tell() -> None:
            nonlocal told, at
            pages, in_flight = standing()
            ended = not in_flight and pages > told
            if time.monotonic() - at < TOLD and not ended:
                return
            self.tell(pages - told, in_flight)
            told, at = pages, time.monotonic()

        self.plain.before_commit.append(tell)

    def hurry(self, hurries: bool) -> None:
        """Let commits count before they are on the server's disk, or not. A server that crashes then forgets the last
        half second, and forgets it whole: pages that had arrived wait to be decided on again."""
        self.raw.execute(f"SET synchronous_commit = {'off' if hurries else 'on'}".encode())

    def commit(self) -> None:
        self.plain.commit()

    def gate(self) -> AddressGate:
        """What all who fetch pass, one at a time for each address."""
        if self._gate is None:
            self._gate = AddressGate(self._address)
        return self._gate

    def close(self) -> None:
        self.raw.close()
        if self._gate is not None:
            self._gate.close()

    def _create(self, desk: Path, archive: str) -> None:
        postgres.create(self.raw)
        place = archive if "://" in archive else str(Path(archive).resolve() if archive else desk / "archive")
        facts = [("library", f"pinakes-library-{uuid.uuid4()}"), ("archive", place)]
        for key, value in facts:
            self.raw.execute("INSERT INTO meta VALUES (%s, %s) ON CONFLICT DO NOTHING", (key, value))
        held = self._meta()["archive"]
        if archive and held != place:
            raise PinakesError(f"The pages of {shown(self._address)} are in {held}; leave --archive out, or name that.")
        self.raw.commit()

    def _meta(self) -> dict[str, str]:
        import psycopg

        try:
            meta = dict(self.raw.execute("SELECT key, value FROM meta").fetchall())
        except psycopg.errors.UndefinedTable:
            raise PinakesError(
                f"{shown(self._address)} holds no Pinakes library; start one with "
                f"`pinakes crawl --into {shown(self._address)}`."
            ) from None
        if not self.raw.autocommit:
            postgres.create(self.raw)  # brings it to this version
        return meta

    def _join(self) -> int:
        now = time.time()
        row = self.raw.execute(
            "INSERT INTO workers (name, started, seen) VALUES (%s, %s, %s) RETURNING id",
            (f"{socket.gethostname()}:{os.getpid()}", now, now),
        ).fetchone()
        assert row is not None
        self.raw.execute("SELECT pg_advisory_lock(%s, %s)", (WORKER, row[0]))
        self.raw.commit()
        return int(row[0])

    def _decide(self) -> None:
        row = self.raw.execute("SELECT pg_try_advisory_lock(%s, 0)", (DECIDER,)).fetchone()
        if not (row and row[0]):
            name = shown(self._address)
            raise PinakesError(
                f"{name} is in use by another Pinakes; join it with `pinakes work {name}`, wait for it, or stop it."
            )
        self.raw.execute("UPDATE workers SET decides = (id = %s) WHERE decides OR id = %s", (self.worker, self.worker))
        self.raw.commit()

    def _seal(self) -> None:
        """Drop what those who are gone wrote and did not commit."""
        alive = self.alive()
        committed = dict(self.raw.execute("SELECT name, bytes FROM segments").fetchall())
        self.archive.seal(committed, lambda worker: worker in alive)

    def _allot(self) -> int:
        row = self.raw.execute("SELECT nextval('segment_numbers')").fetchone()
        assert row is not None
        return int(row[0])


def decided_on(address: str) -> bool:
    """Does someone decide in a catalogue?"""
    raw = postgres.connect(address, autocommit=True)
    try:
        return bool(raw.execute(_HELD, (DECIDER,)).fetchall())
    finally:
        raw.close()
