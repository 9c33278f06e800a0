"""What every strategy promises, checked: for those of Pinakes and for yours.

    from pinakes.testing import check_strategy

    def test_mine():
        check_strategy(MyStrategy, cutoff=3)

It raises AssertionError and says which promise is broken, and how.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import is_dataclass, replace
from typing import Any

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link, Page, Verdict
from pinakes.core.parameters import build, parameters_of
from pinakes.core.roles import Repricing, Strategy
from pinakes.judges.cosine import CosineJudge
from pinakes.strategies.registry import STRATEGIES
from pinakes.testing.example import BUDGET, SEEDS, ExampleWeb, example_brief, example_web
from pinakes.testing.trial import Trial, replay

CUTS = (1, 2, 9, 23)
"""After how many pages a crawl is broken off and taken up again."""

Make = Callable[[Brief], Strategy]


def check_strategy(strategy: str | type, **parameters: Any) -> None:
    """Check a strategy, by its name, its class or `module:Class`, built with these parameters.

    It must be the same crawl every time under one random state; go on as it would have after `state()`, JSON and
    `restore()`, and after being told again all it was told; survive pages that fail and admit no links of theirs; keep
    to its limit; give finite prices; and work without topics and examples, or say what it needs by `PinakesError`.
    """
    kind = STRATEGIES.find(strategy) if isinstance(strategy, str) else strategy
    name = strategy if isinstance(strategy, str) else kind.__name__
    _check_class(kind, name)
    watched = _watched(kind)

    def make(brief: Brief, more: Mapping[str, Any] | None = None) -> Strategy:
        made: Strategy = build(watched, f"The strategy {name}", brief, {**parameters, **(more or {})})
        return made

    checks: list[Callable[[Make], None]] = [
        check_crawls,
        check_repeats,
        check_restores,
        check_replays,
        check_failures,
        check_little_to_go_by,
    ]
    if any(known.name == "limit" for known in parameters_of(kind)):
        checks.append(lambda _: check_limit(lambda brief: make(brief, {"limit": 5}), 5))
    for check in checks:
        try:
            check(make)
        except AssertionError as broken:
            raise AssertionError(f"{name}: {broken}") from broken


# -- the promises ----------------------------------------------------------------------------------------------


def check_crawls(make: Make) -> None:
    """A crawl ends, fetches nothing twice, and reprices without side effects."""
    web = example_web()
    trial = _trial(make(example_brief()), web).go(pages=BUDGET)
    twice = [url for url, times in Counter(web.fetched).items() if times > 1]
    assert not twice, f"{twice} were fetched more than once"
    assert trial.stopped, "the crawl did not say why it stopped"
    if isinstance(trial.strategy, Repricing):
        urls = [link.url for page, _ in trial.journal.visits for link in page.links]
        first = list(trial.strategy.reprice(urls))
        assert list(trial.strategy.reprice(urls[::-1])) == first[::-1], "reprice depends on what was asked before"


def check_repeats(make: Make) -> None:
    """The same random state gives the same crawl."""
    first, second = (_trial(make(example_brief())).go(pages=BUDGET) for _ in range(2))
    _assert_same(first, second, "a second crawl with the same random state differs")
    _trial(make(replace(example_brief(), random_state=1))).go(pages=BUDGET)


def check_restores(make: Make) -> None:
    """`state()` is plain data, and a fresh strategy that restores it goes on as the old one would have."""
    for cut in CUTS:
        kept, restored = (_trial(make(example_brief())).go(pages=cut) for _ in range(2))
        state = _json(kept.strategy)
        assert _json(kept.strategy) == state, "state() changes when asked twice"
        restored.strategy = make(example_brief())
        restored.strategy.restore(json.loads(state))
        assert _json(restored.strategy) == state, f"state() after restore() differs at page {cut}"
        _assert_same(
            kept.go(pages=BUDGET), restored.go(pages=BUDGET), f"after restore() at page {cut} the crawl differs"
        )


def check_replays(make: Make) -> None:
    """Told again everything another was told, a fresh strategy is where that one is."""
    for cut in CUTS:
        kept, replayed = (_trial(make(example_brief())).go(pages=cut) for _ in range(2))
        replayed.strategy = make(example_brief())
        replay(replayed.journal.events, replayed.strategy, replayed)
        _assert_same(kept.go(pages=BUDGET), replayed.go(pages=BUDGET), f"replayed to page {cut}, the crawl differs")


def check_failures(make: Make) -> None:
    """Nothing but failures ends a crawl in peace."""
    for error in ("timeout", "not-found", "robots", "server-error", "too-large"):
        trial = _trial(make(example_brief()), example_web(error)).go()
        assert trial.progress is not None and trial.progress.pages == 0
    strategy = make(example_brief())
    list(strategy.seed([Link(url) for url in SEEDS]))
    stranger = Link("http://d.example/", parent=SEEDS[0], depth=1)
    for error in ("known", "redirect-loop", "scope", "timeout"):
        list(strategy.visit(Page(stranger, stranger.url, error=error), Verdict()))


def check_little_to_go_by(make: Make) -> None:
    """Without topics or examples it works, or raises `PinakesError` when built."""
    whole = example_brief()
    for less in (
        Brief(),
        Brief(topics=whole.topics),
        replace(whole, topics=(), examples={}),
        replace(whole, negatives=(), background={}, layers=()),
    ):
        try:
            strategy = make(less)
        except PinakesError:
            continue
        Trial(example_web(), strategy, CosineJudge(less), SEEDS, example_web()).go(pages=10)


def check_limit(make: Make, limit: int) -> None:
    """No more links wait than the limit."""
    strategy = make(example_brief())
    assert strategy.limit == limit, f"it was given limit={limit} and has limit={strategy.limit}"
    trial = _trial(strategy).go(pages=BUDGET)
    assert trial.frontier.most <= limit, f"{trial.frontier.most} links waited at once, the limit being {limit}"


def _check_class(kind: type, name: str) -> None:
    assert is_dataclass(kind), f"{name} is no dataclass, so its parameters cannot be listed"
    for parameter in parameters_of(kind):
        assert parameter.doc, f"{name}: the parameter {parameter.name} says nothing about itself"
    for method in ("seed", "visit", "state", "restore"):
        assert callable(getattr(kind, method, None)), f"{name} has no method {method}"


def _watched(kind: type) -> type:
    """The class with its answers looked at: a page that failed has no links to follow."""

    def visit(self: Any, page: Page, verdict: Verdict) -> Iterable[Link]:
        assert self.limit is None or self.limit > 0, f"limit is {self.limit}; it must be None or above 0"
        assert self.batch >= 1, f"batch is {self.batch}; at least one link must be claimed at once"
        answer = list(kind.visit(self, page, verdict))  # type: ignore[attr-defined]
        for link in answer:
            assert isinstance(link, Link), f"visit answered {link!r}, which is no Link"
            assert page.readable or link.parent != page.url, f"{link.url} was admitted from {page.url}, which failed"
        return answer

    return type(kind.__name__, (kind,), {"visit": visit})


# -- how they are checked --------------------------------------------------------------------------------------


def _trial(strategy: Strategy, web: ExampleWeb | None = None) -> Trial:
    web = web or example_web()
    return Trial(web, strategy, CosineJudge(example_brief()), SEEDS, web)


def _json(strategy: Strategy) -> str:
    try:
        return json.dumps(strategy.state(), allow_nan=False, sort_keys=True)
    except (TypeError, ValueError) as error:
        raise AssertionError(f"state() is not plain data: {error}") from None


def _assert_same(one: Trial, other: Trial, otherwise: str) -> None:
    for at, (a, b) in enumerate(zip(one.steps, other.steps, strict=False)):
        assert a == b, f"{otherwise}: number {at + 1} was {a}, now it is {b}"
    assert len(one.steps) == len(other.steps), f"{otherwise}: {len(one.steps)} links came home, now {len(other.steps)}"
    assert one.stopped == other.stopped, f"{otherwise}: it stopped by '{one.stopped}', now by '{other.stopped}'"
    assert _json(one.strategy) == _json(other.strategy), f"{otherwise}: the strategy's state is not the same"
