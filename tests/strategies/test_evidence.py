"""Evidence: what it counts, by hand, and that it finds its way."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import numpy as np
import pytest

from pinakes import demo
from pinakes.core.page import Brief, Link, Topic, Verdict
from pinakes.jobs.evaluation.closed import ClosedWeb
from pinakes.jobs.evaluation.runs import run_strategy
from pinakes.jobs.evaluation.topics import brief_of, load_topics
from pinakes.judges.cosine import CosineJudge
from pinakes.models.rocchio import PageModel
from pinakes.models.stack import Stack
from pinakes.strategies.best_first import BestFirst
from pinakes.strategies.evidence import Evidence
from pinakes.strategies.link_evidence import FEATURES, HOPE, LinkEvidence
from pinakes.testing.toy import ToyWeb
from pinakes.web.frozen import FrozenWeb

BASE = 0.2


def evidence_of_two_pages() -> LinkEvidence:
    """Page one (p .8) links to a, b and c; page two (p .4) links to b; then a came home with p .9."""
    links = LinkEvidence()
    a, b, c = (f"http://h.example/{name}/" for name in "abc")
    links.meet([a, b, c], np.zeros(3))
    tag = "ul/li/a"
    links.page(0.8, 0.4, [a, b, c], [tag] * 3, np.array([0.1, 0.2, 0.0]), np.array([0.5, 0.5, 0.1]))
    links.page(0.4, 0.2, [b], [tag], np.array([0.6]), np.array([0.3]))
    links.came_home("http://h.example/a/", 0.9)
    return links


def owl_web() -> ToyWeb:
    return ToyWeb(
        {
            "http://a.example/": "owls hunt mice at night with silent wings and sharp ears",
            "http://b.example/": "the barn owl hunts voles over meadows, its wings are silent",
            "http://c.example/": "an owl calls at night, ears and eyes sharp, wings silent",
            "http://d.example/": "the timetable of trains from the station to the harbour",
            "http://e.example/": "tickets for trains are sold at the station window",
        }
    )


def features(links: LinkEvidence, url: str) -> dict[str, float]:
    return dict(zip(FEATURES, links.features(BASE)[:, links.slots[f"http://h.example/{url}/"]].tolist(), strict=True))


def test_features_are_pooled_over_all_in_links() -> None:
    """By hand, for the link both pages have."""
    found = features(evidence_of_two_pages(), "b")
    assert found["vote_ratio"] == pytest.approx((0.8 + 0.4 + 2 * BASE) / 4)
    assert found["vote_max"] == pytest.approx(0.8)
    assert found["log_support"] == pytest.approx(np.log(1 + 1.2))
    assert found["log_inlinks"] == pytest.approx(np.log(3))
    assert found["anchor_max"] == pytest.approx(0.6) and found["anchor_mean"] == pytest.approx(0.4)
    assert found["ctx_mean"] == pytest.approx(0.4)
    hope = BASE + HOPE
    one, two = (0.9 + 2 * hope) / 3, hope
    assert found["sib_mean"] == pytest.approx((one + two) / 2)
    assert found["sib_max"] == pytest.approx(one)
    assert found["near"] == pytest.approx((one + two) / 2)
    assert found["tag"] == pytest.approx((0.9 + 5 * BASE) / 6)
    assert found["host"] == pytest.approx((0.9 + 5 * hope) / 6)
    assert found["dir"] == pytest.approx(hope)
    assert found["shape"] == pytest.approx((0.9 + 5 * BASE) / 6)
    assert found["path"] == pytest.approx(0.4)


def test_forgetting_others_changes_nothing_for_those_kept() -> None:
    """Nor does a round trip through plain data."""
    links = evidence_of_two_pages()
    before = features(links, "c")
    again = LinkEvidence()
    again.restore(json.loads(json.dumps(links.state())))
    assert features(again, "c") == before
    kept = {"http://h.example/c/"}
    links.forget(kept)
    assert set(links.slots) == kept and features(links, "c") == before


def test_a_duplicate_counts_for_where_it_lies_only() -> None:
    """Its host, directory and shape; not for the pages that link to it, nor for the links beside it."""
    links = evidence_of_two_pages()
    before = features(links, "c")
    links.came_home("http://h.example/b/", 0.01, repeated=True)
    after = features(links, "c")
    changed = {name for name in FEATURES if after[name] != before[name]}
    assert changed == {"host", "shape"} and after["host"] < before["host"]


def test_near_stays_within_a_page() -> None:
    """The last link of one page and the first of the next are not neighbours."""
    links = LinkEvidence()
    urls = [f"http://h.example/{n}/" for n in range(8)]
    links.meet(urls, np.zeros(8))
    for start in (0, 4):
        links.page(0.5, 0.5, urls[start : start + 4], ["a"] * 4, np.zeros(4), np.zeros(4))
    links.came_home("http://h.example/3/", 1.0)
    assert features(links, "2")["near"] > features(links, "4")["near"] == pytest.approx(BASE + HOPE)


def test_the_stack_is_at_its_optimum() -> None:
    """The slope of log-loss plus the pull of the prior vanishes."""
    chance = np.random.default_rng(0)
    prior, rows, labels = np.array([-1.0, 0.5, 2.0]), chance.normal(size=(200, 3)), chance.uniform(size=200)
    stack = Stack(prior, strength=3.0)
    for row, label in zip(rows, labels, strict=True):
        stack.add(row, float(label))
    for _ in range(5):
        stack.fit()
    expected = 1 / (1 + np.exp(-rows @ stack.weights))
    slope = rows.T @ (expected - labels) + 3.0 * (stack.weights - prior)
    assert np.abs(slope).max() < 1e-6


def test_the_page_model_tells_wanted_from_unwanted() -> None:
    """From examples, and from a sentence alone."""
    web = owl_web()
    pages = {page.url: page for page in web}
    examples = {"owls": (pages["http://a.example/"], pages["http://b.example/"])}
    negatives = (pages["http://d.example/"],)
    for brief in (
        Brief(topics=(Topic("owls"),), examples=examples, negatives=negatives),
        Brief(topics=(Topic("owls", "silent hunters of the night"),), negatives=negatives),
    ):
        model = PageModel(brief)
        wanted, unwanted = (
            model.probability(model.document(pages[url].terms)) for url in ("http://c.example/", "http://e.example/")
        )
        assert wanted > 0.5 > unwanted


def test_what_is_not_wanted_says_which_words_are_common() -> None:
    """Where the frequencies are those that ship; a background of the web's own has counted such pages already."""
    pages = {page.url: page for page in owl_web()}
    negatives = (pages["http://d.example/"], pages["http://e.example/"])
    topics, owls = (Topic("owls"),), {"owls": (pages["http://a.example/"],)}
    common = next(iter(pages["http://d.example/"].terms.keys() & pages["http://e.example/"].terms.keys()))

    def idf(brief: Brief) -> float:
        model = PageModel(brief)
        return float(model.idf[model.ids[common]])

    plain = Brief(topics=topics, examples=owls)
    assert idf(replace(plain, negatives=negatives)) < idf(plain)
    counted = replace(plain, background={"": 10, common: 1})
    assert idf(replace(counted, negatives=negatives)) == idf(counted)


