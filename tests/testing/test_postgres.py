"""The PostgreSQL of the tests."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from pinakes.testing.postgres import Postgres, programs


@pytest.mark.skipif(programs() is None, reason="there is no PostgreSQL; pip install pgserver")
def test_a_folder_by_a_short_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that is not there yet: the server's own programs run elsewhere."""
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)  # for the user a server runs as
        monkeypatch.chdir(place)
        server = Postgres(Path("new/pg"))
        assert server.folder == Path(place).resolve() / "new" / "pg" and server.folder.is_dir()


@pytest.mark.skipif(programs() is None or os.geteuid() != 0, reason="root alone lets another user run it")
def test_a_folder_the_server_cannot_reach() -> None:
    with tempfile.TemporaryDirectory() as place, pytest.raises(RuntimeError, match=r"could not be set up.*reach"):
        Postgres(Path(place) / "pg").start()
