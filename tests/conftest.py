"""What the tests share: where the recorded webs are, and a cache folder of their own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def missing(what: str, reason: str) -> None:
    """Skip for want of something, or fail where CI demands it."""
    if what in os.environ.get("PINAKES_REQUIRE", "").split(","):
        pytest.fail(f"{what} is required here (PINAKES_REQUIRE) but {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of recorded webs, papers and service answers."""
    given = os.environ.get("PINAKES_SHARED")
    folder = Path(given) if given else Path(__file__).resolve().parents[2] / "shared"
    if not (folder / "webs").is_dir():
        missing("shared", f"no recorded webs at {folder}; set PINAKES_SHARED to the folder that holds them")
    return folder


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Indexes of frozen webs are cached in a folder of the test run's own, unless one is given."""
    if "PINAKES_CACHE" not in os.environ:
        os.environ["PINAKES_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    return Path(os.environ["PINAKES_CACHE"])
