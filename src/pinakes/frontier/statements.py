"""The tables of the frontier in PostgreSQL, and what is said to them.

A *turn* is what takes its turn under politeness: a host, or all hosts behind one shared address. It carries the rank
of its best waiting link, so that a claim reads as many rows as it hands out, however many links wait. Without delays
there is one turn for all, which nobody locks or ranks. Turns are always locked before links of theirs, and several in
the order of their numbers; a claim locks without waiting. So nobody waits in a circle.
"""

from __future__ import annotations

WAITING, ASLEEP, LEASED, VISITED = range(4)
"""A link's states; one asleep waits for the time of its retry."""
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
)

WORST = f"CREATE INDEX IF NOT EXISTS frontier_worst ON frontier_links (crawl, cost, seq) WHERE state <= {ASLEEP}"
"""Only a frontier with a limit looks for its worst links."""

LINK = "url, parent, distance, cost, extra"

COUNT = """
    INSERT INTO frontier_counts AS c VALUES (%s, %s, %s, %s, %s) ON CONFLICT (crawl, worker) DO UPDATE
    SET waiting = c.waiting + excluded.waiting, leased = c.leased + excluded.leased, seq = greatest(c.seq, excluded.seq)
"""
COUNTED = """
    SELECT coalesce(sum(waiting), 0)::bigint, coalesce(sum(leased), 0)::bigint, coalesce(max(seq), 0)
    FROM frontier_counts WHERE crawl = %s
"""

WAIT = f"SELECT count(*) FROM frontier_links WHERE crawl = %s AND state <= {ASLEEP}"

LOCK_TURNS = "SELECT id FROM frontier_turns WHERE id = ANY(%s) ORDER BY id FOR UPDATE"
TRY_TURNS = "SELECT id FROM frontier_turns WHERE id = ANY(%s) ORDER BY id FOR UPDATE SKIP LOCKED"
MAKE_TURNS = """
    INSERT INTO frontier_turns (crawl, name) SELECT %s, name FROM unnest(%s::text[]) AS name ORDER BY name
    ON CONFLICT DO NOTHING
"""
FIND_TURNS = "SELECT name, id FROM frontier_turns WHERE crawl = %s AND name = ANY(%s)"
OFFER = """
    UPDATE frontier_turns AS t SET cost = n.cost, seq = n.seq
    FROM unnest(%s::bigint[], %s::float8[], %s::bigint[]) AS n (id, cost, seq)
    WHERE t.id = n.id AND (t.cost IS NULL OR (n.cost, n.seq) < (t.cost, t.seq))
"""
"""Links came that may be better than the best so far."""
_BEST = f"""
    (SELECT l.cost, l.seq FROM frontier_links AS l WHERE l.turn = t.id AND l.state = {WAITING}
     ORDER BY l.cost, l.seq LIMIT 1)
"""
REOFFER = f"UPDATE frontier_turns AS t SET (cost, seq) = {_BEST} WHERE t.id = ANY(%s)"
"""Links went, or changed: find the best anew."""
TAKE = f"UPDATE frontier_turns AS t SET state = {BUSY}, (cost, seq) = {_BEST} WHERE t.id = ANY(%s)"
FREE = f"""
    UPDATE frontier_turns AS t SET state = {RESTING}, ready_at = n.until, (cost, seq) = {_BEST}
    FROM unnest(%s::bigint[], %s::float8[]) AS n (id, until) WHERE t.id = n.id
"""
WAKE_TURNS = f"""
    UPDATE frontier_turns SET state = {READY} WHERE id IN (
        SELECT id FROM frontier_turns
        WHERE crawl = %s AND state = {RESTING} AND cost IS NOT NULL AND ready_at <= %s FOR UPDATE SKIP LOCKED)
"""

