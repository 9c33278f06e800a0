"""context-graph: 001 §3.3 and §5."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link, Page, Topic, Verdict
from pinakes.judges.cosine import CosineJudge
from pinakes.strategies.context_graph import BACKLINK, ContextFocused
from pinakes.testing import ToyWeb, check_strategy
from pinakes.testing.trial import Trial

HOST = "http://u.example"
TARGET = "neural network learning paper"
LAB = "research group people learning"
DEPARTMENT = "department faculty research courses"
UNIVERSITY = "university campus admission faculty"
OTHER = "football stadium tickets"


def page(text: str) -> Page:
    return ToyWeb({f"{HOST}/x": text}).page(f"{HOST}/x")


def brief(**more: object) -> Brief:
    """The introduction's example: papers are found from labs, labs from departments, departments from universities."""
    vocabulary = f"{TARGET} {LAB} {DEPARTMENT} {UNIVERSITY}"
    background = dict.fromkeys(page(vocabulary).terms, 10) | {"": 100}
    whole = Brief(
        topics=(Topic("neural networks"),),
        # the examples know all the words, so that the vocabulary is that of all layers
        examples={"neural networks": (page(f"{TARGET} " * 5 + vocabulary), page(TARGET))},
        background=background,
        layers=((page(LAB), page(f"{LAB} {LAB}")), (page(DEPARTMENT),), (page(UNIVERSITY),)),
    )
    return replace(whole, **more)  # type: ignore[arg-type]


def university() -> ToyWeb:
    """Two paths to papers, the nearer one past pages that look worse, and a stadium."""
    return ToyWeb(
        {
            f"{HOST}/start": (OTHER, [f"{HOST}/stadium", f"{HOST}/uni", f"{HOST}/lab"]),
            f"{HOST}/stadium": (OTHER, [f"{HOST}/seat1", f"{HOST}/seat2"]),
            f"{HOST}/uni": (UNIVERSITY, [f"{HOST}/dept", f"{HOST}/gym"]),
            f"{HOST}/dept": (DEPARTMENT, [f"{HOST}/lab2"]),
            f"{HOST}/lab": (LAB, [f"{HOST}/paper1", f"{HOST}/photos"]),
            f"{HOST}/lab2": (LAB, [f"{HOST}/paper2"]),
            f"{HOST}/paper1": (TARGET, [f"{HOST}/cited"]),
            f"{HOST}/paper2": (TARGET, []),
            f"{HOST}/hub": (DEPARTMENT, [f"{HOST}/paper1", f"{HOST}/paper3"]),
            f"{HOST}/paper3": (TARGET, []),
            f"{HOST}/cited": (OTHER, []),
            **{f"{HOST}/{name}": OTHER for name in ("seat1", "seat2", "gym", "photos")},
        }
    )


def crawl(strategy: ContextFocused, web: ToyWeb | None = None, seeds: tuple[str, ...] = ("start",)) -> Trial:
    web = web or university()
    return Trial(web, strategy, CosineJudge(brief()), [f"{HOST}/{seed}" for seed in seeds], web).go()


def names(trial: Trial) -> list[str]:
    return [url.rpartition("/")[2] for url in trial.order]


def test_the_first_queue_that_is_not_empty_moves_with_all_its_children() -> None:
    """Start's children; of these the lab's (layer 1) before the university's (layer 3) before the stadium's (other);
    the target's own children (layer 0) first of all."""
    trial = crawl(ContextFocused(brief(), backlinks=0))
    assert names(trial) == [
        "start", "stadium", "uni", "lab",  # queue N + 1: the start URL, then all its children
        "paper1", "photos",  # queue 1: the lab's
        "cited",  # queue 0: the paper's
        "dept", "gym",  # queue 3: the university's
        "lab2",  # queue 2: the department's
        "paper2",  # queue 1
        "seat1", "seat2",  # other
    ]  # fmt: skip


def test_prices_put_the_layer_first_and_the_likelihood_inside_it() -> None:
    """Layer i between −i and 1 − i; start URLs before everything else in queue N + 1."""
    steps = {step.url.rpartition("/")[2]: step.price for step in crawl(ContextFocused(brief(), backlinks=0)).steps}
    assert steps["start"] == -4
    assert 0 < steps["cited"] < 1 and -1 < steps["paper1"] < 0
    assert -2 < steps["lab2"] < -1 and -3 < steps["dept"] < -2
    assert -5 <= steps["seat1"] < -4


def test_eager_goes_on_with_the_best_page_at_once() -> None:
    """The lab's first child is a target: its children go before the lab's second."""
    order = names(crawl(ContextFocused(brief(), backlinks=0, eager=True)))
    assert order.index("cited") < order.index("photos")
    assert set(order) == set(names(crawl(ContextFocused(brief(), backlinks=0))))


