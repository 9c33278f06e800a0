"""Trying judges on pages."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from fpdf import FPDF

from pinakes.cli import judge as judge_command
from pinakes.cli import train as train_command
from pinakes.core.errors import PinakesError
from pinakes.jobs.crawl import crawl
from pinakes.jobs.crawl_records import CrawlOptions
from pinakes.jobs.judging import JudgeOptions, judge_pages, load_judge
from pinakes.jobs.taking_up import resume
from pinakes.library.library import Library
from pinakes.testing import serve
from pinakes.testing.recording import a, html, recorded, write

BIRDS = [f"The owl and the {word} have plumage, nests and eggs" for word in ("falcon", "heron", "eagle", "kite")]
CLOTH = [f"The loom and the {word} make cotton cloth" for word in ("shuttle", "weaver", "spindle", "dyer")]


def written(folder: Path) -> tuple[list[str], list[str]]:
    names: tuple[list[str], list[str]] = ([], [])
    for kind, texts in enumerate((BIRDS, CLOTH)):
        for n, text in enumerate(texts):
            path = folder / f"{kind}{n}.html"
            path.write_text(html(text.split()[4], text))
            names[kind].append(str(path))
    return names


def test_a_named_judge_looks_at_files(tmp_path: Path) -> None:
    """With the examples and negatives given on the spot; no web is needed for files."""
    birds, cloth = written(tmp_path)
    options = JudgeOptions((birds[3], cloth[3]), "rocchio", "", tuple(birds[:3]), tuple(cloth[:3]))
    first, second = judge_pages(options)
    assert first.nugget and not second.nugget and first.score > second.score
    assert "owl" in dict(first.words) and "owl" not in dict(second.words)
    assert first.title == "kite" and first.threshold == 0.5


def test_addresses_are_read_from_the_web_named(tmp_path: Path) -> None:
    """Here a recorded one."""
    web = write(tmp_path / "web.warc.gz", [recorded("http://a.example/", html("Owls", "Snowy owls"))])
    judge = "pinakes.judges.pattern:PatternJudge"
    (judged,) = judge_pages(JudgeOptions(("http://a.example/",), judge, topic="snowy owls", web=str(web)))
    assert judged.nugget and judged.url == "http://a.example/"


def test_what_is_neither_an_address_nor_a_file_is_named_before_a_web_is_opened(tmp_path: Path) -> None:
    """Nobody needs a contact to be told of a misspelt name."""
    with pytest.raises(PinakesError, match=r"nowhere\.html is neither a web address nor a file"):
        judge_pages(JudgeOptions(("nowhere.html",), topic="owls"))


def test_live_pages_are_judged_and_learnt_from(tmp_path: Path) -> None:
    """Over HTTP, with the options of the live web."""
    out = tmp_path / "judge.json"
    pages = {f"http://a.example/{n}": html("Page", text) for n, text in enumerate((*BIRDS, *CLOTH))}
    with serve(pages) as served:
        at = ["--contact", "test@pinakes.example", "--allow-private", "--resolve", f"*=127.0.0.1:{served.port}"]
        at += ["--delay", "0"]
        urls = list(pages)
        given = ["--example", urls[0], "--example", urls[1], "--negative", urls[4], "--negative", urls[5]]
        trained = CliRunner().invoke(train_command.command, ["judge", *given, "--out", str(out), *at])
        assert trained.exit_code == 0, trained.output
        judged = CliRunner().invoke(judge_command.command, ["--judge", str(out), urls[2], urls[6], *at, "--json"])
        assert judged.exit_code == 0, judged.output
    found = json.loads(judged.output.splitlines()[-1])["judged"]
    assert [(page["url"], page["nugget"]) for page in found] == [(urls[2], True), (urls[6], False)]


@pytest.mark.parametrize(
    ("strategy", "given", "judge"),
    [("cutoff", "", "centroids"), ("adaptive-cutoff", "cosine", "cosine"), ("breadth-first", "", "cosine")],
)
def test_a_crawl_goes_by_the_named_judge_else_its_strategys(
    strategy: str, given: str, judge: str, tmp_path: Path
) -> None:
    """And calibrates its threshold on the examples."""
    pages = [recorded(f"http://a.example/{n}", html("Page", text)) for n, text in enumerate((*BIRDS, *CLOTH))]
    web = write(tmp_path / "web.warc.gz", pages)
    examples = ("http://a.example/0", "http://a.example/1")
    crawl(CrawlOptions(tmp_path / "library", examples=examples, web=str(web), strategy=strategy, judge=given))
    with Library(tmp_path / "library") as library:
        recipe = library.recipe(library.crawls()[-1])
    assert recipe.judge == judge and 0.2 < recipe.judge_parameters["threshold"] <= 0.75
    assert recipe.judge_parameters["threshold"] != 0.35


@pytest.mark.parametrize("strategy", ["cutoff", "adaptive-cutoff"])
def test_a_document_nobody_can_read_takes_its_parents_correlation_in_a_resumed_crawl(
    strategy: str, tmp_path: Path
) -> None:
    """000, footnote 1: the crawl ends after the page, and is taken up again for the scanned paper it links to."""
    scan, home = FPDF(), "http://a.example/"
    scan.add_page()
    examples = {f"{home}{n}": html("Page", text) for n, text in enumerate(BIRDS[:3])}
    members = [recorded(url, body) for url, body in examples.items()]
    members.append(recorded(home, html("Owls", BIRDS[3], a("/scan.pdf"))))
    members.append(recorded(f"{home}scan.pdf", bytes(scan.output()), type="application/pdf"))
    web, library = write(tmp_path / "web.warc.gz", members), tmp_path / "library"
    options = CrawlOptions(library, topic="birds", examples=tuple(examples), seeds=(home,), web=str(web), pages=1)
    crawl(replace(options, strategy=strategy))
    resume(library, pages=2)
    with Library(library) as opened:
        page, paper = opened.connection.execute("SELECT url, score, nugget, topic FROM visits ORDER BY id").fetchall()
    assert (page[0], paper[0]) == (home, f"{home}scan.pdf")
    assert paper[1:] == page[1:] and page[1] > 0.3 and page[2]


def test_simple_judges_from_the_command_line(tmp_path: Path) -> None:
    """`pattern` goes by words or a regular expression, `publication` by what a paper looks like; neither is trained."""
    birds, cloth = written(tmp_path)

    def tried(judge: str, *more: str) -> list[bool]:
        done = CliRunner().invoke(judge_command.command, [birds[0], cloth[0], "--judge", judge, *more, "--json"])
        assert done.exit_code == 0, done.output
        return [one["nugget"] for one in json.loads(done.output.splitlines()[-1])["judged"]]

    assert tried("pattern", "--set", "keywords=owl eggs") == [True, False]
    assert tried("pattern", "--set", r"pattern=\bcotton\s+cloth\b") == [False, True]
    assert tried("pattern", "--topic", "plumage and nests") == [True, False]
    assert tried("publication") == [False, False]
    paper = FPDF()
    paper.add_page()
    paper.set_font("Helvetica", size=8)
    sentence = "We study how crawlers order links, as others did [3]. "
    middle = f"1 Introduction\n{sentence * 90}\n9 Conclusion\n{sentence}"
    references = "[1] B. Other. A paper. In Proceedings, 1999.\n[2] C. Third. Another. 2001."
    paper.multi_cell(0, 4, f"Crawling\nAbstract\n{sentence}\n{middle}\nReferences\n{references}")
    (tmp_path / "paper.pdf").write_bytes(bytes(paper.output()))
    done = CliRunner().invoke(judge_command.command, [str(tmp_path / "paper.pdf"), "--judge", "publication", "--json"])
    assert done.exit_code == 0 and json.loads(done.output.splitlines()[-1])["judged"][0]["nugget"], done.output
    given = ["--example", birds[0], "--example", birds[1], "--negative", cloth[0], "--negative", cloth[1]]
    for judge in ("pattern", "publication"):
        done = CliRunner().invoke(
            train_command.command, ["judge", *given, "--judge", judge, "--out", str(tmp_path / "x")]
        )
        assert done.exit_code == 1 and "naive-bayes, rocchio" in str(done.exception or done.output)


def test_a_file_that_is_no_judge_says_so(tmp_path: Path) -> None:
    path = tmp_path / "judge.json"
    path.write_text('{"some": "json"}')
    with pytest.raises(PinakesError, match="pinakes train judge"):
        load_judge(path)


def test_train_then_judge_from_the_command_line(tmp_path: Path) -> None:
    """The trained judge's file is all that `pinakes judge` needs."""
    birds, cloth = written(tmp_path)
    out = tmp_path / "judge.json"
    given = [word for name in birds[:3] for word in ("--example", name)]
    given += [word for name in cloth[:3] for word in ("--negative", name)]
    done = CliRunner().invoke(train_command.command, ["judge", *given, "--out", str(out), "--folds", "3", "--json"])
    assert done.exit_code == 0, done.output
    assert "3-fold cross-validation: precision" in done.output and "Goes by: " in done.output
    assert json.loads(done.output.splitlines()[-1])["f1"] == load_judge(out).measured["f1"]
    done = CliRunner().invoke(judge_command.command, [birds[3], cloth[3], "--judge", str(out), "--json"])
    assert done.exit_code == 0, done.output
    judged = json.loads(done.output.splitlines()[-1])["judged"]
    assert [one["nugget"] for one in judged] == [True, False]
    assert done.output.splitlines()[0].split()[0] == "nugget"


def test_a_page_to_judge_that_cannot_be_read_is_not_called_an_example(tmp_path: Path) -> None:
    """The sentence names what the page is to the person who typed it."""
    birds = tmp_path / "birds.html"
    birds.write_text("<p>owls and falcons hunt at night</p>")
    with pytest.raises(PinakesError, match=r"The page to judge nowhere\.html is neither"):
        judge_pages(JudgeOptions(pages=("nowhere.html",), examples=(str(birds),), web="demo"))
