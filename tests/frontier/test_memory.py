"""The frontier in memory."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pinakes.core.roles import Frontier
from pinakes.frontier.memory import MemoryFrontier
from pinakes.testing.frontier import CHECKS, Make


def test_is_a_frontier() -> None:
    """It has every member of the role."""
    assert isinstance(MemoryFrontier(), Frontier)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_conforms(check: Callable[[Make], None]) -> None:
    """It passes the conformance suite."""
    check(MemoryFrontier)
