"""How good is a harvest? Homepages, papers, a venue's own site and title matching, on the recorded web `scholars`.

    python benchmarks/harvest.py                   all of it
    python benchmarks/harvest.py --part titles     only one: harvest, venue, titles

*harvest*: `pinakes harvest` with all papers of the web's venue list. Homepages of the people who have papers there, and
of everybody; papers on people's own pages, by their addresses. PDFs that nobody could label count for neither side.
*venue*: the papers of one conference, with its own site crawled besides: found there, on homepages or both (fig. 14).
*titles*: every title of the list, changed as bibliographies do, looked up in the list. The last line is JSON.
What the guided crawl saves is measured by `harvest_crawl.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pinakes.jobs.harvest.job import harvest
from pinakes.jobs.harvest.options import HarvestOptions
from pinakes.jobs.harvest.result import HarvestResult
from pinakes.text.titles import TitleIndex, Work
from pinakes.web.frozen import FrozenWeb

SHARED = Path(os.environ.get("PINAKES_SHARED") or Path(__file__).resolve().parents[2] / "shared")
WEB = SHARED / "webs" / "scholars"
FIRST = 200
NOISE = ("slides", "poster", "course", "cv", "other")
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (WEB / name).read_text().splitlines()]


# -- homepages and papers ------------------------------------------------------------------------------------------


def measure_harvest() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        options = HarvestOptions((str(WEB / "venue.jsonl"),), Path(folder) / "library", web=str(WEB / "web.warc.gz"))
        result = harvest(options)
    assert isinstance(result, HarvestResult)
    return {"homepages": homepages(result), "papers": papers(result)}


def homepages(result: HarvestResult) -> dict[str, Any]:
    web = FrozenWeb(WEB / "web.warc.gz", records=False)
    rows = lines("homepages.jsonl")
    own = {
        name: {web.resolve(url) or url for url in (row["homepage"], *row["own_inner_pages"])}
        for row in rows
        if row["kind"] == "person"
        for name in (row["name"], *row["aliases"])
    }
    right = sum((web.resolve(url) or url) in own.get(name, ()) for name, url in result.homepages.items())
    people = [row for row in rows if row["kind"] == "person" and row["papers"] > 0]
    found = [
        row
        for row in people
        if any(
            (web.resolve(result.homepages[name]) or result.homepages[name]) in own[name]
            for name in (row["name"], *row["aliases"])
            if name in result.homepages
        )
    ]
    return {
        "authors": len(result.homepages) + len(result.failures),
        "returned": len(result.homepages),
        "wrong": len(result.homepages) - right,
        "people": len(people),
        "found": len(found),
        "found_share": len(found) / len(people),
        "wrong_share": 1 - right / max(1, len(result.homepages)),
    }


def papers(result: HarvestResult) -> dict[str, Any]:
    kinds = {row["url"]: row["kind"] for row in lines("pdfs.jsonl")}
    truth = {url["url"]: row["id"] for row in lines("truth.jsonl") for url in row["urls"] if not url["hub"]}
    hits = false = 0
    found: set[str] = set()
    for paper in result.papers:
        for copy in paper.copies:
            if copy.status == "found" and kinds.get(copy.url) != "unlabelled-paper":
                right = truth.get(copy.url) == paper.id
                hits, false = hits + right, false + (not right)
                found.update([paper.id] if right else [])
    wanted = set(truth.values())
    return {
        "wanted": len(wanted),
        "found": len(found),
        "recall": len(found) / len(wanted),
        "precision": hits / max(1, hits + false),
        "wrong": false,
        "why": dict(result.why),
    }


# -- a venue's own site --------------------------------------------------------------------------------------------


def measure_venue() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        options = HarvestOptions(
            (str(WEB / "venue.jsonl"),),
            Path(folder) / "library",
            venue="EMNLP",
            years="2015",
            venue_sites=("http://www.emnlp2015.org/",),
            web=str(WEB / "web.warc.gz"),
        )
        result = harvest(options)
    assert isinstance(result, HarvestResult)
    wanted = {paper.id for paper in result.papers}
    truth = {row["id"]: row["urls"] for row in lines("truth.jsonl") if row["id"] in wanted}
    found = [paper for paper in result.papers if paper.status == "found"]
    return {
        "papers": len(result.papers),
        "in_the_web": len(truth),
        "found": len(found),
        "found_of_these": sum(paper.id in truth for paper in found),
        "places": dict(result.places),
        "documents": result.documents,
        "publications": result.publications,
        "why": dict(result.why),
    }


# -- titles --------------------------------------------------------------------------------------------------------


def measure_titles() -> dict[str, Any]:
    works = [Work(row["title"], tuple(row["authors"]), row["year"], row["id"]) for row in lines("venue.jsonl")]
    index = TitleIndex(works)
    chance = random.Random(1)

    def typo(title: str) -> str:
        letters = list(title)
        for _ in range(chance.choice((1, 2))):
            at = chance.randrange(1, len(letters) - 1)
            kind = chance.choice("dist")
            if kind == "d":
                del letters[at]
            elif kind == "i":
                letters.insert(at, chance.choice(LETTERS))
            elif kind == "s":
                letters[at] = chance.choice(LETTERS)
            else:
                letters[at], letters[at - 1] = letters[at - 1], letters[at]
        return "".join(letters)

    def subtitle(title: str) -> str:
        head, colon, _ = title.partition(":")
        return head if colon else f"{title}: {chance.choice(('A Case Study', 'A Short Report'))}"

    changes: dict[str, Callable[[str], str]] = {
        "as it is": lambda title: title,
        "typos": typo,
        "ligatures": lambda title: title.replace("fi", "ﬁ").replace("fl", "ﬂ").replace("ff", "ﬀ"),
        "subtitles": subtitle,
        "Unicode": lambda title: title.upper().replace("-", "–").replace("'", "’").replace(" ", "\u00a0", 1),
        "LaTeX": lambda title: "{" + title + "}.",
        "hyphens": lambda title: title.replace("-", ""),
    }
    answer: dict[str, Any] = {"titles": len(works)}
    for name, change in changes.items():
        hits = false = 0
        for work in works:
            found = index.find(Work(change(work.title), work.authors, work.year))
            hits += found is not None and found[0].id == work.id
            false += found is not None and found[0].id != work.id
        answer[name] = {"precision": hits / max(1, hits + false), "recall": hits / len(works)}
    # The same title by others is another paper; and what is not in the list has no match there.
    strangers = sum(index.find(Work(work.title, ("Zork Blargh",), work.year)) is not None for work in works)
    answer["other authors"] = {"matched": strangers / len(works)}
    gone = 0
    for at in range(0, len(works), 8):
        rest = TitleIndex([*works[:at], *works[at + 1 :]])
        gone += rest.find(Work(typo(works[at].title), works[at].authors, works[at].year)) is not None
    answer["not in the list"] = {"matched": gone / len(range(0, len(works), 8))}
    return answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=("harvest", "venue", "titles"), action="append")
    parts = parser.parse_args().part or ["harvest", "venue", "titles"]
    answer: dict[str, Any] = {}
    if "harvest" in parts:
        answer.update(measure_harvest())
    if "venue" in parts:
        answer["venue"] = measure_venue()
    if "titles" in parts:
        answer["titles"] = measure_titles()
    for name, part in answer.items():
        print(f"== {name}\n{json.dumps(part, indent=1)}")
    spent = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({**answer, "cpu_seconds": round(spent.ru_utime + spent.ru_stime, 1)}))


if __name__ == "__main__":
    main()