def test_parents_of_targets_are_asked_for_and_fetched() -> None:
    """Back-crawling from paper1 finds the hub, which no page links to, and through it paper3; requests are rationed."""
    trial = crawl(ContextFocused(brief(), ration=1.0))
    order = names(trial)
    assert "hub" in order and "paper3" in order
    hub = next(visit.page for visit in trial.journal.visits if visit.page.url.endswith("hub"))
    assert (hub.link.rel, hub.link.parent) == (BACKLINK, f"{HOST}/paper1") and hub.link.depth == 3
    asked = [data[0][1] for kind, data in trial.journal.notes if kind == "answered"]
    assert asked and len(asked) == len(set(asked))
    assert set(asked) <= {f"{HOST}/paper{n}" for n in (1, 2, 3)}
    assert "hub" not in names(crawl(ContextFocused(brief(), ration=0.0)))
    rationed = crawl(ContextFocused(brief(), ration=0.1))
    assert sum(kind == "answered" for kind, _ in rationed.journal.notes) <= 0.1 * len(rationed.order) + 1


def test_without_a_graph_it_begins_breadth_first_and_learns_one() -> None:
    """Until two targets are found, pages come in the order they were met; then the labs that led there lead on."""

    def drawn(n: int) -> dict[str, object]:
        return {
            f"{HOST}/lab{n}": (LAB, [f"{HOST}/paper{n}"]),
            f"{HOST}/paper{n}": (TARGET, []),
            f"{HOST}/stadium{n}": (OTHER, [f"{HOST}/seat{n}"]),
            f"{HOST}/seat{n}": OTHER,
        }  # fmt: skip

    pages: dict[str, object] = {f"{HOST}/start": (OTHER, [f"{HOST}/first", f"{HOST}/second"])}
    pages[f"{HOST}/first"] = (OTHER, [f"{HOST}/{kind}{n}" for n in (1, 2) for kind in ("stadium", "lab")])
    pages[f"{HOST}/second"] = (OTHER, [f"{HOST}/{kind}{n}" for n in (3, 4) for kind in ("stadium", "lab")])
    for n in (1, 2, 3, 4):
        pages |= drawn(n)
    strategy = ContextFocused(brief(layers=()), targets=2, backlinks=0)
    trial = crawl(strategy, ToyWeb(pages))  # type: ignore[arg-type]
    order = names(trial)
    breadth_first = ["start", "first", "second", "stadium1", "lab1", "stadium2", "lab2", "stadium3", "lab3"]
    assert order[:9] == breadth_first
    assert strategy._graph.depth >= 2 and strategy._graph.place(page(LAB).terms).layer == 1
    revisited = [data.rpartition("/")[2] for kind, data in trial.journal.notes if kind == "revisit"]
    assert revisited[:3] == ["lab1", "first", "start"]
    assert len(order) == len(set(order)) == 19


def test_doing_without_a_graph() -> None:
    """bootstrap=none: two queues, targets and others."""
    strategy = ContextFocused(brief(layers=()), bootstrap="none", backlinks=0)
    assert strategy._graph.depth == 0
    order = names(crawl(strategy))
    assert order.index("cited") < order.index("seat1")


def test_later_targets_are_learnt_from() -> None:
    """rebuild=1: every target and what led to it are added to the layers."""
    strategy = ContextFocused(brief(), rebuild=1, backlinks=0)
    before = strategy._graph
    trial = crawl(strategy)
    assert strategy._graph is not before
    assert len(strategy._grown.taken[0]) == 2
    assert {kind for kind, _ in trial.journal.notes} >= {"revisit"}


def test_failed_pages_teach_nothing() -> None:
    """They move nothing and are no targets."""
    strategy = ContextFocused(brief(), rebuild=1)
    failed = Page(Link(f"{HOST}/gone", priority=-1.0), f"{HOST}/gone", error="timeout", terms=page(TARGET).terms)
    assert list(strategy.visit(failed, Verdict())) == [] and list(strategy.asks()) == []
    assert strategy._pages == 0


def test_wrong_parameters_say_what_is_right() -> None:
    for name, choice in (("vocabulary", "layer-1"), ("priors", "uniform"), ("bootstrap", "breadth-first")):
        with pytest.raises(PinakesError, match=choice):
            ContextFocused(brief(), **{name: "wrong"})


@pytest.mark.parametrize("parameters", [{}, {"eager": True}, {"rebuild": 2, "ration": 1.0}])
def test_it_keeps_the_promises_of_a_strategy(parameters: dict[str, object]) -> None:
    check_strategy(ContextFocused, **parameters)
