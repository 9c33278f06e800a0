"""What a change of the program does to a strategy, for docs/evaluation.md:

    python docs/counterfactuals.py WEBS OUT [CHANGE…]

WEBS holds the folders of the webs, with web.warc.gz and topics.jsonl; OUT keeps what was run. Where a parameter makes
the change, docs/evaluation.py has it from an evaluation; these are the others. Each run changes one thing only, and the
figures go into docs/counterfactuals.json.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from pinakes.core import engine
from pinakes.core.page import Brief, Page, Verdict
from pinakes.frontier import memory
from pinakes.jobs.evaluate import EvaluateOptions, evaluate
from pinakes.jobs.evaluation.entrants import entrants_of
from pinakes.jobs.evaluation.topics import EvaluationTopic
from pinakes.judges.centroids import CentroidsJudge
from pinakes.models.likeness import likenesses
from pinakes.strategies import anchor_keywords, anchor_text, cutoff
from pinakes.strategies.infospiders import InfoSpiders
from pinakes.text.topics import topic_vectors
from pinakes.text.weights import strongest

KEPT = Path(__file__).resolve().with_name("counterfactuals.json")
PAGES = {"schools": 1000, "webkb": 2000}


@contextmanager
def shared_negatives() -> Iterator[None]:
    """Topics that share pages give each other negatives."""
    with patch.object(EvaluationTopic, "overlaps", lambda self, other: False):
        yield


@contextmanager
def weighed_pages() -> Iterator[None]:
    """The judge of the cutoffs weighs the terms of pages by tf-idf, too."""
    made = CentroidsJudge.__post_init__

    def weighed(self: CentroidsJudge) -> None:
        self.documents = "tf-idf"
        made(self)

    with patch.object(CentroidsJudge, "__post_init__", weighed):
        yield


@contextmanager
def seeds_are_duds() -> Iterator[None]:
    """A seed that is no nugget is a dud like other pages, at distance 1."""

    def distance_of(page: Page, verdict: Verdict) -> int:
        return 0 if verdict.nugget else page.link.distance + 1

    with patch.object(engine, "distance_of", distance_of), patch.object(cutoff, "distance_of", distance_of):
        yield


@contextmanager
def first_path() -> Iterator[None]:
    """A page that waits keeps the distance of the path it was met on first, though a shorter one is met."""
    with patch.object(memory, "nearer", lambda entry, distance: False):
        yield


@contextmanager
def weighed_energy() -> Iterator[None]:
    """Agents live on the cosine over tf-idf, instead of over frequencies."""
    made = InfoSpiders.__post_init__

    def weighed(self: InfoSpiders) -> None:
        made(self)
        self._topics = likenesses(self.brief, "tf-idf")

    with patch.object(InfoSpiders, "__post_init__", weighed):
        yield


@contextmanager
def one_example_more() -> Iterator[None]:
    """The topic's own words are keywords as those of one example more, instead of as those of all together."""

    def of_topics(brief: Brief, high: int, medium: int, common: int) -> dict[str, int]:
        reference = anchor_keywords.reference_of(brief)
        described = topic_vectors(replace(brief, examples={}))
        found: dict[str, int] = {}
        for name, sample in anchor_keywords.samples_of(brief).items():
            own, pages = described.get(name, {}), sample.positives
            total = {
                term: weight
                for term, weight in anchor_keywords._summed((*pages, own), reference).items()
                if term in own or sum(term in page for page in pages) >= min(common, len(pages))
            }
            for rank, term in enumerate(strongest(total, high + medium)):
                found[term] = anchor_keywords.HIGH if rank < high else anchor_keywords.MEDIUM
        return found

    with patch.object(anchor_text, "of_topics", of_topics):
        yield


CHANGES: dict[str, tuple[Callable[[], Any], str, str]] = {
    "shared-negatives": (
        shared_negatives,
        "webkb",
        "naive-bayes,naive-bayes:price=odds,naive-bayes:price=odds:negatives=50",
    ),
    "weighed-pages": (weighed_pages, "webkb", "cutoff:cutoff=2"),
    "seeds-are-duds": (seeds_are_duds, "webkb", "cutoff:cutoff=2"),
    "first-path": (first_path, "webkb", "cutoff:cutoff=2"),
    "weighed-energy": (weighed_energy, "schools", "infospiders"),
    "one-example-more": (one_example_more, "webkb", "anchor-text"),
}
"""A name: what is changed, on which web, for which strategies."""


def main(arguments: Sequence[str]) -> None:
    if len(arguments) < 2 or not CHANGES.keys() >= set(arguments[2:]):
        sys.exit(__doc__)
    webs, out = map(Path, arguments[:2])
    figures: dict[str, Any] = json.loads(KEPT.read_bytes())["figures"] if KEPT.exists() else {}
    for name in arguments[2:] or CHANGES:
        changed, web, strategies = CHANGES[name]
        options = EvaluateOptions(
            out=out / name,
            entrants=entrants_of(strategies),
            topics=str(webs / web / "topics.jsonl"),
            web=str(webs / web / "web.warc.gz"),
            pages=PAGES[web],
            measures=(),
            processes=1,  # other processes would not know of the change
        )
        with changed():
            found = evaluate(options, tell=print).results["strategies"]
        figures[name] = {
            "change": (changed.__doc__ or "").strip(),
            "web": web,
            "auc": {
                strategy: [round(row["auc"], 4), round(row["stderr"]["auc"], 4)] for strategy, row in found.items()
            },
        }
        print(json.dumps({name: figures[name]}))
    made = {"command": "python docs/counterfactuals.py WEBS OUT", "figures": dict(sorted(figures.items()))}
    KEPT.write_text(json.dumps(made, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
