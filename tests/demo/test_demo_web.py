"""The demo web that ships is the one its sources describe, is well-formed, and holds what the jobs need."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import tomllib
from collections import deque
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

import pypdfium2
import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from pinakes import demo

BUILD = Path(__file__).resolve().parents[2] / "demo" / "build.py"


@dataclass
class Answer:
    status: int
    type: str
    body: bytes
    location: str = ""
    title: str = ""
    links: list[str] = field(default_factory=list)


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.words: list[str] = []
        self.title = ""
        self.inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside = tag
        if tag == "a":
            self.links += [value for name, value in attrs if name == "href" and value]

    def handle_data(self, data: str) -> None:
        if self.inside == "title" and data.strip():
            self.title += data
        self.words += data.split()


def read(warc: Path) -> tuple[str, dict[str, Answer]]:
    found: dict[str, Answer] = {}
    info = ""
    with warc.open("rb") as stream:
        for record in ArchiveIterator(stream):
            if record.rec_type == "warcinfo":
                info = record.content_stream().read().decode()
                continue
            url, headers = record.rec_headers["WARC-Target-URI"], record.http_headers
            answer = Answer(int(headers.get_statuscode()), headers["Content-Type"], record.content_stream().read())
            answer.location = headers.get("Location") or ""
            if answer.type.startswith("text/html"):
                reader = Reader()
                reader.feed(answer.body.decode("utf-8" if "utf-8" in answer.type else "latin-1"))
                answer.title = reader.title
                answer.links = [urldefrag(urljoin(url, link))[0] for link in reader.links]
            assert url not in found, f"two records of {url}"
            found[url] = answer
    return info, found


@pytest.fixture(scope="module")
def recorded() -> tuple[str, dict[str, Answer]]:
    return read(demo.path("web.warc.gz"))


@pytest.fixture(scope="module")
def web(recorded: tuple[str, dict[str, Answer]]) -> dict[str, Answer]:
    return recorded[1]


@pytest.fixture(scope="module")
def truth() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(demo.path("truth.json").read_text("utf-8"))
    return loaded


@pytest.fixture(scope="module")
def topics() -> list[dict[str, Any]]:
    return [json.loads(line) for line in demo.path("topics.jsonl").read_text("utf-8").splitlines()]


def hops(web: Mapping[str, Answer], start: str) -> dict[str, int]:
    """Clicks from an address to every recorded one."""
    found, waiting = {start: 0}, deque([start])
    while waiting:
        url = waiting.popleft()
        answer = web[url]
        for link in [answer.location] if answer.location else answer.links:
            if link in web and link not in found:
                found[link] = found[url] + 1
                waiting.append(link)
    return found


def text_of(pdf: bytes) -> str:
    document = pypdfium2.PdfDocument(pdf)
    words = " ".join(page.get_textpage().get_text_range() for page in document)
    document.close()
    return " ".join(words.split())


def test_sources_give_what_ships(tmp_path: Path, recorded: tuple[str, dict[str, Answer]]) -> None:
    """Rebuilt from its sources the web is the same: byte for byte where the tools are those that made it."""
    pytest.importorskip("fpdf", reason="fpdf2 is not installed, so the demo web cannot be rebuilt")
    subprocess.run([sys.executable, str(BUILD), "--out", str(tmp_path)], check=True, capture_output=True, timeout=120)
    info, built = read(tmp_path / "web.warc.gz")
    for name in ("topics.toml", "topics.jsonl", "venue.jsonl", "truth.json"):
        assert (tmp_path / name).read_bytes() == demo.path(name).read_bytes(), f"run demo/build.py: {name} is stale"
    assert built.keys() == recorded[1].keys(), "run demo/build.py: web.warc.gz is stale"
    for url, answer in built.items():
        if answer.type != "application/pdf":
            assert answer == recorded[1][url], f"run demo/build.py: {url} is stale"
    if info == recorded[0]:
        for name in ("web.warc.gz", "paper.pdf"):
            assert (tmp_path / name).read_bytes() == demo.path(name).read_bytes(), f"run demo/build.py: {name} is stale"


def test_digests_hold() -> None:
    """Warcio finds every block and payload digest right."""
    with redirect_stdout(io.StringIO()):
        checker = Checker(type("Arguments", (), {"inputs": [str(demo.path("web.warc.gz"))], "verbose": True}))
        checker.process_all()
    assert checker.exit_value == 0


def test_size_and_counts(web: dict[str, Answer]) -> None:
    """Fifteen hosts, two to three hundred pages, two dozen papers, in well under two megabytes."""
    assert sum(demo.path(name).stat().st_size for name in demo.NAMES) < 2_000_000
    assert len({urlsplit(url).netloc for url in web}) == 15
    assert all(urlsplit(url).netloc.endswith(".example") for url in web)
    pages = [url for url, answer in web.items() if answer.status == 200 and answer.type.startswith("text/html")]
    assert 200 <= len(pages) <= 300
    assert 30 <= sum(answer.type == "application/pdf" for answer in web.values()) <= 40


def test_only_meant_links_are_dead(web: dict[str, Answer], truth: dict[str, Any]) -> None:
    """Every link resolves but those to the dead host, into the endless calendar, and the ones the truth names."""
    excused = (truth["dead_host"], truth["trap"]["host"], *truth["dead_links"])
    dead = {link for answer in web.values() for link in answer.links if link not in web}
    assert not [link for link in dead if not link.startswith(excused)]
    assert set(truth["dead_links"]) <= dead
    assert any(link.startswith(truth["dead_host"]) for link in dead)
    assert sum(link.startswith(truth["trap"]["host"]) for link in dead) > 100


def test_front_page_leads_everywhere(web: dict[str, Answer]) -> None:
    """From the front page every page is a few clicks away."""
    reached = hops(web, demo.FRONT)
    assert {url for url in web if url not in reached} == {url for url in web if url.endswith("/robots.txt")}
    assert max(reached.values()) <= 8


def test_topics_are_true_and_off_the_seeds(web: dict[str, Answer], topics: list[dict[str, Any]]) -> None:
    """Relevant pages exist on several hosts; seeds are off-topic, two to four clicks from the first of them."""
    assert len(topics) >= 5
    for topic in topics:
        relevant = set(topic["relevant"])
        assert relevant <= web.keys() and 12 <= len(relevant) <= 60
        assert len({urlsplit(url).netloc for url in relevant}) >= 3
        assert 4 <= len(topic["examples"]) <= 5 and set(topic["examples"]) < relevant
        for seed in topic["seeds"]:
            reached = hops(web, seed)
            assert relevant <= reached.keys() and seed not in relevant
            assert 2 <= min(reached[url] for url in relevant) <= 4, (topic["id"], seed)


def test_relevant_pages_have_substance_and_differ(web: dict[str, Answer], truth: dict[str, Any]) -> None:
    """Pages with a topic are prose of their own: at least 120 words, no two alike but the copies."""
    shingles: dict[str, set[tuple[str, ...]]] = {}
    for url in truth["pages"]:
        reader = Reader()
        reader.feed(web[url].body.decode())
        assert len(reader.words) >= 120, url
        words = [word.lower() for word in reader.words]
        shingles[url] = set(zip(words, words[1:], words[2:], words[3:], strict=False))
    urls = sorted(shingles)
    for at, one in enumerate(urls):
        for other in urls[at + 1 :]:
            shared = len(shingles[one] & shingles[other]) / min(len(shingles[one]), len(shingles[other]))
            assert shared < 0.5, (one, other)


def test_topics_toml_is_the_form_collect_reads(web: dict[str, Answer]) -> None:
    """The hierarchy has a name for every topic, examples and seeds that are recorded."""
    data = tomllib.loads(demo.path("topics.toml").read_text("utf-8"))
    assert data["seeds"] == [demo.FRONT] and data["pages"] > 0
    names = {topic["name"] for topic in data["topic"]}
    assert 6 <= len(names) == len(data["topic"])
    assert {topic["parent"] for topic in data["topic"] if "parent" in topic} & names
    assert all(url in web for topic in data["topic"] for url in topic["examples"])


def test_directory_leaves(web: dict[str, Answer]) -> None:
    """The directory's leaves list at least five pages of other hosts each."""
    leaves = [url for url in web if re.fullmatch(r"http://www\.gatepost\.example/\w+/\w+\.html", url)]
    leaves = [url for url in leaves if "/editors/" not in url]
    assert len(leaves) >= 8
    for url in leaves:
        assert len([link for link in web[url].links if "gatepost" not in link]) >= 5
        assert web[url].body.count(b"<dd>") >= 5


