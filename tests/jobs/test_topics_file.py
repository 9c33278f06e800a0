"""The topics file: the least form works, and a mistake is told with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from pinakes.core.errors import PinakesError
from pinakes.jobs.topics_file import TopicsFile, load_topics_file

LEAST = """seeds = ["http://example.org/"]          # where the crawl starts; a topic may add its own
pages = 3000
[[topic]]
name = "Birds"
description = "Birds of the world: species, plumage, nesting, migration."   # optional
examples = ["http://example.org/owl.html"]
parent = "Animals"
"""


def read(tmp_path: Path, text: str) -> TopicsFile:
    path = tmp_path / "topics.toml"
    path.write_text(text)
    return load_topics_file(path)


def test_the_least_form(tmp_path: Path) -> None:
    """Everything but the name may be left out; the parent's name joins the query."""
    file = read(tmp_path, LEAST)
    (birds,) = file.topics
    assert (file.seeds, file.pages) == (("http://example.org/",), 3000)
    assert (birds.name, birds.parent, birds.examples) == ("Birds", "Animals", ("http://example.org/owl.html",))
    assert file.query(birds) == "Animals Birds"
    bare = read(tmp_path, '[[topic]]\nname = "Owls"')
    assert bare.query(bare.topics[0]) == "Owls" and bare.pages is None


def test_example_files_stand_beside_the_topics_file(tmp_path: Path) -> None:
    file = read(tmp_path, '[[topic]]\nname = "Owls"\nexamples = ["owl.html", "http://a.example/x"]')
    assert file.topics[0].examples == (str(tmp_path / "owl.html"), "http://a.example/x")


def test_strategy_and_judge_take_parameters(tmp_path: Path) -> None:
    file = read(
        tmp_path, '[[topic]]\nname = "Owls"\n[strategy]\nname = "cutoff"\ncutoff = 20\n[judge]\nthreshold = 0.5'
    )
    assert file.part("strategy") == ("cutoff", {"cutoff": 20})
    assert file.part("judge") == ("", {"threshold": 0.5})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pages = 10", "there is no topic"),
        ("pages = = 10", "is not TOML"),
        ('[[topic]]\nname = "A"\n[[topic]]\ndescription = "b"', "line 3: topic 2 has no name"),
        ('[[topic]]\nname = "A"\ncolour = "b"', "line 3: there is no setting 'colour'"),
        ('[[topic]]\nname = "A"\n[[topic]]\nname = "B"\nexamples = "x"', "line 5: examples"),
        ('pages = "many"\n[[topic]]\nname = "A"', "line 1: pages"),
        ('pages = 0\n[[topic]]\nname = "A"', "line 1: pages = 0 finds nothing"),
        ('seeds = ["not a place"]\n[[topic]]\nname = "A"', "line 1: the seed not a place"),
        ('[[topic]]\nname = "A"\nseeds = ["x y"]', "line 3: the seed x y"),
        ('[[topic]]\nname = "A"\n\n[[topic]]\nname = "A"', "line 5: there are two topics named 'A'"),
        ('[[topic]]\nname = " "', "line 2: topic 1 has an empty name"),
        (
            '[[topic]]\nname = "A"\nparent = "B"\n[[topic]]\nname = "B"\nparent = "A"',
            "line 3: 'A' is its own ancestor",
        ),
        ('[[topic]]\nname = "A"\n[collections]\nsize = 0', "line 4: a collection of 0 pages"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(PinakesError) as error:
        read(tmp_path, text)
    assert said in str(error.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PinakesError, match="cannot be read"):
        load_topics_file(tmp_path / "none.toml")
