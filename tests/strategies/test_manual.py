"""Every strategy has its page in the manual: its paper, when to use it, every parameter with its default, a figure."""

from __future__ import annotations

from pathlib import Path

import pytest

from pinakes.core.parameters import parameters_of
from pinakes.strategies.registry import STRATEGIES, TABLE

PAGES = Path(__file__).parents[2] / "docs" / "strategies"


@pytest.mark.parametrize("name", TABLE)
def test_a_strategy_is_told_of(name: str) -> None:
    page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert page.startswith(f"# {name}\n") and "## Parameters" in page
    assert "## When to use it" in page or "## What to start it from" in page
    for parameter in parameters_of(STRATEGIES.find(name)):
        assert f"`{parameter.name}`" in page, parameter.name
    figure = f"images/{name}.svg"
    assert f"]({figure})" in page and (PAGES / figure).read_bytes().startswith(b"<svg")
