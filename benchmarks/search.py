"""How long does a search take in a library of many pages? Pages of the procedural web, put into a library and searched.

    python benchmarks/search.py [PAGES]

Times are of the search itself: the index asked, facets counted, ten snippets cut. Opening a library and rolling its
index to the catalogue when nothing is new is told apart.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from pinakes.core.page import Brief, Link, Verdict
from pinakes.core.roles import Progress
from pinakes.jobs.search import search, search_in
from pinakes.library.fulltext import FullText
from pinakes.library.library import Library
from pinakes.library.recipe import Recipe
from pinakes.library.rolling import roll
from pinakes.strategies.breadth_first import BreadthFirst
from pinakes.testing.inprocess import InProcessWeb
from pinakes.testing.procedural import ProceduralWeb

ROUNDS = 20


async def fill(folder: Path, pages: int) -> list[str]:
    """A library of that many pages; answers words of theirs, from common to rare."""
    procedural = ProceduralWeb(pages=max(pages, 100_000), hosts=2_000, skew=2, links=20)
    web = InProcessWeb(procedural)
    strategy = BreadthFirst(Brief())
    counts: dict[str, int] = {}
    with Library(folder, write=True, create=True) as library:
        ledger = library.begin(Recipe(job="benchmark", strategy="breadth-first", judge="cosine", web="procedural"))
        for n in range(pages):
            fetched = await web.fetch(Link(procedural.url(n)))
            score, topic = (n * 7919 % 100) / 100, f"topic {n % 20}"
            ledger.deliver(fetched, fetched.page, Verdict(score, topic, {topic: score}, score > 0.5), None)
            for word in set(fetched.page.text.lower().split()) if n < 2000 else ():
                counts[word] = counts.get(word, 0) + 1
            if n % 1000 == 999:
                ledger.commit(Progress(pages=n), strategy)
        ledger.commit(Progress(pages=pages), strategy)
    await web.close()
    words = [word for word in counts if word.isalpha()]
    return sorted(words, key=lambda word: -counts[word])


def main(pages: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "library"
        words = asyncio.run(fill(folder, pages))
        fulltext = FullText(folder)
        began = time.process_time()
        indexed = roll(folder, fulltext)
        spent = time.process_time() - began
        size = sum(path.stat().st_size for path in fulltext.folder.iterdir())
        archive = sum(path.stat().st_size for path in (folder / "archive").iterdir())
        common, middle, rare = words[0], words[len(words) // 4], words[-1]
        questions = {
            "a common word": common,
            "two common words": f"{words[0]} {words[1]}",
            "a phrase of common words": f'"{words[0]} {words[1]}"',
            "a rare word": rare,
            "common, middling, not rare": f"{common} {middle} -{rare}",
            "a word, a topic, a type": f'{common} topic:"topic 3" type:html',
            "only a topic": 'topic:"topic 3"',
            "no page has it all": f"{rare} {middle} {common} nowhere",
        }
        took: dict[str, list[float]] = {}
        with Library(folder) as library:
            for told, question in questions.items():
                for _ in range(ROUNDS):
                    found = search_in(library, fulltext, question)
                    took.setdefault(told, []).append(found.seconds * 1000)
                print(
                    f"{told:<28} {found.total:>8,} pages  median {statistics.median(took[told]):6.1f} ms, "
                    f"worst {max(took[told]):6.1f} ms"
                )
        whole = []
        for _ in range(5):
            start = time.perf_counter()
            search(folder, common)
            whole.append((time.perf_counter() - start) * 1000)
        print(
            f"{indexed:,} pages indexed at {spent / max(1, indexed) * 1000:.1f} ms of CPU each; the index takes "
            f"{size / 1e6:.0f} MB, the archive {archive / 1e6:.0f} MB; with opening {statistics.median(whole):.0f} ms"
        )
        every = sorted(value for values in took.values() for value in values)
        print(
            json.dumps(
                {
                    "pages": indexed,
                    "median_ms": statistics.median(every),
                    "p95_ms": every[int(len(every) * 0.95)],
                    "worst_ms": every[-1],
                    "index_ms_per_page": spent / max(1, indexed) * 1000,
                }
            )
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