def test_papers_are_where_the_truth_says(web: dict[str, Answer], truth: dict[str, Any]) -> None:
    """Each PDF opens and has its title and authors; exactly two papers cannot be found, for two reasons."""
    venue = [json.loads(line) for line in demo.path("venue.jsonl").read_text("utf-8").splitlines()]
    assert len(venue) == 24 and {row["id"] for row in venue} == truth["papers"].keys()
    for row in venue:
        for url in truth["papers"][row["id"]]["urls"]:
            text = text_of(web[url].body)
            assert row["title"] in text and all(author in text for author in row["authors"])
    reasons = {paper["title"]: paper["reason"] for paper in truth["papers"].values() if not paper["urls"]}
    assert sorted(reasons.values()) == ["link dead", "no homepage"]
    lost = next(title for title, reason in reasons.items() if reason == "no homepage")
    homes = {person["name"]: person["homepage"] for person in truth["people"]}
    assert all(homes[name] is None for row in venue if row["title"] == lost for name in row["authors"])
    only_venue = [p for p in truth["papers"].values() if p["at_venue_site"] and not p["on_homepages"]]
    assert len(only_venue) == 3
    assert truth["pdfs"].keys() == {url for url, answer in web.items() if answer.type == "application/pdf"}


def test_people(web: dict[str, Answer], truth: dict[str, Any]) -> None:
    """Homepages are recorded, bear the name, and every paper found there is linked within reach of one."""
    homes = {person["name"]: person["homepage"] for person in truth["people"] if person["homepage"]}
    assert len(homes) + len(truth["namesakes"]) == 14
    for name, url in homes.items():
        assert name in web[url].title
    for other in truth["namesakes"]:
        assert other["homepage"] != homes[other["name"]] and other["name"] in web[other["homepage"]].title
    for paper in truth["papers"].values():
        if paper["on_homepages"]:
            assert min(hops(web, home).get(url, 99) for home in homes.values() for url in paper["urls"]) <= 3


