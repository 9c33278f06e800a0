"""How good are collections? Precision of each collection's first pages, on a recorded web whose topics are known.

    python benchmarks/collect.py                       the schools web, from its subject index
    python benchmarks/collect.py --start seeds         the harder start: the first seed of each topic
    python benchmarks/collect.py --web webkb --start seeds --strategies evidence

Makes one `topics.toml` of the web's `topics.jsonl` (names, descriptions, examples), collects, and counts: examples are
left out of list and set, a page counts for a topic whenever it is in that topic's set, and precision is the hits among
the first 50 divided by 50, so that a shorter list counts as misses. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import tempfile
import time
from pathlib import Path

from pinakes.formats.url import canonical
from pinakes.jobs.collect import CollectOptions, CollectResult, collect
from pinakes.jobs.evaluation.topics import EvaluationTopic, load_topics
from pinakes.library.library import Library

SHARED = Path(os.environ.get("PINAKES_SHARED") or Path(__file__).resolve().parents[2] / "shared")
INDEX = {"schools": "http://schools-wikipedia.org/wp/index/subject.htm"}
SIZE = 50


def topics_toml(topics: list[EvaluationTopic], seeds: list[str], pages: int) -> str:
    """The topics as a person would write them down."""

    def text(value: object) -> str:
        return json.dumps(value, ensure_ascii=False)

    lines = [f"seeds = {text(seeds)}", f"pages = {pages}"]
    for topic in topics:
        lines += ["", "[[topic]]", f"name = {text(topic.name)}", f"description = {text(topic.description)}"]
        lines += [f"examples = {text(list(topic.examples))}"]
    return "\n".join(lines) + "\n"


def precision(urls: list[str], topic: EvaluationTopic) -> float:
    """Hits among the first 50, divided by 50."""
    listed = [url for url in urls if url not in topic.examples][:SIZE]
    return sum(url in topic.targets for url in listed) / SIZE


def measured(result: CollectResult, topics: list[EvaluationTopic], peak: int) -> dict[str, object]:
    lists = {one.name: [canonical(entry.url) for entry in one.entries] for one in result.collections}
    each = {topic.id: precision(lists.get(topic.name, []), topic) for topic in topics}
    wanted = set().union(*(topic.targets for topic in topics))
    with Library(result.crawl.library) as library:
        rows = library.connection.execute("SELECT final FROM visits WHERE outcome = 'ok'")
        found = sum(url in wanted for (url,) in rows)
    crawl = result.crawl
    return {
        "precision": round(sum(each.values()) / len(each), 4),
        "least": min(each.items(), key=lambda item: item[1]),
        "collections": sum(bool(urls) for urls in lists.values()),
        "topics": len(topics),
        "pages": crawl.pages,
        "frontier": crawl.waiting,
        "peak_frontier": peak,
        "pages_per_nugget": round(crawl.pages / max(1, crawl.nuggets), 2),
        "pages_per_relevant": round(crawl.pages / max(1, found), 2),
        "recall": round(found / len(wanted), 3),
        "stopped": crawl.stopped,
        "per_topic": each,
    }


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--web", default="schools")
    arguments.add_argument("--start", choices=("index", "seeds"), default="index")
    arguments.add_argument("--pages", type=int, default=3000)
    arguments.add_argument("--strategies", default="evidence,cutoff,adaptive-cutoff")
    arguments.add_argument("--judge", default="contrast")
    arguments.add_argument("--set", action="append", default=[])
    arguments.add_argument("--no-shares", action="store_true")
    arguments.add_argument("--keep", type=Path, help="keep the libraries in this folder")
    given = arguments.parse_args()
    web = SHARED / "webs" / given.web
    topics = [topic for topic in load_topics(web / "topics.jsonl") if given.web != "webkb" or "-" not in topic.id]
    seeds = [INDEX[given.web]] if given.start == "index" else list(dict.fromkeys(t.seeds[0] for t in topics))
    folder = given.keep or Path(tempfile.mkdtemp(prefix="collect-"))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "topics.toml").write_text(topics_toml(topics, seeds, given.pages))
    figures: dict[str, dict[str, object]] = {}
    for strategy in given.strategies.split(","):
        into = folder / strategy
        shutil.rmtree(into, ignore_errors=True)
        peak = 0

        def watch(progress: object) -> None:
            nonlocal peak
            peak = max(peak, getattr(progress, "waiting", 0))

        options = CollectOptions(
            folder / "topics.toml",
            into,
            web=str(web / "web.warc.gz"),
            strategy=strategy,
            judge=given.judge,
            parameters=dict(one.split("=", 1) for one in given.set),
            shares=not given.no_shares,
        )
        start = time.process_time()
        result = collect(options, watch=watch)
        assert isinstance(result, CollectResult)
        figures[strategy] = {**measured(result, topics, peak), "cpu_seconds": round(time.process_time() - start, 1)}
        shown = {key: value for key, value in figures[strategy].items() if key != "per_topic"}
        print(f"{strategy:16s} {shown}", flush=True)
        print(f"{'':16s} {figures[strategy]['per_topic']}", flush=True)
    if not given.keep:
        shutil.rmtree(folder)
    print(json.dumps({"web": given.web, "start": given.start, "judge": given.judge, "strategies": figures,
                      "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10}))  # fmt: skip


if __name__ == "__main__":
    main()
