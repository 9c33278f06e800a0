"""Topics from a directory of the web (004 §5.1)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pinakes.core.errors import PinakesError
from pinakes.jobs.evaluation.directory import DirectoryOptions, topics_from_directory
from pinakes.jobs.evaluation.topics import load_topics
from pinakes.testing import serve
from pinakes.web.http import LiveOptions
from pinakes.web.manners import Pace

GATE = "http://www.gatepost.example/"


def test_the_leaves_of_the_demo_directory(tmp_path: Path) -> None:
    """Pages without child categories; what is said of their links describes the topic."""
    found = topics_from_directory(DirectoryOptions(GATE, tmp_path / "t.jsonl", "demo"))
    topics = {topic.id: topic for topic in load_topics(tmp_path / "t.jsonl")}
    owls = topics["nature-owls"]
    assert "nature" not in topics, "a page with categories below it is no leaf"
    assert owls.seeds == owls.examples and len(owls.seeds) == 7 and owls.seeds[1].endswith("/barn-owl.html")
    assert owls.description.startswith(
        "Owls: an introduction families, faces, hearing, and a list of species accounts. Barn"
    )
    assert all(not url.startswith(GATE) for topic in topics.values() for url in topic.relevant)
    assert len(found.topics) == len(topics) >= 8


def links(names: list[str]) -> str:
    return "".join(f"<li><a href='{name}'>About {name.rsplit('/', 2)[-2]}</a> - a page</li>" for name in names)


def test_a_directory_over_http_the_first_links_are_seeds(tmp_path: Path) -> None:
    """Breadth-first order, five links or more, the first ten are seeds; a link every page has is nobody's."""
    home = "http://dir.example/cat/"
    pages = {f"http://site{n}.example/": "<p>words and more words</p>" for n in range(20)}
    every = "<a href='http://ads.example/'>Advertise</a><a href='/cat/'>Top</a>"
    pages |= {
        home: every + "<a href='b/'>B</a><a href='a/'>A</a><a href='small.html'>Small</a>",
        f"{home}a/": every + links([f"http://site{n}.example/" for n in range(12)]) + "<a href='../b/'>see also</a>",
        f"{home}b/": every + "<a href='deep.html'>Deep</a>" + links([f"http://site{n}.example/" for n in range(6)]),
        f"{home}b/deep.html": every + links([f"http://site{n}.example/" for n in range(12, 18)]),
        f"{home}small.html": every + links([f"http://site{n}.example/" for n in range(4)]),
    }
    with serve(pages) as server:
        live = LiveOptions(
            "test@pinakes.example", pace=Pace(delay=0.0, patience=0.0), resolve=(f"*=127.0.0.1:{server.port}",)
        )
        topics_from_directory(DirectoryOptions(home, tmp_path / "t.jsonl", "live", live=live))
    a, deep = (json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines())
    assert (a["id"], deep["id"]) == ("cat-a", "cat-b-deep")
    assert a["seeds"] == [f"http://site{n}.example/" for n in range(10)] and len(a["relevant"]) == 12
    assert a["description"].startswith("About site0.example - a page. About site1.example - a page.")
    assert len(deep["seeds"]) == 6


def test_no_directory_is_said(tmp_path: Path) -> None:
    with pytest.raises(PinakesError, match="no leaf with 50 links"):
        topics_from_directory(DirectoryOptions(GATE, tmp_path / "t.jsonl", "demo", links=50))
    with pytest.raises(PinakesError, match="cannot be read \\(not-found\\)"):
        topics_from_directory(DirectoryOptions("http://nowhere.example/", tmp_path / "t.jsonl", "demo"))
    assert not (tmp_path / "t.jsonl").exists()
