"""`pinakes why`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from pinakes.cli.options import JSON, LIBRARY, print_json
from pinakes.cli.shown import shown
from pinakes.core.page import LOWEST
from pinakes.jobs.why import Step, why


@click.command("why")
@LIBRARY
@click.argument("url")
@click.option("--numbers", is_flag=True, help="Also distances, prices, and what a price is made of.")
@JSON
def command(library: Path, url: str, numbers: bool, as_json: bool) -> None:
    """How the page URL was reached, from the seed on with its scores; or why it was not fetched."""
    answer = why(library, url)
    if answer.path and answer.reason:
        click.echo(f"Not fetched. {answer.reason} The way there:")
    if answer.path:
        picture = "-".join("0" if step.nugget or step.depth == 0 else "X" for step in answer.path)
        links = len(answer.path) - 1
        start = "a page that a search or back-links led to" if answer.looked_up else "a seed"
        far = f"It is {start}" if not links else f"{links} link{'s' if links > 1 else ''} from {start}"
        click.echo(f"{far}, in crawl {answer.crawl}: {picture}   (0 nugget or seed, X dud)")
        for number, step in enumerate(answer.path, 1):
            click.echo(_line(number, step, "looked up" if answer.looked_up else "seed", numbers))
    else:
        click.echo(f"Not fetched. {answer.reason}")
        for parent in answer.linked_from:
            click.echo(f"  linked from {parent}")
    if answer.because:
        click.echo(f"Because: {shown('; '.join(answer.because))}.")
    if answer.features and numbers:
        parts = sorted(answer.features.items(), key=lambda item: -abs(item[1][0] * item[1][1]))
        told = [f"{name} {value:.2f} × {weight:.2f}" for name, (value, weight) in parts if abs(value * weight) >= 0.05]
        click.echo(f"  {' + '.join(told)}")
    if as_json:
        print_json(asdict(answer))


def _line(number: int, step: Step, start: str, numbers: bool) -> str:
    kind = start if step.depth == 0 else "nugget" if step.nugget else "dud"
    facts = [f"score {step.score:.2f}"]
    if numbers:
        facts.append(f"distance {step.distance}")
    if step.depth:
        if step.price <= LOWEST:
            facts.append("when nothing else waited")
        elif numbers:
            facts.append(f"price {step.price:.3f}")
        facts.append(f"by the link “{shown(step.anchor)}”" if step.anchor else "by a link without words")
    if step.outcome == "ok" and step.twin:
        facts.append(f"a copy of {step.twin}")
    if step.outcome != "ok":
        facts.append(step.outcome + (f" of {step.twin}" if step.twin else ""))
    if step.asked:
        facts.append(f"redirected from {step.asked}")
    return f"{number:3}. {step.url}\n     {kind}, {', '.join(facts)}"
