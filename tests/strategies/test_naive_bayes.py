"""naive-bayes: 002 §3.3-3.4."""

from __future__ import annotations

from dataclasses import replace
from math import log

import pytest

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link, Page, Topic, Verdict
from pinakes.judges.cosine import CosineJudge
from pinakes.models.bayes import posterior, word_log_probabilities
from pinakes.strategies.naive_bayes import SEED_PRICE, NaiveBayes
from pinakes.testing import ToyWeb, check_strategy
from pinakes.testing.trial import Trial
from pinakes.text.weights import at

OWL, MIX, LOOM = "http://a.example/owl", "http://a.example/mix", "http://a.example/loom"


def page(terms: dict[str, int], url: str = "http://x.example/") -> Page:
    return Page(Link(url), url, status=200, terms=terms, links=(Link("http://y.example/"),))


BRIEF = Brief(
    topics=(Topic("birds"),),
    examples={"birds": (page({"owl": 2, "egg": 1}), page({"owl": 1}))},
    negatives=(page({"loom": 1}), page({"loom": 2, "egg": 2}), page({"loom": 1}), page({"owl": 1, "loom": 3})),
)


def price(strategy: NaiveBayes, terms: dict[str, int]) -> float:
    (link,) = strategy.visit(page(terms), Verdict())
    return link.priority


def test_a_link_is_priced_by_the_page_it_was_met_on() -> None:
    """By the log-odds of Pr(c⁺ | parent), worked out by hand from eq. 3.1 and Laplace's rule."""
    owl, egg, loom = log(6 / 3), log(6 / 2), log(6 / 4)
    positives, negatives = 2 * owl + 0.75 * egg, (0.5 + 0.5 / 3) * owl + egg + 4 * loom
    ratio = log((1 + 2 * owl) / (3 + positives)) - log((1 + (0.5 + 0.5 / 3) * owl) / (3 + negatives))
    assert price(NaiveBayes(BRIEF), {"owl": 5}) == pytest.approx(log(3 / 5) + owl * ratio)


def test_odds_are_per_known_term() -> None:
    """`price=odds` divides by the number of the page's terms in the vocabulary."""
    plain, per_term = NaiveBayes(BRIEF), NaiveBayes(BRIEF, price="odds")
    terms = {"owl": 2, "egg": 1, "stranger": 9}
    assert price(per_term, terms) == pytest.approx(price(plain, terms) / 2)


def test_the_mean_is_per_unit_of_weight() -> None:
    """`price=mean` divides by the sum of the page's *at* weights: twice the page is worth as much."""
    plain, mean = NaiveBayes(BRIEF), NaiveBayes(BRIEF, price="mean")
    terms = {"owl": 2, "egg": 1, "stranger": 4}
    weight = 0.75 * log(6 / 3) + 0.625 * log(6 / 2)
    assert price(mean, terms) == pytest.approx(price(plain, terms) / max(1.0, weight))
    long = {"loom": 3, "egg": 3, "owl": 3}
    assert price(mean, long) == pytest.approx(price(plain, long) / (log(6 / 4) + log(6 / 2) + log(6 / 3)))


def test_an_example_is_priced_as_if_it_had_not_taught() -> None:
    """`left_out`: as a classifier of the other examples would, document frequencies aside; other pages as ever."""
    examples = (page({"owl": 2, "egg": 1}, OWL), page({"owl": 1}, MIX))
    brief = replace(BRIEF, examples={"birds": examples})
    plain, left_out = NaiveBayes(brief), NaiveBayes(brief, left_out=True)
    model = plain._topics["birds"]
    positives = word_log_probabilities([at({"owl": 1}, model.rarity)], model.rarity)
    negatives = word_log_probabilities([at(one.terms, model.rarity) for one in BRIEF.negatives], model.rarity)
    weights = at(examples[0].terms, model.rarity)
    odds = log(2 / 5) + sum(weight * (positives[term] - negatives[term]) for term, weight in weights.items())
    (link,) = left_out.visit(examples[0], Verdict())
    assert link.priority == pytest.approx(odds) and odds < price(plain, {"owl": 2, "egg": 1})
    assert price(left_out, {"owl": 2, "egg": 1}) == price(plain, {"owl": 2, "egg": 1})


