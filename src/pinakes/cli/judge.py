"""`pinakes judge`."""

from __future__ import annotations

import click

from pinakes.cli.live import LIVE
from pinakes.cli.options import JSON, WEB, parameters, print_json
from pinakes.cli.shown import shown
from pinakes.jobs.judging import JudgeOptions, judge_pages
from pinakes.web.http import LiveOptions


@click.command("judge")
@click.argument("pages", nargs=-1, required=True, metavar="URL|FILE…")
@click.option("--judge", default="cosine", show_default=True, metavar="NAME|FILE", help="A judge's name, or the file"
              " that `pinakes train judge` wrote.")  # fmt: skip
@click.option("--topic", default="", metavar="TEXT", help="What you want, in words.")
@click.option("--example", "examples", multiple=True, metavar="URL|FILE", help="A page of the kind you want; repeats.")
@click.option("--negative", "negatives", multiple=True, metavar="URL|FILE", help="A page of another kind; repeats.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A parameter of the judge; repeats.")
@WEB
@LIVE
@JSON
def command(
    pages: tuple[str, ...],
    judge: str,
    topic: str,
    examples: tuple[str, ...],
    negatives: tuple[str, ...],
    settings: tuple[str, ...],
    web: str,
    live: LiveOptions | None,
    as_json: bool,
) -> None:
    """Try a judge on pages: what does it think of each, and which words made it think so?"""
    options = JudgeOptions(pages, judge, topic, examples, negatives, parameters(settings), web, live)
    judged = judge_pages(options)
    for one in judged:
        kind = "nugget" if one.nugget else "dud"
        click.echo(f"{kind:>6}  {one.score:.3f} (threshold {one.threshold:g})  {one.page}  {shown(one.title)}".rstrip())
        if one.words:
            click.echo(f"        {shown(', '.join(word for word, _ in one.words))}")
    if as_json:
        print_json({"judge": judge, "judged": judged})
