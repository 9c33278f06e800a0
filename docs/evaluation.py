"""Writes docs/evaluation.md and its pictures from evaluations: python docs/evaluation.py schools=DIR webkb=DIR

Each DIR is one that `pinakes evaluate --strategies all --out DIR` wrote. Everything on the page is computed here from
their results.json: the tables, the curves, and whether the papers' claims hold.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
LEVEL = 0.05
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 380, 56, 130, 16, 46
COLOURS = ("#1f5fa8", "#d1495b", "#2e8b57", "#8a4fbf", "#c77700", "#008b9a", "#7a5c3a", "#b0308f", "#5a6b00", "#4a4a4a",
           "#e0607e", "#3d7ea6", "#999999")  # fmt: skip
DRAWN = {"recall": "share of the relevant pages found", "harvest_judged": "mean probability by the evaluation judge"}
ABOUT = {
    "schools": "an encyclopaedia for schools of 5,462 pages on one host, 20 topics, three seeds three links away",
    "webkb": "computer science departments of 1996–97, 8,192 pages on 589 hosts, 14 topics that overlap, a sparse tree",
}
COLUMNS = {
    "auc": "AUC", "recall@100": "recall@100", "recall@300": "recall@300", "recall@1000": "recall@1000",
    "harvest_rate": "harvest rate", "harvest_judged": "judged harvest", "positive_rocchio": "Rocchio",
    "positive_widrow_hoff": "Widrow-Hoff", "positive_eg": "EG", "average_rank": "average rank",
    "similarity": "similarity", "window_relevance": "last 200", "remoteness": "remoteness",
}  # fmt: skip

Results = dict[str, Any]


def main(arguments: Sequence[str]) -> None:
    folders = dict(argument.split("=", 1) for argument in arguments)
    if not folders:
        sys.exit(__doc__)
    webs = {name: json.loads((Path(folder) / "results.json").read_bytes()) for name, folder in folders.items()}
    parts = [HEAD]
    for name, results in webs.items():
        parts += [f"## {name}\n", _about(name, results), _table(results), _setup(results), _ends(results)]
        for measure, said in DRAWN.items():
            picture = DOCS / "images" / f"evaluation-{name}-{measure}.svg"
            picture.write_text(_curves(results, measure, said))
            parts.append(f"![{said}, {name}](images/{picture.name})\n")
        parts.append(_per_topic(results))
    parts.append(_published(webs))
    parts += [CLAIMS, *(claim(webs) for claim in (_menczer, _diligenti, _bergmark, _pant, _toit))]
    (DOCS / "evaluation.md").write_text("\n".join(parts).rstrip() + "\n")
    print(json.dumps({"page": str(DOCS / "evaluation.md"), "webs": list(webs)}))


HEAD = """# The strategies compared

Every registered strategy with its defaults on two recorded webs, by `pinakes evaluate` ([how it is done, and what the
measures say](manual/evaluate.md)). Values are means over topics ± one standard error. This page is written by
`docs/evaluation.py` from the results themselves.
"""

CLAIMS = """## Do the papers' claims hold here?

