"""The document frequencies that ship with Pinakes, for crawls that have no others to start from.

Counted by `demo/background.py` on our own text, English only. Stems that it lacks count as rare, so that other
languages begin with words of equal weight; a crawl learns its web's own frequencies as it goes.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType


@cache
def english() -> Mapping[str, int]:
    """In how many documents each stem occurs; the empty stem counts the documents."""
    first, *lines = files("pinakes.text").joinpath("english.txt").read_text("utf-8").splitlines()
    found = {"": int(first)}
    for line in lines:
        stem, count = line.split()
        found[stem] = int(count)
    return MappingProxyType(found)
