"""`report.html` of an evaluation: what a researcher would put in a paper.

It is made of `results.json` alone, whose shape `jobs/evaluation/results.py` tells: strategies with a value a measure,
`tests`, `curves` over the crawl, p-values `along` it, and a `sweep`. What is missing there is left out here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pinakes.core.counting import count_of
from pinakes.measures.catalogue import measure_of
from pinakes.report import evaluation_curves as curves_part
from pinakes.report import evaluation_tables as tables_part
from pinakes.report import evaluation_tests as tests_part
from pinakes.report.evaluation_view import BASELINE, View
from pinakes.report.markup import Html, join, tag
from pinakes.report.numbers import p_is, short
from pinakes.report.page import Section, document, paragraphs

NOT_MEASURED = {
    "auc": "It takes known relevant pages and a recorded web, whose oracle is the measure.",
    "harvest_judged": "Asked for by --measures +harvest_judged.",
    "average_rank_bm25": "Asked for by --measures +average_rank_bm25.",
    "robustness": "Asked for by --measures +robustness: two more crawls for each strategy and topic, so that an"
    " evaluation takes about three times as long.",
}
"""Measures that a reader of the papers would miss, and how to have them."""


def render(results: Mapping[str, Any]) -> str:
    """The whole report as one HTML text."""
    view = View.of(results)
    sections = [
        Section(
            "curves",
            "Over the crawl",
            curves_part.learning_curves(view),
            "Means over topics; bars are ± 1 standard error. The legend shows and hides strategies in every chart.",
        ),
        Section("compared", "Compared at the end", curves_part.bars(view), "Dots are single topics."),
        Section("strategies", "Every strategy", tables_part.by_strategy(view), _table_lead(view)),
        Section("topics", "Every topic", tables_part.by_topic(view), "The better a value, the deeper its shade."),
    ]
    if view.results.get("tests"):
        sections.append(Section("tests", "Is the difference real?", tests_part.tests(view), _tests_lead(view)))
    cost = [part for part in (curves_part.cost(view), tables_part.cost(view)) if part]
    if cost:
        sections.append(Section("cost", "Quality and cost", join(cost), _cost_lead()))
    if sweep := curves_part.sweeps(view):
        sections.append(Section("sweep", "Quality against a parameter", sweep, "How much a resource buys."))
    sections.append(Section("settings", "How it was done", tables_part.settings(view)))
    sections.append(Section("measures", "What the measures say", _glossary(view)))
    return document(
        f"{count_of(len(view.contestants), 'crawling strategy', 'crawling strategies')} on {view.web_name}",
        sections,
        kind="Evaluation",
        facts=_facts(view),
        lead=_in_short(view),
    )


def _facts(view: View) -> str:
    topics = count_of(len(view.topics), "topic")
    return f"{topics} · {count_of(view.pages, 'page')} each · the same web, seeds and budget for all"


def _in_short(view: View) -> Html:
    """The result in two or three sentences."""
    measure = measure_of(view.primary)
    ranked = [name for name in view.contestants if view.value(name, view.primary) is not None]
    if not ranked:
        return Html("")
    best = ranked[0]
    sentences: list[Html | str] = [
        join(
            (
                tag("strong", best),
                f" comes first: {measure.label} {view.with_error(best, view.primary)}",
                f" over {len(view.topics)} topics" if len(view.topics) > 1 else "",
                f", before {ranked[1]} with {view.with_error(ranked[1], view.primary)}" if len(ranked) > 1 else "",
                ".",
            )
        )
    ]
    if len(ranked) > 1 and (test := view.test(best, ranked[1])):
        verdict = "is significant" if test["p_corrected"] < view.alpha else "is not significant"
        sentences.append(
            f"The difference {verdict} (paired t-test over {test['n']} topics, "
            f"{p_is(test['p'])}; corrected for all pairs {p_is(test['p_corrected'])})."
        )
    if BASELINE in ranked and best != BASELINE:
        sentences.append(
            f"Breadth-first, which chooses nothing, has {short(view.value(BASELINE, view.primary), measure.share)}."
        )
    return paragraphs(join(s if n == 0 else join((" ", s)) for n, s in enumerate(sentences)))


def _table_lead(view: View) -> str:
    return f"Sorted by {measure_of(view.primary).label}; a heading sorts by its column. The best of a column is bold."


def _tests_lead(view: View) -> str:
    tail = "One-tailed: is the one named first better?" if view.one_tailed else "Two-tailed."
    return (
        f"Paired t-tests over topics between every two strategies. {tail} "
        f"p-values of one measure at one point are corrected together by Holm's method; the level is {view.alpha:g}."
    )


def _cost_lead() -> str:
    return (
        "Processor time of the strategy's own decisions; fetching and parsing are common to all and left out. "
        "The broken line joins those that none beats in both."
    )


def _glossary(view: View) -> Html:
    entries = []
    for name in view.measures_shown:
        measure = measure_of(name)
        source = f" ({measure.cited})" if measure.source else ""
        entries += [tag("dt", measure.label), tag("dd", f"{measure.says} {measure.direction}{source}")]
    return join((tag("dl", entries, class_="measures"), _not_measured(view)))


def _not_measured(view: View) -> Html:
    """What else can be measured, and how to have it."""
    said = [
        tag("li", f"{measure_of(name).label}: {measure_of(name).says} {how}")
        for name, how in NOT_MEASURED.items()
        if not view.has(name)
    ]
    return join((tag("p", "Not measured here:"), tag("ul", said, class_="notes"))) if said else Html("")