Seeds lie several links away from the topics here, where some of the papers began on topic; that is a harder beginning.
p-values are of paired t-tests over topics, two-tailed, in brackets corrected for all pairs of strategies (Holm).
"""


def _about(name: str, results: Results) -> str:
    topics, pages = len(results["topics"]), results["pages"]
    about = f": {ABOUT[name]}" if name in ABOUT else ""
    return f"{topics} topics, {pages:,} pages each{about}.\n"


def _ranked(results: Results) -> list[str]:
    strategies = results["strategies"]
    return sorted(strategies, key=lambda name: -(strategies[name].get("auc") or 0.0))


def _table(results: Results) -> str:
    strategies = results["strategies"]
    keys = [key for key in COLUMNS if any(row.get(key) is not None for row in strategies.values())]
    lines = ["| strategy | " + " | ".join(COLUMNS[key] for key in keys) + " | limit | ms a page |"]
    lines.append("|---|" + "---|" * (len(keys) + 2))
    for name in _ranked(results):
        row = strategies[name]
        cells = [_cell(row.get(key), row["stderr"].get(key), key) for key in keys]
        limit = f"{row['limit']:,}" if row["limit"] else "none"
        lines.append(f"| {name} | {' | '.join(cells)} | {limit} | {row['cpu_ms_per_page']:.2f} |")
    return "\n".join(lines) + "\n"


def _cell(value: float | None, error: float | None, key: str) -> str:
    if value is None:
        return "–"
    digits = 0 if key == "average_rank" else 1 if key == "remoteness" else 3
    shown = f"{value:,.{digits}f}"
    if error is None or key not in ("auc", "recall@1000", "harvest_rate", "harvest_judged"):
        return shown.replace("0.", ".", 1) if shown.startswith("0.") else shown
    return f"{shown}±{error:.{digits}f}".replace("0.", ".")


def _setup(results: Results) -> str:
    said = [
        f"{name} asked, before each crawl, for {row['setup']['pages']:.0f} pages, {row['setup']['searches']:.0f} "
        f"searches and {row['setup']['backlinks']:.0f} lists of back-links"
        for name, row in results["strategies"].items()
        if any(row["setup"].values())
    ]
    said += [
        f"{name} asked, during each crawl, for {row['backlinks']:.0f} lists of back-links"
        for name, row in results["strategies"].items()
        if row.get("backlinks")
    ]
    notes = results.get("notes", [])
    return "\n".join(f"* {sentence.rstrip('.')}." for sentence in (*said, *notes)) + "\n" if said or notes else ""


def _ends(results: Results) -> str:
    """What the strategies' own work costs on the cheapest and the dearest topic, and which crawls ended early."""
    lines = ["| strategy | ms a page, least | mean | most | ended before the budget |", "|---|---|---|---|---|"]
    for name in sorted(results["strategies"]):
        row = results["strategies"][name]
        topics = row["per_topic"]
        cost = sorted(one["cpu_ms_per_page"] for one in topics.values())
        early: dict[str, list[str]] = {}
        for topic, one in topics.items():
            if one["stopped"] != "budget":
                early.setdefault(one["stopped"], []).append(f"{topic} {one['pages']:,.0f}")
        said = "; ".join(f"{why}: {', '.join(pages)}" for why, pages in early.items()) or "none"
        lines.append(f"| {name} | {cost[0]:.2f} | {row['cpu_ms_per_page']:.2f} | {cost[-1]:.2f} | {said} |")
    head = "<details><summary>Cost by topic, and crawls that ended early: why, and at which page</summary>\n"
    return "\n".join([head, *lines, "\n</details>\n"])


def _per_topic(results: Results) -> str:
    names = [name for name in _ranked(results) if name != "oracle"]
    lines = ["<details><summary>AUC by topic</summary>\n", "| topic | " + " | ".join(names) + " |"]
    lines.append("|---|" + "---|" * len(names))
    for topic in results["topics"]:
        rows = [results["strategies"][name]["per_topic"].get(topic, {}).get("auc") for name in names]
        lines.append(f"| {topic} | " + " | ".join(_cell(value, None, "auc") for value in rows) + " |")
    return "\n".join([*lines, "\n</details>\n"])


