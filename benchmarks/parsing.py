"""What reading a page costs, stage by stage, in milliseconds of processor time.

    python benchmarks/parsing.py [WARC] [PAGES]

Stages are those that reading a page goes through, one after the other over the same pages, five rounds, the best of
which counts; `ratio` is a stage's share of the whole, which is timed in the same run. The parts add up to a little less
than the whole, for alone they keep what they look up in the processor's caches. "In Python" is the same reading without
the parts that are compiled. The last line is a JSON object.
"""

from __future__ import annotations

import json
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time

from pinakes.core.page import Link
from pinakes.formats import http, walk
from pinakes.formats.charset import decode
from pinakes.formats.document import Reader
from pinakes.formats.html import MOST_LINKS, MOST_TEXT, parse
from pinakes.formats.url import Base
from pinakes.formats.warc_reader import Record, records
from pinakes.text.language import Languages

ROUNDS = 5
Recorded = tuple[str, bytes]


def recorded(path: Path, most: int) -> list[Recorded]:
    """HTML pages of a WARC file: every so many, so that they come from all over it."""
    pages: list[Recorded] = []
    for record in records(path):
        if isinstance(record, Record) and record.kind == "response":
            message = http.parse(record.block)
            if message.status == 200 and "html" in message.headers.get("content-type", "html"):
                pages.append((record.url, http.content(message)))
    return pages[:: max(1, len(pages) // most)]


def main(path: Path, most: int) -> None:
    pages = recorded(path, most)
    reader, plain, languages = Reader(), Reader(plain=True), Languages()
    words = reader.words
    texts = [(url, decode(body)) for url, body in pages]
    parsed = [parse(text, url, words) for url, text in texts]
    walks = [(url, walk.walked(text, MOST_LINKS, MOST_TEXT)) for url, text in texts]
    places = [(walked.text, [link[4] for link in walked.links]) for _, walked in walks]
    headers = {"content-type": "text/html"}

    stages: dict[str, Callable[[], Iterator[object]]] = {
        "decode": lambda: (decode(body) for _, body in pages),
        "tree": lambda: (walk._tree(text) for _, text in texts),
        "tree and walk": lambda: (walk.walked(text, MOST_LINKS, MOST_TEXT) for _, text in texts),
        "addresses": lambda: (list(map(Base(url).join, [link[0] for link in walked.links])) for url, walked in walks),
        "words, terms, hash": lambda: (words.told(text, at) for text, at in places),
        "html.parse": lambda: (parse(text, url, words) for url, text in texts),
        "language": lambda: (
            languages.of(page.text, page.language, page.told.stopped / max(1, len(page.words))) for page in parsed
        ),
        "whole": lambda: (reader.read(Link(url), url, 200, headers, body, 0.0) for url, body in pages),
        "in Python": lambda: (plain.read(Link(url), url, 200, headers, body, 0.0) for url, body in pages),
    }
    best = dict.fromkeys(stages, float("inf"))
    for _ in range(ROUNDS):
        for name, stage in stages.items():
            start = process_time()
            deque(stage(), maxlen=0)
            best[name] = min(best[name], (process_time() - start) / len(pages) * 1000)
    reader.close()
    plain.close()

    kilobytes = sum(len(body) for _, body in pages) / len(pages) / 1000
    spoken = sum(len(page.words) for page in parsed) / len(pages)
    linked = sum(len(walked.links) for _, walked in walks) / len(pages)
    print(f"{len(pages)} pages, a mean of {kilobytes:.1f} KB, {spoken:.0f} words and {linked:.0f} links")
    print(f"The walk and the words are {'compiled' if walk.QUICK else 'not compiled: see hatch_build.py'}.\n")
    print(f"{'stage':20}{'ms a page':>10}{'ratio':>8}")
    for name, milliseconds in best.items():
        print(f"{name:20}{milliseconds:10.3f}{milliseconds / best['whole']:8.2f}")
    result = {
        "pages": len(pages),
        "compiled": bool(walk.QUICK),
        "kilobytes": round(kilobytes, 1),
        "words": round(spoken),
        "links": round(linked),
        "ms_per_page": {name: round(milliseconds, 4) for name, milliseconds in best.items()},
        "ratio": {name: round(milliseconds / best["whole"], 3) for name, milliseconds in best.items()},
        "ms_per_kilobyte": round(best["whole"] / kilobytes, 4),
        "us_per_address": round(best["addresses"] / max(linked, 1) * 1000, 2),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    shared = Path(os.environ.get("PINAKES_SHARED", Path(__file__).resolve().parents[2] / "shared"))
    web = Path(sys.argv[1]) if len(sys.argv) > 1 else shared / "webs/schools/web.warc.gz"
    main(web, int(sys.argv[2]) if len(sys.argv) > 2 else 400)
