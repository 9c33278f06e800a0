"""What does a page cost? The whole path of a live crawl beside Scrapy, crawlee and a bare fetch loop, in CPU time.

    python benchmarks/speed.py [--web schools.warc.gz] [--pages 5000] [--rounds 2] [--rivals DIR | --no-rivals]

A recorded web of real pages is spread over 32 made-up hosts (each page's host is drawn from its path, and the links
are rewritten to match) and replayed on the loopback from a process of its own, without delays. Pinakes crawls it from
five seeds, best-first, into a library: fetch, robots.txt, parse, terms, near-duplicates, score, links admitted to the
frontier on disk, WARC and catalogue written; and once more with its default strategy, `evidence`. The others are handed
the addresses of those pages, so they need neither robots.txt nor a frontier; they fetch, parse, take title and links
and write a line of JSON a page. All CPU time of a contender's processes counts, from the start of the interpreter to
its end; the server's does not.

Two cores that share caches, or are two halves of one core, are slower when both are busy, so that the same work takes
more CPU time. What a second process costs is therefore told twice: beside one crawl in one process, while most of the
machine is idle, and beside two such crawls at the same time, which keep it as busy as two processes do.

The rivals are installed into a throw-away environment, or one kept in the folder that --rivals names. Prints a table,
the ratios of the run, and as the last line a JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit
from zlib import crc32

HOSTS = 32
TOPIC = "birds and mammals: animals, their habitat, food and behaviour"
RIVALS = ("scrapy", "selectolax", "crawlee[parsel]", "uvloop")
ELSEWHERE = Path(__file__).resolve().parents[1].parent / "shared/webs/schools/web.warc.gz"
IN_FLIGHT = 32
ONE, TWO, BESIDE = "pinakes, 1 process", "pinakes, 2 processes", "pinakes, 1, twice"
PLAIN = "best-first"


# -- the web, replayed ---------------------------------------------------------------------------------------------


def host_name(path: str) -> str:
    return f"h{crc32(path.encode()) % HOSTS:02d}.speed.example"


def spread(url: str) -> str:
    """The address of a recorded page among the made-up hosts."""
    parts = urlsplit(url)
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    return f"http://{host_name(parts.path)}{path}"


def recorded(warc: Path) -> dict[bytes, bytes]:
    """Responses by host and path."""
    from pinakes.formats import http
    from pinakes.formats.warc_reader import Record, records

    found: dict[str, bytes] = {}
    for record in records(warc):
        if isinstance(record, Record) and record.kind == "response":
            message = http.parse(record.block)
            if message.status == 200 and message.headers.get("content-type", "").startswith("text/html"):
                found[record.url] = http.content(message)
    sites = {urlsplit(url).netloc for url in found}
    href = re.compile(rb"""(<a\b[^>]*?\bhref=)(["'])([^"'#]+)""", re.IGNORECASE)
    pages: dict[bytes, bytes] = {}
    for url, body in found.items():

        def moved(match: re.Match[bytes], base: str = url) -> bytes:
            to = urljoin(base, match[3].decode("latin-1"))
            return match[1] + match[2] + (spread(to).encode("latin-1") if urlsplit(to).netloc in sites else match[3])

        content = href.sub(moved, body)
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(content)}\r\n"
        head += "Server: replay\r\nLast-Modified: Mon, 01 Jan 2007 00:00:00 GMT\r\nCache-Control: max-age=3600\r\n\r\n"
        pages[spread(url)[7:].encode("latin-1")] = head.encode() + content
    return pages


class Replay(asyncio.Protocol):
    """Answers from memory. `GET /=host/path` asks for a page of another host, for clients that cannot be routed."""

    pages: dict[bytes, bytes]
    _MISSING = b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n<h1>No.</h1>\n"

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport, self._buffer = transport, b""

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            head, self._buffer = self._buffer[:end], self._buffer[end + 4 :]
            target = head.split(b" ", 2)[1]
            if target.startswith(b"/="):
                key = target[2:]
            else:
                at = head.lower().index(b"\r\nhost: ") + 8
                key = head[at : head.find(b"\r\n", at) if b"\r\n" in head[at:] else None] + target
            self._transport.write(self.pages.get(key, self._MISSING))


def serve(options: argparse.Namespace) -> None:
    Replay.pages = recorded(options.web)
    options.listing.write_text(json.dumps([f"http://{key.decode('latin-1')}" for key in Replay.pages]))

    async def run() -> None:
        server = await asyncio.get_running_loop().create_server(Replay, "0.0.0.0", 0, backlog=1024)
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()

    asyncio.run(run())


@contextmanager
def replayed(warc: Path, folder: Path) -> Iterator[tuple[int, list[str]]]:
    """The port of a server in a process of its own, and the addresses it has."""
    listing = folder / "addresses.json"
    child = subprocess.Popen(
        [sys.executable, __file__, "--role", "serve", "--web", str(warc), "--listing", str(listing)],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert child.stdout is not None
        port = int(child.stdout.readline())
        yield port, json.loads(listing.read_text())
    finally:
        child.kill()
        child.wait()


# -- the contenders, each in a process of its own ------------------------------------------------------------------


def ours(options: argparse.Namespace) -> dict[str, Any]:
    """The whole path, through the job that `pinakes crawl` runs."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command line has it
    import psutil

    from pinakes.core.roles import Progress
    from pinakes.jobs.crawl import crawl
    from pinakes.jobs.crawl_records import CrawlOptions
    from pinakes.web.http import LiveOptions
    from pinakes.web.manners import Pace
    from pinakes.web.scope import Scope

    children: dict[psutil.Process, float] = {}

    def watch(progress: Progress) -> None:
        # Looking for them among all processes of the machine costs as much as many pages, which count as ours.
        if options.processes > 1 and (progress.pages % 300 == 0 or progress.pages == options.pages):
            for child in children or psutil.Process().children(recursive=True):
                times = child.cpu_times()
                children[child] = times.user + times.system

    crawl(
        CrawlOptions(
            into=options.into,
            topic=TOPIC,
            strategy=options.strategy,
            seeds=tuple(json.loads(options.listing.read_text())),
            scope=Scope(reject=("/images/",)),
            pages=options.pages,
            in_flight=IN_FLIGHT,
            processes=options.processes,
            live=LiveOptions(
                contact="speed@example.org",
                pace=Pace(delay=0, patience=0),
                resolve=(f"*=127.0.0.1:{options.port}",),
            ),
        ),
        watch=watch,
    )
    largest = max(time.process_time(), *children.values()) if children else time.process_time()
    return {"decider": time.process_time(), "workers": sorted(children.values()), "largest": largest}


def stages(options: argparse.Namespace) -> dict[str, Any]:
    """What the parts of reading a page cost, each by itself over some of the pages a crawl has stored."""
    from pinakes.core.page import Brief, Fetched, Link, Topic
    from pinakes.formats import html, http, walk, warc
    from pinakes.formats.charset import decode
    from pinakes.formats.document import Reader
    from pinakes.judges.cosine import CosineJudge
    from pinakes.library.archive import Place
    from pinakes.library.library import Library
    from pinakes.strategies.best_first import BestFirst
    from pinakes.web.shipping import packed, unpacked

    with Library(options.into) as library:
        rows = library.connection.execute("SELECT url, segment, offset, length FROM pages WHERE original IS NULL")
        stored = [(url, http.parse(library.archive.read(Place(*place)).block)) for url, *place in rows.fetchall()[::5]]
    reader, link = Reader(), Link("http://a.example/")
    brief = Brief(topics=(Topic(TOPIC),))
    judge, strategy = CosineJudge(brief), BestFirst(brief)
    texts = [(url, decode(message.body, "text/html; charset=utf-8")) for url, message in stored]
    pages = [reader.read(link, url, 200, message.headers, message.body, 0.0) for url, message in stored]
    home = [
        Fetched(page, *warc.exchange(url, b"", message.head, message.body, 0.0))
        for page, (url, message) in zip(pages, stored, strict=True)
    ]
    parcels = [b"".join(packed(1, one)) for one in home]

    def cost(items: list[Any], work: Callable[[Any], object]) -> float:
        times = []
        for _ in range(3):
            began = time.process_time()
            for item in items:
                work(item)
            times.append(time.process_time() - began)
        return 1000 * min(times) / len(items)

    asked = b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"
    return {
        "stages": {
            "HTML to a tree": cost(texts, lambda item: walk._tree(item[1])),
            "tree and walk": cost(texts, lambda item: walk.walked(item[1], html.MOST_LINKS, html.MOST_TEXT)),
            "words, terms and similarity hash": cost(pages, lambda page: reader.words.told(page.text)),
            "reading, all in all": cost(
                stored, lambda item: reader.read(link, item[0], 200, item[1].headers, item[1].body, 0.0)
            ),
            "WARC members": cost(
                stored,
                lambda item: warc.exchange(item[0], asked, item[1].head, item[1].body, 0.0, metadata={"via": item[0]}),
            ),
            "packing for another process": cost(home, lambda one: packed(1, one)),
            "unpacking": cost(parcels, lambda parcel: unpacked(parcel, lambda number: link)),
            "judge and strategy": cost(pages, lambda page: strategy.visit(page, judge.judge(page))),
        }
    }


def fetch_only(options: argparse.Namespace) -> dict[str, Any]:
    """The same client, and nothing done with what it brings."""
    from pinakes.web.client import Client, Timeouts
    from pinakes.web.resolve import Resolver, routes

    async def run() -> None:
        resolver = Resolver(routes=routes([f"*=127.0.0.1:{options.port}"]))
        client = Client({"User-Agent": "speed"}, resolver, timeouts=Timeouts())
        waiting = iter(json.loads(options.listing.read_text()))

        async def work() -> None:
            for url in waiting:
                assert not isinstance(await client.get(url, 10 << 20), tuple)

        await asyncio.gather(*(work() for _ in range(IN_FLIGHT)))
        await client.close()

    asyncio.run(run())
    return {}


def bare(options: argparse.Namespace) -> list[str]:
    """Addresses for clients that cannot be told where a host lives: one loopback address a host."""
    urls = json.loads(options.listing.read_text())
    return [f"http://127.0.0.{1 + int(url[8:10])}:{options.port}/={url[7:]}" for url in urls]


def selected(url: str, body: bytes) -> tuple[str, list[list[str]]]:
    """Title and links as a careful user of selectolax takes them."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(body)
    node = tree.css_first("title")
    links = [[urljoin(url, href), a.text()] for a in tree.css("a[href]") if (href := a.attributes.get("href"))]
    return node.text() if node else "", links


def scrapy_tuned(options: argparse.Namespace) -> dict[str, Any]:
    return scrapy(options, own_extractor=False)


def scrapy_own(options: argparse.Namespace) -> dict[str, Any]:
    return scrapy(options, own_extractor=True)


def scrapy(options: argparse.Namespace, own_extractor: bool) -> dict[str, Any]:
    """Scrapy with the settings of its guide to broad crawls; its other middlewares and extensions stay on."""
    from scrapy import Request, Spider
    from scrapy.crawler import CrawlerProcess
    from scrapy.linkextractors import LinkExtractor

    urls, extractor = bare(options), LinkExtractor()

    class Speed(Spider):
        name = "speed"

        async def start(self) -> Any:
            for url in urls:
                yield Request(url, dont_filter=True)

        def parse(self, response: Any) -> Any:
            if own_extractor:
                title = response.css("title::text").get()
                links = [[link.url, link.text] for link in extractor.extract_links(response)]
            else:
                title, links = selected(response.url, response.body)
            yield {"url": response.url, "title": title, "links": links}

    process = CrawlerProcess(
        {
            # What Scrapy's guide to broad crawls advises, and what else a setting switches off.
            "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
            "CONCURRENT_REQUESTS": IN_FLIGHT,
            "CONCURRENT_REQUESTS_PER_DOMAIN": IN_FLIGHT,
            "DOWNLOAD_DELAY": 0,
            "LOG_ENABLED": False,
            "TELNETCONSOLE_ENABLED": False,
            "COOKIES_ENABLED": False,
            "RETRY_ENABLED": False,
            "REDIRECT_ENABLED": False,
            "ROBOTSTXT_OBEY": False,
            "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
            "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
            "FEEDS": {str(options.into): {"format": "jsonlines", "overwrite": True}},
        }
    )
    process.crawl(Speed)
    process.start()
    return {}


def crawlee(options: argparse.Namespace) -> dict[str, Any]:
    from crawlee import ConcurrencySettings
    from crawlee.crawlers import HttpCrawler
    from crawlee.storage_clients import MemoryStorageClient

    urls, out = bare(options), options.into.open("w")

    async def run() -> None:
        crawler = HttpCrawler(
            concurrency_settings=ConcurrencySettings(
                min_concurrency=IN_FLIGHT, desired_concurrency=IN_FLIGHT, max_concurrency=IN_FLIGHT
            ),
            storage_client=MemoryStorageClient(),
            max_request_retries=0,
            configure_logging=False,
        )

        @crawler.router.default_handler
        async def parse(context: Any) -> None:
            title, links = selected(context.request.url, await context.http_response.read())
            out.write(json.dumps({"url": context.request.url, "title": title, "links": links}) + "\n")

        await crawler.run(urls)

    asyncio.run(run())
    out.close()
    return {}


ROLES = {f.__name__.replace("_", "-"): f for f in (serve, ours, stages, fetch_only, scrapy_tuned, scrapy_own, crawlee)}


def contend(options: argparse.Namespace) -> None:
    """Play a part and tell what it cost: all CPU time of this process and of the children it waited for."""
    started = time.monotonic()
    said = ROLES[options.role](options)
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    said["cpu"] = own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
    said["largest"] = said.get("largest", said["cpu"])
    said["peak_mb"] = own.ru_maxrss // 1024
    said["seconds"] = time.monotonic() - started
    print(json.dumps(said), flush=True)


# -- the comparison ------------------------------------------------------------------------------------------------


def rivals(folder: Path) -> str:
    """The interpreter of an environment with the rivals in it; empty, with the reason told, when it cannot be made."""
    python = folder / "bin" / "python"
    if not python.exists():
        print(f"Installing {', '.join(RIVALS)} into {folder} ...", flush=True)
        steps = [sys.executable, "-m", "venv", str(folder)], [str(python), "-m", "pip", "install", "-q", *RIVALS]
        for step in steps:
            done = subprocess.run(step, capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"The rivals are left out: {(done.stderr or done.stdout).strip().splitlines()[-1]}")
                return ""
    return str(python)


def played(
    role: str, python: str, port: int, listing: Path, into: Path, pages: int, processes: int = 1, strategy: str = PLAIN
) -> Any:
    """What a contender said about its run; None when it broke."""
    command = [python, __file__, "--role", role, "--port", str(port), "--listing", str(listing), "--into", str(into)]
    command += ["--pages", str(pages), "--processes", str(processes), "--strategy", strategy]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=installed())
    if done.returncode:
        print(f"{role} failed: {(done.stderr or done.stdout).strip().splitlines()[-1][:300]}")
        return None
    return json.loads(done.stdout.splitlines()[-1])


def beside(port: int, listing: Path, folder: Path, pages: int) -> Any:
    """Two crawls in one process each at the same time: what a page cost them."""
    into = [folder / "library-left", folder / "library-right"]
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda to: played("ours", sys.executable, port, listing, to, pages), into))
    for library in into:
        shutil.rmtree(library)
    return averaged(both)


