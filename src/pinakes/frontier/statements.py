"""What is said to the frontier's tables in PostgreSQL.

Turns are locked before links of theirs, and several in the order of their numbers; claims never wait. So nobody waits
in a circle, but for the rare final address that is another's link: there workers give way and try again. What is
to be found under a lock is found by a statement that begins after it was taken, which sees what whoever held it before
has left.
"""

from __future__ import annotations

from pinakes.frontier.tables import ASLEEP, BUSY, LEASED, READY, RESTING, VISITED, WAITING

COUNT = """
    INSERT INTO frontier_counts AS c VALUES (%s, %s, %s, %s, %s) ON CONFLICT (crawl, worker) DO UPDATE
    SET waiting = c.waiting + excluded.waiting, leased = c.leased + excluded.leased, seq = greatest(c.seq, excluded.seq)
"""
COUNTED = """
    SELECT coalesce(sum(waiting), 0)::bigint, coalesce(sum(leased), 0)::bigint, coalesce(max(seq), 0)
    FROM frontier_counts WHERE crawl = %s
"""
RECOUNT = f"""
    SELECT coalesce(sum(waiting), 0)::bigint, coalesce(sum(leased), 0)::bigint,
        (SELECT count(*) FROM frontier_links WHERE crawl = %(crawl)s AND state <= {ASLEEP})
    FROM frontier_counts WHERE crawl = %(crawl)s
"""

_NOT_LEASED = "NOT EXISTS (SELECT FROM frontier_leases AS e WHERE e.crawl = l.crawl AND e.hash = l.hash)"

# -- turns -------------------------------------------------------------------------------------------------------

LOCK_TURNS = "SELECT id FROM frontier_turns WHERE id = ANY(%s::bigint[]) ORDER BY id FOR UPDATE"
TRY_TURNS = "SELECT id FROM frontier_turns WHERE id = ANY(%s::bigint[]) ORDER BY id FOR UPDATE SKIP LOCKED"
LOCK_HELD = """
    SELECT id FROM frontier_turns WHERE id = ANY(ARRAY(
        SELECT turn FROM frontier_leases WHERE crawl = %s AND token = ANY(%s::bigint[])))
    ORDER BY id FOR UPDATE
"""
MAKE_TURNS = """
    WITH made AS (
        INSERT INTO frontier_names SELECT %(crawl)s, name, nextval(pg_get_serial_sequence('frontier_turns', 'id'))
        FROM unnest(%(names)s::text[]) AS name ORDER BY name ON CONFLICT DO NOTHING RETURNING turn)
    INSERT INTO frontier_turns (id, crawl) OVERRIDING SYSTEM VALUE SELECT turn, %(crawl)s FROM made
"""
FIND_TURNS = "SELECT name, turn FROM frontier_names WHERE crawl = %s AND name = ANY(%s::text[])"
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
REOFFER = f"""
    UPDATE frontier_turns AS t SET (cost, seq) = {_BEST.replace("ORDER", f"AND {_NOT_LEASED} ORDER")}
    WHERE t.id = ANY(%s::bigint[])
"""
"""Links went, or changed: find the best anew."""
FREE = f"""
    UPDATE frontier_turns AS t SET state = {RESTING}, ready_at = n.until, (cost, seq) = {_BEST}
    FROM unnest(%s::bigint[], %s::float8[]) AS n (id, until) WHERE t.id = n.id
"""
WAKE_TURNS = f"""
    UPDATE frontier_turns SET state = {READY} WHERE id = ANY(ARRAY(
        SELECT id FROM frontier_turns
        WHERE crawl = %s AND state = {RESTING} AND cost IS NOT NULL AND ready_at <= %s FOR UPDATE SKIP LOCKED))
"""

# -- links come --------------------------------------------------------------------------------------------------