def test_it_finds_more_than_best_first_on_the_demo() -> None:
    """Summed over the topics of the demo web, within fifty pages each."""

    async def found(kind: type) -> int:
        topics = load_topics(demo.path("topics.jsonl"))
        web = ClosedWeb(FrozenWeb(demo.path("web.warc.gz"), records=False))
        pages = {url: page for topic in topics for url in topic.examples if (page := await web.page(url))}
        total = 0
        for topic in topics:
            brief = brief_of(topic, topics, pages, budget=50)
            run = await run_strategy("x", kind(brief), CosineJudge(brief), topic, brief, web, 50)
            total += len(topic.targets.intersection(run.urls))
        return total

    ours, theirs = asyncio.run(found(Evidence)), asyncio.run(found(BestFirst))
    assert ours > 1.1 * theirs


def test_an_example_scores_as_if_it_were_none() -> None:
    """The closed form of leaving an example out of its centroid is that of building the centroid without it."""
    pages = {page.url: page for page in owl_web()}
    owls = tuple(pages[f"http://{name}.example/"] for name in "abc")
    model = PageModel(Brief(topics=(Topic("owls", "at night"),), examples={"owls": owls}))
    for left_out, score in zip(owls, model._alone(0), strict=True):
        others = tuple(page for page in owls if page is not left_out)
        without = PageModel(Brief(topics=(Topic("owls", "at night"),), examples={"owls": others}))
        without._against = model._against
        [[expected]] = without._scores([without.document(left_out.terms)])
        assert score == pytest.approx(expected)


def test_hubs_of_the_examples_come_after_the_seeds() -> None:
    """Pages that link to two examples or more, the most first; and only once all back-links are known."""
    pages = {page.url: page for page in owl_web()}
    urls = [f"http://{name}.example/" for name in "abc"]
    strategy = Evidence(Brief(topics=(Topic("owls"),), examples={"owls": tuple(pages[url] for url in urls)}))
    [seed] = strategy.seed([Link("http://seed.example/")])
    asks = list(strategy.asks())
    assert [ask.url for ask in asks] == urls and not list(strategy.asks())
    hub, pair, lone = "http://hub.example/", "http://pair.example/", "http://lone.example/"
    assert list(strategy.answered(asks[0], [lone, hub, pair])) == []
    assert list(strategy.answered(asks[1], [hub, pair])) == []
    found = list(strategy.answered(asks[2], [hub]))
    assert [link.url for link in found] == [hub, pair]
    assert seed.priority > found[0].priority > found[1].priority > 10
    assert list(strategy.reprice([hub, pair])) == [link.priority for link in found]


def test_without_a_topic_the_judge_says_what_is_good() -> None:
    """A nugget is worth at least a half, whatever its score; others less."""
    strategy = Evidence(Brief())
    page = next(iter(owl_web()))
    for score, nugget, expected in ((0.3, True, 0.65), (0.9, True, 0.9), (0.3, False, 0.3), (0.8, False, 0.4)):
        document = strategy._model.document(page.terms)
        assert strategy._label(document, Verdict(score, nugget=nugget)) == pytest.approx(expected)