DUE = f"""
    SELECT turn, FALSE FROM frontier_links WHERE crawl = %(crawl)s AND state = {ASLEEP} AND wake <= %(now)s
    UNION ALL SELECT turn, TRUE FROM (
        SELECT turn, deadline FROM frontier_links WHERE crawl = %(crawl)s AND state = {LEASED} ORDER BY token LIMIT 200
    ) AS oldest WHERE deadline <= %(now)s
"""
WAKE_LINKS = f"""
    UPDATE frontier_links SET state = {WAITING}, wake = 0
    WHERE crawl = %s AND state = {ASLEEP} AND wake <= %s AND turn = ANY(%s)
"""
EXPIRE = f"""
    UPDATE frontier_links SET state = CASE WHEN finished THEN {VISITED} ELSE {WAITING} END, wake = 0
    WHERE crawl = %s AND state = {LEASED} AND turn = ANY(%s) AND (deadline <= %s OR worker = %s)
    RETURNING turn, deadline, finished
"""
HOLDERS = f"SELECT DISTINCT worker FROM frontier_links WHERE crawl = %s AND state = {LEASED}"
OF_WORKER = f"SELECT DISTINCT turn FROM frontier_links WHERE crawl = %s AND state = {LEASED} AND worker = %s"

MET = "SELECT hash, state, cost, seq, distance, turn FROM frontier_links WHERE crawl = %s AND hash = ANY(%s)"
INSERT = f"""
    INSERT INTO frontier_links (crawl, state, hash, turn, cost, seq, distance, url, parent, extra)
    SELECT %s, {WAITING}, * FROM unnest(
        %s::bigint[], %s::bigint[], %s::float8[], %s::bigint[], %s::int[], %s::text[], %s::text[], %s::bytea[])
    ON CONFLICT DO NOTHING RETURNING hash
"""
CHANGE = f"""
    UPDATE frontier_links AS l SET cost = n.cost, seq = n.seq, distance = n.distance
    FROM unnest(%s::bigint[], %s::float8[], %s::bigint[], %s::int[]) AS n (hash, cost, seq, distance)
    WHERE l.crawl = %s AND l.hash = n.hash AND l.state <= {ASLEEP}
"""
EVICT = f"""
    DELETE FROM frontier_links WHERE crawl = %(crawl)s AND hash = ANY(ARRAY(
        SELECT hash FROM frontier_links WHERE crawl = %(crawl)s AND state <= {ASLEEP}
        ORDER BY cost DESC, seq DESC LIMIT %(n)s)) AND state <= {ASLEEP}
    RETURNING cost, seq, url, turn
"""

_CLAIMED = f"""
    UPDATE frontier_links AS l
    SET state = {LEASED}, token = nextval('frontier_tokens'), deadline = %(deadline)s, worker = %(worker)s,
        finished = FALSE
    FROM best WHERE l.crawl = %(crawl)s AND l.hash = best.hash AND l.state = {WAITING}
    RETURNING l.token, l.turn, l.seq, {", ".join("l." + name for name in LINK.split(", "))}
"""
CLAIM_TURNS = f"""
    WITH ready AS MATERIALIZED (
        SELECT id FROM frontier_turns WHERE crawl = %(crawl)s AND state = {READY} AND cost IS NOT NULL
        ORDER BY cost, seq LIMIT %(n)s FOR UPDATE SKIP LOCKED),
    best AS MATERIALIZED (
        SELECT link.hash FROM ready CROSS JOIN LATERAL (
            SELECT hash FROM frontier_links WHERE turn = ready.id AND state = {WAITING} ORDER BY cost, seq LIMIT 1
        ) AS link)
    {_CLAIMED}
"""
CLAIM_LINKS = f"""
    WITH best AS MATERIALIZED (
        SELECT hash FROM frontier_links WHERE turn = %(turn)s AND state = {WAITING}
        ORDER BY cost, seq LIMIT %(n)s FOR UPDATE SKIP LOCKED)
    {_CLAIMED}
"""

