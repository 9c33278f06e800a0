"""The toy web as a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from frozen_toy import toy_members


@pytest.fixture(scope="session")
def toy_warc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("toy") / "toy.warc.gz"
    path.write_bytes(b"".join(member.data for member in toy_members()))
    return path
