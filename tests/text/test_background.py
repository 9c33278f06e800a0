"""The shipped document frequencies."""

from __future__ import annotations

from pinakes.text.background import english


def test_common_words_are_known_and_topics_are_not() -> None:
    """What the demo web is about is no commonplace."""
    table = english()
    assert table[""] > 300 and len(table) > 500
    assert all(0 < count <= table[""] for count in table.values())
    assert table["page"] > table["welcom"]
    assert not {"owl", "comet", "loom", "lighthous"} & table.keys()
