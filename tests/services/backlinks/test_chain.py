"""Several sources of back-links as one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pinakes.config import Service as Section
from pinakes.core.errors import PinakesError
from pinakes.services.backlinks.chain import Chain
from pinakes.services.backlinks.sources import chain_of
from pinakes.services.door import Services
from pinakes.services.errors import ServiceError
from pinakes.services.limits import Ration

PAGE = "http://owls.example/"


@dataclass
class Known:
    """A source that knows these links, or fails."""

    name: str
    links: Sequence[str] = ()
    error: PinakesError | None = None
    ration: Ration = field(default_factory=lambda: Ration(1000))
    asked: list[int] = field(default_factory=list)

    async def backlinks(self, url: str, n: int = 10) -> Sequence[str]:
        self.asked.append(n)
        if not self.ration.take():
            return []
        if self.error:
            raise self.error
        return self.links[:n]


def ask(chain: Chain, n: int = 10, url: str = PAGE) -> list[str]:
    return list(asyncio.run(chain.backlinks(url, n)))


def addresses(*names: str) -> list[str]:
    return [f"http://{name}.example/" for name in names]


def test_sources_are_asked_in_order_until_there_are_enough() -> None:
    """The first ones first, each address once, the page itself never."""
    first, second, third = (
        Known("first", ["http://A.example", PAGE, "mailto:x"]),
        Known("second", addresses("a", "b", "c")),
        Known("third", addresses("d")),
    )
    chain = Chain([first, second, third], Ration(10))
    assert ask(chain, 3) == addresses("a", "b", "c")
    assert not third.asked
    assert ask(chain, 9) == addresses("a", "b", "c", "d")
    assert (chain.asked, chain.answered, chain.told) == (2, 2, [])
    assert ask(chain, 5, "not an address") == []
    assert ask(chain, 0) == []
    assert chain.asked == 2


def test_the_page_itself_takes_nobodys_place() -> None:
    """Who wants one back-link gets one, although the first that is given is the page."""
    assert ask(Chain([Known("one", [PAGE, *addresses("a")])], Ration(1)), 1) == addresses("a")


def test_a_page_has_no_more_than_its_share() -> None:
    """However many are wanted."""
    many = addresses(*(f"h{n}" for n in range(50)))
    assert ask(Chain([Known("one", many)], Ration(1), each=7), 1000) == many[:7]


def test_it_says_once_when_nobody_knows() -> None:
    """With the names of those asked; and what to do when there is nobody to ask."""
    said: list[str] = []
    chain = Chain([Known("the library"), Known("Wikipedia")], Ration(5), tell=said.append)
    for url in (PAGE, "http://other.example/"):
        assert ask(chain, url=url) == []
    assert said == chain.told
    assert said == [
        f"No back-links of {PAGE} are known; asked: the library, Wikipedia. Further such pages are not mentioned."
    ]
    assert (chain.asked, chain.answered) == (2, 0)
    nobody = Chain([], Ration(5))
    assert ask(nobody) == ask(nobody) == []
    assert nobody.told == ["There is no source of back-links; name one under [services] in pinakes.toml."]


def test_a_source_that_fails_does_not_stop_the_others() -> None:
    """Each kind of failure is told once, and after three in a row it is not asked again."""
    bad = Known("Bad", error=ServiceError("Bad", "server-error", "Bad answered 500."))
    good = Known("good", addresses("a"))
    chain = Chain([bad, good], Ration(10))
    for _ in range(5):
        assert ask(chain) == addresses("a")
    assert (len(bad.asked), len(good.asked)) == (3, 5)
    assert chain.told == ["Bad answered 500.", "Back-links are no longer asked of Bad, which failed time and again."]
    bad.asked.clear()
    chain = Chain([bad, good], Ration(10))
    for broken in (False, True, True, False, True, True):
        bad.error = ServiceError("Bad", "timeout", f"Bad was slow {len(bad.asked)}.") if broken else None
        ask(chain)
    assert len(bad.asked) == 6
    assert chain.told == ["Bad was slow 1."]
    alone = Chain([Known("Bad", error=ServiceError("Bad", "timeout", "Bad was slow."))], Ration(10))
    assert [ask(alone) for _ in range(4)] == [[]] * 4
    assert alone.told[-1] == f"No back-links of {PAGE} are known; asked: Bad. Further such pages are not mentioned."


def test_a_source_that_was_never_there_is_asked_once() -> None:
    """Whoever crawls without a way to it does not wait for it page after page."""
    absent = Known("Absent", error=ServiceError("Absent", "connection", "Absent could not be asked.", passing=True))
    chain = Chain([absent, Known("good", addresses("a"))], Ration(10))
    assert [ask(chain) for _ in range(3)] == [addresses("a")] * 3
    assert len(absent.asked) == 1
    assert chain.told == ["Absent could not be asked.", "Back-links are not asked of Absent, which is out of reach."]


def test_calls_are_rationed() -> None:
    """When the crawl's ration is used up that is said, and what costs no calls still answers."""
    ration = Ration(2)
    dear, free = Known("dear", addresses("a"), ration=ration), Known("free", addresses("b"))
    chain = Chain([free, dear], ration)
    assert [ask(chain) for _ in range(3)] == [addresses("b", "a"), addresses("b", "a"), addresses("b")]
    assert chain.told == ["The 2 calls granted for back-links are used up; services rest."]


