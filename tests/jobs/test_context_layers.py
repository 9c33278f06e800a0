"""Context graphs found by back-links (001 §3.1) or by searches (§5)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

from pinakes.core.page import Brief, Topic
from pinakes.jobs.layers import with_layers
from pinakes.testing import ToyWeb

HOST = "http://u.example"


def induced() -> ToyWeb:
    """Target T is linked from A and B; U links to both of them; V links to T and to A; W links to U and to itself."""
    links = {
        "t": (),
        "a": ("t",),
        "b": ("t",),
        "u": ("a", "b"),
        "v": ("t", "a"),
        "w": ("u", "w"),
    }
    return ToyWeb(
        {f"{HOST}/{name}": (f"page {name}", [f"{HOST}/{to}" for to in to_all]) for name, to_all in links.items()}
    )


def layers_of(web: ToyWeb, **options: int) -> list[Counter[str]]:
    brief = Brief(topics=(Topic("t"),), examples={"t": (web.page(f"{HOST}/t"),)})
    found, _ = asyncio.run(with_layers(brief, web, web, **options))
    return [Counter(page.url.rpartition("/")[2] for page in layer) for layer in found.layers]


def test_the_induced_tree() -> None:
    """A parent of two documents of a layer stands twice in the next, so that each node has one parent; a page stands
    in the layer of its least distance (V links to the target itself); a loop goes nowhere."""
    assert layers_of(induced()) == [
        Counter({"a": 1, "b": 1, "v": 1}),
        Counter({"u": 2}),
        Counter({"w": 2}),
        Counter(),
    ]


def test_depth_and_sampling() -> None:
    """As many layers as asked for, and no more documents in one."""
    assert layers_of(induced(), depth=1) == [Counter({"a": 1, "b": 1, "v": 1})]
    sampled = layers_of(induced(), most=2)
    assert all(layer.total() <= 2 for layer in sampled) and sampled == layers_of(induced(), most=2)


def test_layers_of_all_examples_are_merged() -> None:
    """Each example has a graph of its own: A, an example too, is also one link from T."""
    web = induced()
    brief = Brief(topics=(Topic("t"),), examples={"t": (web.page(f"{HOST}/t"), web.page(f"{HOST}/a"))})
    found, setup = asyncio.run(with_layers(brief, web, web))
    first = Counter(page.url.rpartition("/")[2] for page in found.layers[0])
    assert first == Counter({"v": 2, "a": 1, "b": 1, "u": 1})
    assert setup.searches == 0 and setup.backlinks == 6 and setup.pages == 5
    assert all(page.terms and not page.text and not page.links for layer in found.layers for page in layer)


class NoBacklinksOf:
    """Knows the back-links of a web, but not those of some pages."""

    def __init__(self, web: ToyWeb, unknown: Sequence[str]) -> None:
        self._web, self._unknown = web, unknown

    async def backlinks(self, url: str, n: int = 10) -> Sequence[str]:
        return [] if url in self._unknown else await self._web.backlinks(url, n)


def test_searches_stand_in_for_unknown_back_links() -> None:
    """Hits for the example's strongest terms that look like it have graphs built instead of it."""
    text = "owl plumage nest owl plumage"
    web = ToyWeb(
        {
            f"{HOST}/example": text,
            f"{HOST}/found": f"{text} found",
            f"{HOST}/unlike": "owl owl company shares",
            f"{HOST}/hub": ("birds", [f"{HOST}/found"]),
            f"{HOST}/exchange": ("shares", [f"{HOST}/unlike"]),
        }
    )
    background = {"owl": 5, "plumag": 2, "nest": 3, "share": 3, "": 10}
    brief = Brief(topics=(Topic("owls"),), examples={"owls": (web.page(f"{HOST}/example"),)}, background=background)
    unknown = NoBacklinksOf(web, [f"{HOST}/example"])
    found, setup = asyncio.run(with_layers(brief, web, unknown, web))
    assert [page.url for page in found.layers[0]] == [f"{HOST}/hub"]
    assert setup.searches >= 1
    without, _ = asyncio.run(with_layers(brief, web, unknown))
    assert not any(without.layers)
