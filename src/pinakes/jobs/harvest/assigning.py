"""Whose site is it? Sites are given to the authors they speak for most, and every candidate gets its rule.

A site has one owner: where it speaks for several authors, it is the one's it speaks for most, and the others got a
co-author's page. A site that introduces an author and knows nothing of them is a namesake's when it lists papers, or
when it speaks of no research at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from pinakes.jobs.harvest.ownership import LEAST, WORK, Ownership
from pinakes.jobs.harvest.sites import is_neighbour, site_of
from pinakes.text.names import Agreement, PersonName

KEPT = "kept"
"""How the rule of a candidate begins that was kept."""
COAUTHOR, ANOTHER = "co-author's page: it speaks for ", "another author's page: it speaks for "
NAMED = 2
PRIORITIES = ("high", "medium", "low")
"""Table 1's, the first first."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page that may be an author's homepage."""

    name: str
    url: str
    title: str
    score: float
    rule: str
    """Why it was kept (`kept …`) or dropped."""
    priority: str = "low"
    kept: bool = False


class Weighed(NamedTuple):
    """A candidate and what speaks for it."""

    name: str
    url: str
    title: str
    evidence: Ownership


def assigned(
    weighed: Sequence[Weighed],
    homes: Mapping[str, str] | None = None,
    coauthors: Mapping[str, Sequence[str]] | None = None,
) -> tuple[dict[str, str], list[Candidate]]:
    """Give each site to the author it speaks for most, and each author the best of their sites; `homes` are known
    already (table 1: "remove U if its parent-domain is already found"). What is found at first then speaks for
    candidates of `coauthors` in the same domain (table 1: "choose U if U is in the same domain as U_i")."""
    homes, coauthors = homes or {}, coauthors or {}
    found, candidates = _assigned(weighed, homes, coauthors)
    known = {**found, **homes}
    near = [
        one._replace(evidence=replace(one.evidence, neighbour=True)) if _neighbour(one, known, coauthors) else one
        for one in weighed
    ]
    return _assigned(near, homes, coauthors) if near != list(weighed) else (found, candidates)


def _neighbour(one: Weighed, known: Mapping[str, str], coauthors: Mapping[str, Sequence[str]]) -> bool:
    others = [other for other in coauthors.get(one.name, ()) if other in known and not _one_person(other, one.name)]
    return one.evidence.introduces and any(is_neighbour(one.url, known[other]) for other in others)


def _assigned(
    weighed: Sequence[Weighed], homes: Mapping[str, str], coauthors: Mapping[str, Sequence[str]]
) -> tuple[dict[str, str], list[Candidate]]:
    claims: dict[tuple[str, str], list[Weighed]] = {}
    for one in weighed:
        claims.setdefault((one.name, site_of(one.url, PersonName.read(one.name))), []).append(one)
    strength = {claim: site_score(pages) for claim, pages in claims.items()}
    rank = {claim: min(PRIORITIES.index(one.evidence.priority) for one in pages) for claim, pages in claims.items()}
    # Of sites that speak equally for an author, table 1's priority decides.
    ordered = sorted(strength.items(), key=lambda item: (-item[1], rank[item[0]], item[0]))
    owner = {site_of(url): name for name, url in homes.items()}
    for (name, site), score in ordered:
        if score >= LEAST:
            owner.setdefault(site, name)
    best: dict[str, str] = {}
    for (name, site), score in ordered:
        mine = owner.get(site) == name or (site in owner and score >= LEAST and _one_person(owner[site], name))
        if mine and not _in_anothers_room(name, claims[name, site], owner):
            best.setdefault(name, site)
    found: dict[str, str] = {}
    candidates: list[Candidate] = []
    for (name, site), pages in claims.items():
        front = max(pages, key=lambda one: (one.evidence.front, one.evidence.score, -len(one.url)))
        for one in {one.url: one for one in pages}.values():
            candidate = Candidate(name, one.url, one.title, one.evidence.score, "", one.evidence.priority)
            if best.get(name) == site:
                kept = one.url == front.url
                rule = f"{KEPT}: {one.evidence.in_words()}" if kept else "the front door of its site is kept"
                if kept:
                    found[name] = one.url
                candidates.append(replace(candidate, rule=rule, kept=kept))
            else:
                rule = _namesake(pages) or _rule(name, site, strength[name, site], owner, best, coauthors)
                candidates.append(replace(candidate, rule=rule))
    return found, candidates


def _one_person(a: str, b: str) -> bool:
    """True for two ways of writing one name: `Anna Berg` and `Anna K. Berg`."""
    return PersonName.read(a).agrees(PersonName.read(b)) == Agreement.FULL


def site_score(pages: Sequence[Weighed]) -> float:
    """A site speaks by its best page, and by the author's papers on any of them.

    A front door that can be read has to introduce the author itself, or else the site is a conference's or a group's
    on which the author has a page.
    """
    doors = [one.evidence for one in pages if one.evidence.front]
    if (doors and not any(evidence.introduces for evidence in doors)) or _namesake(pages):
        return 0.0
    top = max(one.evidence.score for one in pages)
    works = max(one.evidence.works for one in pages)
    return top + WORK * min(works, 2) if top else 0.0


def _namesake(pages: Sequence[Weighed]) -> str:
    """Why a site is somebody's of the same name: it lists papers and none is the author's, or speaks of no research."""
    said = [one.evidence for one in pages]
    if any(evidence.acquainted for evidence in said) or not any(evidence.introduces for evidence in said):
        return ""
    if any(evidence.listing for evidence in said):
        return "a namesake's page: its list of papers has none of the author's, and names no co-author"
    if not any(evidence.academic for evidence in said):
        return "a namesake's page: nothing on it speaks of research"
    return ""


def _in_anothers_room(name: str, pages: Sequence[Weighed], owner: Mapping[str, str]) -> bool:
    """True when all that speaks for the author stands in rooms that are somebody else's."""
    best = max(one.evidence.score for one in pages)
    strongest = [one.url for one in pages if one.evidence.score == best]
    others = [site for site, whose in owner.items() if whose != name and not _one_person(whose, name)]
    return all(any(f"{url}/".startswith(site) and site.count("/") > 3 for site in others) for url in strongest)


def _rule(
    name: str,
    site: str,
    score: float,
    owner: Mapping[str, str],
    best: Mapping[str, str],
    coauthors: Mapping[str, Sequence[str]],
) -> str:
    if site in owner and owner[site] != name:
        whose = COAUTHOR if owner[site] in coauthors.get(name, ()) else ANOTHER
        return f"{whose}{owner[site]}"
    if name in best:
        return f"another site speaks for the author more: {best[name]}"
    return f"too little speaks for it ({score:.1f} of {LEAST:.1f})"


def failure(name: str, candidates: Sequence[Candidate]) -> str:
    """Why an author has no homepage, by what was said of the candidates."""
    mine = [candidate for candidate in candidates if candidate.name == name]
    if not mine:
        return "no search result"
    for rule, said in ((COAUTHOR, "only co-authors' pages"), (ANOTHER, "only other authors' pages")):
        whose = sorted({one.rule.removeprefix(rule) for one in mine if one.rule.startswith(rule)})
        if whose:
            return f"{said} ({', '.join(whose[:NAMED])}{' and others' if len(whose) > NAMED else ''})"
    if any(candidate.rule.startswith("a namesake's") for candidate in mine):
        return "only a namesake's page"
    return "no page that is the author's own"
