"""What is said of a database that is away."""

from __future__ import annotations

import pickle

import pytest

from pinakes.jobs.outlasting import Outage
from pinakes.library.postgres import DatabaseAwayError, cause

psycopg = pytest.importorskip("psycopg")

SAID = {
    'connection failed: connection to server at "10.0.0.1", port 5432 failed: Connection refused\n'
    "\tIs the server running on that host and accepting TCP/IP connections?": "Connection refused",
    "consuming input failed: server closed the connection unexpectedly\n"
    "\tThis probably means the server terminated abnormally\n"
    "\tbefore or while processing the request.": "server closed the connection unexpectedly",
    'connection failed: connection to server at "::1", port 5432 failed: Connection refused\n\tIs the server running?\n'
    'connection to server at "127.0.0.1", port 5432 failed: FATAL:  role "ada" does not exist\n'
    "Multiple connection attempts failed. All failures were:\n"
    "- host: 'db', port: 5432, hostaddr: '::1': connection failed: no": 'FATAL: role "ada" does not exist',
    "terminating connection due to administrator command": "terminating connection due to administrator command",
    "": "OperationalError",
}


@pytest.mark.parametrize("text", SAID)
def test_the_cause_in_one_line(text: str) -> None:
    assert cause(psycopg.OperationalError(text)) == SAID[text]


def test_said_once_and_once_a_minute_and_when_it_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """However often it is tried; and the same again when it goes another time."""
    now, told = 100.0, list[str]()
    monkeypatch.setattr("pinakes.jobs.outlasting.time.monotonic", lambda: now)
    outage = Outage("postgresql://db/owls", told.append)
    gone = pickle.loads(pickle.dumps(DatabaseAwayError("postgresql://db/owls cannot be reached (no); is it up?", "no")))
    outage.over()
    for second in range(130):
        now = 100.0 + second
        assert outage.lasts(gone) == second
    outage.over()
    outage.over()
    assert told == [
        "postgresql://db/owls is away (no); waiting for it.",
        "postgresql://db/owls has been away for 1 min (no).",
        "postgresql://db/owls has been away for 2 min (no).",
        "postgresql://db/owls is back after 129 s.",
    ]
    now = 1000.0
    assert outage.lasts(gone) == 0.0 and len(told) == 5
