"""What the papers claim, and what these evaluations say of it. Verdicts go by p-values corrected for many tests."""

from __future__ import annotations

from collections.abc import Sequence

from evaluated.study import LEVEL, Study, Test, label, p_is, table

HEAD = f"""## Do the papers' claims hold here?

Seeds lie several links away from the topics here, where some of the papers began on topic; that is a harder beginning.
A verdict is **yes** or **no** only where a paired t-test over topics, two-tailed, says so at the level {LEVEL:g} after
correction (Holm) for all pairs of strategies that were compared by that measure at that point.
"""
MENCZER = ("auc", "positive_rocchio", "positive_widrow_hoff", "positive_eg", "average_rank", "similarity")
FIXED, ADAPTIVE = "cutoff:cutoff=20", "adaptive-cutoff"
TABLE_5 = ("nugget_share", "frontier", "pages", "harvest_rate", "auc")


def claims(studies: Sequence[Study]) -> str:
    parts = (_menczer, _diligenti, _bergmark, _pant, _toit)
    return "\n".join((HEAD, *(part(studies) for part in parts)))


def _said(test: Test | None) -> str:
    return "not tested" if test is None else f"{test.verdict}, {p_is(test.p_corrected)}"


def _menczer(studies: Sequence[Study]) -> str:
    rows, ordered = [], []
    for study in studies:
        verdicts = []
        for key in (key for key in MENCZER if study.has(key)):
            tests = [study.test(a, b, key) for a, b in (("best-first", "infospiders"), ("infospiders", "pagerank"))]
            verdicts.append(tests)
            values = [study.shown(name, key, error=True) for name in ("best-first", "infospiders", "pagerank")]
            rows.append([study.name, label(key), *values, *map(_said, tests)])
        counts = [
            [sum(1 for row in verdicts if row[n] and row[n].real and row[n].ahead is ahead) for ahead in (True, False)]
            for n in (0, 1)
        ]
        ordered.append(
            f"On {study.name} best-first is significantly better than infospiders by {counts[0][0]} of {len(verdicts)} "
            f"measures and significantly worse by {counts[0][1]}; infospiders is significantly better than pagerank by "
            f"{counts[1][0]} and significantly worse by {counts[1][1]}."
        )
    head = ["web", "measure", "best-first", "infospiders", "pagerank", "best-first > infospiders",
            "infospiders > pagerank"]  # fmt: skip
    return "\n".join(
        ("### Best-first > InfoSpiders > PageRank (Menczer et al. 2001)\n", *ordered, "", table(head, rows))
    )


def _diligenti(studies: Sequence[Study]) -> str:
    rivals = ("focused", "breadth-first")
    rows, said = [], []
    for study in studies:
        points = sorted({at for at in (100, 500, 1000, study.pages) if at <= study.pages})
        for key in (*(f"recall@{at}" for at in points), "auc"):
            ours = study.value("context-graph", key)
            cells = [_more(ours, study.value(rival, key)) for rival in rivals]
            measure, _, at = key.partition("@")
            tests = [study.test("context-graph", rival, measure, int(at) if at else None) for rival in rivals]
            values = [study.shown(name, key, error=True) for name in ("context-graph", *rivals)]
            more = [f"{cell}; {_said(test)}" for cell, test in zip(cells, tests, strict=True)]
            rows.append([study.name, label(key), *values, *more])
        for rival in rivals:
            after = [
                f"{_more(study.value('context-graph', f'recall@{at}'), study.value(rival, f'recall@{at}'))} "
                f"after {at:,} pages"
                for at in points[1:]
            ]
            area = _more(study.value("context-graph"), study.value(rival))
            said.append(f"* {study.name}, against {rival}: {', '.join(after)}; by area under the curve {area}.")
    head = ["web", "measure", "context-graph", *rivals, "more than focused?", "more than breadth-first?"]
    title = "### Context graphs find 50–60 % more than a focused crawl (Diligenti et al. 2000)\n"
    lead = (
        "The paper's figure is 50–60 % more pages on topic than the standard focused crawler, and orders of magnitude"
        " more than breadth-first. Here, more or fewer relevant pages found:\n"
    )
    return "\n".join((title, lead, *said, "", table(head, rows)))


def _more(ours: float | None, theirs: float | None) -> str:
    if ours is None or not theirs:
        return "–"
    ratio = ours / theirs
    return f"{ratio:.0f} times as many" if ratio >= 10 else f"{100 * (ratio - 1):+.0f} %".replace("-", "−")


