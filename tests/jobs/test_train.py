"""Training judges and anchor keywords."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link, Page, Topic
from pinakes.jobs.crawl import crawl
from pinakes.jobs.crawl_records import CrawlOptions
from pinakes.jobs.judging import load_judge
from pinakes.jobs.train import (
    Logged,
    TrainAnchorsOptions,
    TrainJudgeOptions,
    cross_validate,
    followed,
    train_anchors,
    train_judge,
)
from pinakes.strategies.anchor_text import AnchorText
from pinakes.testing.recording import a, html, recorded, write

SITE = "http://lab.example"
FIGURE_4 = [
    Logged("s", "", "", False),
    Logged("a", "s", "people", False),
    Logged("b", "s", "news", False),
    Logged("c", "s", "groups", False),
    Logged("p1", "a", "thesis", True),
    Logged("d", "c", "publications", False),
    Logged("e", "c", "visitors", False),
    Logged("p2", "d", "vldb", True),
    Logged("p3", "d", "trec", True),
]


def texts(folder: Path, kind: str, words: list[str]) -> list[str]:
    names = []
    for n in range(6):
        path = folder / f"{kind}{n}.txt"
        path.write_text(f"{' '.join(words)} {words[n % len(words)]} and {words[0]}, among other things\n" * 3)
        names.append(str(path))
    return names


def test_weights_of_figure_4() -> None:
    """W(O→Q) = D(Q) / D(P): 'SA' 1/2, 'AP' 1, 'SC' 1/3 and 'CD' 2/3 for each of the two papers below, 'DP' 1; what led
    to no paper is not interesting, and the seed is no link."""
    found = {next(iter(link.keywords)): link.weights for link in followed(FIGURE_4)}
    assert found == {
        "peopl": [1 / 2],
        "thesi": [1.0],
        "group": [pytest.approx(1 / 3)] * 2,
        "public": [pytest.approx(2 / 3)] * 2,
        "vldb": [1.0],
        "trec": [1.0],
        "news": [],
        "visitor": [],
    }


def test_a_log_that_goes_in_circles_ends() -> None:
    """Parents are addresses the web chose: a page may seem its own ancestor."""
    log = [Logged("x", "y", "one", True), Logged("y", "x", "two", False)]
    assert len(followed(log)) == 2


def test_anchors_are_learnt_from_a_breadth_first_crawl(tmp_path: Path) -> None:
    """From the crawl's log to keywords that a strategy takes."""
    people = range(4)
    pages = [recorded(f"{SITE}/", html("Lab", *(a(f"{SITE}/{n}/", "group member") for n in people)))]
    for n in people:
        links = (a(f"{SITE}/{n}/list", "publications"), a(f"{SITE}/{n}/fun", "holidays"))
        pages.append(recorded(f"{SITE}/{n}/", html(f"Person {n}", *links)))
        pages.append(recorded(f"{SITE}/{n}/list", html("Papers", a(f"{SITE}/{n}/x.pdf", "download"))))
        pages.append(recorded(f"{SITE}/{n}/fun", html("Fun", f"holiday {n}")))
        pages.append(recorded(f"{SITE}/{n}/x.pdf", b"%PDF-1.4 damaged", type="application/pdf"))
    web = write(tmp_path / "web.warc.gz", pages)
    library = tmp_path / "library"
    crawl(CrawlOptions(library, seeds=(f"{SITE}/",), web=str(web), strategy="breadth-first"))
    out = tmp_path / "anchors.json"
    result = train_anchors(TrainAnchorsOptions((library,), out, sure=0.0))
    assert result.found == 4 and result.links == 16 and result.interesting == 12
    assert result.keywords == pytest.approx({"download": 1.0, "public": 2 / 3, "group": 1 / 3, "member": 1 / 3})
    written = json.loads(out.read_text())
    strategy = AnchorText(Brief(), keywords="trained", weights=written, base="none")
    assert strategy._priorities == {"download": 2, "public": 2, "group": 1, "member": 1}
    assert train_anchors(TrainAnchorsOptions((library,), out, wanted="nuggets")).found == 0


