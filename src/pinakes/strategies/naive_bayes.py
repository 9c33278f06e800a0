"""Naive Bayes: a link is worth the probability that the page it was met on is of the wanted class.

G. Pant, K. Tsioutsiouliklis, J. Johnson, C. L. Giles, *Panorama: Extending Digital Libraries with Topical Crawlers*,
JCDL 2004 (seed 002), §3.3-3.4:

    train a classifier on the examples and twice as many negatives, as vectors of *at* weights (eq. 3.1)
    frontier := the seeds
    loop: fetch the link of the highest score; each unvisited URL on the page scores Pr(c⁺ | page);
          beyond 50,000 links only the best are kept

Posteriors of whole pages are 0 or 1 to the last digit, so links are ordered by their log-odds: the same order without
the ties. They grow with the page, so that long pages always win: `price=odds` divides them by the number of known
terms, `price=mean` by the page's whole weight, which is its length as the classifier counts it. And they are far too
high for the pages the classifier learnt from, which panoramas start from: `left_out` prices those as if it had not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link, Page, Verdict
from pinakes.core.parameters import parameter
from pinakes.core.roles import Plain
from pinakes.models.bayes import gaussian, multinomial
from pinakes.models.left_out import LeftOut
from pinakes.models.linear import Classifier, logistic, support_vectors, table
from pinakes.models.samples import Sample, samples_of
from pinakes.text.weights import at

SEED_PRICE = 1e9
"""Seeds go before everything: the log-odds of a page of a million words stay below this."""


FORMS: Mapping[str, Callable[[Sample], Classifier]] = {
    "multinomial": multinomial,
    "gaussian": gaussian,
    "svm": lambda sample: support_vectors(table(sample)),
    "logistic": lambda sample: logistic(table(sample)),
}
PRICES = ("posterior", "odds", "mean")


@dataclass
class NaiveBayes:
    brief: Brief
    form: str = parameter(
        "multinomial",
        "The classifier: `multinomial` or `gaussian` (Weka's) Naive Bayes; or `svm`, `logistic`, which the paper wished"
        " to try.",
    )
    price: str = parameter(
        "posterior",
        "`posterior`: ordered by log-odds; `odds`: by log-odds per known term; `mean`: by log-odds per unit of weight.",
    )
    left_out: bool = parameter(
        False, "Price an example page by the classifier as it were without that page (multinomial form)."
    )
    negatives: float = parameter(2.0, "How many negative examples are taken for each positive one.")
    limit: int | None = parameter(50_000, "How many links may wait; the worst are dropped beyond that.")
    batch: int = parameter(1, "How many links are claimed at once.")

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise PinakesError(f"naive-bayes: form={self.form} is none of {', '.join(FORMS)}.")
        if self.price not in PRICES:
            raise PinakesError(f"naive-bayes: price={self.price} is none of {', '.join(PRICES)}.")
        if self.left_out and self.form != "multinomial":
            raise PinakesError(f"naive-bayes: left_out is for the multinomial form, not for {self.form}.")
        learnt = {
            name: (FORMS[self.form](sample), sample) for name, sample in samples_of(self.brief, self.negatives).items()
        }
        self._topics = {name: model for name, (model, _) in learnt.items()}
        self._examples = {
            name: Counter(page.url for page in self.brief.examples.get(name, ()) if page.terms) for name in learnt
        }
        self._left_out = {
            name: LeftOut(sample, model.rarity) for name, (model, sample) in learnt.items() if self.left_out
        }

    def seed(self, links: Sequence[Link]) -> Iterable[Link]:
        return [link.priced(SEED_PRICE) for link in links]

    def visit(self, page: Page, verdict: Verdict) -> Iterable[Link]:
        if not page.links:
            return []
        price = max((self._worth(topic, page) for topic in self._topics), default=0.0)
        return [link.priced(price) for link in page.links]

    def state(self) -> Plain:
        return None

    def restore(self, state: Plain) -> None:
        """There is nothing to restore: the classifier is that of the brief, and prices wait in the frontier."""

    def _worth(self, topic: str, page: Page) -> float:
        model = self._topics[topic]
        taught = self._examples[topic][page.url] if self.left_out else 0
        value = self._left_out[topic].value(page.terms, taught) if taught else model.value(page.terms)
        if self.price == "posterior":
            return value
        if self.price == "mean":
            return value / max(1.0, sum(at(page.terms, model.rarity).values()))
        return value / max(1, len(page.terms.keys() & model.rarity.keys()))