def _curves(results: Results, measure: str, said: str) -> str:
    """Mean curves with a band of one standard error, labelled where they end."""
    drawn = results["curves"][measure]
    at, names = drawn["at"], [name for name in _ranked(results) if name in drawn["strategies"]]
    top = max((value or 0.0) for name in names for value in drawn["strategies"][name]["mean"]) or 1.0

    def x(page: float) -> float:
        return LEFT + page / results["pages"] * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - min(1.0, max(0.0, value / top)) * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif"'
        f' font-size="12" role="img"><title>{escape(said)}</title>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    for step in range(5):
        value = top * step / 4
        parts.append(f'<path d="M{x(0)} {y(value):.1f}H{x(results["pages"])}" stroke="#e4e4e4"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{value:.2f}</text>')
        page = results["pages"] * step // 4
        parts.append(f'<text x="{x(page):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{page:,}</text>')
    middle = (x(0) + x(results["pages"])) / 2
    parts.append(f'<text x="{middle:.1f}" y="{HEIGHT - 10}" text-anchor="middle">pages fetched</text>')
    ends = _spread([y(_last(drawn["strategies"][name]["mean"])) for name in names])
    for number, name in enumerate(names):
        colour, curve = COLOURS[number % len(COLOURS)], drawn["strategies"][name]
        there = [
            (page, mean, error or 0.0)
            for page, mean, error in zip(at, curve["mean"], curve["stderr"], strict=True)
            if mean is not None
        ]
        upper = [f"{x(page):.1f},{y(mean + error):.1f}" for page, mean, error in there]
        lower = [f"{x(page):.1f},{y(mean - error):.1f}" for page, mean, error in reversed(there)]
        line = " ".join(f"{x(page):.1f},{y(mean):.1f}" for page, mean, _ in there)
        parts.append(f'<polygon points="{" ".join(upper + lower)}" fill="{colour}" opacity=".12"/>')
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
        label = (
            f'<text x="{x(results["pages"]) + 6:.1f}" y="{ends[number] + 4:.1f}" fill="{colour}">{escape(name)}</text>'
        )
        parts.append(label)
    return "\n".join((*parts, "</svg>\n"))


def _last(values: Sequence[float | None]) -> float:
    return next((value for value in reversed(values) if value is not None), 0.0)


def _spread(places: Sequence[float], gap: float = 13.0) -> list[float]:
    """Places moved apart as little as need be, in their order, so that labels do not cover each other."""
    order = sorted(range(len(places)), key=places.__getitem__)
    found = list(places)
    for before, after in pairwise(order):
        found[after] = max(found[after], found[before] + gap)
    over = max(found, default=0.0) - (HEIGHT - BOTTOM + 4)
    return [place - max(0.0, over) for place in found] if over > 0 else found


# -- earlier figures ---------------------------------------------------------------------------------------------------

PUBLISHED = {
    "breadth-first": (0.010, 0.129),
    "adaptive-cutoff": (0.009, 0.307),
    "infospiders": (0.093, 0.001),
    "pagerank:links=all:limit=none": (0.194, 0.349),
    "naive-bayes": (0.560, 0.476),
    "naive-bayes:price=odds": (0.767, 0.473),
    "best-first": (0.628, 0.397),
    "focused": (0.671, 0.450),
    "context-graph": (0.455, 0.511),
    "anchor-text": (0.777, 0.439),
}
"""AUC on schools and webkb, as a simulator written before Pinakes measured it."""
CLOSE = 0.03


PUBLISHED_HEAD = """The same strategies were measured on these webs before, by a small simulator whose program is not
part of Pinakes. Differences of more than .03 are in bold; below is what runs in which only one thing was changed
show of their causes. One standard error is .03 to .05 on schools and .04 to .07 on webkb.
"""

EXPLAINED = """* **pagerank**: when it chose which pages to remember the simulator weighed terms by TF-IDF; the paper's
  cosine is of plain frequencies. With `weights=tf-idf` it is .351 on webkb, where .349 was published. On schools that
  makes no difference (.247), and what does is not known; many links are of equal rank, and which of them goes first
  alone moved the figure by .03 on webkb.
* **best-first** on schools: the limit of 200 waiting links in the paper's figure 2. With `limit=none` it is .617.
* **naive-bayes** and **price=odds** on webkb: a topic that shares pages with another gives it no negatives here, and
  webkb's topics overlap. With their pages as negatives naive-bayes is .504, and price=odds .526.
* **infospiders** on webkb: an agent at a dead end goes back to its last page. With `stranded=die` all agents are dead
  or circle within 40 pages, and it is .000. On schools the cause is not known; it depends on chance more than any
  other strategy ([how much](strategies/infospiders.md#what-to-expect)).
* **anchor-text** on webkb: the topic's own words count as much as its examples, and names and numbers of single
  examples are left out ([what each is worth](strategies/anchor-text.md#what-the-paper-leaves-open)).
* **focused** and **context-graph**: layers learn from pages reduced to their forty strongest terms. When they learnt
  from all words of the pages, the two were .604 and .564 on schools, .396 and .520 on webkb. What else makes
  context-graph better on schools than it was is not known.
"""