LINK = "url, parent, distance, cost, extra"
MET = f"""
    SELECT l.hash, CASE WHEN e.token IS NULL THEN l.state ELSE {LEASED} END, l.cost, l.seq, l.distance, l.turn
    FROM frontier_links AS l LEFT JOIN frontier_leases AS e ON e.crawl = l.crawl AND e.hash = l.hash
    WHERE l.crawl = %s AND l.hash = ANY(%s::bigint[])
"""
INSERT = f"""
    INSERT INTO frontier_links (crawl, state, hash, turn, cost, seq, distance, url, parent, extra)
    SELECT %s, {WAITING}, * FROM unnest(
        %s::bigint[], %s::bigint[], %s::float8[], %s::bigint[], %s::int[], %s::text[], %s::text[], %s::bytea[])
    ON CONFLICT DO NOTHING RETURNING hash
"""
CHANGE = f"""
    WITH free AS MATERIALIZED (
        SELECT n.* FROM unnest(%(keys)s::bigint[], %(costs)s::float8[], %(seqs)s::bigint[], %(distances)s::int[])
            AS n (hash, cost, seq, distance)
        JOIN frontier_links AS l ON l.crawl = %(crawl)s AND l.hash = n.hash AND l.state <= {ASLEEP}
        FOR UPDATE OF l SKIP LOCKED)
    UPDATE frontier_links AS l SET cost = free.cost, seq = free.seq, distance = free.distance
    FROM free WHERE l.crawl = %(crawl)s AND l.hash = free.hash
"""
"""A link that somebody has in hand this moment needs no other price."""
WORST_LINKS = f"""
    SELECT hash, turn FROM frontier_links AS l WHERE crawl = %s AND state <= {ASLEEP} AND {_NOT_LEASED}
    ORDER BY cost DESC, seq DESC LIMIT %s
"""
EVICT = f"""
    WITH free AS MATERIALIZED (
        SELECT crawl, hash FROM frontier_links AS l WHERE crawl = %s AND hash = ANY(%s::bigint[])
        AND state <= {ASLEEP} AND {_NOT_LEASED} FOR UPDATE OF l SKIP LOCKED)
    DELETE FROM frontier_links AS l USING free WHERE l.crawl = free.crawl AND l.hash = free.hash
    RETURNING cost, seq, url, turn
"""

# -- links go ----------------------------------------------------------------------------------------------------

_LEASE = """
    INSERT INTO frontier_leases (crawl, turn, hash, worker, deadline)
    SELECT %(crawl)s, turn, hash, %(worker)s, %(deadline)s FROM best ORDER BY cost, seq RETURNING token, hash
"""
CLAIM_TURNS = f"""
    WITH ready AS MATERIALIZED (
        SELECT id, xmin FROM frontier_turns WHERE crawl = %(crawl)s AND state = {READY} AND cost IS NOT NULL
        ORDER BY cost, seq LIMIT %(n)s FOR UPDATE SKIP LOCKED),
    best AS MATERIALIZED (
        SELECT link.* FROM ready JOIN frontier_turns AS seen ON seen.id = ready.id AND seen.xmin = ready.xmin
        CROSS JOIN LATERAL (
            SELECT turn, hash, seq, {LINK} FROM frontier_links WHERE turn = ready.id AND state = {WAITING}
            ORDER BY cost, seq LIMIT 1) AS link),
    leased AS ({_LEASE}),
    taken AS (UPDATE frontier_turns AS t SET state = {BUSY}, (cost, seq) = (
            SELECT l.cost, l.seq FROM frontier_links AS l WHERE l.turn = t.id AND l.state = {WAITING}
            ORDER BY l.cost, l.seq LIMIT 1 OFFSET 1)
        FROM best WHERE t.id = best.turn)
    SELECT token, {LINK} FROM leased JOIN best USING (hash) ORDER BY cost, seq
"""
"""`seen` is a turn as it was when the statement began, and so were its links: of a turn that somebody else had in hand
since then, nothing is taken this time."""
CLAIM_LINKS = f"""
    WITH first AS MATERIALIZED (
        SELECT hash FROM frontier_links WHERE turn = %(turn)s AND state = {WAITING}
        ORDER BY cost, seq LIMIT %(n)s FOR UPDATE SKIP LOCKED),
    best AS (UPDATE frontier_links AS l SET state = {LEASED} FROM first
        WHERE l.crawl = %(crawl)s AND l.hash = first.hash AND l.state = {WAITING}
        RETURNING l.turn, l.hash, l.seq, {", ".join("l." + name for name in LINK.split(", "))}),
    leased AS ({_LEASE})
    SELECT token, {LINK} FROM leased JOIN best USING (hash) ORDER BY cost, seq
"""
SETTLE = f"""
    WITH ended AS (
        DELETE FROM frontier_leases AS e USING unnest(%(tokens)s::bigint[], %(times)s::float8[]) AS n (token, retry_at)
        WHERE e.crawl = %(crawl)s AND e.token = n.token RETURNING e.token, e.hash, e.finished, n.retry_at)
    UPDATE frontier_links AS l SET wake = CASE WHEN l.state = {VISITED} THEN -1 ELSE retry_at END, state = CASE
        WHEN retry_at = 0 OR finished OR l.state = {VISITED} THEN {VISITED}
        WHEN retry_at > %(now)s THEN {ASLEEP} ELSE {WAITING} END
    FROM ended WHERE l.crawl = %(crawl)s AND l.hash = ended.hash
    RETURNING ended.token, l.turn, l.state, l.url, finished OR l.wake < 0
"""
"""A `wake` of -1 says that the link was another's final address before: only the statement itself knows."""
FINISH_LEASED = """
    UPDATE frontier_leases SET finished = TRUE WHERE crawl = %s AND hash = ANY(%s::bigint[]) RETURNING hash
"""
FINISH = f"""
    INSERT INTO frontier_links AS l (crawl, hash, url, state)
    SELECT %s, hash, url, {VISITED} FROM unnest(%s::bigint[], %s::text[]) AS n (hash, url) ORDER BY hash
    ON CONFLICT (crawl, hash) DO UPDATE SET state = {VISITED}, wake = CASE WHEN l.state <= {ASLEEP} THEN -1 ELSE 0 END
    RETURNING turn, wake
"""
"""A `wake` of -1 says that the link waited: only the statement itself knows, others being at work too."""

