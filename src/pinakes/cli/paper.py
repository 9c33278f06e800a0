"""`pinakes paper`."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from pinakes.cli.options import JSON, WEB, print_json
from pinakes.cli.shown import shown
from pinakes.core.counting import count_of
from pinakes.core.errors import PinakesError
from pinakes.formats.paper import Paper
from pinakes.formats.tei import to_tei
from pinakes.jobs.paper import PaperOptions, kept, plain, read_paper


@click.command("paper")
@click.argument("file", metavar="FILE")
@click.option("--grobid", default="", metavar="URL", help="Ask this GROBID server instead of Pinakes' own parser.")
@click.option("--xml", "as_xml", is_flag=True, help="Print TEI-like XML instead.")
@click.option("--save", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER",
              help="Keep what was read there, as FILE.json and FILE.tei.xml.")  # fmt: skip
@WEB
@JSON
def command(file: str, grobid: str, as_xml: bool, save: Path | None, web: str, as_json: bool) -> None:
    """What a paper says: title, authors, abstract and references.

    FILE is a PDF or PostScript file, a bibliography (.bib, .ris) or a list of titles (.txt).
    """
    paper = read_paper(PaperOptions(file, grobid, web))
    if save is not None:
        _save(paper, save, Path(file.removeprefix("demo:")).name)
    if as_xml:
        click.echo(to_tei(paper), nl=False)
    elif as_json:
        print_json(plain(paper))
    else:
        _show(paper)


def _save(paper: Paper, folder: Path, name: str) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for ending, data in kept(paper).items():
            (folder / f"{name}{ending}").write_bytes(data)
    except OSError as error:
        raise PinakesError(f"What was read cannot be written to {folder}: {error.strerror}.") from None


def _show(paper: Paper) -> None:
    console = Console(highlight=False, soft_wrap=False)
    if paper.title:
        console.print(Text(shown(paper.title), style="bold"))
        console.print(Text(shown(", ".join(paper.authors)) or "(no authors found)"))
        for place in paper.affiliations:
            console.print(Text(shown(place), style="dim"))
        facts = [str(paper.year) if paper.year else "", count_of(paper.pages, "page") if paper.pages else ""]
        if any(facts):
            console.print(Text(", ".join(filter(None, facts)), style="dim"))
        if paper.keywords:
            console.print(Text(f"Keywords: {shown(', '.join(paper.keywords))}"))
        if paper.abstract:
            console.print()
            console.print(Text(shown(paper.abstract)))
        console.print()
    console.print(Text(count_of(len(paper.references), "reference"), style="bold"))
    width = len(str(len(paper.references)))
    for number, reference in enumerate(paper.references, start=1):
        console.print(Text(f"{number:>{width}}  {shown(reference.title or reference.raw[:200])}"))
        by = ", ".join(filter(None, [_few(reference.authors), str(reference.year or "")]))
        if by:
            console.print(Text(f"{'':{width}}  {shown(by)}", style="dim"))


def _few(names: tuple[str, ...]) -> str:
    return ", ".join(names) if len(names) <= 4 else f"{names[0]} and {len(names) - 1} others"
