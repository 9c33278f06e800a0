"""How well papers are read: titles, authors, references, on the papers of ../shared/papers. Lists each miss.

python benchmarks/papers.py [FOLDER]
"""

from __future__ import annotations

import json
import sys
import time
import unicodedata
from pathlib import Path

from pinakes.formats.paper import parsed


def same(text: str) -> str:
    """Letters and digits only, without case and accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if c.isalnum())


def main() -> None:
    given = sys.argv[1:]
    folder = Path(given[0]) if given else Path(__file__).resolve().parents[2] / "shared" / "papers"
    truth = json.loads((folder / "truth.json").read_text())
    titles = counts = years = listed = found = right = wrong = missed = entries = untitled = 0
    started = time.process_time()
    for told in truth:
        paper = parsed((folder / told["file"]).read_bytes())
        name = told["file"]
        if paper.error:
            print(f"{name}: {paper.error}")
        exact = "".join(paper.title.casefold().split()) == "".join(told["title"].casefold().split())
        titles += exact
        if not exact:
            print(f"{name}: title “{paper.title}” for “{told['title']}”")
        said, meant = set(map(same, paper.authors)), set(map(same, told["authors"]))
        right, wrong, missed = right + len(said & meant), wrong + len(said - meant), missed + len(meant - said)
        if said != meant:
            print(f"{name}: authors {', '.join(paper.authors)} for {', '.join(told['authors'])}")
        near = abs(len(paper.references) - told["n_references"]) <= 0.1 * told["n_references"]
        counts += near
        if len(paper.references) != told["n_references"]:
            within = "within" if near else "not within"
            print(f"{name}: {len(paper.references)} references for {told['n_references']}, {within} a tenth")
        read = {same(reference.title) for reference in paper.references}
        for title in told["reference_titles"]:
            listed += 1
            found += same(title) in read
            if same(title) not in read:
                print(f"{name}: no reference titled “{title}”")
        years += paper.year == told["year"]
        if paper.year != told["year"]:
            print(f"{name}: year {paper.year} for {told['year']}")
        entries += len(paper.references)
        untitled += sum(not reference.title for reference in paper.references)
    cpu = time.process_time() - started
    f1 = 2 * right / (2 * right + wrong + missed)
    print(f"\n{len(truth)} papers: {titles} titles, author F1 {f1:.3f}, {counts} counts within a tenth,")
    print(f"{found} of {listed} reference titles, {years} years; {entries} entries, {untitled} without a title.")
    print(f"{cpu:.1f} s CPU")
    figures = {"papers": len(truth), "titles": titles, "author_f1": f1, "counts": counts, "years": years}
    print(json.dumps({**figures, "reference_titles": found / listed, "entries": entries, "cpu_seconds": cpu}))


if __name__ == "__main__":
    main()