DUE = f"""
    SELECT turn, FALSE FROM frontier_links WHERE crawl = %(crawl)s AND state = {ASLEEP} AND wake <= %(now)s
    UNION ALL SELECT turn, TRUE FROM (
        SELECT turn, deadline FROM frontier_leases WHERE crawl = %(crawl)s ORDER BY token LIMIT 200
    ) AS oldest WHERE deadline <= %(now)s
"""
WAKE_LINKS = f"""
    UPDATE frontier_links SET state = {WAITING}, wake = 0
    WHERE crawl = %s AND state = {ASLEEP} AND wake <= %s AND turn = ANY(%s::bigint[])
"""
EXPIRE = f"""
    WITH ended AS (
        DELETE FROM frontier_leases WHERE crawl = %(crawl)s AND turn = ANY(%(turns)s::bigint[])
        AND (deadline <= %(late)s OR worker = %(worker)s) RETURNING turn, hash, deadline, finished),
    back AS (UPDATE frontier_links AS l SET wake = 0, state = CASE WHEN finished THEN {VISITED} ELSE {WAITING} END
        FROM ended WHERE l.crawl = %(crawl)s AND l.hash = ended.hash AND (finished OR l.state = {LEASED}))
    SELECT turn, deadline, finished FROM ended
"""
HOLDERS = "SELECT DISTINCT worker FROM frontier_leases WHERE crawl = %s"
OF_WORKER = "SELECT DISTINCT turn FROM frontier_leases WHERE crawl = %s AND worker = %s"

# -- questions ---------------------------------------------------------------------------------------------------

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
BEST = f"""
    SELECT {LINK} FROM frontier_links AS l WHERE crawl = %s AND state <= {ASLEEP} AND {_NOT_LEASED}
    ORDER BY cost, seq LIMIT %s
"""
KNOWN = f"""
    SELECT CASE WHEN {_NOT_LEASED} THEN state ELSE {LEASED} END FROM frontier_links AS l WHERE crawl = %s AND hash = %s
"""
NEXT_READY = f"""
    SELECT CASE WHEN EXISTS (SELECT FROM frontier_turns
                             WHERE crawl = %(crawl)s AND state = {READY} AND cost IS NOT NULL)
        THEN '-infinity'::float8 ELSE least(
            (SELECT min(ready_at) FROM frontier_turns
             WHERE crawl = %(crawl)s AND state = {RESTING} AND cost IS NOT NULL),
            (SELECT min(greatest(wake, CASE t.state WHEN {BUSY} THEN 'infinity'::float8
                                       WHEN {RESTING} THEN ready_at ELSE '-infinity' END))
             FROM frontier_links AS l JOIN frontier_turns AS t ON t.id = l.turn
             WHERE l.crawl = %(crawl)s AND l.state = {ASLEEP})) END
"""
NEXT_LINK = f"""
    SELECT CASE WHEN EXISTS (SELECT FROM frontier_links WHERE turn = %(turn)s AND state = {WAITING})
        THEN '-infinity'::float8
        ELSE (SELECT min(wake) FROM frontier_links WHERE crawl = %(crawl)s AND state = {ASLEEP}) END
"""
OTHERS = f"""
    SELECT EXISTS (SELECT FROM frontier_turns WHERE crawl = %(crawl)s AND cost IS NOT NULL AND id <> %(turn)s
                   AND (state <> {RESTING} OR ready_at <= %(soon)s))
"""
OTHERS_WITHIN = f"""
    SELECT EXISTS (SELECT FROM frontier_turns AS t JOIN frontier_links AS l ON l.turn = t.id
                   WHERE t.id = %(turn)s AND l.state = ANY(%(states)s) AND {_NOT_LEASED}
                   AND (t.state <> {RESTING} OR ready_at <= %(soon)s) AND split_part(l.url, '/', 3) <> %(host)s)
"""
