"""Labels teach the judge of a collection."""

from __future__ import annotations

from pathlib import Path

import pytest

from pinakes.core.errors import PinakesError
from pinakes.jobs.collect import CollectOptions, collect, collections_of, regather
from pinakes.jobs.rerank import label, rerank
from pinakes.library.labels import Labels

NAME = "Owls and birds of prey"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    collect(CollectOptions(Path("demo:topics.toml"), tmp_path / "library", web="demo", pages=60))
    return tmp_path / "library"


def ranking(library: Path, name: str = NAME) -> list[str]:
    return [entry.url for one in collections_of(library) if one.name == name for entry in one.entries]


def test_without_labels_nothing_moves(library: Path) -> None:
    before = ranking(library)
    done = rerank(library, NAME)
    assert list(done.after) == before and not done.moved


def test_a_bad_page_leaves_and_others_move(library: Path) -> None:
    """The judge sees the topic otherwise: what is like the bad page falls. Other collections stay as they are."""
    before, others = ranking(library), ranking(library, "Comets")
    label(library, NAME, before[0], False)
    done = rerank(library, NAME)
    assert before[0] not in done.after
    kept = [url for url in before if url in done.after]
    assert [url for url in done.after if url in before] != kept or done.moved > 1
    assert ranking(library) == list(done.after) and ranking(library, "Comets") == others
    noted = Labels(library).last(NAME)
    assert noted is not None and noted.before == done.before and (noted.good, noted.bad) == (0, 1)


def test_a_good_page_rises(library: Path) -> None:
    before = ranking(library)
    last = next(url for url in reversed(before) if not url.endswith(".pdf"))
    label(library, NAME, last, True)
    assert list(rerank(library, NAME).after).index(last) < before.index(last)


def test_later_gatherings_keep_to_the_labels(library: Path) -> None:
    bad = ranking(library)[0]
    label(library, NAME, bad, False)
    regather(library)
    assert bad not in ranking(library)
    label(library, NAME, bad, None)
    regather(library)
    assert bad in ranking(library)


def test_the_order_of_collections_stays(library: Path) -> None:
    names = [one.name for one in collections_of(library)]
    rerank(library, names[0])
    assert [one.name for one in collections_of(library)] == names


def test_only_pages_of_the_collection_are_labelled(library: Path) -> None:
    with pytest.raises(PinakesError, match="no page of the collection"):
        label(library, NAME, "http://nowhere.example/", True)
    with pytest.raises(LookupError, match="no collection"):
        rerank(library, "Nothing")
