"""Kill a crawl with SIGKILL at random moments, resume it each time, and compare it with one that was left in peace.

    python benchmarks/crash.py [WEB] [--kills 50] [--pages 5000] [--strategy best-first]

It counts as passed when the killed crawl has the same pages in the same order, none stored twice, and every page the
catalogue names can be read from the archive, which is clean to the byte. The last line is a JSON object.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from pinakes.core.errors import PinakesError
from pinakes.core.roles import Progress
from pinakes.formats import warc_reader
from pinakes.formats.http import parse
from pinakes.jobs.crawl import crawl
from pinakes.jobs.crawl_records import CrawlOptions
from pinakes.jobs.taking_up import resume
from pinakes.jobs.webs import open_web
from pinakes.library.archive import Place
from pinakes.library.library import Library


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("web", nargs="?", default="demo")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--pages", type=int, default=5000)
    parser.add_argument("--strategy", default="best-first")
    parser.add_argument("--topic", default="owls and other birds of prey")
    parser.add_argument("--seed", default="http://www.pinakes.example/")
    parser.add_argument("--random-state", type=int, default=0)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--die-after", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        live_and_die(options)
    else:
        compare(options)


def live_and_die(options: argparse.Namespace) -> None:
    """The child: begin the crawl, or go on with it, and die by SIGKILL a moment after so many links came home."""
    into, home = Path(options.child), itertools.count(1)
    moment = random.Random(options.die_after).uniform(0.0, 0.01)

    def watch(progress: Progress) -> None:
        if next(home) == options.die_after:
            timer = threading.Timer(moment, os.kill, (os.getpid(), signal.SIGKILL))
            timer.daemon = True
            timer.start()

    try:
        resume(into, watch=watch)
    except PinakesError as error:
        if "is finished" in str(error):
            return
        crawl(wanted(options, into), watch=watch)


def wanted(options: argparse.Namespace, into: Path) -> CrawlOptions:
    return CrawlOptions(
        into=into,
        topic=options.topic,
        seeds=(options.seed,),
        web=options.web,
        strategy=options.strategy,
        pages=options.pages,
        random_state=options.random_state,
    )


def compare(options: argparse.Namespace) -> None:
    chance = random.Random(options.random_state)
    with tempfile.TemporaryDirectory() as folder:
        peaceful, killed = Path(folder) / "peaceful", Path(folder) / "killed"
        open_web(options.web)  # indexed now, so that lives are spent crawling
        started = time.monotonic()
        crawl(wanted(options, peaceful))
        seconds = time.monotonic() - started
        print(f"undisturbed: {len(visits(peaceful))} links came home in {seconds:.1f} s")
        home = len(visits(peaceful))
        kills = deaths = 0
        while kills < options.kills:
            # Long enough that some lives see a commit, short enough that some end before one.
            deaths += one_life(options, killed, chance.randint(1, max(min(400, home // 2), 2 * home // options.kills)))
            kills += 1
        one_life(options, killed, None)
        report = {
            "web": options.web if options.web == "demo" else Path(options.web).parent.name,
            "kills": kills,
            "deaths": deaths,
            "links_home": len(visits(killed)),
            "same_order": visits(killed) == visits(peaceful),
            "stored_twice": stored_twice(killed),
            "unreadable": unreadable(killed),
            "archive_problems": archive_problems(killed),
        }
    report["passed"] = bool(report["same_order"]) and not (
        report["stored_twice"] or report["unreadable"] or report["archive_problems"]
    )
    print(json.dumps(report))
    sys.exit(0 if report["passed"] else 1)


def one_life(options: argparse.Namespace, into: Path, life: int | None) -> bool:
    command = [sys.executable, __file__, options.web, "--child", str(into), "--pages", str(options.pages)]
    command += ["--strategy", options.strategy, "--topic", options.topic, "--seed", options.seed]
    command += ["--die-after", str(life)] if life else []
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode not in (0, -signal.SIGKILL):
        print(done.stderr)
        sys.exit(f"a life ended with {done.returncode}")
    return done.returncode == -signal.SIGKILL


def visits(folder: Path) -> list[tuple[str, str, str]]:
    with Library(folder) as library:
        return list(library.connection.execute("SELECT url, final, outcome FROM visits ORDER BY id"))


def stored_twice(folder: Path) -> int:
    with Library(folder) as library:
        sql = "SELECT count(*) - count(DISTINCT url) FROM pages"
        return int(library.connection.execute(sql).fetchone()[0])


def unreadable(folder: Path) -> int:
    """Pages of the catalogue that do not stand where it says, or say something else."""
    bad = 0
    with Library(folder) as library:
        rows = library.connection.execute("SELECT url, status, segment, offset, length FROM pages").fetchall()
        for url, status, *place in rows:
            try:
                record = library.archive.read(Place(*place))
            except PinakesError:
                bad += 1
                continue
            bad += record.url != url or parse(record.block).status != status
    return bad


def archive_problems(folder: Path) -> list[str]:
    """Records that cannot be read, pages the catalogue does not know, bytes past the committed end."""
    problems: list[str] = []
    with Library(folder) as library:
        named = library.connection.execute("SELECT segment, offset FROM pages").fetchall()
        known = {tuple(row) for row in named}
        for number, name, size in library.connection.execute("SELECT id, name, bytes FROM segments").fetchall():
            path = folder / "archive" / name
            if path.stat().st_size != size:
                problems.append(f"{name} has {path.stat().st_size} bytes, {size} are committed")
            for record in warc_reader.records(path):
                if isinstance(record, warc_reader.WarcDamage):
                    problems.append(f"{name}: {record}")
                elif is_page(record) and (number, record.offset) not in known:
                    problems.append(f"{name}: {record.url} is stored but not in the catalogue")
    return problems[:10]


def is_page(record: warc_reader.Record) -> bool:
    rules = record.url.endswith("/robots.txt")
    return record.kind in ("response", "revisit") and not rules and parse(record.block).status == 200


if __name__ == "__main__":
    main()
