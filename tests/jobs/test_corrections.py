"""The homepage database as a table: handed back unchanged it says the same again, corrected it is obeyed."""

from __future__ import annotations

import asyncio
import csv
from pathlib import Path
from typing import Any

import pytest

from pinakes.core.errors import PinakesError
from pinakes.jobs.harvest.assigning import Candidate
from pinakes.jobs.harvest.corrections import (
    BELIEVED,
    CORRECTED,
    REFUSED,
    Known,
    corrected,
    read_known,
    write_candidates,
)
from pinakes.jobs.harvest.homepages import find_homepages
from pinakes.jobs.harvest.job import harvest
from pinakes.jobs.harvest.options import HarvestOptions
from pinakes.jobs.harvest.result import HarvestResult
from pinakes.jobs.webs import open_frozen


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> HarvestResult:
    return harvested(tmp_path_factory.mktemp("first") / "library")


def harvested(into: Path, **more: Any) -> HarvestResult:
    given = {"metadata": ("demo:venue.jsonl",), "web": "demo", **more}
    result = harvest(HarvestOptions(into=into, **given), tell=more.pop("tell", lambda sentence: None))
    assert isinstance(result, HarvestResult)
    return result


def table(library: Path) -> Path:
    return library / "reports" / "homepages.csv"


@pytest.mark.parametrize("search", [True, False])
def test_handed_back_unchanged_nothing_is_lost(first: HarvestResult, tmp_path: Path, search: bool) -> None:
    """Every candidate with its rule, every reason why there is none: to the letter."""
    again = harvested(tmp_path / "library", homepages=table(first.library), search=search)
    assert table(again.library).read_bytes() == table(first.library).read_bytes()
    assert again.homepages == first.homepages and [*again.homepages.values()] and not again.unknown
    # Of people without a single candidate the table has no address, and without a search they are not looked for.
    told = {name: why for name, why in first.failures.items() if search or why != "no search result"}
    assert {name: again.failures[name] for name in told} == told
    assert any(why.startswith("only other authors' pages (") for why in told.values())
    assert [(paper.id, paper.status) for paper in again.papers] == [(paper.id, paper.status) for paper in first.papers]


def test_names_that_are_no_authors_are_told_and_kept(first: HarvestResult, tmp_path: Path) -> None:
    given = tmp_path / "homes.csv"
    given.write_text(
        'name;homepage\n"Tanner, Iris";http://cs.northlake.example/~tanner/\nIris Tannr;http://b.example/\n'
        '"Quill, Harriet";www.lanternhost.example/~quill/\n',
        encoding="utf-8",
    )
    told: list[str] = []
    options = HarvestOptions(("demo:venue.jsonl",), tmp_path / "library", homepages=given, search=False, web="demo")
    result = harvest(options, tell=told.append)
    assert isinstance(result, HarvestResult)
    assert result.homepages["Iris Tanner"] == "http://cs.northlake.example/~tanner/" and len(result.homepages) == 2
    assert result.unknown == ("Iris Tannr",)
    assert [sentence for sentence in told if "Iris Tannr" in sentence and "wrote none of these papers" in sentence]
    with table(result.library).open() as file:
        assert "http://b.example/" in {row["homepage"] for row in csv.DictReader(file)}


