"""Measure a frozen web: python benchmarks/frozen.py WEB.warc.gz [--fresh]

Times indexing (into a cache of its own with --fresh), opening, fetching with and without WARC members, and searching.
Seconds are by the clock but for `first_open_cpu_s`, which counts the workers too; milliseconds are of CPU time.
The last line printed is one JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path


def milliseconds(work: Callable[[], object], times: int) -> float:
    """CPU time, which a busy machine disturbs least."""
    started = time.process_time()
    work()
    return round(1000 * (time.process_time() - started) / max(times, 1), 4)


def measure(path: Path) -> dict[str, float]:
    from pinakes.core.page import Link
    from pinakes.web.frozen import FrozenWeb

    started = time.perf_counter()
    FrozenWeb(path)
    figures = {"first_open_s": round(time.perf_counter() - started, 3)}
    figures["first_open_cpu_s"] = round(sum(os.times()[:4]), 3)
    opened = time.perf_counter()
    web, bare = FrozenWeb(path), FrozenWeb(path, records=False)
    figures["open_s"] = round((time.perf_counter() - opened) / 2, 4)
    figures["index_mb"] = round(sum(file.stat().st_size for file in web.folder.iterdir()) / 1e6, 1)
    figures["pages"] = web.info().pages
    urls = list(web.pages())
    random.Random(0).shuffle(urls)
    urls = urls[:1000]

    async def fetch(source: FrozenWeb) -> None:
        for url in urls:
            await source.fetch(Link(url))

    figures["fetch_ms"] = min(milliseconds(lambda: asyncio.run(fetch(bare)), len(urls)) for _ in range(3))
    figures["fetch_with_records_ms"] = min(milliseconds(lambda: asyncio.run(fetch(web)), len(urls)) for _ in range(3))
    pages = [asyncio.run(bare.fetch(Link(url))).page for url in urls[:200]]
    figures["links_per_page"] = round(sum(len(page.links) for page in pages) / len(pages), 1)
    figures["words_per_page"] = round(sum(len(page.words) for page in pages) / len(pages), 1)
    queries = [" ".join(page.text.split()[5:9]) for page in pages if len(page.text.split()) > 9]

    async def search(phrase: bool) -> int:
        return sum([len(await web.search(query, 10, phrase)) for query in queries])

    asyncio.run(web.search("warm up"))
    figures["search_ms"] = milliseconds(lambda: asyncio.run(search(False)), len(queries))
    figures["phrase_ms"] = milliseconds(lambda: asyncio.run(search(True)), len(queries))
    asyncio.run(web.close())
    asyncio.run(bare.close())
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("web", type=Path)
    parser.add_argument("--fresh", action="store_true", help="index into a temporary cache")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.fresh:
            os.environ["PINAKES_CACHE"] = folder
        figures = measure(options.web)
    for name, value in figures.items():
        print(f"{name:24} {value}")
    print(json.dumps({"web": options.web.name, **figures}))


if __name__ == "__main__":
    main()
