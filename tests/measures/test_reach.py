"""Documents, robustness, remoteness and cost, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from pinakes.measures.cost import quality_per_cost, undominated
from pinakes.measures.documents import documents_found, is_document
from pinakes.measures.robustness import distances, halves, overlap, remoteness, server_overlap


def test_documents_are_not_pages() -> None:
    """003 figs 10-12: y counts distinct documents, x the pages that are none."""
    crawl = [
        ("http://a.example/", ["http://a.example/1.pdf", "http://a.example/b.html"]),
        ("http://a.example/1.pdf", []),
        ("http://a.example/b.html", ["http://a.example/1.pdf", "http://a.example/2.PS?x=1"]),
        ("http://a.example/3.ps.gz", []),
    ]
    assert documents_found(crawl, 4).tolist() == [1, 3, 3, 3]
    assert documents_found(crawl, 1).tolist() == [1]
    assert documents_found(crawl[1:2], 2).tolist() == [1, 1]
    assert not is_document("http://a.example/pdf/") and not is_document("http://a.example/?file=a.pdf")


def test_overlap_by_hand() -> None:
    """After one page nothing is shared, after two one of two, after three two of three; b then ends."""
    a, b = ["1", "2", "3", "4"], ["2", "9", "3"]
    assert overlap(a, b, 4).tolist() == pytest.approx([0, 1 / 2, 2 / 3, 2 / 4])
    assert overlap(a, a, 2).tolist() == [1, 1] and overlap([], [], 2).tolist() == [0, 0]


def test_servers_overlap_by_hand() -> None:
    """Two addresses of one server are one."""
    a = ["http://x.example/1", "http://x.example/2", "http://y.example/"]
    b = ["http://z.example/", "http://x.example/9", "http://x.example/8"]
    assert server_overlap(a, b, 3).tolist() == pytest.approx([0, 1 / 2, 1 / 2])


def test_seeds_are_dealt_into_halves() -> None:
    """By turns, so that a sorted list of seeds gives like halves."""
    assert halves(["a", "b", "c"]) == (["a", "c"], ["b"]) and halves(["a"]) == (["a"], [])


def test_remoteness_by_hand() -> None:
    """s → a → b → c and s → c: c is one link away. The mean over good pages; none at first."""
    web = {"s": ["a", "c"], "a": ["b"], "b": ["c"], "c": []}
    far = distances(["s"], web.__getitem__)
    assert far == {"s": 0, "a": 1, "c": 1, "b": 2}
    found = remoteness(["s", "b", "c", "elsewhere"], {"b", "c", "elsewhere"}, far, 5)
    assert np.isnan(found[0]) and found[1:].tolist() == pytest.approx([2, 1.5, 1.5, 1.5])
    assert np.isnan(remoteness(["s"], {"b"}, far, 3)).all()


def test_quality_for_its_cost() -> None:
    """A strategy stands on the front when none is both as cheap and as good."""
    points = {"cheap": (0.1, 0.01), "good": (0.9, 2.0), "dear": (0.8, 3.0), "tie": (0.1, 0.02)}
    assert undominated(points) == ["cheap", "good"]
    assert quality_per_cost(0.9, 2.0) == pytest.approx(0.45) and quality_per_cost(0.9, 0.0) is None
