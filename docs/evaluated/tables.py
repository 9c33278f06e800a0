"""The tables of one web: the main one, those of every measure, the tests of every two strategies, and every topic."""

from __future__ import annotations

from evaluated.study import Study, cell, folded, label, p_is, table

MAIN = ("auc", "recall@100", "recall@300", "recall@1000", "harvest_rate", "harvest_judged")
JUDGED = ("harvest_judged", "window_relevance", "positive_rocchio", "positive_widrow_hoff", "positive_eg", "similarity")
RANKED = ("average_rank", "average_rank_bm25", "search_length", "documents")
REACH = ("remoteness", "robustness", "robustness_servers", "pages", "nugget_share", "frontier", "backlinks")
TOPICS = ("auc", "recall@100", "recall@1000", "harvest_rate", "harvest_judged", "positive_rocchio", "average_rank",
          "search_length", "robustness")  # fmt: skip
TESTED = ("recall", "harvest_rate", "harvest_judged", "positive_rocchio", "average_rank", "similarity")
POINTS = (100, 500, 1000)


def main_table(study: Study) -> str:
    """What the first page shows."""
    keys = [key for key in MAIN if study.has(key)]
    rows = []
    for name in study.ranked:
        row = study.row(name) or {}
        limit = f"{row['limit']:,}" if row.get("limit") else "none"
        cells = [study.shown(name, key, error=True) for key in keys]
        rows.append([name, *cells, limit, study.shown(name, "cpu_ms_per_page")])
    return table(["strategy", *map(label, keys), "limit", "CPU ms a page"], rows)


def every_measure(study: Study) -> str:
    """Each measure with its standard error."""
    parts = []
    for title, keys in (("As judges see the pages", JUDGED), ("Ranks, search length, documents", RANKED),
                        ("Reach, frontier and robustness", REACH)):  # fmt: skip
        there = [key for key in keys if study.has(key)]
        rows = [[name, *(study.shown(name, key, error=True) for key in there)] for name in study.ranked]
        parts.append(f"### {title}\n\n" + table(["strategy", *map(label, there)], rows))
    return "\n".join(parts)


def cost(study: Study) -> str:
    """What the strategies' own work costs, and how many topics a search length is the mean of."""
    rows = []
    for name in study.ranked:
        topics = (study.row(name) or {})["per_topic"].values()
        spent = sorted(one["cpu_ms_per_page"] for one in topics)
        reached = sum(one.get("search_length") is not None for one in topics)
        rows.append(
            [
                name,
                *(
                    cell(value, "cpu_ms_per_page")
                    for value in (spent[0], study.value(name, "cpu_ms_per_page"), spent[-1])
                ),
                study.shown(name, "quality_per_cost", error=True),
                f"{reached} of {len(topics)}",
            ]
        )
    head = ["strategy", "CPU ms a page, least", "mean", "most", "AUC per CPU ms", "topics half found"]
    return table(head, rows)


def endings(study: Study) -> str:
    """Which crawls ended early."""
    rows = []
    for name in sorted(study.ranked):
        early: dict[str, list[str]] = {}
        for topic, one in (study.row(name) or {})["per_topic"].items():
            if one["stopped"] != "budget":
                early.setdefault(one["stopped"], []).append(f"{topic} {one['pages']:,.0f}")
        if early:
            rows.append([name, "; ".join(f"{why}: {', '.join(pages)}" for why, pages in early.items())])
    return table(["strategy", "why its crawls ended before the budget, and after how many pages"], rows)


def set_up(study: Study) -> str:
    """What was asked for beside the budget, and what was noted."""
    rows = study.results["strategies"]
    said = [
        f"{name} asked, before each crawl, for {row['setup']['pages']:.0f} pages, {row['setup']['searches']:.0f} "
        f"searches and {row['setup']['backlinks']:.0f} lists of back-links"
        for name, row in rows.items()
        if any(row["setup"].values())
    ]
    said += [
        f"{name} asked, during each crawl, for {row['backlinks']:.0f} lists of back-links"
        for name, row in rows.items()
        if row.get("backlinks")
    ]
    return "".join(f"* {sentence.rstrip('.')}.\n" for sentence in (*said, *study.results.get("notes", [])))


def tests(study: Study) -> str:
    """Corrected p-values of every two strategies, at points of the crawl."""
    parts = [pairs(study, "auc", study.pages)]
    parts += [
        folded(f"{label(measure)} at {at:,} pages", pairs(study, measure, at))
        for measure in TESTED
        for at in POINTS
        if study.test(study.rivals[0], study.rivals[1], measure, at)
    ]
    return "\n".join(parts)


def pairs(study: Study, measure: str, at: int) -> str:
    """A matrix: is the strategy of the row better than that of the column?"""
    rows = []
    for a in study.rivals:
        cells = []
        for b in study.rivals:
            test = study.test(a, b, measure, at) if a != b else None
            mark = "" if test is None or not test.real else ("▲ " if test.ahead else "▼ ")
            cells.append("" if test is None else mark + p_is(test.p_corrected).removeprefix("p ").removeprefix("= "))
        rows.append([a, *cells])
    return table([label(measure), *study.rivals], rows)


def every_topic(study: Study) -> str:
    """A table a measure, folded."""
    parts = []
    for key in TOPICS:
        if not study.has(key):
            continue
        rows = []
        for topic in study.results["topics"]:
            values = [(study.row(name) or {})["per_topic"].get(topic, {}).get(key) for name in study.rivals]
            rows.append([topic, *(cell(value, key) for value in values)])
        parts.append(folded(f"{label(key)} by topic", table(["topic", *study.rivals], rows)))
    return "\n".join(parts)
