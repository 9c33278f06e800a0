"""Crawl a made-up web over real HTTP for a long time, with errors, resets and stalls, and look for what wears out.

    python benchmarks/soak.py [--minutes 20] [--pages 600000] [--in-flight 64]

One page in twenty fails: server errors, connections that are reset, answers that never come; one in fifty links into a
trap. It counts as passed when memory is flat in the second half of the time, pages kept coming home to the end, and
every link ever met is accounted for by name: it came home, waits, or was refused. The last line is a JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pinakes.core.page import host_of
from pinakes.core.roles import Progress
from pinakes.frontier.rows import Rows
from pinakes.frontier.waiting import LINK
from pinakes.jobs.crawl import crawl
from pinakes.jobs.crawl_records import CrawlOptions, CrawlResult
from pinakes.library.library import Library
from pinakes.testing import ProceduralWeb, serve
from pinakes.web.client import Timeouts
from pinakes.web.http import LiveOptions
from pinakes.web.manners import Pace

GROWTH = 0.05
"""How much larger the last quarter's memory may be than the one before's: all that is remembered up to a bound has met
it by then."""
SILENCE = 30.0
"""Seconds within which something must come home."""
JUDGED = 5.0
"""Minutes from which memory is judged; before, a crawl is still warming up."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--pages", type=int, default=600_000, help="pages of the made-up web")
    parser.add_argument("--in-flight", type=int, default=64)
    options = parser.parse_args()
    web = ProceduralWeb(
        pages=options.pages,
        hosts=max(20, options.pages // 100),
        links=20,
        words=150,
        server_errors=0.02,
        resets=0.015,
        stalls=0.015,
        redirects=0.03,
        mirrors=0.01,
        traps=0.02,
    )
    with tempfile.TemporaryDirectory() as folder, serve(web, process=True, log=False) as server:
        watch = Watch(options.minutes * 60)
        result = crawl(
            CrawlOptions(
                into=Path(folder) / "library",
                topic=web.topic(0).text,
                seeds=web.seeds(20),
                live=LiveOptions(
                    contact="soak@pinakes.example",
                    pace=Pace(delay=0.0, patience=0.0, backoff=0.5, tries=3, failures=50),
                    timeouts=Timeouts(connect=2.0, head=2.0, read=2.0, total=10.0),
                    resolve=(f"*=127.0.0.1:{server.port}",),
                ),
                strategy="best-first",
                parameters={"batch": options.in_flight},
                in_flight=options.in_flight,
                pages=None,
                seconds=options.minutes * 60,
            ),
            watch=watch,
        )
        watch.stop()
        report = {**watch.report(), **told(result), **account(Path(folder) / "library", set(web.seeds(20)))}
    flat = options.minutes < JUDGED or report["growth"] <= GROWTH
    report["passed"] = flat and report["longest_silence_s"] < SILENCE and not report["unaccounted"]
    print(json.dumps(report))
    sys.exit(0 if report["passed"] else 1)


class Watch:
    """Hears every page, and looks at our memory twice a second."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._begun = seconds, time.monotonic()
        self._others = set(family())
        self._last, self._silence = self._begun, 0.0
        self._home: list[int] = [0, 0, 0, 0]
        self._memory: list[tuple[int, int]] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        self._silence = max(self._silence, now - self._last)
        self._last = now
        self._home[self._quarter()] += 1

    def stop(self) -> None:
        self._ended.set()
        self._thread.join()

    def report(self) -> dict[str, object]:
        means = [
            round(sum(some) / len(some) / 1024, 1)
            if (some := [kib for q, kib in self._memory if q == quarter])
            else 0.0
            for quarter in range(4)
        ]
        return {
            "minutes": round((time.monotonic() - self._begun) / 60, 1),
            "memory_mib_by_quarter": means,
            "growth": round(means[3] / means[2] - 1, 3) if means[2] and means[3] else 0.0,
            "home_by_quarter": self._home,
            "longest_silence_s": round(self._silence, 1),
        }

    def _quarter(self) -> int:
        return min(3, int(4 * (time.monotonic() - self._begun) / self._seconds))

    def _look(self) -> None:
        while not self._ended.wait(0.5):
            ours = [os.getpid(), *(pid for pid in family() if pid not in self._others)]
            self._memory.append((self._quarter(), sum(map(own_memory, ours))))


def family() -> Iterator[int]:
    """The processes that descend from this one."""
    parents = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(entry.parent.name)] = int(entry.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    for pid in parents:
        ancestor: int | None = pid
        while (ancestor := parents.get(ancestor or 0)) is not None:
            if ancestor == os.getpid():
                yield pid
                break


def own_memory(pid: int) -> int:
    """KiB of a process's own, without the files it has mapped."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("RssAnon:")), 0)


def told(result: CrawlResult) -> dict[str, object]:
    return {
        "stopped": result.stopped,
        "pages": result.pages,
        "pages_per_s": round(result.pages / result.seconds, 1),
        "outcomes": dict(result.outcomes),
        "dropped": dict(result.dropped),
    }


def account(folder: Path, seeds: set[str]) -> dict[str, object]:
    """Where every link is that was ever met: by its outcome, waiting, or refused; and what is in no such place."""
    with Library(folder, write=True) as library:
        db = library.connection
        met = seeds | {url for (url,) in db.execute("SELECT DISTINCT url FROM links")}
        home: dict[str, str] = {}
        for asked, final, outcome, link in db.execute("SELECT url, final, outcome, link FROM visits ORDER BY id"):
            assert asked not in home or home[asked] == "on the way", f"{asked} came home twice"
            home[asked] = outcome
            for address in (final, *json.loads(link)[8]):
                home.setdefault(address, "on the way")
        rows = Rows(db, library.crawls()[-1].id)
        waits = {
            address
            for host, first in rows.queues(host_of).items()
            for entry in rows.since(host, first, lambda url: False)
            for address in (entry[LINK].url, *entry[LINK].via)
        }
        refused = dict(db.execute("SELECT url, why FROM drops"))
    places = Counter(
        home.get(url) or ("waiting" if url in waits else "") or refused.get(url) or "unaccounted" for url in met
    )
    return {"met": len(met), "unaccounted": places.pop("unaccounted", 0), "places": dict(places.most_common())}


if __name__ == "__main__":
    main()
