"""A live harvest in which everything goes wrong that can: it ends, and names the reason for every paper."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pinakes.jobs.harvest.job import harvest
from pinakes.jobs.harvest.options import HarvestOptions
from pinakes.jobs.harvest.result import HarvestResult
from pinakes.jobs.webs import open_frozen
from pinakes.testing.recording import a, html, recorded, write
from pinakes.web.serve import serving

sys.path.insert(0, str(Path(__file__).parent))
from harvest_web import hurried, paper, slides

HOME, MOVED, DEAD, SILENT, NOWHERE = (
    "http://home.example/~berg/", "http://moved.example/", "http://dead.example/", "http://silent.example/",
    "http://nowhere.pinakes.invalid/",
)  # fmt: skip
PAPERS = {
    "Shelves Without Walls": ("Anna Berg", "found"),
    "Ladders for Small Libraries": ("Anna Berg", "no link"),
    "Dust and Its Enemies": ("Anna Berg", "link dead"),
    "Catalogues on Dead Hosts": ("Anna Berg", "link dead"),
    "Catalogues on Silent Hosts": ("Anna Berg", "link dead"),
    "Readers Behind Closed Doors": ("Anna Berg", "behind login"),
    "Readers Before Closed Gates": ("Anna Berg", "behind login"),
    "What Robots May Not Read": ("Anna Berg", "robots"),
    "A Page That Says It Is a Paper": ("Anna Berg", "HTML served as PDF"),
    "Pictures of Pages": ("Anna Berg", "scanned"),
    "Never Mentioned at Home": ("Anna Berg", "no link"),
    # A table of proceedings, which has its links before the titles.
    "Lamps for Long Corridors": ("Anna Berg", "found"),
    "Stairs That Lead Nowhere": ("Anna Berg", "link dead"),
    "Windows Facing North": ("Anna Berg", "found"),
    "Doors Without Handles": ("Anna Berg", "link dead"),
    "Encrypted Shelf Marks": ("Anna Berg", "encrypted"),
    "Ropes Between High Towers": ("Anna Berg", "another version"),
    "Books That Moved House": ("Ida Lund", "found"),
    "The Refused Connection": ("Tom Holm", "homepage dead"),
    "The Host That Never Answers": ("Eve Ford", "homepage dead"),
    "The Name That Is None": ("Jon Dale", "homepage dead"),
    "Nobody Knows the Author": ("Max Null", "no homepage"),
}
HOMES = {"Anna Berg": HOME, "Ida Lund": MOVED, "Tom Holm": DEAD, "Eve Ford": SILENT, "Jon Dale": NOWHERE}
ENTRIES = (
    ("Shelves Without Walls", f"{HOME}shelves.pdf"),
    ("Ladders for Small Libraries", ""),
    ("Dust and Its Enemies", f"{HOME}dust.pdf"),
    ("Catalogues on Dead Hosts", f"{DEAD}catalogues.pdf"),
    ("Catalogues on Silent Hosts", f"{SILENT}catalogues.pdf"),
    ("Readers Behind Closed Doors", f"{HOME}closed.pdf"),
    ("Readers Before Closed Gates", f"{HOME}gates.pdf"),
    ("What Robots May Not Read", "http://home.example/private/robots.pdf"),
    ("A Page That Says It Is a Paper", f"{HOME}page.pdf"),
    ("Pictures of Pages", f"{HOME}pictures.pdf"),
    ("Encrypted Shelf Marks", f"{HOME}marks.pdf"),
    ("Ropes Between High Towers", f"{HOME}ropes-slides.pdf"),
)
TABLE = {
    "lamps": "Lamps for Long Corridors",
    "stairs": "Stairs That Lead Nowhere",
    "windows": "Windows Facing North",
    "doors": "Doors Without Handles",
}
PDF = "application/pdf"


def web(folder: Path) -> Path:
    listed = "".join(f"<p>{a(url, title) if url else title}. WebShelf 2001.</p>" for title, url in ENTRIES)
    gone = "".join(
        f"<p>{a(f'{DEAD}{n}.pdf', f'draft {n}')} {a(f'{SILENT}{n}.pdf', f'note {n}')}</p>" for n in range(12)
    )
    table = "".join(f"<p>{a(f'{HOME}{name}.pdf', 'pdf')}</p><p>{title}</p>" for name, title in TABLE.items())
    home = html("Anna Berg", "<h1>Anna Berg</h1>", listed, gone, a(f"{HOME}proceedings.html", "Proceedings"))
    lund = "http://new.example/"
    return write(
        folder / "web.warc.gz",
        [
            recorded(HOME, home),
            recorded(f"{HOME}shelves.pdf", paper("Shelves Without Walls", "Anna Berg"), type=PDF),
            recorded(f"{HOME}closed.pdf", "Sign in first", status=401),
            recorded(f"{HOME}gates.pdf", "", status=302, Location=f"{HOME}login?next=gates.pdf"),
            recorded(f"{HOME}login?next=gates.pdf", html("Sign in", "Name and password, please.")),
            recorded(f"{HOME}page.pdf", html("Sorry", "This file has moved.")),
            recorded(f"{HOME}pictures.pdf", paper(), type=PDF),
            recorded(f"{HOME}marks.pdf", paper("Encrypted Shelf Marks", "Anna Berg", password="secret"), type=PDF),
            recorded(f"{HOME}ropes-slides.pdf", slides("Ropes Between High Towers", "Anna Berg"), type=PDF),
            recorded(f"{HOME}proceedings.html", html("Proceedings", table)),
            *(
                recorded(f"{HOME}{name}.pdf", paper(TABLE[name], "Anna Berg"), type=PDF)
                for name in ("lamps", "windows")
            ),
            recorded("http://home.example/robots.txt", "User-agent: *\nDisallow: /private/", type="text/plain"),
            recorded(MOVED, "", status=301, Location=lund),
            recorded(lund, html("Ida Lund", "<h1>Ida Lund</h1>", a(f"{lund}papers.html", "Publications"))),
            recorded(f"{lund}papers.html", html("Papers", a(f"{lund}house.pdf", "Books That Moved House"))),
            recorded(f"{lund}house.pdf", paper("Books That Moved House", "Ida Lund"), type=PDF),
        ],
    )


@contextmanager
def silence() -> Iterator[int]:
    """A port that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0), backlog=128) as silent:
        yield silent.getsockname()[1]


