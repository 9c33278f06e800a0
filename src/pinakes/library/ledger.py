"""What one crawl writes into its library.

Everything goes into one transaction of the catalogue, together with the frontier's tables; `commit` flushes the WARC
first and then ends that transaction, which is the only moment at which anything counts.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

import msgspec

from pinakes.core.page import Fetched, Filed, Link, Page, Verdict
from pinakes.core.roles import Border, HostRest, Judge, Progress, Remembering, Strategy, Twin
from pinakes.formats import warc
from pinakes.formats.hashes import hash_of, signed
from pinakes.library.archive import Archive
from pinakes.library.control import Control
from pinakes.library.shelf import Shelf
from pinakes.library.terms import KeptTerms
from pinakes.library.twins import Twins

SNAPSHOT_PAGES = 250
"""The strategy's state is kept every so many deliveries; between them the journal is."""


SAMPLE_SECONDS = 0.5
SAMPLES = 2000
"""How the crawl stands is written down at a commit, but no more often than this, nor than the so-manieth part of how
long it has run: a crawl of weeks must not be told by millions of rows."""
HOSTS = "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
SEGMENT = "INSERT INTO segments VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET bytes = excluded.bytes"


def hosts_key(crawl: int) -> str:
    """Where it stands how the hosts are that a crawl asked lately."""
    return f"hosts {crawl}"


def file_exchange(fetched: Fetched, page: Page, archive: Archive, shelf: Shelf) -> Filed:
    """Append the members of an exchange to the archive; of a payload that is there already, only that it is."""
    members, original = fetched.record, None
    if page.readable and fetched.digest:
        original = shelf.original(fetched.digest)
    if original is not None:
        members = warc.as_revisit(members, fetched.head, original.url, original.fetched_at)
    filed = Filed(0, 0, 0)
    for member in members:
        place = archive.append(member)
        if member.kind in ("response", "revisit"):
            filed = Filed(*place, original.number if original else None)
    return filed


