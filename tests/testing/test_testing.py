"""The package `pinakes.testing` itself."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pinakes import testing


def test_importing_it_imports_none_of_its_tools() -> None:
    code = "import sys, pinakes.testing; print([m for m in sys.modules if m.startswith('pinakes.testing.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", testing.__all__)
def test_every_tool_is_there(name: str) -> None:
    assert callable(getattr(testing, name))


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        testing.nothing  # noqa: B018
    assert testing.__all__ == sorted(testing.__all__)