@pytest.fixture(scope="module")
def harvested(tmp_path_factory: pytest.TempPathFactory) -> HarvestResult:
    folder = tmp_path_factory.mktemp("why")
    metadata = folder / "papers.jsonl"
    records = [{"title": title, "authors": [author], "year": 2001} for title, (author, _) in PAPERS.items()]
    metadata.write_text("\n".join(map(json.dumps, records)))
    homes = folder / "homes.csv"
    homes.write_text("name,homepage\n" + "\n".join(f"{name},{url}" for name, url in HOMES.items()))
    with socket.create_server(("127.0.0.1", 0)) as closing:
        closed = closing.getsockname()[1]
    with silence() as silent, serving(open_frozen(str(web(folder)), records=False), https=False) as served:
        hosts = ("home.example", "moved.example", "new.example")
        routes = (
            *(f"{host}=127.0.0.1:{served.port}" for host in hosts),
            f"dead.example=127.0.0.1:{closed}",
            f"silent.example=127.0.0.1:{silent}",
        )
        live = hurried(*routes, head=0.3)
        result = harvest(
            HarvestOptions(
                metadata=(str(metadata),),
                into=folder / "library",
                homepages=homes,
                search=False,
                live=live,
                processes=1,
                # Nothing may hang: a run that reaches this is a failure of the test below.
                seconds=120.0,
            )
        )
    assert isinstance(result, HarvestResult)
    return result


def test_it_ends_by_itself(harvested: HarvestResult) -> None:
    """Two dozen links lead to hosts that are dead or silent."""
    assert harvested.crawl is not None and harvested.crawl.stopped == "frontier empty"


@pytest.mark.parametrize("title", PAPERS)
def test_every_paper_has_its_reason(harvested: HarvestResult, title: str) -> None:
    found = next(paper for paper in harvested.papers if paper.title == title)
    _, why = PAPERS[title]
    status = {"found": "found", "another version": "version"}.get(why, "missing")
    assert (found.status, found.why) == (status, "" if why == "found" else why), found.detail


def test_another_version_is_called_what_it_is(harvested: HarvestResult) -> None:
    found = next(paper for paper in harvested.papers if paper.status == "version")
    assert found.detail == f"all that was found: slides, {HOME}ropes-slides.pdf" and found.copies[0].form == "slides"


def test_a_link_before_a_title_is_told_as_its_own(harvested: HarvestResult) -> None:
    details = {paper.title: paper.detail for paper in harvested.papers}
    assert details["Stairs That Lead Nowhere"].startswith(f"{HOME}stairs.pdf, linked from {HOME}proceedings.html")
    assert details["Doors Without Handles"].startswith(f"{HOME}doors.pdf, ")


def test_the_ceiling_counts_papers_whose_authors_have_homepages(harvested: HarvestResult) -> None:
    assert harvested.total.missing == len(PAPERS) and harvested.total.reachable == len(PAPERS) - 1
    assert harvested.failures == {"Max Null": "not looked for"}