# -- as configured ---------------------------------------------------------------------------------------------------


def names(settings: dict[str, Section], **more: Any) -> list[str]:
    chain = chain_of(Services("someone@example.org"), settings, **more)
    chain.close()
    return [source.name for source in chain.sources]


def test_the_usual_chain(tmp_path: Path) -> None:
    """What costs nothing comes first; a service is left out when its url says `off`."""
    assert names({}) == ["Wikipedia", "OpenAlex", "Semantic Scholar"]
    file = tmp_path / "links.csv"
    file.write_text("http://a.example/,http://b.example/\n")
    settings = {"links": Section(url=str(file)), "openalex": Section(url="off"), "crossref": Section()}
    assert names(settings) == ["the link file", "Wikipedia", "Semantic Scholar"]
    with pytest.raises(PinakesError, match="cannot be read"):
        names({"links": Section(url=str(tmp_path / "none.csv"))})
    assert names({name: Section(url="off") for name in ("wikipedia", "openalex", "semantic-scholar", "links")}) == []


def test_settings_reach_the_services(loopback: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Addresses, keys from the environment and the ration: a chain over a real connection, with constructed answers."""
    monkeypatch.setenv("OWL_KEY", "hoo-hoo")
    settings = {
        "wikipedia": Section(url="http://de.wikipedia.org"),
        "openalex": Section(url="http://openalex.example/v2/", key_env="OWL_KEY"),
        "semantic-scholar": Section(url="http://s2.example", key_env="OWL_KEY"),
    }

    def say(asked: Any) -> Any:
        if asked.host == "de.wikipedia.org":
            row = {"title": "Eulen", "url": "http://doi.org/10.1000/x"}
            return loopback.said({"query": {"exturlusage": [row]}})
        if asked.host == "openalex.example":
            return loopback.said({"error": "no"}, 403)
        return loopback.said({"data": [{"citingPaper": {"paperId": "p1"}}]})

    async def use(bench: Any) -> Any:
        chain = chain_of(bench.services, settings, most=3)
        found = [list(await chain.backlinks(f"https://doi.org/10.1000/{name}", 5)) for name in "xy"]
        chain.close()
        return found, chain, bench

    found, chain, bench = loopback.run(say, use)
    assert found == [["http://de.wikipedia.org/wiki/Eulen", "https://www.semanticscholar.org/paper/p1"], []]
    hosts = {asked.host: asked for asked in bench.wired.asked}
    assert hosts["openalex.example"].target.startswith("/v2/works/https://doi.org/10.1000%2Fx?")
    assert hosts["openalex.example"].target.endswith("&api_key=hoo-hoo")
    assert hosts["s2.example"].headers["x-api-key"] == "hoo-hoo"
    assert bench.services.calls == {"Wikipedia": 1, "OpenAlex": 1, "Semantic Scholar": 1}
    assert "hoo" not in " ".join(chain.told)
    assert chain.told[0].startswith("OpenAlex answered 403, “no”; check the key")
    assert chain.told[1:] == ["The 3 calls granted for back-links are used up; services rest."]


def test_a_key_that_is_not_set_is_told_before_the_crawl() -> None:
    """Rather than in the middle of it."""
    with pytest.raises(PinakesError, match="NO_SUCH_KEY"):
        names({"openalex": Section(key_env="NO_SUCH_KEY")})
