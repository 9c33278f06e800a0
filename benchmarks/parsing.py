"""What reading a page costs, stage by stage, in milliseconds of processor time.

    python benchmarks/parsing.py [WARC] [PAGES]

Stages are timed one after the other over the same pages, five rounds, the best of which counts; `ratio` is a stage's
share of the whole, which is timed in the same run. The parts add up to less than the whole, for alone they keep
what they look up in the processor's caches. The last line is a JSON object.
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
from pinakes.formats import http
from pinakes.formats.charset import decode
from pinakes.formats.document import Reader
from pinakes.formats.html import _tree, _Walk, parse
from pinakes.formats.url import Base
from pinakes.formats.warc_reader import Record, records
from pinakes.text.fingerprint import Fingerprints
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
    reader, fingerprints, languages = Reader(), Fingerprints(), Languages()
    words = reader.words
    texts = [(url, decode(body)) for url, body in pages]
    parsed = [parse(text, url, words) for url, text in texts]
    hrefs = [(url, [link.href for link in _walked(text).found]) for url, text in texts]
    headers = {"content-type": "text/html"}

    stages: dict[str, Callable[[], Iterator[object]]] = {
        "decode": lambda: (decode(body) for _, body in pages),
        "tree": lambda: (_tree(text) for _, text in texts),
        "tree and walk": lambda: (_walked(text) for _, text in texts),
        "addresses": lambda: (list(map(Base(url).join, links)) for url, links in hrefs),
        "words": lambda: (words.stems(page.text) for page in parsed),
        "terms": lambda: (words.counts(page.words) for page in parsed),
        "fingerprint": lambda: (fingerprints.of(page.words) for page in parsed),
        "language": lambda: (
            languages.of(page.text, page.language, page.words.count("") / max(1, len(page.words))) for page in parsed
        ),
        "html.parse": lambda: (parse(text, url, words) for url, text in texts),
        "whole": lambda: (reader.read(Link(url), url, 200, headers, body, 0.0) for url, body in pages),
    }
    best = dict.fromkeys(stages, float("inf"))
    for _ in range(ROUNDS):
        for name, stage in stages.items():
            start = process_time()
            deque(stage(), maxlen=0)
            best[name] = min(best[name], (process_time() - start) / len(pages) * 1000)
    reader.close()

    kilobytes = sum(len(body) for _, body in pages) / len(pages) / 1000
    spoken = sum(len(page.words) for page in parsed) / len(pages)
    linked = sum(len(links) for _, links in hrefs) / len(pages)
    print(f"{len(pages)} pages, a mean of {kilobytes:.1f} KB, {spoken:.0f} words and {linked:.0f} links\n")
    print(f"{'stage':16}{'ms a page':>10}{'ratio':>8}")
    for name, milliseconds in best.items():
        print(f"{name:16}{milliseconds:10.3f}{milliseconds / best['whole']:8.2f}")
    result = {
        "pages": len(pages),
        "kilobytes": round(kilobytes, 1),
        "words": round(spoken),
        "links": round(linked),
        "ms_per_page": {name: round(milliseconds, 4) for name, milliseconds in best.items()},
        "ratio": {name: round(milliseconds / best["whole"], 3) for name, milliseconds in best.items()},
        "ms_per_kilobyte": round(best["whole"] / kilobytes, 4),
        "us_per_address": round(best["addresses"] / max(linked, 1) * 1000, 2),
    }
    print(json.dumps(result))


def _walked(text: str) -> _Walk:
    walk = _Walk(5_000, 1_000_000)
    walk.over(_tree(text))
    return walk


if __name__ == "__main__":
    shared = Path(os.environ.get("PINAKES_SHARED", Path(__file__).resolve().parents[2] / "shared"))
    web = Path(sys.argv[1]) if len(sys.argv) > 1 else shared / "webs/schools/web.warc.gz"
    main(web, int(sys.argv[2]) if len(sys.argv) > 2 else 400)
