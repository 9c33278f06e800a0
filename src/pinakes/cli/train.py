"""`pinakes train judge` and `pinakes train anchors`."""

from __future__ import annotations

from pathlib import Path

import click

from pinakes.cli.live import LIVE
from pinakes.cli.options import JSON, WEB, Finite, LibraryPath, parameters, print_json
from pinakes.core.counting import count_of
from pinakes.web.http import LiveOptions

OUT = click.option("--out", required=True, type=click.Path(path_type=Path), metavar="FILE", help="Where to write it.")


@click.group("train")
def command() -> None:
    """Teach Pinakes: a judge from example pages, anchor keywords from breadth-first crawls."""


@command.command("judge")
@click.option("--example", "examples", multiple=True, metavar="URL|FILE", help="A page of the kind you want; repeats.")
@click.option("--negative", "negatives", multiple=True, metavar="URL|FILE", help="A page of another kind; repeats.")
@click.option("--judge", default="rocchio", show_default=True, help="naive-bayes, rocchio, widrow-hoff or eg.")
@click.option("--topic", default="", metavar="TEXT", help="A name for what you want.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A parameter of the judge; repeats.")
@click.option("--folds", type=click.IntRange(min=2), default=5, show_default=True, help="For cross-validation.")
@click.option("--random-state", type=int, default=0, show_default=True)
@OUT
@WEB
@LIVE
@JSON
def judge(
    examples: tuple[str, ...],
    negatives: tuple[str, ...],
    judge: str,
    topic: str,
    settings: tuple[str, ...],
    folds: int,
    random_state: int,
    out: Path,
    web: str,
    live: LiveOptions | None,
    as_json: bool,
) -> None:
    """Train a judge on example pages, say how well it does and which words it goes by, and keep it in FILE."""
    from pinakes.jobs.train import TrainJudgeOptions, train_judge

    options = TrainJudgeOptions(
        out, examples, negatives, judge, topic, parameters(settings), folds, web, random_state, live
    )
    saved = train_judge(options)
    found = saved.measured
    click.echo(f"{saved.judge}: {count_of(saved.examples, 'example')}, {count_of(saved.negatives, 'negative')}")
    click.echo(
        f"In {found['folds']:g}-fold cross-validation: precision {found['precision']:.2f}, "
        f"recall {found['recall']:.2f}, F1 {found['f1']:.2f}"
    )
    click.echo(f"Goes by: {', '.join(word for word, _ in saved.words)}")
    click.echo(f"Written to {out}; try it with `pinakes judge --judge {out} URL`.")
    if as_json:
        print_json({"file": out, **found, "judge": saved.judge, "words": saved.words})


@command.command("anchors")
@click.argument("libraries", nargs=-1, required=True, type=LibraryPath(), metavar="LIBRARY…")
@click.option("--wanted", type=click.Choice(["documents", "nuggets"]), default="documents", show_default=True,
              help="What the links should have led to: PDF and PostScript documents, or nuggets.")  # fmt: skip
@click.option("--common", type=click.IntRange(min=1), default=3, show_default=True, help="Links that led somewhere"
              " and have the keyword, at least.")  # fmt: skip
@click.option("--ratio", type=Finite(min=0), default=2.0, show_default=True, help="How many times as often a"
              " keyword occurs on these as on other links, at least.")  # fmt: skip
@click.option("--sure", type=Finite(min=0), default=2.0, show_default=True, help="By how many standard"
              " deviations that is more than chance, at least.")  # fmt: skip
@click.option("--links", type=click.Choice(["all", "pages"]), default="all", show_default=True,
              help="Which links teach: all, or only those that lead to pages.")  # fmt: skip
@click.option("--words", type=click.Choice(["anchors", "beside"]), default="anchors", show_default=True,
              help="Which words are learnt: of anchors, or also those that stand beside what is wanted.")  # fmt: skip
@OUT
@JSON
def anchors(
    libraries: tuple[Path, ...],
    wanted: str,
    common: int,
    ratio: float,
    sure: float,
    links: str,
    words: str,
    out: Path,
    as_json: bool,
) -> None:
    """Learn from the breadth-first crawls of LIBRARY which anchor texts lead to what is wanted."""
    from pinakes.jobs.train import TrainAnchorsOptions, train_anchors

    result = train_anchors(TrainAnchorsOptions(libraries, out, wanted, common, ratio, sure, links, words))
    click.echo(
        f"{count_of(result.links, 'link')} followed, {result.interesting:,} of them towards {result.found:,} {wanted}: "
        f"{count_of(len(result.keywords), 'keyword')}"
    )
    for keyword, entry in list(result.learnt.items())[:30]:
        click.echo(
            f"  {entry.weight:.2f}  {keyword}  (on {count_of(entry.interesting, 'such link')}, "
            f"{count_of(entry.other, 'other')})"
        )
    click.echo(f"Written to {out}; use it with `--strategy anchor-text --set keywords=trained --set weights=@{out}`.")
    if as_json:
        print_json({"file": out, "links": result.links, "interesting": result.interesting, "keywords": result.keywords})
