"""What is true of the demo web: topics with their relevant pages, the venue's papers, who lives where, every oddity."""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha1
from typing import Any

import calendar_trap
from markup import printable
from recording import mirrored
from sources import VENUE, Page, Paper, Sources

PDF_TOPICS = {"B01": ("owls",), "B02": ("seabirds",)}
"""Papers of the venue are about building libraries from the web; these two are not."""

HOMES = {
    "Iris Tanner": "cs:~tanner/", "Anna Lindqvist": "cs:~lindqvist/", "Mei Calloway": "cs:~calloway/",
    "Lucia Fenner": "cs:~fenner/", "Joseph Marchbank": "cs:~marchbank/", "Priya Thornfield": "cs:~thornfield/",
    "Oskar Hollins": "cs:~hollins/", "Tomas Ridgeway": "cs:~ridgeway/", "Bernard Quist": "cs:~quist/",
    "Desmond Pell": "bio:staff/pell/", "Ilse Marten": "ilse:", "Harriet Quill": "lantern:~quill/",
    "Samuel Crane-Abbot": "lantern:~crane/",
}  # fmt: skip
NAMESAKES = {"Anna Lindqvist": "bio:staff/lindqvist/"}


def copies(page: Page) -> list[str]:
    """Refs of the page's exact and near copies."""
    found = [mirrored(page.ref)] if "mirror" in page.flags else []
    return found + ([printable(page.ref)] if "print" in page.flags else [])


def relevant(sources: Sources, tags: Iterable[str]) -> list[str]:
    """Every recorded address that is about one of the tags: pages, their copies, papers."""
    wanted = set(tags)
    refs = [ref for page in sources.pages if wanted & set(page.topics) for ref in [page.ref, *copies(page)]]
    for paper in sources.papers:
        topics = PDF_TOPICS.get(paper.key, ("weblib",) if paper.at_venue else ())
        if wanted & set(topics):
            refs += paper.refs
    return sorted({sources.url(ref) for ref in refs})


def topics_jsonl(sources: Sources) -> str:
    lines = []
    for topic in sources.topics:
        row = {key: topic[key] for key in ("id", "name", "description")}
        row["examples"] = [sources.url(ref) for ref in topic["examples"]]
        row["seeds"] = [sources.url(ref) for ref in topic["seeds"]]
        row["relevant"] = relevant(sources, topic["tags"])
        lines.append(json.dumps(row, ensure_ascii=False))
    return "\n".join(lines) + "\n"


def topics_toml(sources: Sources) -> str:
    out = [
        "# Topics of the demo web, for `pinakes collect demo:topics.toml --web demo --into LIBRARY`.",
        f'seeds = ["{sources.url("pin:")}"]',
        "pages = 250",
    ]
    for topic in sources.topics:
        out += ["", "[[topic]]", f'name = "{topic["name"]}"', f'description = "{topic["description"]}"']
        out += ["examples = ["] + [f'  "{sources.url(ref)}",' for ref in topic["examples"]] + ["]"]
        if "parent" in topic:
            out.append(f'parent = "{topic["parent"]}"')
    return "\n".join(out) + "\n"


def identity(paper: Paper) -> str:
    return "p" + sha1(paper.title.encode()).hexdigest()[:10]


def venue_jsonl(sources: Sources) -> str:
    rows: list[dict[str, Any]] = [
        {
            "id": identity(paper), "title": paper.title, "authors": list(paper.authors), "year": paper.year,
            "venue": VENUE, "booktitle": f"{VENUE} {paper.year}: Workshop on Building Libraries from the Web",
        }
        for paper in sources.venue_papers
    ]  # fmt: skip
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def truth(sources: Sources) -> dict[str, Any]:
    url = sources.url
    flagged: dict[str, list[str]] = {
        flag: sorted(url(page.ref) for page in sources.pages if flag in page.flags)
        for flag in ("blocked", "noindex", "nofollow", "latin1", "hostile", "hub", "lang=de", "lang=fr")
    }
    names = sorted({name for paper in sources.venue_papers for name in paper.authors} | set(HOMES))
    return {
        "papers": {identity(paper): _paper(paper, sources) for paper in sources.venue_papers},
        "people": [
            {
                "name": name,
                "homepage": url(HOMES[name]) if name in HOMES else None,
                "not": [url(NAMESAKES[name])] if name in NAMESAKES else [],
            }
            for name in names
        ],
        "namesakes": [
            {
                "name": name,
                "homepage": url(ref),
                "field": "ecology",
                "papers": ["Night Counts: Surveying Tawny Owls by Voice"],
            }
            for name, ref in NAMESAKES.items()
        ],
        "pdfs": {url(ref): _kind(paper) for paper in sources.papers for ref in paper.refs},
        "pages": {url(page.ref): list(page.topics) for page in sources.pages if page.topics},
        "duplicates": [
            {"url": url(ref), "of": url(page.ref), "exact": ref == mirrored(page.ref)}
            for page in sources.pages
            for ref in copies(page)
        ],
        "redirects": [{"from": url(r["from"]), "to": url(r["to"]), "status": r["status"]} for r in sources.redirects],
        "trap": {
            "host": sources.hosts["cal"].url,
            "pages": sorted(url(f"cal:{path}") for path in calendar_trap.pages()),
        },
        "robots": [f"{host.url}robots.txt" for host in sources.hosts.values() if host.robots],
        "dead_host": "http://www.gone-away.example/",
        "dead_links": [url("cs:~ridgeway/papers/forget.pdf"), url("cs:~garrow/"), url("bio:prospectus-1998.html")],
        "hostile_title": flagged.pop("hostile")[0],
        "latin1": flagged.pop("latin1")[0],
        "languages": {"de": flagged.pop("lang=de")[0], "fr": flagged.pop("lang=fr")[0]},
        **flagged,
    }


def _paper(paper: Paper, sources: Sources) -> dict[str, Any]:
    reason = None
    if not paper.refs:
        reason = "link dead" if paper.copies else "no homepage"
    return {
        "title": paper.title,
        "urls": [sources.url(ref) for ref in paper.refs],
        "on_homepages": any(kind == "home" for kind, _ in paper.copies),
        "at_venue_site": any(kind == "venue" for kind, _ in paper.copies),
        "reason": reason,
    }


def _kind(paper: Paper) -> str:
    if {"slides", "notes"} & paper.layout:
        return {"N1": "slides", "N2": "slides", "N5": "cv", "N6": "poster"}.get(paper.key, "course")
    return "paper"
