"""The report of an evaluation as text; in a browser it is tried next door."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable
from copy import deepcopy
from hashlib import sha256
from typing import Any

import pytest

from pinakes.report.evaluation import render
from pinakes.report.evaluation_view import View

EVIL = "<img src=x onerror=alert(1)>\"'&</script><script>alert(2)</script>"


def test_it_says_the_result_first(typical: dict[str, Any]) -> None:
    """Who comes first, by how much, and whether that may be chance."""
    html = render(typical)
    lead = re.sub(r"<[^>]+>", "", html.split('class="lead"', 1)[1].split("</div>", 1)[0])
    best = typical["strategies"]["evidence"]
    assert f"evidence comes first: AUC {best['auc']:.3f} ± {best['stderr']['auc']:.3f} over 20 topics" in lead
    assert "The difference is significant (paired t-test over 20 topics" in lead and "Breadth-first" in lead
    assert "13 crawling strategies on schools" in html


def test_everything_is_in_it(typical: dict[str, Any]) -> None:
    """Each strategy, topic, measure, setting, and the set-up."""
    html = render(typical)
    for name in (*typical["strategies"], *(topic["name"] for topic in typical["topics"].values())):
        assert name in html
    for words in ("Judged harvest", "Average rank", "dead links", "Set-up back-links", "Holm", "Menczer et al. 2001"):
        assert words in html


def test_nothing_comes_from_elsewhere(typical: dict[str, Any]) -> None:
    """No address is loaded, no style stands inline, and the policy names exactly what stands in the page."""
    html = render(typical)
    assert not re.search(r"\s(src|href)=\"(?!#)", html) and " style=" not in html and "@import" not in html
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', html)
    assert policy and "default-src &#x27;none&#x27;" in policy[1]
    for kind in ("style", "script"):
        content = re.search(rf"<{kind}>(.*?)</{kind}>", html, re.S)
        assert content
        assert b64encode(sha256(content[1].encode()).digest()).decode() in policy[1]


def test_names_are_strangers_words(make_study: Callable[..., dict[str, Any]]) -> None:
    """A strategy, a topic or a parameter cannot write elements."""
    results = deepcopy(make_study(("best-first", EVIL), topics=3, pages=60))
    results["topics"]["topic-0"]["name"] = EVIL
    results["web"] = EVIL
    results[EVIL] = EVIL
    results["notes"] = [EVIL]
    html = render(results)
    assert "<img" not in html and "alert(2)</script>" not in html
    assert html.count("<script") == html.count("</script>")


@pytest.mark.parametrize(
    ("strategies", "topics", "pages", "oracle"),
    [(("breadth-first",), 1, 5, False), (("a", "b"), 2, 60, True), (tuple(f"s{n}" for n in range(20)), 3, 100, True)],
)
def test_small_and_large_evaluations(
    make_study: Callable[..., dict[str, Any]], strategies: tuple[str, ...], topics: int, pages: int, oracle: bool
) -> None:
    """One strategy on one topic; twenty on a few."""
    html = render(make_study(strategies, topics=topics, pages=pages, oracle=oracle))
    assert all(name in html for name in strategies) and "NaN" not in html and "±&nbsp;nan" not in html


def test_what_is_missing_is_left_out(make_study: Callable[..., dict[str, Any]]) -> None:
    """Without a relevant set there is no AUC: another measure leads, and nothing breaks."""
    results = deepcopy(make_study(("a", "b"), topics=2, pages=60, oracle=False))
    for strategy in results["strategies"].values():
        for key in ("auc", "recall@100", "harvest_rate", "cpu_ms_per_page", "quality_per_cost"):
            strategy[key] = None
    results |= {"tests": [], "along": {}}
    assert View.of(results).primary == "harvest_judged"
    html = render(results)
    assert 'id="tests"' not in html and "Judged harvest" in html
    bare = {"web": "live", "pages": 5, "strategies": {"a": {"auc": 0.5}}}
    assert "a</strong> comes first" in render(bare)


def test_what_was_noted_stands_in_it(typical: dict[str, Any]) -> None:
    """Topics left out, choices made for the web at hand."""
    html = render({**typical, "complaints": ["line 3 has no seeds"], "notes": ["pagerank counts all links"]})
    assert "<li>line 3 has no seeds</li><li>pagerank counts all links</li>" in html


def test_a_sweep_is_drawn(make_study: Callable[..., dict[str, Any]]) -> None:
    """A line a strategy, a tick a value; words stand one after the other."""
    results = deepcopy(make_study(("x:n=1", "x:n=100"), topics=3, pages=60))
    points = [{"strategy": "x", "value": value, "name": f"x:n={value}"} for value in ("1", "100")]
    results["sweep"] = {"parameter": "n", "points": points}
    assert "AUC against n" in render(results)
    results["sweep"]["points"] = [{**point, "value": f"v{point['value']}"} for point in points]
    assert ">v100</text>" in render(results)


def test_the_best_and_the_baseline_are_seen_at_first(typical: dict[str, Any]) -> None:
    """Of thirteen the five best, breadth-first and the oracle."""
    view = View.of(typical)
    assert view.names[0] == "oracle" and view.contestants[0] == "evidence" and view.contestants[-1] == "breadth-first"
    assert view.visible == {"oracle", "breadth-first", *view.contestants[:5]}