def averaged(runs: list[Any]) -> Any:
    return {key: statistics.mean(run[key] for run in runs) for key in ("cpu", "largest", "peak_mb", "seconds")}


def installed() -> dict[str, str]:
    """An environment in which everyone finds or leaves bytecode, so that nobody compiles while being measured."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def visited(library: Path, listing: Path) -> None:
    """Write down which pages a crawl got."""
    with sqlite3.connect(library / "catalogue.db") as catalogue:
        listing.write_text(json.dumps([url for (url,) in catalogue.execute("SELECT url FROM pages")]))


def compare(options: argparse.Namespace, folder: Path) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    python = "" if options.no_rivals else rivals(options.rivals or folder / "rivals")
    listing = folder / "visited.json"
    subprocess.run([sys.executable, "-c", "import pinakes.jobs.crawl, pinakes.web.hand"], check=True, env=installed())
    with replayed(options.web, folder) as (port, addresses):
        start = folder / "start.json"
        start.write_text(json.dumps(addresses[:: len(addresses) // 5]))
        for number in range(options.rounds):
            runs: dict[str, list[Any]] = {ONE: [], TWO: []}
            # Twice each and in this order, so that a machine that becomes slower or quicker meanwhile favours neither.
            for name in (ONE, TWO, TWO, ONE):
                into = folder / f"library-{number}"
                runs[name].append(played("ours", sys.executable, port, start, into, options.pages, 1 + (name == TWO)))
                if not listing.exists():
                    visited(into, listing)
                    found["stages"] = [played("stages", sys.executable, port, start, into, options.pages)]
                shutil.rmtree(into)
            for name, both in runs.items():
                found.setdefault(name, []).append(averaged(both))
            found.setdefault(BESIDE, []).append(beside(port, start, folder, options.pages))
            said = played("ours", sys.executable, port, start, folder / "own", options.pages, strategy="evidence")
            found.setdefault("pinakes, evidence", []).append(said)
            shutil.rmtree(folder / "own")
            others = [("fetch-only", sys.executable)]
            others += [(role, python) for role in ("scrapy-tuned", "scrapy-own", "crawlee") if python]
            for role, interpreter in others:
                said = played(role, interpreter, port, listing, folder / "out.jsonl", options.pages)
                if said is not None:
                    found.setdefault(role, []).append(said)
    return found


def report(found: dict[str, list[Any]], pages: int) -> dict[str, Any]:
    parts = found.pop("stages")[0]["stages"]
    print(f"\n{'':34}CPU ms a page")
    for name, part in parts.items():
        print(f"{name:34}{part:>13.3f}")
    cost = {name: [1000 * run["cpu"] / pages for run in runs] for name, runs in found.items()}
    print(f"\n{'':22}{'CPU ms a page':>14}{'range':>14}{'pages/s of the busiest':>25}{'peak MB':>9}")
    for name, each in cost.items():
        busiest = statistics.median(pages / run["largest"] for run in found[name])
        peak = max(run["peak_mb"] for run in found[name])
        spread_ = f"{min(each):.2f}-{max(each):.2f}"
        print(f"{name:22}{statistics.median(each):>14.2f}{spread_:>14}{busiest:>25.0f}{peak:>9.0f}")
    # Ratios are taken within a round, whose contenders ran under the same load, one after the other.
    ratios = {
        f"ours / {name}": statistics.median(a / b for a, b in zip(cost[ONE], each, strict=False))
        for name, each in cost.items()
        if not name.startswith("pinakes")
    }
    ratios["pages of the busiest process, 2 / 1"] = statistics.median(
        a["largest"] / b["largest"] for a, b in zip(found[ONE], found[TWO], strict=True)
    )
    for name, alone in (("CPU a page, 2 / 1", ONE), ("CPU a page, 2 / 1, both busy", BESIDE)):
        ratios[name] = statistics.median(b / a for a, b in zip(cost[alone], cost[TWO], strict=True))
    print()
    for name, ratio in ratios.items():
        print(f"{name:>36}: {ratio:.2f}")
    return {"pages": pages, "cpu_ms_a_page": cost, "stages": parts, "ratios": ratios}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--web", type=Path, default=ELSEWHERE, help="a WARC of HTML pages")
    parser.add_argument("--pages", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--rivals", type=Path, help="a folder to keep the rivals' environment in")
    parser.add_argument("--no-rivals", action="store_true")
    for hidden, kind in (("role", str), ("port", int), ("listing", Path), ("into", Path), ("processes", int)):
        parser.add_argument(f"--{hidden}", type=kind, help=argparse.SUPPRESS)
    parser.add_argument("--strategy", default=PLAIN, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.role == "serve":
        serve(options)
    elif options.role:
        contend(options)
    else:
        with tempfile.TemporaryDirectory(prefix="pinakes-speed-") as folder:
            found = compare(options, Path(folder))
        print(json.dumps(report(found, options.pages)))


if __name__ == "__main__":
    main()
