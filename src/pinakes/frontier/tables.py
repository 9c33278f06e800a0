"""The tables of the frontier in PostgreSQL.

A *turn* is what takes its turn under politeness: a host, or all hosts behind one shared address. It carries the rank
of its best waiting link, so that a claim reads as many rows as it hands out, however many links wait. Without delays
there is one turn for all, which nobody locks or ranks.

A claim must be short, and does not write to the large table of links: what is handed out stands in a small table of
leases, and the turn's being busy keeps its links from others. A turn's name, which never changes, is kept apart, since
a row that is written costs an entry in every index on it.
"""

from __future__ import annotations

WAITING, ASLEEP, LEASED, VISITED = range(4)
"""A link's states; one asleep waits for the time of its retry. A leased link is marked so only where no turn stands
guard over it: without delays."""
READY, BUSY, RESTING = range(3)
"""A turn's states."""

STEPS = (
    f"""
    CREATE TABLE frontier_turns (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, crawl BIGINT NOT NULL, name TEXT NOT NULL,
        state SMALLINT NOT NULL DEFAULT {READY}, ready_at DOUBLE PRECISION NOT NULL DEFAULT '-infinity',
        cost DOUBLE PRECISION, seq BIGINT, UNIQUE (crawl, name)) WITH (fillfactor = 70);
    CREATE INDEX frontier_ready ON frontier_turns (crawl, cost, seq) WHERE state = {READY} AND cost IS NOT NULL;
    CREATE INDEX frontier_alarms ON frontier_turns (crawl, ready_at) WHERE state = {RESTING} AND cost IS NOT NULL;

    CREATE TABLE frontier_links (
        crawl BIGINT NOT NULL, hash BIGINT NOT NULL, turn BIGINT, state SMALLINT NOT NULL,
        cost DOUBLE PRECISION NOT NULL DEFAULT 0, seq BIGINT NOT NULL DEFAULT 0,
        wake DOUBLE PRECISION NOT NULL DEFAULT 0, deadline DOUBLE PRECISION NOT NULL DEFAULT 0,
        token BIGINT NOT NULL DEFAULT 0, worker BIGINT NOT NULL DEFAULT 0, finished BOOLEAN NOT NULL DEFAULT FALSE,
        distance INTEGER NOT NULL DEFAULT 0, url TEXT NOT NULL, parent TEXT NOT NULL DEFAULT '',
        extra BYTEA NOT NULL DEFAULT '', PRIMARY KEY (crawl, hash)) WITH (fillfactor = 80);
    CREATE INDEX frontier_waiting ON frontier_links (turn, cost, seq) WHERE state = {WAITING};
    CREATE INDEX frontier_asleep ON frontier_links (crawl, wake) WHERE state = {ASLEEP};
    CREATE INDEX frontier_leased ON frontier_links (crawl, token) WHERE state = {LEASED};
    CREATE SEQUENCE frontier_tokens;

    -- How many wait and are leased: each worker counts what it changed, so that none waits for another.
    CREATE TABLE frontier_counts (
        crawl BIGINT NOT NULL, worker BIGINT NOT NULL, waiting BIGINT NOT NULL DEFAULT 0,
        leased BIGINT NOT NULL DEFAULT 0, seq BIGINT NOT NULL DEFAULT 0, PRIMARY KEY (crawl, worker));
    """,
    f"""
    CREATE TABLE frontier_leases (
        token BIGINT PRIMARY KEY DEFAULT nextval('frontier_tokens'), crawl BIGINT NOT NULL, turn BIGINT NOT NULL,
        hash BIGINT NOT NULL, worker BIGINT NOT NULL, deadline DOUBLE PRECISION NOT NULL,
        finished BOOLEAN NOT NULL DEFAULT FALSE, UNIQUE (crawl, hash)) WITH (autovacuum_vacuum_threshold = 1000);
    INSERT INTO frontier_leases SELECT token, crawl, turn, hash, worker, deadline, finished FROM frontier_links
        WHERE state = {LEASED};
    DROP INDEX frontier_leased;
    ALTER TABLE frontier_links DROP deadline, DROP token, DROP worker, DROP finished;

    CREATE TABLE frontier_names (
        crawl BIGINT NOT NULL, name TEXT NOT NULL, turn BIGINT NOT NULL, PRIMARY KEY (crawl, name));
    INSERT INTO frontier_names SELECT crawl, name, id FROM frontier_turns;
    ALTER TABLE frontier_turns DROP name;
    """,
)

WORST = f"CREATE INDEX IF NOT EXISTS frontier_worst ON frontier_links (crawl, cost, seq) WHERE state <= {ASLEEP}"
"""Only a frontier with a limit looks for its worst links."""