class CrawlLedger:
    """The `Ledger` of a crawl into a library on disk."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        archive: Archive,
        shelf: Shelf,
        control: Control,
        crawl: int,
        *,
        keep_terms: bool = False,
    ) -> None:
        self._connection, self._archive, self._shelf, self._control = connection, archive, shelf, control
        self.crawl = crawl
        self._twins = Twins(connection, crawl)
        self._batch: int = connection.execute("SELECT batch FROM crawls WHERE id = ?", (crawl,)).fetchone()[0] + 1
        self._undrawn = SNAPSHOT_PAGES
        self._sampled = float("-inf")
        self._terms = KeptTerms(connection) if keep_terms else None
        if self._terms is not None:
            self._terms.prepare()

    def twin(self, page: Page, digest: str) -> Twin | None:
        return self._twins.find(page, digest)

    def lacking(self, page: Page, twin: Twin) -> Sequence[Link]:
        return self._shelf.lacking(page, twin.ids)

    def deliver(self, fetched: Fetched, page: Page, verdict: Verdict, twin: Twin | None) -> None:
        if fetched.record or fetched.filed:
            number = self._store(fetched, page)
        else:
            number = self._shelf.number(page.url) if page.readable else None
        if number is not None and page.readable:
            self._twins.add(page, fetched.digest, number)
            if self._terms is not None and page.terms:
                self._terms.keep(number, page.terms)
        link = page.link
        rest = [link.url, link.anchor, link.before, link.after, link.at, link.tag, link.rel, link.topic, link.via]
        visit = self._connection.execute(
            "INSERT INTO visits (crawl, batch, at, url, url_hash, final, outcome, status, page, parent, depth,"
            " distance, price, link, score, topic, nugget, twin) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                self.crawl,
                self._batch,
                page.fetched_at,
                link.origin,
                hash_of(page.url),
                page.url,
                page.outcome,
                page.status,
                number,
                link.parent,
                link.depth,
                link.distance,
                link.priority,
                msgspec.json.encode(rest).decode(),
                verdict.score,
                verdict.topic,
                verdict.nugget,
                twin.url if twin else "",
            ),
        ).lastrowid
        if len(verdict.scores) > 1:
            rows = [(visit, topic, score) for topic, score in verdict.scores.items() if score > 0]
            self._connection.executemany("INSERT INTO verdicts VALUES (?, ?, ?)", rows)
        if number is not None and page.fingerprint and not twin:
            self._twins.overtake(page)
        self._journal("page", [visit, list(twin.ids) if twin else []])
        self._undrawn += 1

    def listed(self) -> list[str]:
        """Addresses whose sites have told which pages they have."""
        start = f"listed {self.crawl} "
        rows = self._connection.execute("SELECT key FROM meta WHERE key >= ? AND key < ?", (start, start + "\uffff"))
        return [row[0].removeprefix(start) for row in rows]

    def forward(self, fetched: Fetched) -> None:
        for member in fetched.record:
            self._archive.append(member)

    def note(self, kind: str, data: Any) -> None:
        if kind == "dropped" and data[0] != "visited":
            rows = [(self.crawl, self._batch, url, data[0]) for url in data[1]]
            self._connection.executemany("INSERT INTO drops VALUES (?, ?, ?, ?)", rows)
        if kind == "listed":
            self._connection.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", (f"listed {self.crawl} {data[0]}", ""))
        self._journal(kind, data)

    async def recall(self, url: str) -> Page | None:
        return self._shelf.recall(self.crawl, url)

    def control(self) -> Mapping[str, Any]:
        return self._control.wishes(self.crawl)

    def commit(
        self, progress: Progress, strategy: Strategy, border: Border | None = None, judge: Judge | None = None
    ) -> None:
        self._connection.executemany(SEGMENT, self._archive.flush())
        if self._undrawn >= SNAPSHOT_PAGES:
            self._snapshot(strategy, border, judge)
        self._connection.execute(
            "UPDATE crawls SET batch = ?, pages = ?, nuggets = ?, outcomes = ?, waiting = ?, seconds = ?,"
            " strategy_seconds = ?, last = ? WHERE id = ?",
            (
                self._batch,
                progress.pages,
                progress.nuggets,
                msgspec.json.encode(progress.outcomes).decode(),
                progress.waiting + progress.leased,
                progress.seconds,
                progress.strategy_seconds,
                progress.last,
                self.crawl,
            ),
        )
        if progress.seconds - self._sampled >= max(SAMPLE_SECONDS, progress.seconds / SAMPLES):
            self.sample(progress)
        self._connection.commit()
        self._batch += 1

    def finish(self, why: str, at: float) -> None:
        """Write down why the crawl stopped."""
        self._connection.execute("UPDATE crawls SET ended = ?, stopped = ? WHERE id = ?", (at, why, self.crawl))
        self._connection.commit()

    def hosts(self, hosts: Sequence[HostRest]) -> None:
        told = [(host, round(pause, 3), None if until == inf else round(until, 3)) for host, pause, until in hosts]
        self._connection.execute(HOSTS, (hosts_key(self.crawl), msgspec.json.encode(told).decode()))

    def sample(self, progress: Progress) -> None:
        sample = (self.crawl, self._batch, progress.pages, progress.nuggets, progress.waiting, progress.seconds)
        self._connection.execute("INSERT INTO samples VALUES (?, ?, ?, ?, ?, ?)", sample)
        self._sampled = progress.seconds

    def _store(self, fetched: Fetched, page: Page) -> int | None:
        """File the exchange in the archive; a page that was read gets a row in the catalogue."""
        filed = fetched.filed or file_exchange(fetched, page, self._archive, self._shelf)
        if not page.readable:
            return None
        number = self._connection.execute(
            "INSERT INTO pages (url, url_hash, status, type, title, words, language, canonical, robots, etag, modified,"
            " fetched_at, digest, digest_hash, fingerprint, segment, offset, length, original)"
            " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                page.url,
                hash_of(page.url),
                page.status,
                page.type,
                page.title,
                len(page.words),
                page.language,
                page.canonical,
                " ".join(sorted(page.robots)),
                page.etag,
                page.modified,
                page.fetched_at,
                fetched.digest,
                hash_of(fetched.digest),
                signed(page.fingerprint),
                *filed,
            ),
        ).lastrowid
        if links := [(link[0], link[1], link[6]) for link in fetched.page.links]:
            listed = msgspec.json.encode(links).decode()
            if "\\u0000" in listed:  # which no database holds
                links = [(url, anchor.replace("\0", ""), rel.replace("\0", "")) for url, anchor, rel in links]
                listed = msgspec.json.encode(links).decode()
            self._connection.execute("INSERT INTO link_lists VALUES (?, ?)", (number, listed))
        return number

    def _journal(self, kind: str, data: Any) -> None:
        text = msgspec.json.encode(data).decode()
        self._connection.execute("INSERT INTO journal (crawl, kind, data) VALUES (?, ?, ?)", (self.crawl, kind, text))

    def _snapshot(self, strategy: Strategy, border: Border | None, judge: Judge | None) -> None:
        """Keep the states of strategy, border and judge and forget what led to them; they must be plain data, or this
        raises."""
        states = {
            "strategy": strategy.state(),
            "border": border.state() if border else None,
            "judge": judge.state() if isinstance(judge, Remembering) else None,
        }
        state = msgspec.json.encode(states).decode()
        sql = "INSERT INTO snapshots VALUES (?, ?) ON CONFLICT (crawl) DO UPDATE SET state = excluded.state"
        self._connection.execute(sql, (self.crawl, state))
        self._connection.execute("DELETE FROM journal WHERE crawl = ?", (self.crawl,))
        self._undrawn = 0