def test_what_a_person_changes_is_obeyed_and_called_so(tmp_path: Path) -> None:
    rows = [
        Candidate("=Anna Berg", "http://a.example/", "=1+1", 6.5, "kept: the name is in the title", "high", True),
        Candidate("=Anna Berg", "http://b.example/", "", 4.0, "too little speaks for it (3.0 of 4.0)"),
        Candidate("Tom Holm", "http://c.example/", "Holm", 0.0, "publisher or library", "medium"),
        Candidate("Ida Lund", "http://d.example/", "", 5.0, "kept: it is a front door", "low", True),
    ]
    path = tmp_path / "homes.csv"
    write_candidates(path, rows, {"Eve Ford": "no search result", "Tom Holm": "no page that is the author's own"})
    assert set(read_known(path).rows) == set(rows)
    lines = path.read_text().splitlines()
    assert "Eve Ford,,,,,no search result," in lines
    # One is refused, one is taken that was dropped, one is filled in; `kept` may then be left empty.
    changed = {"http://d.example/,yes": "http://d.example/,no", "http://c.example/,no": "http://c.example/,YES"}
    text = path.read_text().replace("Eve Ford,,", "Eve Ford,e.example,")
    for old, new in changed.items():
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)
    said = read_known(path).of(["=Anna Berg", "Tom Holm", "Ida Lund", "Eve Ford"])
    rules = {row.url: row.rule for some in said.rows.values() for row in some}
    assert said.homepages == {
        "=Anna Berg": "http://a.example/",
        "Tom Holm": "http://c.example/",
        "Eve Ford": "https://e.example/",
    }
    assert said.refused == {"Ida Lund": frozenset({"http://d.example/"})}
    assert (rules["http://d.example/"], rules["http://c.example/"]) == (REFUSED, CORRECTED)
    assert rules["https://e.example/"] == BELIEVED and rules["http://b.example/"].startswith("too little")


def test_of_two_homepages_the_one_a_person_wrote_is_believed() -> None:
    rows = (
        Candidate("Anna Berg", "http://new.example/", "", 0.0, CORRECTED, "high", True),
        Candidate("Anna Berg", "http://old.example/", "", 6.0, "kept: it is a front door", "high", True),
    )
    said = Known(rows).of(["Anna Berg"])
    assert said.homepages == {"Anna Berg": "http://new.example/"}
    assert [row.rule for row in said.rows["Anna Berg"] if not row.kept] == [
        "another row of the table is believed: http://new.example/"
    ]


def test_corrections_from_the_browser_leave_the_rest_as_it_was() -> None:
    """`Not theirs`, and another address; everything else keeps its rule."""
    a, b, c, d = (
        Candidate("Anna Berg", "http://a.example/", "", 6.0, "kept: it is a front door", "high", True),
        Candidate("Anna Berg", "http://b.example/", "", 2.0, "not a page"),
        Candidate("Tom Holm", "http://c.example/", "", 6.0, "kept: it is a front door", "low", True),
        Candidate("Ida Lund", "http://d.example/", "", 0.0, "publisher or library"),
    )
    rows = list(corrected((a, b, c, d), {"Tom Holm": "http://e.example"}, {"Anna Berg": "http://a.example/"}))
    said = Known(tuple(rows)).of(["Anna Berg", "Tom Holm", "Ida Lund"])
    assert said.homepages == {"Tom Holm": "http://e.example/"} and b in rows and d in rows
    assert [row.rule for row in rows if row.url in (a.url, c.url)] == [
        REFUSED,
        "another homepage was given by hand: http://e.example",
    ]


def test_two_people_of_one_name_are_not_mixed_up() -> None:
    """dblp numbers namesakes; a row without the number is neither's."""
    known = Known((Candidate("Anna Berg", "http://a.example/", "", 0.0, BELIEVED, "high", True),))
    assert known.of(["Anna Berg 0001", "Anna Berg 0002"]).unknown == ("Anna Berg",)
    assert known.of(["Anna Berg 0001"]).homepages == {"Anna Berg 0001": "http://a.example/"}


def test_homepages_go_in_the_order_of_their_priority() -> None:
    """Table 1's: high before medium before low."""
    names = {"Ada Low": "low", "Bo High": "high", "Cy Medium": "medium"}
    rows = {
        name: [Candidate(name, f"http://{priority}.example/", "", 5.0, "kept: x", priority, True)]
        for name, priority in names.items()
    }
    known = {name: some[0].url for name, some in rows.items()}
    web = open_frozen("demo", records=False)
    found = asyncio.run(find_homepages([], None, web, known=known, rows=rows))
    assert found.in_order == ["http://high.example/", "http://medium.example/", "http://low.example/"]


def test_bad_tables(tmp_path: Path) -> None:
    path = tmp_path / "homes.csv"
    path.write_text("who,where\nA,b\n")
    with pytest.raises(PinakesError, match="no columns called name and homepage"):
        read_known(path)
    path.write_text("name,homepage\nA B,http://[::\n")
    with pytest.raises(PinakesError, match=r"row 2: .* is not a web address"):
        read_known(path)
