"""The analysis: a crawl's pages divided into communities, each with its label, examples, hubs and authorities.

002 §3.5–3.7: the worst quarter of the pages is dropped, the rest is clustered by words, and within each cluster the
pages that stand out by links are found by a HITS biased towards the cluster.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from pinakes.core.page import host_of
from pinakes.graph.clusters import Clusters, choose_k, spherical_k_means
from pinakes.graph.hits import adjacency, hits, typical
from pinakes.graph.labels import PAGES_READ, as_written, filled, phrase_labels, profile_words
from pinakes.graph.layout import Circle, place
from pinakes.graph.term_matrix import TermMatrix, term_matrix
from pinakes.jobs.panorama.collection import Collection, collection_of, terms_of
from pinakes.library.library import Library
from pinakes.text.frames import Framed, without_frames
from pinakes.text.phrases import MOST_CHARACTERS, PhraseReader, Phrases
from pinakes.text.words import Words

SHOWN = 10
"""Examples, hubs, authorities, terms and sites named of each community."""
WHOLE = 100_000
"""So many pages are divided by the words of all of them. Of more, this many are drawn by chance to find the centres,
and the others join the nearest: their words need not be held."""
PORTION = 5_000
WEIGHED = 3 * SHOWN
"""Terms that are looked at where a community's pages have no phrases to call it by."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A page named in a community, and the number it stands there for: a cosine, a hub's or an authority's score."""

    url: str
    title: str
    score: float


@dataclass(frozen=True, slots=True)
class Community:
    """Pages that are about the same and link to each other."""

    label: tuple[str, ...]
    words: tuple[str, ...]
    """The terms of its pages that weigh most; the first five are the label of 002 eq. 3.6."""
    pages: int
    circle: Circle
    examples: tuple[Standing, ...]
    hubs: tuple[Standing, ...]
    authorities: tuple[Standing, ...]
    sites: tuple[tuple[str, int], ...]
    languages: tuple[tuple[str, int], ...]
    urls: tuple[str, ...]
    """All its pages, nearest to the centre first."""
    titles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CommunityMap:
    """What the analysis found."""

    communities: tuple[Community, ...]
    likeness: tuple[tuple[float, ...], ...]
    """Cosine between every two centres."""
    links: tuple[tuple[int, ...], ...]
    """How many links lead from one community's pages to another's."""
    analysed: int
    dropped: int
    clarity: dict[int, float] = field(default_factory=dict)
    """The criterion for each number of communities that was tried, when the number was left open."""


def communities_of(
    library: Library,
    crawl: int,
    *,
    k: int | None = 5,
    worst: float = 0.25,
    biased: bool = True,
    random_state: int = 0,
    processes: int | None = None,
    on: str = "",
) -> CommunityMap:
    """Analyse a crawl of a library; `k` None leaves the number of communities to the clearest division."""
    crawled = collection_of(library, crawl, processes, on)
    kept = crawled.without_worst(worst)
    drawn = np.arange(len(kept.pages))
    if len(drawn) > WHOLE:
        drawn = np.sort(np.random.default_rng(random_state).choice(drawn, WHOLE, replace=False))
    matrix = term_matrix(terms_of(library, [kept.pages[i] for i in drawn], processes, on))
    clarity: dict[int, float] = {}
    if k is None:
        k, clarity = choose_k(matrix.weights, random_state=random_state)
    clusters = compared = spherical_k_means(matrix.weights, k, random_state)
    if len(drawn) < len(kept.pages):
        clusters = clusters.joined(_cosines(terms_of(library, kept.pages, processes, on), matrix, clusters))
        compared = Clusters(clusters.assigned[drawn], clusters.centres, clusters.similarity[drawn])
    links = adjacency(kept.sources, kept.targets, len(kept.pages))
    nearest = [clusters.members(c)[:PAGES_READ] for c in range(clusters.k)]
    texts, phrases = _phrases(library, kept, nearest)
    labels = phrase_labels(phrases, hosts=[[host_of(kept.pages[i].url) for i in members] for members in nearest])
    words = [as_written(*told) for told in zip(profile_words(matrix, compared, WEIGHED), phrases, texts, strict=True)]
    circles = place(clusters.sizes().astype(float), clusters.links())
    plain = None if biased else hits(links)
    found = []
    for c in range(clusters.k):
        standing = plain or hits(links, clusters.similarity[:, c])  # eq. 3.5, or 3.4 for all clusters at once
        members, near = clusters.members(c), clusters.similarity[:, c]
        weigh = near if biased else np.ones(len(near))
        found.append(
            Community(
                label=tuple(filled(labels[c], words[c])),
                words=tuple(words[c][:SHOWN]),
                pages=len(members),
                circle=circles[c],
                examples=_named(kept, members[:SHOWN], near),
                hubs=_named(kept, typical(standing.hubs, weigh, members, SHOWN), standing.hubs),
                authorities=_named(kept, typical(standing.authorities, weigh, members, SHOWN), standing.authorities),
                sites=_counted([host_of(kept.pages[i].url) for i in members]),
                languages=_counted([kept.pages[i].language or "unknown" for i in members]),
                urls=tuple(kept.pages[i].url for i in members),
                titles=tuple(kept.pages[i].title for i in members),
            )
        )
    return CommunityMap(
        tuple(found),
        tuple(tuple(round(float(x), 4) for x in row) for row in clusters.links()),
        _between(links, clusters),
        len(kept.pages),
        len(crawled.pages) - len(kept.pages),
        clarity,
    )


def _cosines(pages: Iterator[Mapping[str, int]], matrix: TermMatrix, clusters: Clusters) -> NDArray[np.float64]:
    """How near each page is to each centre, a portion of them at a time."""
    found = [np.zeros((0, clusters.k))]
    while portion := list(islice(pages, PORTION)):
        found.append(clusters.cosines(matrix.weigh(portion)))
    return np.concatenate(found)


def _phrases(
    library: Library, kept: Collection, nearest: Sequence[Sequence[int] | NDArray[np.intp]]
) -> tuple[list[list[str]], list[list[Phrases]]]:
    """The texts of the pages nearest to each centre, and their phrases without what frames those."""
    reader = PhraseReader(Words().stems)
    read = [[library.shelf.page(kept.pages[i].number) for i in members] for members in nearest]
    framed = [Framed(host_of(page.url), page.title, page.text) for pages in read for page in pages]
    own = iter(without_frames(framed))
    return [[page.text[:MOST_CHARACTERS] for page in pages] for pages in read], [
        [reader.read(page.text, page.title) for page in islice(own, len(pages))] for pages in read
    ]


def _named(
    kept: Collection, pages: Sequence[int] | NDArray[np.intp], scores: NDArray[np.float64]
) -> tuple[Standing, ...]:
    return tuple(Standing(kept.pages[i].url, kept.pages[i].title, round(float(scores[i]), 4)) for i in pages)


def _counted(names: Sequence[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(Counter(names).items(), key=lambda item: (-item[1], item[0]))[:SHOWN])


def _between(links: sparse.csr_array, clusters: Clusters) -> tuple[tuple[int, ...], ...]:
    n = len(clusters.assigned)
    member = sparse.csr_array((np.ones(n), (clusters.assigned, np.arange(n))), shape=(clusters.k, n))
    counts = (member @ links @ member.T).toarray()
    return tuple(tuple(int(count) for count in row) for row in counts)
