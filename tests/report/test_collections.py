"""Collections written down: everything escaped, nothing lost, the tree in order."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from pinakes.library.collections import Collection, Entry, as_tree
from pinakes.report.collections import as_csv, as_html, as_json, as_markdown, write_collections

NASTY = "<script>alert(1)</script>"
OWL = Entry("http://a.example/owl?a=1&b=2", 0.5, NASTY, 0.6, True, "He said “hoo” & left", "en", "2026-01-02", 7, 1,
            ("http://a.example/", "http://a.example/owl?a=1&b=2"))  # fmt: skip
SCAN = Entry("http://a.example/scan.pdf", 0.4, "=cmd|' /C calc'!A0")
BIRDS = Collection("Birds", "Animals", "All [of] *them*", terms=("owl", NASTY), entries=(OWL, SCAN))
OWLS = Collection("Owls", "Birds")


def test_the_tree_has_parents_nobody_collected() -> None:
    assert [(depth, name, one is None) for depth, name, one in as_tree([OWLS, BIRDS])] == [
        (0, "Animals", True), (1, "Birds", False), (2, "Owls", False)
    ]  # fmt: skip


def test_a_circle_of_parents_ends() -> None:
    circle = [Collection("A", "B"), Collection("B", "A"), Collection("C", "C")]
    assert sorted(name for _, name, _ in as_tree(circle)) == ["A", "B", "C"]


def test_html_is_escaped_and_self_contained() -> None:
    page = as_html([BIRDS, OWLS])
    assert NASTY not in page and "&lt;script&gt;" in page
    assert "default-src 'none'" in page and "<script" not in page and 'src="' not in page
    assert 'href="http://a.example/owl?a=1&amp;b=2"' in page
    assert "No page was found for this topic." in page and "not read yet" in page


def test_html_links_only_to_the_web() -> None:
    page = as_html([Collection("X", entries=(Entry("javascript:alert(1)", 0.1, "t", page=1),))])
    assert 'href="javascript' not in page


def test_csv_holds_no_formula() -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv([BIRDS]))))
    assert [row["rank"] for row in rows] == ["1", "2"]
    assert rows[0]["title"] == NASTY and rows[1]["title"].startswith("'=")
    assert rows[0]["path"].split() == list(OWL.path)


def test_markdown_has_no_markup_of_others() -> None:
    text = as_markdown([BIRDS, OWLS])
    assert "## Animals" in text and "### Birds" in text and "#### Owls" in text
    assert "<script" not in text and "All \\[of\\] \\*them\\*" in text


def test_all_are_written(tmp_path: Path) -> None:
    page = write_collections(tmp_path, [BIRDS])
    names = sorted(path.name for path in page.parent.iterdir())
    assert names == ["collections.csv", "collections.html", "collections.json", "collections.md"]
    assert json.loads(as_json([BIRDS]))[0]["entries"][0]["merit"] == pytest.approx(0.5)