def test_words_beside_documents_are_learnt_from_many_sites(tmp_path: Path) -> None:
    """A site counts once, however often it says a word; what stands beside other links too teaches nothing."""
    pages = [recorded(f"{SITE}/", html("Lab", *(a(f"http://{n}.example/", f"person {n}") for n in range(8))))]
    for n in range(8):
        own = "Zork " if n == 0 else ""
        papers = [
            f"<p>{own}Owls {m} {a(f'http://{n}.example/{m}.pdf', 'download')} Proceedings of the workshop, welcome</p>"
            for m in range(4)
        ]
        others = [f"<p>my friend {a(f'http://{n}.example/{m}', 'home')} welcome</p>" for m in range(4)]
        pages.append(recorded(f"http://{n}.example/", html(f"Person {n}", *papers, *others)))
    web = write(tmp_path / "web.warc.gz", pages)
    library = tmp_path / "library"
    crawl(CrawlOptions(library, seeds=(f"{SITE}/",), web=str(web), strategy="breadth-first"))
    options = TrainAnchorsOptions((library,), tmp_path / "anchors.json", words="beside")
    learnt = train_anchors(options).learnt
    assert {"proceed", "workshop", "owl"} <= learnt.keys() and learnt["proceed"] == (1.0, 8, 0)
    assert not {"zork", "friend", "welcom"} & learnt.keys()
    assert not train_anchors(replace(options, words="anchors")).learnt
    with pytest.raises(PinakesError, match="neither anchors nor beside"):
        train_anchors(replace(options, words="all"))


def test_a_library_without_a_breadth_first_crawl_says_so(tmp_path: Path) -> None:
    web = write(tmp_path / "web.warc.gz", [recorded(f"{SITE}/", html("Lab", "owls"))])
    crawl(CrawlOptions(tmp_path / "library", topic="owls", seeds=(f"{SITE}/",), web=str(web), strategy="best-first"))
    with pytest.raises(PinakesError, match="--strategy breadth-first"):
        train_anchors(TrainAnchorsOptions((tmp_path / "library",), tmp_path / "out.json"))


@pytest.mark.parametrize("judge", ["naive-bayes", "rocchio", "widrow-hoff", "eg"])
def test_a_judge_is_trained_measured_and_kept(tmp_path: Path, judge: str) -> None:
    """On kinds of page that one word tells apart, cross-validation finds no mistake, and the word is named."""
    examples = texts(tmp_path, "bird", ["owl", "falcon", "heron"])
    negatives = texts(tmp_path, "cloth", ["loom", "cotton", "weaver"])
    out = tmp_path / "judge.json"
    saved = train_judge(TrainJudgeOptions(out, tuple(examples), tuple(negatives), judge, topic="birds", folds=3))
    assert saved.measured == {"precision": 1.0, "recall": 1.0, "f1": 1.0, "folds": 3}
    assert saved.words[0][0] == "owl" and saved.topic == "birds"
    assert load_judge(out) == saved
    assert not list(tmp_path.glob("*.tmp"))


def test_cross_validation_judges_only_pages_it_did_not_learn_from() -> None:
    """Where each example has nothing in common with the others, none is recognised."""

    def page(word: str) -> Page:
        return Page(Link(f"http://a.example/{word}"), f"http://a.example/{word}", terms={word: 1})

    brief = Brief(
        topics=(Topic("odd"),),
        examples={"odd": tuple(page(f"odd{n}") for n in range(4))},
        negatives=tuple(page("loom") for n in range(4)),
    )
    measured = cross_validate("rocchio", brief, {}, 4)
    assert (measured.precision, measured.recall, measured.f1) == (0.0, 0.0, 0.0)


def test_too_few_examples_say_so(tmp_path: Path) -> None:
    with pytest.raises(PinakesError, match="--example and --negative"):
        train_judge(TrainJudgeOptions(tmp_path / "x.json", ("a.txt",), ("b.txt", "c.txt")))
    names = tuple(texts(tmp_path, "bird", ["owl"]))
    with pytest.raises(PinakesError, match="naive-bayes, rocchio, widrow-hoff, eg"):
        train_judge(TrainJudgeOptions(tmp_path / "x.json", names, names, judge="cosine"))
