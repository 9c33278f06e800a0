"""Which phrases of a cluster are names rather than subjects: people's, a site's own, or a piece of some title.

Such phrases set a cluster's pages apart from the others' as well as its subject does, and tell a reader nothing of it.
They are known by how they stand on the pages: people are listed, one a clause, or follow a `by`; a site is called what
its host is called; a piece of a title has the same words round it wherever it stands. A name that many sites use is
what their pages are about, and stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pinakes.text.phrases import Key, Phrases

NAME = 0.05
PIECE = 0.35
"""What a name, and a piece of a title, is worth of a phrase that is none."""
MANY_HOSTS = 5
"""So many sites agree on a name only if it is known outside them; fewer, and it is their own affair."""
LISTED, MOSTLY = 0.4, 0.6
"""The share of its places where a person's name stands for itself, or after `by` and the like; on many sites too."""
LEAST_ITEMS, VARIED = 3, 0.4
"""A word that goes with so many different ones, in lists of names, is a part of people's names."""
ELSEWHERE = 0.4
"""A phrase always in capitals that has fewer different words round it than this share of its places is a piece of what
is cited again and again."""
_BEFORE_PEOPLE = frozenset(("by", "dr", "prof", "professor", "mr", "mrs", "ms", "author", "authors", "editor"))
_EDGES = frozenset(("", "and", "with", "et"))
"""What stands round an item of a list; nothing, where the clause begins or ends."""
_parts = re.compile(r"[^\W_]+").findall


class _Use(NamedTuple):
    """How a phrase stands on the pages of a cluster."""

    places: int
    capital: int
    """Where each of its words begins with a capital, and none is all capitals."""
    alone: int
    """Where it is an item of a list, all of its clause, or follows what people's names follow."""
    joined: int
    """Where an `and` stands between its words."""
    among: int
    """Where it belongs to an item of a list that is all names: two to four words, each with a capital."""
    items: int
    """How many different such items there are."""
    contexts: int
    """How many different words stand round it."""
    pages: int
    hosts: frozenset[str]


class Names:
    """Tells names from subjects on the pages of one cluster; `hosts` are the pages'."""

    def __init__(self, pages: Sequence[Phrases], hosts: Sequence[str]) -> None:
        self._pages, self._hosts = pages, hosts
        self._sites = {host: frozenset(_parts(host.lower())) for host in hosts}
        self._people: dict[str, int] = {}

    def share(self, key: Key) -> float:
        """1 for a subject, less for what is likely a name."""
        use = self._use(key)
        known = len(use.hosts) >= MANY_HOSTS
        if not use.places or (known and use.alone < MOSTLY * use.places):
            return 1.0
        if self._names_its_site(key, use):
            return NAME
        if use.capital >= 0.9 * use.places:
            if len(key) == 1:
                # A given name, or a surname, goes with ever other ones, or stands in lists of names hardly but there.
                varied = use.among >= LISTED * use.places and use.items >= max(LEAST_ITEMS, VARIED * use.among)
                listed = use.among >= MOSTLY * use.places
                return NAME if varied or listed or self._people.get(key[0], 0) >= 0.5 * use.places else 1.0
            if use.joined >= 0.5 * use.places:
                return NAME  # the end of one name and the beginning of the next
            if use.alone >= LISTED * use.places:
                for word in key:
                    self._people[word] = self._people.get(word, 0) + use.places
                return NAME
        elsewhere = known or use.contexts > (ELSEWHERE * use.places if use.capital >= 0.9 * use.places else 1)
        return 1.0 if len(key) == 1 or use.pages == 1 or use.alone or elsewhere else PIECE

    def _names_its_site(self, key: Key, use: _Use) -> bool:
        """Is a word of it, as written, what the hosts of its pages are called?"""
        shown = {word.lower() for page in self._pages for form in page.forms(key) for word in form.split()}
        return bool(use.hosts) and all(shown & self._sites[host] for host in use.hosts)

    def _use(self, key: Key) -> _Use:
        places = capital = alone = joined = among = pages = 0
        contexts: set[tuple[str, str]] = set()
        items: set[tuple[str, ...]] = set()
        hosts: set[str] = set()
        for page, host in zip(self._pages, self._hosts, strict=True):
            found = page.places(key) if key in page.counts else []
            if not found:
                continue
            pages += 1
            hosts.add(host)
            for clause, start, end in found:
                words, stems = page.clauses[clause]
                before = words[start - 1].lower() if start else ""
                after = words[end].lower() if end < len(words) else ""
                said = [word for word, stem in zip(words[start:end], stems[start:end], strict=True) if stem]
                places += 1
                capital += all(word[0].isupper() and not word[1:].isupper() for word in said)
                alone += (before in _EDGES and after in _EDGES) or before in _BEFORE_PEOPLE
                joined += "and" in words[start:end]
                contexts.add((before, after))
                if item := _item(words, start, end):
                    among += 1
                    items.add(item)
        return _Use(places, capital, alone, joined, among, len(items), len(contexts), pages, frozenset(hosts))


def _item(words: Sequence[str], start: int, end: int) -> tuple[str, ...]:
    """The name that a place is a part of, if it is an item of a list: two to four words with capitals, and no other."""
    while start and words[start - 1][0].isupper():
        start -= 1
    while end < len(words) and words[end][0].isupper():
        end += 1
    before = words[start - 1].lower() if start else ""
    after = words[end].lower() if end < len(words) else ""
    listed = (before in _EDGES and after in _EDGES) or before in _BEFORE_PEOPLE
    return tuple(words[start:end]) if listed and 2 <= end - start <= 4 else ()
