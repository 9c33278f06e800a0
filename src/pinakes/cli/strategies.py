"""`pinakes strategies`."""

from __future__ import annotations

import click

from pinakes.cli.options import JSON, print_json
from pinakes.core.parameters import parameters_of
from pinakes.strategies.registry import STRATEGIES, TABLE


@click.command("strategies")
@JSON
def command(as_json: bool) -> None:
    """The crawling strategies: the paper of each, its parameters and their defaults."""
    listed = {}
    for name in STRATEGIES.names():
        parameters = parameters_of(STRATEGIES.find(name))
        entry = TABLE.get(name)
        paper, summary = (entry.paper, entry.summary) if entry else ("a third party's", "")
        listed[name] = {
            "paper": paper,
            "summary": summary,
            "parameters": {parameter.name: parameter.default for parameter in parameters},
        }
        click.echo(f"{name}  ({paper})\n  {summary}")
        for parameter in parameters:
            click.echo(f"    {parameter.name}={parameter.default}  {parameter.doc}")
        click.echo()
    if as_json:
        print_json(listed)