def test_saturated_posteriors_do_not_tie() -> None:
    """Two pages whose posteriors are both 1 to the last digit keep their order."""
    many = {f"word{n}": 1 for n in range(300)}
    others = (page({f"loom{n}": 1 for n in range(300)}),) * 60
    brief = replace(BRIEF, examples={"birds": (page(many),) * 30}, negatives=others)
    strategy = NaiveBayes(brief)
    some, all_of_them = price(strategy, dict(list(many.items())[:200])), price(strategy, many)
    assert posterior(some) == posterior(all_of_them) == 1.0
    assert all_of_them > some


@pytest.mark.parametrize("form", ["multinomial", "gaussian", "svm", "logistic"])
@pytest.mark.parametrize("price", ["posterior", "odds", "mean"])
def test_every_form_crawls_towards_the_topic(form: str, price: str) -> None:
    """From a mixed page, the children of the owl page go before those of the loom page."""
    web = ToyWeb(
        {
            MIX: ("owl loom egg", [LOOM, OWL]),
            OWL: ("owl owl egg", ["http://a.example/owl/1", "http://a.example/owl/2"]),
            LOOM: ("loom loom loom", ["http://a.example/loom/1", "http://a.example/loom/2"]),
            **{f"http://a.example/{kind}/{n}": f"{kind} leaf" for kind in ("owl", "loom") for n in (1, 2)},
        }
    )
    trial = Trial(web, NaiveBayes(BRIEF, form=form, price=price), CosineJudge(BRIEF), [MIX]).go()
    order = trial.order
    assert order[0] == MIX and trial.steps[0].price == SEED_PRICE
    assert max(order.index(f"http://a.example/owl/{n}") for n in (1, 2)) < order.index("http://a.example/loom/1")
    assert len(order) == len(set(order)) == 7


def test_negatives_are_twice_the_positives() -> None:
    """Of many negatives, so many are drawn at random: others under another random state."""
    many = tuple(page({f"loom{n}": 1}, f"http://n.example/{n}") for n in range(40))
    brief = replace(BRIEF, negatives=many)
    vocabularies = []
    for state in (0, 0, 1):
        strategy = NaiveBayes(replace(brief, random_state=state))
        vocabularies.append({term for term in strategy._topics["birds"].rarity if term.startswith("loom")})
    assert [len(words) for words in vocabularies] == [4, 4, 4]
    assert vocabularies[0] == vocabularies[1] != vocabularies[2]


def test_the_best_of_several_topics_counts() -> None:
    """A page of either topic is worth what it is to that one."""
    brief = replace(
        BRIEF,
        topics=(Topic("birds"), Topic("engines")),
        examples={**BRIEF.examples, "engines": (page({"turbine": 2}), page({"turbine": 1}))},
    )
    strategy = NaiveBayes(brief)
    assert price(strategy, {"turbine": 3}) > price(strategy, {"loom": 3})
    assert price(strategy, {"owl": 3}) > price(strategy, {"loom": 3})


def test_limit_is_that_of_the_paper() -> None:
    assert NaiveBayes(BRIEF).limit == 50_000


def test_wrong_parameters_say_what_is_right() -> None:
    with pytest.raises(PinakesError, match="multinomial, gaussian, svm, logistic"):
        NaiveBayes(BRIEF, form="forest")
    with pytest.raises(PinakesError, match="posterior, odds, mean"):
        NaiveBayes(BRIEF, price="high")
    with pytest.raises(PinakesError, match="multinomial form, not for svm"):
        NaiveBayes(BRIEF, form="svm", left_out=True)


@pytest.mark.parametrize("form", ["multinomial", "gaussian"])
def test_it_keeps_the_promises_of_a_strategy(form: str) -> None:
    check_strategy(NaiveBayes, form=form)