def _published(results: dict[str, Results]) -> str:
    """What the same strategies reached before, and what makes the difference."""
    webs = [web for web in ("schools", "webkb") if web in results]
    lines = ["## Against the published figures\n", PUBLISHED_HEAD]
    lines.append("| strategy | " + " | ".join(f"{web} | published | difference" for web in webs) + " |")
    lines.append("|---|" + "---|" * (3 * len(webs)))
    for name, published in PUBLISHED.items():
        cells = []
        for web, figure in zip(("schools", "webkb"), published, strict=True):
            if web in webs:
                row = results[web]["strategies"].get(name)
                ours = row["auc"] if row else None
                apart = "–" if ours is None else f"{ours - figure:+.3f}".replace("0.", ".")
                far = ours is not None and abs(round(ours, 3) - figure) > CLOSE
                cells += [_cell(ours, None, "auc"), _cell(figure, None, "auc"), f"**{apart}**" if far else apart]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", EXPLAINED])


# -- the claims ------------------------------------------------------------------------------------------------------


def _test(results: Results, a: str, b: str, measure: str = "auc") -> dict[str, Any] | None:
    """The last test of a against b, whichever way round it was made."""
    found = [
        {**test, "t": -test["t"] if test["t"] is not None and test["a"] != a else test["t"]}
        for test in results["tests"]
        if {test["a"], test["b"]} == {a, b} and test["measure"] == measure
    ]
    return max(found, key=lambda test: test["at"], default=None)


def _p(test: dict[str, Any] | None) -> str:
    if test is None:
        return "not tested"
    shown = [f"{value:.2g}" if value >= 1e-4 else "< .0001" for value in (test["p"], test["p_corrected"])]
    return f"p = {shown[0]} ({shown[1]})".replace("= <", "<").replace("0.", ".")


def _better(results: Results, a: str, b: str, measure: str = "auc", *, lower: bool = False) -> str:
    """`yes`, `no` or `not significantly`, by the paired test."""
    values = [results["strategies"][name].get(measure) for name in (a, b)]
    if None in values:
        return "unknown"
    ahead = values[0] < values[1] if lower else values[0] > values[1]
    test = _test(results, a, b, measure)
    if test is None or test["p"] >= LEVEL:
        return "not significantly" if ahead else "no (nor significantly the other way)"
    return "**yes**" if ahead else "**no, the other way round**"


def _value(results: Results, name: str, key: str = "auc") -> str:
    return _cell(results["strategies"][name].get(key), None, key)


