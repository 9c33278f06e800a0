"""Writes docs/evaluation.md, docs/evaluation-tables.md and their pictures from evaluations:

    python docs/evaluation.py schools=DIR,DIR webkb=DIR,DIR

The first DIR of a web is what `pinakes evaluate --strategies all` wrote, the others hold strategies with other
parameters on the same topics; the page names the commands. Everything on the pages is computed from their
results.json: the tables, the curves, and whether the papers' claims hold. What a change of the program itself does is
in docs/counterfactuals.json, which docs/counterfactuals.py writes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from evaluated import curves, tables
from evaluated.claims import claims
from evaluated.published import MORE, published
from evaluated.study import Study, folded

DOCS = Path(__file__).resolve().parent
LARGE = ("recall", "harvest_judged")
"""Measures with a large picture on the first page; the second has all."""
ABOUT = {
    "schools": "an encyclopaedia for schools of 5,462 pages on one host, 20 topics, three seeds three links away",
    "webkb": "computer science departments of 1996–97, 8,192 pages on 589 hosts, 14 topics that overlap, a sparse tree",
}

HEAD = """# The strategies compared

Every registered strategy with its defaults on two recorded webs, by `pinakes evaluate` ([how it is done, and what the
measures say](manual/evaluate.md)). Values are means over topics ± one standard error. Here are the main figures, the
comparison with figures published before, and the papers' claims; [all tables and curves](evaluation-tables.md) have a
page of their own. Both pages are written by `docs/evaluation.py` from the results themselves.
"""
TIMES = """\
`--strategies all --measures +average_rank_bm25 --processes 1` took 8 min 0 s on schools and 5 min 25 s on webkb,
with other work on the second core; with both cores schools took about 4½ minutes in an earlier run.
`--measures all` adds BM25, and robustness, for which there are two more crawls for each strategy and topic.
What was run is kept, so that it can be asked for afterwards with the same `--out`.
"""
TABLES_HEAD = """# The strategies compared: all tables and curves

The figures behind [the comparison](evaluation.md): every measure with its standard error over topics, every two
strategies tested, every topic. [What the measures say](manual/evaluate.md#results). Average ranks are those in the pool
of the pages of all strategies, so they cannot be compared between webs. Search length is the mean over the topics where
half of the relevant pages were found, whose number stands under Cost. Tests are paired t-tests over topics, two-tailed,
corrected (Holm) for all pairs by one measure at one point; ▲ the strategy of the row is significantly better than that
of the column, ▼ worse.
"""


def main(arguments: Sequence[str]) -> None:
    given = dict(argument.split("=", 1) for argument in arguments if "=" in argument)
    if not given or len(given) != len(arguments):
        sys.exit(__doc__)
    studies = [Study.read(name, folders.split(",")) for name, folders in given.items()]
    pages = {
        "evaluation.md": [HEAD, _commands(studies), *map(_first, studies), published(studies), claims(studies)],
        "evaluation-tables.md": [TABLES_HEAD, *map(_second, studies)],
    }
    for name, parts in pages.items():
        (DOCS / name).write_text("\n".join(parts).rstrip() + "\n")
    print(json.dumps({"pages": [str(DOCS / name) for name in pages], "webs": [study.name for study in studies]}))


def _commands(studies: Sequence[Study]) -> str:
    """How to make it all again, and how long that took."""
    lines = ["## How it was made\n", "```", "more=\\", *(f"{name},\\" for name in MORE[:-1]), MORE[-1]]
    for study in studies:
        web = f"--web {study.name}/web.warc.gz --topics {study.name}/topics.jsonl --pages {study.pages}"
        lines.append(f"pinakes evaluate {web} --strategies all --measures all --out {study.name}-all")
        lines.append(f'pinakes evaluate {web} --strategies "$more" --measures none --out {study.name}-more')
    webs = " ".join(f"{study.name}={study.name}-all,{study.name}-more" for study in studies)
    lines += [f"python docs/evaluation.py {webs}", "```\n", TIMES]
    lines += [_took(study) for study in studies if all(took and not took["kept"] for took in study.took)]
    return "\n".join(lines)


def _took(study: Study) -> str:
    said = []
    for what, took in zip(("all strategies by all measures", "the further runs"), study.took, strict=False):
        minutes, seconds = divmod(round(took["seconds"]), 60)
        many = f"{took['processes']} process{'es' if took['processes'] != 1 else ''}"
        said.append(f"{what} {minutes} min {seconds} s on {many} ({took['crawls']:,} crawls)")
    return f"* {study.name}: {'; '.join(said)}.\n"


def _first(study: Study) -> str:
    """A web on the first page."""
    about = f": {ABOUT[study.name]}" if study.name in ABOUT else ""
    parts = [f"## {study.name}\n", f"{len(study.results['topics'])} topics, {study.pages:,} pages each{about}.\n"]
    parts += [tables.main_table(study), tables.set_up(study)]
    for measure in LARGE:
        if measure in study.results["curves"]:
            parts.append(_pictured(study, measure, curves.one(study, measure)))
    return "\n".join(parts)


def _second(study: Study) -> str:
    """A web on the second page."""
    shown = [measure for measure in curves.measures(study) if measure not in LARGE]
    return "\n".join(
        (
            f"## {study.name}\n",
            tables.every_measure(study),
            "### Cost\n",
            tables.cost(study),
            folded("Crawls that ended before the budget", tables.endings(study)),
            "### Over the crawl\n",
            *(f"![{measure}, {study.name}](images/evaluation-{study.name}-{measure}.svg)\n" for measure in LARGE),
            _pictured(study, "measures", curves.panels(study, shown)),
            "### Every two strategies\n",
            tables.tests(study),
            "### Every topic\n",
            tables.every_topic(study),
        )
    )


def _pictured(study: Study, name: str, drawn: str) -> str:
    picture = DOCS / "images" / f"evaluation-{study.name}-{name}.svg"
    picture.write_text(drawn)
    return f"![{name}, {study.name}](images/{picture.name})\n"


if __name__ == "__main__":
    main(sys.argv[1:])
