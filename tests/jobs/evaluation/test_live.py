"""Evaluations of the live web, over real HTTP on loopback: one cache for all strategies."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from pinakes.jobs.evaluate import EvaluateOptions, evaluate
from pinakes.jobs.evaluation.entrants import entrants_of
from pinakes.jobs.evaluation.topics import EvaluationTopic
from pinakes.testing import ProceduralWeb, serve
from pinakes.testing.server import Served
from pinakes.web.frozen import FrozenWeb
from pinakes.web.http import LiveOptions
from pinakes.web.manners import Pace

WEB = ProceduralWeb(pages=2000, hosts=20, links=12, words=100, not_found=0.05, server_errors=0.03, redirects=0.05)


def options(out: Path, server: Served, strategies: str, pages: int = 25) -> EvaluateOptions:
    topics = [
        EvaluationTopic(f"t{n}", WEB.topic(n).name, WEB.topic(n).description, WEB.seeds(4)[n : n + 2], WEB.seeds(8)[n:])
        for n in range(2)
    ]
    live = LiveOptions(
        contact="test@pinakes.example",
        pace=Pace(delay=0.0, patience=0.0, backoff=0.01, tries=2),
        allow_private=True,
        resolve=(f"*=127.0.0.1:{server.port}",),
    )
    return EvaluateOptions(out, entrants_of(strategies), topics, "live", pages, measures=("similarity",), live=live)


def pages_asked(server: Served) -> Counter[str]:
    found = Counter(f"{host}{request.path}" for host, asked in server.requests().items() for request in asked)
    return Counter({page: count for page, count in found.items() if not page.endswith("/robots.txt")})


def test_a_second_strategy_gets_the_answers_of_the_first(tmp_path: Path) -> None:
    """Nobody is asked twice for the same, and the same answers make the same crawl."""
    with serve(WEB) as server:
        first = evaluate(options(tmp_path / "a", server, "breadth-first,best-first,naive-bayes,all"))
        asked = pages_asked(server)
        errors = {page for page, count in asked.items() if count > 1}
        assert len(errors) < 0.1 * len(asked), "only what failed for a while was asked for again"
        runs = [json.loads(path.read_bytes()) for path in sorted((tmp_path / "a" / "runs").iterdir())]
        for path in (tmp_path / "a" / "runs").iterdir():
            path.unlink()
        again = evaluate(options(tmp_path / "a", server, "breadth-first,best-first,naive-bayes,all"))
        assert pages_asked(server) == asked, "the cache has all of it"
    assert first.ran == again.ran > 0 == first.failed
    later = [json.loads(path.read_bytes()) for path in sorted((tmp_path / "a" / "runs").iterdir())]
    assert [run["urls"] for run in runs] == [run["urls"] for run in later]
    strategies = first.results["strategies"]
    assert "oracle" not in strategies and strategies["best-first"].get("auc") is None
    assert strategies["best-first"]["pages"] == 25 and strategies["best-first"]["similarity"] > 0


def test_what_was_evaluated_is_a_frozen_web_from_then_on(tmp_path: Path) -> None:
    with serve(WEB) as server:
        evaluate(options(tmp_path, server, "breadth-first", pages=10))
    frozen = FrozenWeb(tmp_path / "web" / "web.warc.gz", records=False)
    run = json.loads(next((tmp_path / "runs").iterdir()).read_bytes())
    assert all(frozen.holds(url) for url in run["urls"])