def test_paper_cites_this_web(web: dict[str, Answer]) -> None:
    """At least ten of the panorama paper's references are titles of pages or papers of the web."""
    text = text_of(demo.path("paper.pdf").read_bytes())
    references = text.split("References", 1)[1]
    venue = [json.loads(line)["title"] for line in demo.path("venue.jsonl").read_text("utf-8").splitlines()]
    titles = {*venue, *(answer.title for answer in web.values() if answer.title)}
    cited = [title for title in titles if f". {title}. " in references]
    assert len(cited) >= 10


def test_oddities(web: dict[str, Answer], truth: dict[str, Any]) -> None:
    """Copies, redirects, robots, encodings, languages and the hostile title are what the truth says they are."""
    exact = [row for row in truth["duplicates"] if row["exact"]]
    assert len(exact) == 6 and all(web[row["url"]].body == web[row["of"]].body for row in exact)
    near = [row for row in truth["duplicates"] if not row["exact"]]
    assert len(near) >= 3 and all(web[row["url"]].body != web[row["of"]].body for row in near)
    for row in truth["redirects"]:
        assert (web[row["from"]].status, web[row["from"]].location) == (row["status"], row["to"])
    steps = {row["from"]: row["to"] for row in truth["redirects"]}
    assert any(steps.get(to) == source for source, to in steps.items()), "a loop"
    assert any(to in steps and steps[to] not in steps for to in steps.values()), "a chain of two"
    assert {web[url].type for url in truth["robots"]} == {"text/plain"}
    assert len(truth["blocked"]) >= 6 and all(url in web for url in truth["blocked"])
    assert "<script>" in web[truth["hostile_title"]].title
    assert b"<script" not in web[truth["hostile_title"]].body
    page = web[truth["latin1"]]
    assert "charset" not in page.type and "crème brûlée" in page.body.decode("latin-1")
    with pytest.raises(UnicodeDecodeError):
        page.body.decode("utf-8")
    assert "Störche" in web[truth["languages"]["de"]].body.decode()
    assert "boulangeries" in web[truth["languages"]["fr"]].body.decode()
    assert all(b'content="noindex' in web[url].body for url in truth["noindex"])
    assert all(b"nofollow" in web[url].body for url in truth["nofollow"])


def test_path_refuses_other_names() -> None:
    """Only shipped files are given out, and an unknown name says which there are."""
    assert all(demo.path(name).is_file() for name in demo.NAMES)
    with pytest.raises(FileNotFoundError, match=r"web\.warc\.gz"):
        demo.path("../__init__.py")
