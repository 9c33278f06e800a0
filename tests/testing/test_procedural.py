"""The procedural web: the same every time, shaped as its parameters say, endless where it should be."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pinakes.formats.url import canonical
from pinakes.testing import traps
from pinakes.testing.procedural import ProceduralWeb
from pinakes.testing.vocabulary import BACKGROUND, Vocabulary

HUGE = ProceduralWeb(pages=10**8, hosts=10**5)
ROUGH = ProceduralWeb(
    pages=20_000,
    hosts=200,
    topics=10,
    not_found=0.05,
    server_errors=0.04,
    resets=0.03,
    stalls=0.02,
    redirects=0.06,
    mirrors=0.1,
    traps=0.1,
)


def targets(html: bytes) -> list[str]:
    return re.findall(r'href="([^"]+)"', html.decode())


def sample(web: ProceduralWeb, n: int) -> list[int]:
    return [i * 7919 * 97 % web.pages for i in range(n)]


ONE, OTHER = ([ProceduralWeb(pages=10**8, seed=seed) for seed in range(3)] for _ in range(2))


@given(st.integers(0, 10**8 - 1), st.integers(0, 2))
@settings(deadline=None)
def test_a_page_depends_on_seed_and_number_alone(number: int, seed: int) -> None:
    """Two webs of the same parameters give the same bytes at the same address, and every address leads back."""
    one, other = ONE[seed], OTHER[seed]
    url = one.url(number)
    assert canonical(url) == url == other.url(number)
    assert one.number(url) == number
    assert one.html(url) == other.html(url) != b""


def test_another_seed_is_another_web() -> None:
    other = ProceduralWeb(pages=10**8, hosts=10**5, seed=1)
    assert HUGE.url(5) != other.url(5)
    assert HUGE.html(HUGE.url(5)) != other.html(other.url(5))
    assert set(HUGE.topic(0).text.split()).isdisjoint(other.topic(0).text.split())


@pytest.mark.parametrize(
    "url",
    ["", "http://h1.example/", "http://h1.example/robots.txt", "http://h0.example/0000000000", "mailto:0123456789"],
)
def test_other_addresses_have_no_page(url: str) -> None:
    assert HUGE.number(url) is None
    assert HUGE.html(url) == b""
    assert HUGE.topic_of(url) is None
    assert HUGE.answer(url).status == 404


def test_a_page_is_on_its_own_host_only() -> None:
    host, path = HUGE.url(77).split("/")[2:]
    assert HUGE.number(f"http://{host}/{path}") == 77
    assert HUGE.number(f"http://x{host}/{path}") is None
    assert HUGE.number(f"https://{host}/{path}") is None


def test_pages_have_the_size_and_shape_asked_for() -> None:
    """About 300 words of text, about 40 links that all lead to pages, and now and then a hub of four times as many."""
    words, links = [], []
    for number in sample(HUGE, 400):
        html = HUGE.html(HUGE.url(number))
        there = targets(html)
        assert all(HUGE.number(url) is not None for url in there)
        links.append(len(there))
        words.append(len(re.sub(r"<a .*?</a>|<[^>]*>", " ", html.decode().partition("</h1>")[2]).split()))
    ordinary = [n for n in links if n <= 60]
    assert 37 <= sum(ordinary) / len(ordinary) <= 43
    assert min(ordinary) >= 20
    assert len(ordinary) < len(links), "there are hubs"
    assert len(ordinary) > 0.93 * len(links)
    assert 280 <= sum(words) / len(words) <= 320


def test_the_mean_of_links_and_words_is_a_parameter() -> None:
    web = ProceduralWeb(pages=10_000, topics=10, links=5, words=80, spread=0.0, hubs=0.0)
    for number in range(50):
        html = web.html(web.url(number))
        assert len(targets(html)) == 5
        assert html.count(b".</p>") + html.count(b". ") >= 9
    assert targets(ProceduralWeb(links=0).html(ProceduralWeb(links=0).url(1))) == []


def test_hosts_are_even_or_skewed() -> None:
    def sizes(skew: int) -> list[int]:
        web = ProceduralWeb(pages=100_000, hosts=50, skew=skew)
        hosts = Counter(web.url(n).split("/")[2] for n in range(0, 100_000, 7))
        return sorted(hosts.values(), reverse=True)

    even, skewed = sizes(1), sizes(3)
    assert len(even) == 50
    assert even[0] < 1.4 * even[-1]
    assert skewed[0] > 10 * skewed[-1]


@pytest.mark.parametrize("locality", [0.0, 0.3, 0.8, 1.0])
def test_links_stay_in_the_topic_as_often_as_asked(locality: float) -> None:
    web = ProceduralWeb(pages=1_000_000, topics=20, locality=locality)
    same = total = 0
    for number in sample(web, 150):
        for url in targets(web.html(web.url(number))):
            same += web.topic_of(url) == number % web.topics
            total += 1
    assert abs(same / total - locality) < 0.03


def test_a_topic_has_a_core_with_ever_larger_rings_round_it() -> None:
    """Rings hold their shares of the pages, links go one ring in or out, and hubs point into the core."""
    web = ProceduralWeb(pages=100_000, topics=10, relevant_share=0.1, radius=3, locality=1.0, hubs=0.0)
    rings = Counter(web.ring_of(web.url(n)) for n in range(0, 100_000, 11))
    total = sum(rings.values())
    assert abs(rings[0] / total - 0.1) < 0.01
    assert rings[1] < rings[2] < rings[3]
    steps = Counter()
    for number in sample(web, 100):
        here = web.ring_of(web.url(number))
        steps.update((web.ring_of(url) or 0) - (here or 0) for url in targets(web.html(web.url(number))))
    assert set(steps) == {-1, 0, 1}
    assert steps[-1] > steps[1]
    hubs = ProceduralWeb(pages=100_000, topics=10, locality=1.0, hubs=1.0)
    assert {hubs.ring_of(url) for url in targets(hubs.html(hubs.url(99_999)))} == {0}


def test_the_nearer_the_core_the_more_a_page_says_about_the_topic() -> None:
    web = ProceduralWeb(pages=100_000, topics=10)
    terms = set(web.vocabulary.pool(3).terms)
    shares = []
    for bound in web._bounds[:-1]:
        words = Counter[bool]()
        for place in range(bound, bound + 30):
            text = re.sub(r"<[^>]*>", " ", web.html(web.url(place * web.topics + 3)).decode())
            words.update(word.lower() in terms for word in re.findall(r"\w+", text))
        shares.append(words[True] / words.total())
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.25
    assert shares[-1] < 0.1


def test_following_the_topic_pays() -> None:
    """Of the links of relevant pages far more are relevant than of pages at large."""

    def rate(urls: list[str]) -> float:
        out = [url for page in urls for url in targets(HUGE.html(page))]
        return sum(HUGE.relevant(url, 4) for url in out) / len(out)

    near = rate(list(HUGE.examples(4, 30)))
    anywhere = rate([HUGE.url(n) for n in sample(HUGE, 100)])
    assert near > 0.25
    assert anywhere < 0.05


def test_topics_share_no_terms_and_are_told_by_theirs() -> None:
    language = Vocabulary(7)
    pools = [language.pool(topic).terms for topic in (BACKGROUND, *range(40))]
    words = [term for terms in pools for term in terms]
    assert len(set(words)) == len(words)
    topic = HUGE.topic(6)
    assert set(topic.text.split()) <= set(HUGE.vocabulary.pool(6).terms)
    assert len(topic.description.split()) == 20


def test_words_follow_a_zipf_like_law() -> None:
    """The commonest word is some ten times as common as the one of rank ten or so."""
    counts = Counter(" ".join(Vocabulary().pool(BACKGROUND).fragments).lower().replace(".", "").split())
    terms = Vocabulary().pool(BACKGROUND).terms
    assert counts[terms[0]] > 4 * counts[terms[9]] > 8 * counts[terms[99]] > 0


def test_labels_agree_with_each_other() -> None:
    """The collection of a topic is exactly its relevant pages; examples are of it and seeds are far from it."""
    collection = set(ROUGH.collection(2))
    assert collection == {url for n in range(ROUGH.pages) if ROUGH.relevant(url := ROUGH.url(n), 2)}
    assert set(ROUGH.examples(2, 5)) <= collection
    for url in collection:
        assert ROUGH.topic_of(url) == 2
        assert ROUGH.ring_of(url) == 0
        assert ROUGH.answer(url).status == 200
    assert not any(ROUGH.relevant(url, 3) for url in collection)
    for url in ROUGH.seeds(30):
        assert ROUGH.ring_of(url) == 3
        assert ROUGH.answer(url).status == 200
    assert len(set(ROUGH.seeds(30))) == 30
    assert len({ROUGH.topic_of(url) for url in ROUGH.seeds(30)}) == 10
    assert {ROUGH.topic_of(url) for url in ROUGH.seeds(8, topic=2)} == {2}


def test_trouble_comes_as_often_as_asked() -> None:
    answers = [ROUGH.answer(ROUGH.url(n)) for n in range(0, ROUGH.pages, 10)]
    seen = Counter(answer.fault or answer.status for answer in answers)
    wanted = {404: 0.05, 500: 0.04, "reset": 0.03, "stall": 0.02, 301: 0.06, 200: 0.8}
    assert set(seen) == set(wanted)
    for what, share in wanted.items():
        assert abs(seen[what] / len(answers) - share) < 0.02, what


def test_a_redirect_leads_to_a_page_of_the_same_topic() -> None:
    redirects = [url for n in range(2000) if ROUGH.answer(url := ROUGH.url(n)).status == 301]
    for url in redirects:
        target = dict(ROUGH.answer(url).headers)["Location"]
        assert target != url
        assert ROUGH.topic_of(target) == ROUGH.topic_of(url)
        assert not ROUGH.relevant(url, ROUGH.topic_of(url) or 0)


def test_a_mirror_is_another_pages_bytes_on_another_host_and_never_relevant() -> None:
    mirrors = [n for n in range(ROUGH.pages) if ROUGH.original(n) != n]
    assert 0.05 < len(mirrors) / ROUGH.pages < 0.1
    for number in mirrors[:200]:
        url, source = ROUGH.url(number), ROUGH.url(ROUGH.original(number))
        assert ROUGH.answer(url) == ROUGH.answer(source)
        assert url.split("/")[2] != source.split("/")[2]
        assert not ROUGH.relevant(url, number % ROUGH.topics)


def test_ordinary_pages_differ() -> None:
    web = ProceduralWeb(pages=3000, topics=10)
    assert len({web.html(web.url(n)) for n in range(3000)}) == 3000


def test_the_traps_are_endless() -> None:
    """From every page of a trap links lead on to pages that were not seen before."""
    entrances = [url for n in range(2000) for url in targets(ROUGH.html(ROUGH.url(n))) if ROUGH.number(url) is None]
    assert 0.05 < len(entrances) / 2000 < 0.15
    assert {url.split("/")[2] for url in entrances} == {"calendar.example", "shop.example"}
    for start in (traps.entrance(1), traps.entrance(2)):
        seen, url = set[str](), start
        for _ in range(300):
            seen.add(url)
            answer = ROUGH.answer(url)
            assert answer.status == 200
            assert ROUGH.topic_of(url) is None
            assert not ROUGH.relevant(url, 0)
            url = next(there for there in reversed(targets(answer.body)) if there not in seen and "/30" not in there)
        assert len(seen) == 300
    assert ProceduralWeb().answer(traps.entrance(1)).status == 404, "a web without traps has none"


def test_session_ids_change_and_the_article_does_not() -> None:
    def text(html: bytes) -> str:
        return re.sub(r"<[^>]*>", " ", html.decode())

    one, other = (
        ROUGH.answer("http://shop.example/item/3?sid=00000000000a"),
        ROUGH.answer("http://shop.example/item/3?sid=00000000000b"),
    )
    assert text(one.body) == text(other.body)
    assert set(targets(one.body)).isdisjoint(targets(other.body))


def test_latency_is_spread_round_its_mean() -> None:
    web = ProceduralWeb(latency=0.2)
    delays = [web.answer(web.url(n)).delay for n in range(300)]
    assert 0.16 < sum(delays) / len(delays) < 0.24
    assert max(delays) <= 1.6
    assert ProceduralWeb().answer(ProceduralWeb().url(1)).delay == 0


@pytest.mark.parametrize(
    "parameters",
    [{"pages": 100, "topics": 50}, {"topics": 1}, {"hosts": 0}, {"not_found": 0.6, "mirrors": 0.5}, {"pages": 2**41}],
)
def test_impossible_webs_are_refused(parameters: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"pages|topics|shares"):
        ProceduralWeb(**parameters)  # type: ignore[arg-type]


def test_collections_are_lazy() -> None:
    """The relevant pages of a web of any size can be begun."""
    assert len(list(islice(ProceduralWeb(pages=10**12, hosts=10**6).collection(1), 3))) == 3
