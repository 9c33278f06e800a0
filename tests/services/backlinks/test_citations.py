"""Back-links of papers by OpenAlex and Semantic Scholar."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pinakes.services.backlinks.citations import OpenAlex, SemanticScholar
from pinakes.services.errors import ServiceError
from pinakes.services.limits import Ration

OPENALEX = "http://api.openalex.org"
S2 = "http://api.semanticscholar.org/graph/v1"
SOURCES = {OpenAlex: OPENALEX, SemanticScholar: S2}


def citing(loopback: Any, kind: Any, script: Any, url: str, n: int = 10, calls: int = 50) -> tuple[list[str], Any]:
    async def use(bench: Any) -> Any:
        return list(await kind(bench.client(SOURCES[kind]), Ration(calls)).backlinks(url, n)), bench

    return loopback.run(script, use)


@pytest.mark.parametrize("kind", SOURCES)
def test_pages_that_are_no_papers_cost_nothing(loopback: Any, kind: Any) -> None:
    """Only the address is looked at."""
    found, bench = citing(loopback, kind, [loopback.said({})], "http://owls.example/barn")
    assert (found, bench.wired.asked) == ([], [])


# -- OpenAlex --------------------------------------------------------------------------------------------------------


def openalex(loopback: Any, recordings: Path) -> Any:
    """A recorded record of a paper; and for those citing it a recorded list, which answered another question."""
    lookups = loopback.replay(recordings / "openalex" / "doi_and_title_lookups.json", ignoring=["select"])
    works = loopback.Said((recordings / "openalex" / "works_search_page.json").read_bytes())
    return lambda asked: works if asked.target.startswith("/works?") else lookups(asked)


def test_papers_that_cite_a_paper(loopback: Any, recordings: Path) -> None:
    """First its number by the DOI, then the list; of each citing paper the open copy, else where it says it is."""
    url = "https://www.pnas.org/doi/10.1073/pnas.1414271111"
    found, bench = citing(loopback, OpenAlex, openalex(loopback, recordings), url)
    lookup, _ = bench.wired.asked
    assert lookup.target.startswith("/works/https://doi.org/10.1073%2Fpnas.1414271111?select=")
    assert bench.queries()[1]["filter"] == "cites:W2109415576"
    assert bench.queries()[1]["per_page"] == "10"
    assert len(found) == 10
    assert found[0] == "https://www.geospatialhealth.net/index.php/gh/article/download/294/291"
    assert all(address.startswith("http") and "openalex.org" not in address for address in found)


def test_openalex_does_not_know_every_paper(loopback: Any, recordings: Path) -> None:
    """Its real 404, which is HTML, means no back-links and is no failure."""
    script = loopback.replay(recordings / "openalex" / "work_by_doi_select_not-in-openalex.json", ignoring=["select"])
    found, bench = citing(loopback, OpenAlex, script, "https://doi.org/10.1046/j.1365-2699.2003.00795")
    assert (found, len(bench.wired.asked)) == ([], 1)


def test_nobody_asks_for_the_citations_of_a_paper_without_any(loopback: Any) -> None:
    """Constructed. Records are free and lists are not, so the count in the record is believed."""
    found, bench = citing(
        loopback,
        OpenAlex,
        [loopback.said({"id": "https://openalex.org/W1", "cited_by_count": 0})],
        "https://doi.org/10.1000/x",
    )
    assert (found, len(bench.wired.asked)) == ([], 1)


def test_openalex_pages_by_cursor(loopback: Any) -> None:
    """Constructed. Until there are enough, the cursor ends or repeats itself, or the ration does."""

    def say(asked: Any) -> Any:
        cursor = dict(part.split("=") for part in asked.target.partition("?")[2].split("&"))["cursor"]
        n = 0 if cursor == "%2A" else int(cursor)
        works = [{"id": f"https://openalex.org/W{n}{place}", "doi": None} for place in range(3)]
        return loopback.said({"meta": {"next_cursor": str(n + 1) if n < 2 else None}, "results": works})

    found, bench = citing(loopback, OpenAlex, say, "https://openalex.org/W7", n=100)
    assert len(found) == 9
    assert [query["cursor"] for query in bench.queries()] == ["*", "1", "2"]
    assert len(citing(loopback, OpenAlex, say, "https://openalex.org/W7", n=4)[1].wired.asked) == 2
    assert len(citing(loopback, OpenAlex, say, "https://openalex.org/W7", n=100, calls=1)[0]) == 3
    stuck = loopback.said({"meta": {"next_cursor": "*"}, "results": [{"doi": "https://doi.org/10.1000/y"}]})
    assert len(citing(loopback, OpenAlex, [stuck], "https://openalex.org/W7")[1].wired.asked) == 1


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("http://arxiv.org/abs/2304.05376", "/works/https://doi.org/10.48550%2Farxiv.2304.05376"),
        ("https://aclanthology.org/P19-1001/", "/works/https://doi.org/10.18653%2Fv1%2Fp19-1001"),
        ("https://pubmed.ncbi.nlm.nih.gov/29456894/", "/works/pmid:29456894"),
    ],
)
def test_openalex_knows_papers_by_other_numbers(loopback: Any, url: str, path: str) -> None:
    """Archives' numbers become the DOIs they stand for."""
    _, bench = citing(loopback, OpenAlex, [loopback.said({}, 404)], url)
    assert [target.partition("?")[0] for target in bench.targets] == [path]


