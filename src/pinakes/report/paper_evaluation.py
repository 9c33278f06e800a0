"""The report of `pinakes panorama --evaluate`: the harvest rate along the crawl and its p-values (002 fig. 2)."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path

from pinakes.core.counting import count_of
from pinakes.jobs.panorama.evaluation import PaperEvaluation
from pinakes.report.charts import LineChart, Series, line_chart
from pinakes.report.markup import Html, tag
from pinakes.report.page import Section, document
from pinakes.report.palette import styles

ALPHA = 0.05


def write_paper_evaluation(out: Path, found: PaperEvaluation) -> Path:
    """Write `report.html`, whole or not at all."""
    unfinished, path = out / "report.html.tmp", out / "report.html"
    unfinished.write_text(as_html(found), "utf-8")
    unfinished.replace(path)
    return path


def as_html(found: PaperEvaluation) -> str:
    x = [float(at) for at in found.at]
    names = list(found.harvest)
    harvest = LineChart(
        key="harvest",
        title="Harvest rate",
        x=x,
        series=[Series(n, _plain(found.harvest[n]["mean"]), _plain(found.harvest[n]["stderr"])) for n in names],
        x_label="pages crawled",
        y_label="harvest rate",
        share=True,
        fixed=True,
        y_range=(0.0, 1.0),
    )
    chances = LineChart(
        key="p",
        title=f"Chance that it is no better than {names[-1]}",
        x=x,
        series=[Series(name, list(found.p[name])) for name in names[:-1]],
        x_label="pages crawled",
        y_label="p, one-tailed",
        rule=ALPHA,
        fixed=True,
        y_range=(0.0, 1.0),
    )
    looks = styles(names)
    sections = [
        Section("harvest-rate", "Harvest rate", tag("div", line_chart(harvest, looks), class_="panels"), _HARVEST),
        Section("significance", "Significance", tag("div", line_chart(chances, looks), class_="panels"), _CHANCE),
        Section("papers", "The papers", _papers(found, names)),
    ]
    facts = (
        f"{count_of(len(found.papers), 'paper')}, {count_of(found.pages, 'page')} each; "
        f"{count_of(len(found.left_out), 'paper')} left out."
    )
    return document("Crawls guided by papers", sections, kind="Panorama, evaluated", facts=facts)


_HARVEST = (
    "The mean over the papers of the harvest rate so far, as a classifier says that learnt from all references of a"
    " paper, where the crawl was guided by half of them. Bars are one standard error."
)
_CHANCE = f"Paired t-tests over the papers at each point of the crawl; the dotted line is at {ALPHA}."


def _papers(found: PaperEvaluation, names: Sequence[str]) -> Html:
    head = ["Paper", "References", "Guiding pages", "Judging pages", *names]
    rows = [
        tag(
            "tr",
            tag("th", (one.title or one.id)[:160], scope="row"),
            [tag("td", value) for value in (one.references, one.guiding, one.judging)],
            [tag("td", f"{one.harvest[name][-1]:.3f}") for name in names],
        )
        for one in found.papers
    ]
    left = [tag("li", f"{name}: {why}") for name, why in found.left_out.items()]
    return tag(
        "div",
        tag("div", tag("table", tag("thead", tag("tr", [tag("th", name, scope="col") for name in head])),
                       tag("tbody", rows)), class_="scroll"),
        bool(left) and (tag("p", "Left out:"), tag("ul", left)),
    )  # fmt: skip


def _plain(values: Sequence[float | None]) -> list[float | None]:
    return [value if value is not None and isfinite(value) else None for value in values]