LOCK_HELD = f"""
    SELECT id FROM frontier_turns WHERE id IN (
        SELECT turn FROM frontier_links WHERE crawl = %s AND state = {LEASED} AND token = ANY(%s))
    ORDER BY id FOR UPDATE
"""
SETTLE = f"""
    UPDATE frontier_links AS l SET wake = n.retry_at, state = CASE
        WHEN n.retry_at = 0 OR l.finished THEN {VISITED} WHEN n.retry_at > %s THEN {ASLEEP} ELSE {WAITING} END
    FROM unnest(%s::bigint[], %s::float8[]) AS n (token, retry_at)
    WHERE l.crawl = %s AND l.token = n.token AND l.state = {LEASED}
    RETURNING l.token, l.turn, l.state, l.url
"""
FINISH = f"""
    INSERT INTO frontier_links AS l (crawl, hash, url, state)
    SELECT %s, hash, url, {VISITED} FROM unnest(%s::bigint[], %s::text[]) AS n (hash, url) ORDER BY hash
    ON CONFLICT (crawl, hash) DO UPDATE SET finished = TRUE,
        wake = CASE WHEN l.state <= {ASLEEP} THEN -1 ELSE 0 END,
        state = CASE WHEN l.state = {LEASED} THEN {LEASED} ELSE {VISITED} END
    RETURNING turn, wake
"""
"""A `wake` of -1 says that the link waited: only the statement itself knows, others being at work too."""

WORKING = f"""
    SELECT link.url FROM (
        SELECT id FROM frontier_turns WHERE crawl = %(crawl)s AND state = {READY} AND cost IS NOT NULL
        ORDER BY cost, seq LIMIT %(n)s) AS ready
    CROSS JOIN LATERAL (SELECT url FROM frontier_links WHERE turn = ready.id AND state = {WAITING}
        ORDER BY cost, seq LIMIT %(each)s) AS link
    LIMIT %(n)s
"""
READY_TURNS = f"""
    SELECT count(*) FROM (SELECT FROM frontier_turns WHERE crawl = %s AND state = {READY} AND cost IS NOT NULL LIMIT %s)
    AS t
"""
WORKING_LINKS = f"""
    SELECT url FROM frontier_links WHERE turn = %(turn)s AND state = {WAITING} ORDER BY cost, seq LIMIT %(n)s
"""
BEST = f"SELECT {LINK} FROM frontier_links WHERE crawl = %s AND state <= {ASLEEP} ORDER BY cost, seq LIMIT %s"
KNOWN = "SELECT state FROM frontier_links WHERE crawl = %s AND hash = %s"
NEXT_READY = f"""
    SELECT least(
        (SELECT min(CASE state WHEN {READY} THEN '-infinity'::float8 ELSE ready_at END) FROM frontier_turns
         WHERE crawl = %(crawl)s AND cost IS NOT NULL AND state <> {BUSY}),
        (SELECT min(greatest(wake, CASE t.state WHEN {BUSY} THEN 'infinity'::float8
                                   WHEN {RESTING} THEN ready_at ELSE '-infinity' END))
         FROM frontier_links AS l JOIN frontier_turns AS t ON t.id = l.turn
         WHERE l.crawl = %(crawl)s AND l.state = {ASLEEP}))
"""
NEXT_LINK = f"""
    SELECT CASE WHEN EXISTS (SELECT FROM frontier_links WHERE turn = %(turn)s AND state = {WAITING})
        THEN '-infinity'::float8
        ELSE (SELECT min(wake) FROM frontier_links WHERE crawl = %(crawl)s AND state = {ASLEEP}) END
"""
OTHERS = f"""
    SELECT EXISTS (SELECT FROM frontier_turns WHERE crawl = %(crawl)s AND cost IS NOT NULL AND name <> %(name)s
                   AND (state <> {RESTING} OR ready_at <= %(soon)s))
"""
OTHERS_WITHIN = f"""
    SELECT EXISTS (SELECT FROM frontier_turns AS t JOIN frontier_links AS l ON l.turn = t.id
                   WHERE t.crawl = %(crawl)s AND t.name = %(name)s AND l.state = ANY(%(states)s)
                   AND (t.state <> {RESTING} OR ready_at <= %(soon)s) AND split_part(l.url, '/', 3) <> %(host)s)
"""
