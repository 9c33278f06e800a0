"""Builds the demo web: `python demo/build.py [--out FOLDER]` writes what ships in src/pinakes/demo.

The same sources and tools give the same bytes.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from recording import paper_file, resources, write_warc
from sources import HERE, Sources
from truth import topics_jsonl, topics_toml, truth, venue_jsonl

PANORAMA_PAPER = "P19"


def build(out: Path) -> None:
    sources = Sources()
    found = resources(sources)
    out.mkdir(parents=True, exist_ok=True)
    write_warc(found, out / "web.warc.gz")
    (out / "topics.toml").write_text(topics_toml(sources), "utf-8")
    (out / "topics.jsonl").write_text(topics_jsonl(sources), "utf-8")
    (out / "venue.jsonl").write_text(venue_jsonl(sources), "utf-8")
    (out / "truth.json").write_text(json.dumps(truth(sources), ensure_ascii=False, indent=1) + "\n", "utf-8")
    (out / "paper.pdf").write_bytes(paper_file(sources, PANORAMA_PAPER))
    html = sum(resource.status == 200 and resource.type.startswith("text/html") for resource in found)
    pdfs = sum(resource.type == "application/pdf" for resource in found)
    size = sum(file.stat().st_size for file in out.iterdir() if file.is_file())
    print(f"{len(sources.hosts)} hosts, {html} pages, {pdfs} PDFs, {len(found)} records, {size:,} bytes in {out}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=HERE.parent / "src" / "pinakes" / "demo")
    build(parser.parse_args().out)
