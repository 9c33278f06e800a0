"""Evaluations on the demo web: the same every time, resumable, fair, and clear about bad input."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import pinakes
from pinakes import demo
from pinakes.core.errors import PinakesError
from pinakes.jobs.evaluate import EvaluateOptions, evaluate
from pinakes.jobs.evaluation.entrants import Sweep, entrants_of
from pinakes.jobs.evaluation.outcome import Evaluation
from pinakes.strategies.breadth_first import BreadthFirst

TIMES = ("cpu_ms_per_page", "quality_per_cost", "took")


def run(out: Path, strategies: str = "best-first,breadth-first", **more: Any) -> Evaluation:
    given = {"topics": "demo:topics.jsonl", "web": "demo", "pages": 30, "processes": 1, **more}
    return evaluate(EvaluateOptions(out=out, entrants=entrants_of(strategies), **given))


def timeless(value: Any) -> Any:
    """Results without what the clock says."""
    if isinstance(value, dict):
        return {key: timeless(inner) for key, inner in value.items() if key not in TIMES}
    return [timeless(inner) for inner in value] if isinstance(value, list) else value


def loaded(out: Path) -> Any:
    return json.loads((out / "results.json").read_bytes())


def test_two_processes_find_what_one_finds(tmp_path: Path) -> None:
    """Neither who runs what nor in which order changes anything."""
    run(tmp_path / "one")
    run(tmp_path / "two", processes=2)
    assert timeless(loaded(tmp_path / "one")) == timeless(loaded(tmp_path / "two"))


def test_finished_runs_are_not_run_again(tmp_path: Path) -> None:
    """What is missing is run, what is there is kept, and the results are those of an evaluation left alone."""
    first = run(tmp_path)
    before = loaded(tmp_path)
    assert first.ran == 24  # two strategies and the oracle, eight topics
    kept = sorted((tmp_path / "runs").iterdir())
    kept[0].unlink()
    kept[1].write_bytes(b'{"strategy": "cut off in the mid')
    again = run(tmp_path)
    assert (again.results["took"]["crawls"], again.results["took"]["kept"]) == (2, 22)
    assert again.ran == 2 and timeless(loaded(tmp_path)) == timeless(before)
    assert run(tmp_path, random_state=1).ran == 24


def test_the_shape_of_results(tmp_path: Path) -> None:
    """The keys others read."""
    run(tmp_path, "best-first,naive-bayes:price=odds,oracle")
    results = loaded(tmp_path)
    assert results["web"] == "demo" and results["pages"] == 30
    assert list(results["strategies"]) == ["best-first", "naive-bayes:price=odds", "oracle"]
    row = results["strategies"]["best-first"]
    assert row["limit"] == 200 and row["recall@100"] is None and set(row["setup"]) == {"pages", "searches", "backlinks"}
    assert 0 < row["auc"] < 1 and 0 < row["stderr"]["auc"] < 1 and len(row["per_topic"]) == 8
    assert row["auc"] == pytest.approx(sum(topic["auc"] for topic in row["per_topic"].values()) / 8)
    assert results["strategies"]["oracle"]["auc"] == 1.0
    assert results["strategies"]["naive-bayes:price=odds"]["parameters"]["price"] == "odds"
    test = next(test for test in results["tests"] if test["measure"] == "auc")
    assert set(test) == {"a", "b", "measure", "at", "t", "p", "p_corrected", "n"} and test["n"] == 8
    assert {test["a"] for test in results["tests"]} | {test["b"] for test in results["tests"]} == {
        "best-first",
        "naive-bayes:price=odds",
    }
    (pair,) = results["along"]["harvest_rate"]["pairs"]
    assert pair["p_corrected"] == pair["p"]  # of one pair there is nothing to correct
    for name in ("strategies", "topics", "tests", "curves"):
        assert len((tmp_path / f"{name}.csv").read_text().splitlines()) > 2


def test_set_up_is_counted(tmp_path: Path) -> None:
    """Back-links asked before the crawl are reported beside the budget; others asked for nothing."""
    found = run(tmp_path, "context-graph,best-first", measures=()).results["strategies"]
    assert found["context-graph"]["setup"]["backlinks"] > 0 < found["context-graph"]["setup"]["pages"]
    assert found["best-first"]["setup"] == {"pages": 0, "searches": 0, "backlinks": 0}


def test_one_limit_for_all(tmp_path: Path) -> None:
    found = run(tmp_path, "breadth-first,naive-bayes", max_buffer=7, measures=()).results["strategies"]
    assert [row["limit"] for row in found.values()] == [7, 7]
    assert all(row["frontier"] <= 7 for row in found.values())


def test_a_sweep_is_a_curve_of_quality_against_a_resource(tmp_path: Path) -> None:
    found = run(tmp_path, "breadth-first,best-n-first", sweep=Sweep.read("n=1,4"), measures=()).results
    assert list(found["strategies"]) == ["breadth-first", "best-n-first:n=1", "best-n-first:n=4"]
    points = [(point["strategy"], point["value"]) for point in found["sweep"]["points"]]
    assert found["sweep"]["parameter"] == "n" and points == [("best-n-first", "1"), ("best-n-first", "4")]


def test_dead_links_are_free_and_counted(tmp_path: Path) -> None:
    found = run(tmp_path, "breadth-first", dead_links=True, measures=(), pages=60).results["strategies"][
        "breadth-first"
    ]
    assert found["outcomes"]["not-found"] > 0 and found["pages"] == 60
    closed = run(tmp_path / "b", "breadth-first", measures=(), pages=60).results["strategies"]["breadth-first"]
    assert "not-found" not in closed["outcomes"]


def lines() -> list[dict[str, Any]]:
    return [json.loads(line) for line in demo.path("topics.jsonl").read_text().splitlines()]


def written(folder: Path, topics: list[Any]) -> str:
    folder.mkdir(exist_ok=True)
    path = folder / "mine.jsonl"
    text = "\n".join(topic if isinstance(topic, str) else json.dumps(topic) for topic in topics)
    path.write_text(text, encoding="utf-8-sig")  # as some editors do
    return str(path)


def test_bad_lines_are_named_and_the_others_go_on(tmp_path: Path) -> None:
    good, nowhere, unseeded, empty, again = (dict(topic) for topic in lines()[:5])
    nowhere["seeds"] = ["http://www.nowhere.example/"]
    unseeded["seeds"] = []
    empty["relevant"] = empty["examples"]
    again["id"] = good["id"]
    partly = {**lines()[5], "seeds": [*lines()[5]["seeds"], "http://www.nowhere.example/"]}
    topics = written(tmp_path, [good, nowhere, unseeded, empty, again, "{not json", partly])
    found = run(tmp_path / "out", topics=topics, measures=())
    assert list(found.results["topics"]) == [good["id"], partly["id"]]
    said = "\n".join(found.complaints)
    for number in (2, 3, 4, 5, 6, 7):
        assert f"mine.jsonl, line {number}:" in said
    assert "no seed" in said and "has no seeds" in said and "besides its examples" in said


def test_nothing_runs_where_nothing_can(tmp_path: Path) -> None:
    topics = written(tmp_path, [{**lines()[0], "seeds": []}])
    with pytest.raises(PinakesError, match="nothing was run"):
        run(tmp_path / "out", topics=topics)
    with pytest.raises(PinakesError, match="did you mean best-first"):
        run(tmp_path / "out", "best-frist")
    with pytest.raises(PinakesError, match=r"(?s)'best-frist'.*no parameter 'cutof'.*'nosuch'"):
        run(tmp_path / "out", "best-frist,breadth-first,cutoff:cutof=2,nosuch")  # all of them, not the first only
    with pytest.raises(PinakesError, match=r"(?s)cutoff=much.*best-n-first:n=0"):
        run(tmp_path / "out", "cutoff:cutoff=much,best-n-first:n=0")
    with pytest.raises(PinakesError, match="no parameter 'cutof'"):
        run(tmp_path / "out", "cutoff:cutof=2")
    with pytest.raises(PinakesError, match="cutoff:cutoff=much"):
        run(tmp_path / "out", "breadth-first,cutoff:cutoff=much")
    with pytest.raises(PinakesError, match="no measure 'recal' and no 'sim'"):
        run(tmp_path / "out", measures=("recal", "similarity", "sim"))
    with pytest.raises(PinakesError, match="no judge 'cosin'"):
        run(tmp_path / "out", judge="cosin")
    assert not (tmp_path / "out").exists()


def test_names_of_strategies() -> None:
    """A piece that sets a parameter belongs to the strategy before it."""
    found = entrants_of("naive-bayes:price=odds,best-n-first:n=256,context-graph:depth=2,backlinks=0,oracle")
    assert [entrant.name for entrant in found] == [
        "naive-bayes:price=odds",
        "best-n-first:n=256",
        "context-graph:depth=2,backlinks=0",
        "oracle",
    ]
    assert found[2].parameters == {"depth": "2", "backlinks": "0"}
    everyone = [entrant.name for entrant in entrants_of("all")]
    assert "evidence" in everyone and everyone[-1] == "oracle"


def test_the_api_takes_classes_and_renders_itself(tmp_path: Path) -> None:
    """A class that only this process knows runs here, also while others run elsewhere."""

    class Mine(BreadthFirst):
        pass

    found = pinakes.evaluate(
        {"<mine>": Mine, "breadth-first": {}, "wide": "best-n-first:n=4"},
        topics=lines()[:2],
        web="demo",
        pages=20,
        out=tmp_path,
        measures=(),
        processes=2,
    )
    strategies = found.results["strategies"]
    assert strategies["<mine>"]["auc"] == strategies["breadth-first"]["auc"]
    assert strategies["wide"]["parameters"]["n"] == 4
    assert repr(found).startswith("<Evaluation of 3 strategies on 2 topics, 20 pages each: first ")
    assert len(repr(found)) < 200 + len(str(tmp_path))
    assert "&lt;mine&gt;" in found._repr_html_() and "<mine>" not in found._repr_html_()
    report = (tmp_path / "report.html").read_text()
    assert "&lt;mine&gt;" in report and "<mine>" not in report


def test_a_strategy_that_breaks_spoils_only_its_own_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """It is found in the current folder; what it does wrong is told, and whatever it prints disturbs nobody."""
    (tmp_path / "breaking.py").write_text(
        "from pinakes.strategies.breadth_first import BreadthFirst\n"
        "import os\n"
        "class Breaking(BreadthFirst):\n"
        "    def visit(self, page, verdict):\n"
        "        print('noise on standard output')\n"
        "        if self.brief.topics[0].name == 'Birds': os._exit(3)\n"
        "        raise RuntimeError('broken')\n"
    )
    monkeypatch.chdir(tmp_path)
    found = run(tmp_path / "out", "breaking:Breaking,breadth-first", processes=2, measures=())
    assert found.failed == 8 and len(found.complaints) == 8
    assert sum("RuntimeError: broken" in said for said in found.complaints) == 7
    assert found.results["strategies"]["breadth-first"]["recall@100"] is None
    assert len(found.results["strategies"]["breadth-first"]["per_topic"]) == 8
    assert found.results["strategies"]["breaking:Breaking"]["per_topic"] == {}


def test_killed_and_started_again_only_the_missing_crawls_run(tmp_path: Path) -> None:
    """kill -9 in the middle, Ctrl-C in the middle; then the results are those of an evaluation left alone."""
    arguments = ["evaluate", "--web", "demo", "--topics", "demo:topics.jsonl", "--strategies", "best-first,pagerank"]
    command = [sys.executable, "-m", "pinakes", *arguments, "--pages", "80", "--processes", "2", "--measures", "none"]
    out, runs = tmp_path / "killed", tmp_path / "killed" / "runs"
    before = 0
    for stop, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)):
        child = subprocess.Popen([*command, "--out", str(out)], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while (len(list(runs.glob("*.json"))) if runs.exists() else 0) <= before and time.monotonic() < deadline:
            time.sleep(0.01)
        child.send_signal(stop)
        assert child.wait(timeout=30) == code
        kept = len(list(runs.glob("*.json")))
        assert kept > before
        before = kept
    times = {path: path.stat().st_mtime_ns for path in runs.glob("*.json")}
    done = subprocess.run([*command, "--out", str(out), "--json"], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.splitlines()[-1])["ran"] == 24 - before
    assert all(path.stat().st_mtime_ns == time for path, time in times.items())
    run(tmp_path / "whole", "best-first,pagerank", measures=(), pages=80)
    assert timeless(loaded(out)) == timeless(loaded(tmp_path / "whole"))


def test_topics_without_relevant_pages_are_measured_by_the_rest(tmp_path: Path) -> None:
    """As in 004, where nobody knows them; the line is named."""
    topics = written(tmp_path, [{**topic, "relevant": []} for topic in lines()[:2]])
    found = run(tmp_path / "out", "best-first,all", topics=topics, pages=10)
    assert "mine.jsonl, line 1" in found.complaints[0] and "oracle" not in found.results["strategies"]
    row = found.results["strategies"]["best-first"]
    assert row["auc"] is None and row["recall@100"] is None and row["similarity"] > 0
    assert found.columns()[0] == "harvest_judged" and "similarity" in found.columns()
    judged = [row["harvest_judged"] for _, row in found.ranked()]
    assert judged == sorted(judged, reverse=True) and "by Judged harvest" in repr(found)
    assert found.notes[0] == "best-first: named more than once, run once."


def test_robustness_takes_halves_of_the_seeds(tmp_path: Path) -> None:
    found = run(tmp_path, "breadth-first", measures=("robustness",), pages=20)
    assert found.ran == 8 * 4  # whole, two halves, and the oracle
    row = found.results["strategies"]["breadth-first"]
    assert 0 <= row["robustness"] <= row["robustness_servers"] <= 1


def test_near_duplicates_are_left_alone_unless_asked_for(tmp_path: Path) -> None:
    usual = run(tmp_path / "a", "breadth-first", pages=150, measures=()).results["strategies"]["breadth-first"]
    dedup = run(tmp_path / "b", "breadth-first", pages=150, measures=(), dedup=True).results["strategies"]
    assert "duplicate" not in usual["outcomes"] and dedup["breadth-first"]["outcomes"]["duplicate"] > 0