def _menczer(webs: dict[str, Results]) -> str:
    lines = [
        "### Best-first > InfoSpiders > PageRank (Menczer et al. 2001)\n",
        "| web | measure | best-first | infospiders | pagerank | best-first > infospiders | infospiders > pagerank |",
        "|---|---|---|---|---|---|---|",
    ]
    for web, results in webs.items():
        for measure in ("auc", "positive_rocchio", "positive_widrow_hoff", "positive_eg", "average_rank", "similarity"):
            if results["strategies"]["best-first"].get(measure) is None:
                continue
            lower = measure == "average_rank"
            cells = [_value(results, name, measure) for name in ("best-first", "infospiders", "pagerank")]
            for a, b in (("best-first", "infospiders"), ("infospiders", "pagerank")):
                cells.append(f"{_better(results, a, b, measure, lower=lower)}, {_p(_test(results, a, b, measure))}")
            lines.append(f"| {web} | {COLUMNS[measure]} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _diligenti(webs: dict[str, Results]) -> str:
    lines = [
        "### Context graphs find 50–60 % more than focused or breadth-first crawls (Diligenti et al. 2000)\n",
        "| web | pages | context-graph | focused | breadth-first | more than focused | more than breadth-first |",
        "|---|---|---|---|---|---|---|",
    ]
    for web, results in webs.items():
        for at in (100, 300, 1000):
            key = f"recall@{at}"
            found = [results["strategies"][name].get(key) for name in ("context-graph", "focused", "breadth-first")]
            if None in found:
                continue
            more = [f"{100 * (found[0] / other - 1):+.0f} %" if other else "–" for other in found[1:]]
            lines.append(f"| {web} | {at:,} | {' | '.join(f'{value:.3f}' for value in found)} | {' | '.join(more)} |")
    said = [
        f"* {web}, AUC: context-graph {_value(results, 'context-graph')} against {rival} {_value(results, rival)}; "
        f"better? {_better(results, 'context-graph', rival)}, {_p(_test(results, 'context-graph', rival))}"
        for web, results in webs.items()
        for rival in ("focused", "breadth-first")
    ]
    return "\n".join([*lines, "", *said]) + "\n"


def _bergmark(webs: dict[str, Results]) -> str:
    lines = [
        "### The adaptive cutoff raises the share of nuggets and shrinks the frontier (Bergmark et al. 2002)\n",
        "| web | strategy | nuggets ÷ pages | most links waiting | unique pages | relevant ÷ pages | AUC |",
        "|---|---|---|---|---|---|---|",
    ]
    for web, results in webs.items():
        for name in ("cutoff", "adaptive-cutoff", "breadth-first"):
            row = results["strategies"][name]
            waiting, pages = (f"{row[key]:,.0f}" for key in ("frontier", "pages"))
            share, rate = (
                f"{row[key]:.3f}" if row.get(key) is not None else "–" for key in ("nugget_share", "harvest_rate")
            )
            lines.append(f"| {web} | {name} | {share} | {waiting} | {pages} | {rate} | {_value(results, name)} |")
    return "\n".join(lines) + "\n"


def _pant(webs: dict[str, Results]) -> str:
    lines = [
        "### Naive Bayes beats breadth-first (Pant et al. 2004)\n",
        "| web | measure | naive-bayes | breadth-first | better? | t | p (corrected) |",
        "|---|---|---|---|---|---|---|",
    ]
    for web, results in webs.items():
        for measure in ("harvest_judged", "harvest_rate", "auc"):
            if results["strategies"]["naive-bayes"].get(measure) is None:
                continue
            test = _test(results, "naive-bayes", "breadth-first", measure)
            t = "–" if test is None or test["t"] is None else f"{test['t']:.1f}"
            values = [_value(results, name, measure) for name in ("naive-bayes", "breadth-first")]
            verdict = _better(results, "naive-bayes", "breadth-first", measure)
            lines.append(f"| {web} | {COLUMNS[measure]} | {' | '.join(values)} | {verdict} | {t} | {_p(test)} |")
    return "\n".join(lines) + "\n"


def _toit(webs: dict[str, Results]) -> str:
    lines = [
        "### Taking N links at a time does not hurt (Menczer, Pant and Srinivasan 2004, N = 16)\n",
        "| web | best-first | best-n-first, n = 16 | worse? |",
        "|---|---|---|---|",
    ]
    for web, results in webs.items():
        values = [_value(results, name) for name in ("best-first", "best-n-first")]
        test = _test(results, "best-first", "best-n-first")
        lines.append(f"| {web} | {' | '.join(values)} | {_better(results, 'best-first', 'best-n-first')}, {_p(test)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main(sys.argv[1:])