# -- Semantic Scholar ------------------------------------------------------------------------------------------------


def test_recorded_citations(loopback: Any, recordings: Path) -> None:
    """A hundred citing papers, of which this recording has only the numbers: their pages at Semantic Scholar."""
    file = recordings / "semantic-scholar" / "get_paper_citations.json"
    recorded = loopback.replay(file, ignoring=["fields"])
    script = lambda asked: recorded(asked) if "offset=0" in asked.target else loopback.said({"offset": 100})  # noqa: E731
    found, bench = citing(loopback, SemanticScholar, script, "https://api.semanticscholar.org/CorpusID:14514057", n=150)
    numbers = [
        row["citingPaper"]["paperId"]
        for row in json.loads(json.loads(file.read_text())["interactions"][0]["response"]["body"])["data"]
    ]
    assert found == [f"https://www.semanticscholar.org/paper/{number}" for number in numbers if number]
    assert [query["offset"] for query in bench.queries()] == ["0", "100"]


def test_the_most_readable_address_of_a_citing_paper(loopback: Any) -> None:
    """Constructed. An open copy, else the archive, else the DOI; a paper without a number is passed over."""
    papers: list[dict[str, Any]] = [
        {"paperId": "a", "openAccessPdf": {"url": "http://x.example/a.pdf"}, "externalIds": {"ArXiv": "2301.10035"}},
        {"paperId": "b", "openAccessPdf": {"url": ""}, "externalIds": {"ArXiv": "2301.10035", "DOI": "10.1/x"}},
        {"paperId": "c", "openAccessPdf": None, "externalIds": {"ACL": "P19-1001", "CorpusId": 1}},
        {"paperId": "d", "externalIds": {"DOI": "10.1000/A<b>#c"}},
        {"paperId": None, "externalIds": None},
    ]
    body = {"offset": 0, "data": [{"citingPaper": paper} for paper in papers] + [{"citingPaper": None}]}
    found, bench = citing(loopback, SemanticScholar, [loopback.said(body)], "https://doi.org/10.1000/(x)<y>")
    assert found == [
        "http://x.example/a.pdf",
        "https://arxiv.org/abs/2301.10035",
        "https://aclanthology.org/P19-1001/",
        "https://doi.org/10.1000/A%3Cb%3E%23c",
    ]
    assert bench.targets[0].startswith("/graph/v1/paper/DOI:10.1000/(x)%3Cy%3E/citations?")


def test_recorded_unknown_papers_and_empty_answers(loopback: Any, recordings: Path) -> None:
    """A 404 is no failure, and neither is an answer without `data`, as recorded for another list."""
    missing = json.loads((recordings / "semantic-scholar" / "not_found.json").read_text())["interactions"][0][
        "response"
    ]
    empty = json.loads((recordings / "semantic-scholar" / "empty_paginated_results.json").read_text())
    bodies = [(missing["body"], missing["status"]), (empty["interactions"][0]["response"]["body"], 200)]
    for body, status in bodies:
        said = loopback.Said(body.encode(), status)
        found, bench = citing(loopback, SemanticScholar, [said], "https://arxiv.org/abs/2304.05376")
        assert (found, len(bench.wired.asked)) == ([], 1)
        assert bench.targets[0].startswith("/graph/v1/paper/ARXIV:2304.05376/citations?")


def test_a_busy_service_is_an_error(loopback: Any) -> None:
    """Constructed. Without a key 429 may come at any time; after a few tries it is told."""
    with pytest.raises(ServiceError) as raised:
        citing(
            loopback,
            SemanticScholar,
            [loopback.said({"message": "Too Many Requests"}, 429)],
            "https://doi.org/10.1000/x",
        )
    assert raised.value.outcome == "rate-limited"
    assert "Too Many Requests" in str(raised.value)


@pytest.mark.parametrize(
    ("kind", "first"),
    [
        (OpenAlex, {"meta": {"next_cursor": "x"}, "results": [{"doi": "https://doi.org/10.1000/y"}]}),
        (
            SemanticScholar,
            {"next": 1, "data": [{"citingPaper": {"paperId": "p", "externalIds": {"DOI": "10.1000/y"}}}]},
        ),
    ],
)
def test_what_was_found_before_a_failure_counts(loopback: Any, kind: Any, first: Any) -> None:
    """Constructed. The second page cannot be had; the first is answered."""
    url = "https://openalex.org/W7" if kind is OpenAlex else "https://doi.org/10.1000/x"
    script = [loopback.said(first), loopback.said({}, 403)]
    assert citing(loopback, kind, script, url)[0] == ["https://doi.org/10.1000/y"]