def _bergmark(studies: Sequence[Study]) -> str:
    """Table 5 of the paper: both with a cutoff of 20 and the same threshold."""
    rows, said = [], []
    for study in studies:
        if study.row(FIXED) is None:
            continue
        rows += [
            [study.name, name, *(study.shown(name, key, error=True) for key in TABLE_5)] for name in (FIXED, ADAPTIVE)
        ]
        tests = {key: study.among((FIXED, ADAPTIVE), key)[ADAPTIVE, FIXED] for key in TABLE_5}
        share, frontier, pages, rate, area = (tests[key] for key in TABLE_5)
        said.append(
            f"* {study.name}: a greater share of nuggets? {_whether(share)} "
            f"({_from_to(study, 'nugget_share')}). A smaller frontier? {_whether(frontier)} "
            f"({_from_to(study, 'frontier')} at its largest). More unique pages within the same budget? "
            f"{_whether(pages)} ({_from_to(study, 'pages')}). More relevant pages? by harvest rate {_whether(rate)} "
            f"({_from_to(study, 'harvest_rate')}), by AUC {_whether(area)} ({_from_to(study, 'auc')})."
        )
    lead = (
        "Table 5 compares a fixed and an adaptive cutoff, both of 20, under one threshold and judge, and so does this"
        " one. The table itself has 100 minutes of the one crawl and 200 of the other: its adaptive crawl read more"
        " unique documents and had the *larger* frontier, 1.6 against 1 million links, so that the small frontier which"
        " the text praises is small only for the pages read. Here both have the same budget of pages. A fixed cutoff of"
        " 20 ends no path within it (the paper: it is infinity), so that its crawl is breadth-first's. The tests are of"
        " these two strategies alone: there is nothing to correct for.\n"
    )
    head = ["web", "strategy", "nuggets ÷ pages", "most links waiting", "unique pages", "relevant ÷ pages", "AUC"]
    title = "### The adaptive cutoff raises the share of nuggets and shrinks the frontier (Bergmark et al. 2002)\n"
    return "\n".join((title, lead, *said, "", table(head, rows)))


def _whether(test: Test) -> str:
    if test.t == 0.0 or (test.t is None and test.p >= 1.0):
        return "neither more nor less"
    return f"{test.verdict}, {p_is(test.p)}"


def _from_to(study: Study, key: str) -> str:
    return f"{study.shown(FIXED, key)} → {study.shown(ADAPTIVE, key)}"


def _pant(studies: Sequence[Study]) -> str:
    rows, said = [], []
    for study in studies:
        for key in (key for key in ("harvest_judged", "harvest_rate", "auc") if study.has(key)):
            test = study.test("naive-bayes", "breadth-first", key)
            t = "–" if test is None or test.t is None else f"{test.t:.1f}"
            values = [study.shown(name, key, error=True) for name in ("naive-bayes", "breadth-first")]
            rows.append([study.name, label(key), *values, t, _said(test)])
        if since := _since(study, "harvest_judged"):
            said.append(f"* {study.name}: by judged harvest {since}.")
    lead = (
        "The paper finds it significantly better after a few hundred pages (one-tailed, one pair, not corrected). Here,"
        " two-tailed and corrected for all pairs at each point:\n"
    )
    head = ["web", "measure", "naive-bayes", "breadth-first", "t", "better?"]
    return "\n".join(("### Naive Bayes beats breadth-first (Pant et al. 2004)\n", lead, *said, "", table(head, rows)))


def _since(study: Study, measure: str) -> str:
    """From which page on the difference is significant to the end."""
    along = (study.results.get("along") or {}).get(measure)
    pair = along and next((p for p in along["pairs"] if {p["a"], p["b"]} == {"naive-bayes", "breadth-first"}), None)
    if not pair or "p_corrected" not in pair:
        return ""
    since = None
    for at, p in zip(along["at"], pair["p_corrected"], strict=True):
        since = since or at if p < LEVEL else None
    return f"significantly better from {since:,} pages on" if since else "not significantly better at the end"


def _toit(studies: Sequence[Study]) -> str:
    rows = []
    for study in studies:
        test = study.test("best-first", "best-n-first")
        narrow, wide = "best-first:weights=tf-idf:limit=none", "best-n-first:n=256:weights=tf-idf:limit=none"
        rows.append(
            [
                study.name,
                *(study.shown(name, error=True) for name in ("best-first", "best-n-first")),
                _said(test),
                study.shown(narrow, error=True),
                study.shown(wide, error=True),
                _said(study.among((narrow, wide), "auc").get((narrow, wide))),
            ]
        )
    head = ["web", "best-first", "best-n-first, n = 16", "is 16 at a time worse?", "best-first, tf-idf, no limit",
            "n = 256, tf-idf, no limit", "is 256 at a time worse?"]  # fmt: skip
    title = "### Taking N links at a time does not hurt (Menczer, Pant and Srinivasan 2004)\n"
    lead = "By AUC. The last comparison is of two strategies alone, so that there is nothing to correct for.\n"
    return "\n".join((title, lead, table(head, rows)))
