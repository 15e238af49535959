"""The tables of a ledger, and every statement that is made of them."""

# ruff: noqa: S608 - statements are made of the constants of this module and of column names alone

from __future__ import annotations

from crawler.store.ledger.hints import HINT_COLUMNS
from crawler.store.ledger.rows import ROW_COLUMNS, STATES
from crawler.store.ledger.versions import PART_HASH, VERSION_COLUMNS

QUEUED, FETCHING, FETCHED, GONE, REFUSED, FAILED = range(len(STATES))
# A partial index is taken only where its own condition stands in the query.
UNSETTLED = f"state NOT IN ({QUEUED}, {FETCHED})"

# Times are seconds since 1970, UTC. ``state`` and ``found_by`` are places in the tuples of
# ledgerrows. What is not known is NULL, which takes no room.
TABLES = """
CREATE TABLE pages (
    key INTEGER PRIMARY KEY,
    address TEXT NOT NULL,
    state INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    priority INTEGER,
    depth INTEGER NOT NULL,
    found_by INTEGER NOT NULL,
    found_at INTEGER NOT NULL,
    in_sitemap INTEGER,
    kind TEXT,
    listed TEXT,
    title TEXT,
    canonical TEXT,
    reason TEXT,
    tries INTEGER NOT NULL DEFAULT 0,
    asked_at INTEGER,
    fetched_at INTEGER,
    changed_at INTEGER,
    status INTEGER,
    etag TEXT,
    last_modified TEXT,
    content TEXT,
    previous TEXT,
    near INTEGER,
    hinted INTEGER NOT NULL DEFAULT 0,
    owed INTEGER NOT NULL DEFAULT 0,
    retracted INTEGER NOT NULL DEFAULT 0,
    exported TEXT,
    exported_run INTEGER
);
CREATE INDEX queue ON pages (turn, priority DESC, depth) WHERE state = 0;
CREATE INDEX unsettled ON pages (state) WHERE state NOT IN (0, 2);
CREATE INDEX hinted ON pages (hinted) WHERE hinted = 1;
CREATE INDEX owed ON pages (owed) WHERE owed = 1;
CREATE INDEX retracted ON pages (retracted) WHERE retracted = 1;
CREATE TABLE runs (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    started INTEGER NOT NULL,
    ended INTEGER,
    reason TEXT,
    figures TEXT
);
CREATE TABLE parts (
    run INTEGER NOT NULL,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    begun INTEGER NOT NULL,
    finished INTEGER,
    pages INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (run, number)
) WITHOUT ROWID;
CREATE TABLE part_pages (
    run INTEGER NOT NULL,
    part INTEGER NOT NULL,
    key INTEGER NOT NULL,
    content TEXT NOT NULL,
    exported TEXT NOT NULL,
    PRIMARY KEY (run, part, key)
) WITHOUT ROWID;
"""

ADDRESS_AT = "SELECT address FROM pages WHERE key = ?"
ROW_AT = f"SELECT {ROW_COLUMNS} FROM pages WHERE key = ?"
KNOWN = f"SELECT {HINT_COLUMNS}, tries, fetched_at, in_sitemap FROM pages WHERE key = ?"
ADD = f"""
INSERT INTO pages (key, address, state, turn, found_by, found_at, in_sitemap, {HINT_COLUMNS})
VALUES (?, ?, {QUEUED}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
HINT = f"""
UPDATE pages SET turn = ?, hinted = hinted OR ?, ({HINT_COLUMNS}) = (?, ?, ?, ?, ?, ?) WHERE key = ?
"""
LIST = "UPDATE pages SET in_sitemap = ? WHERE key = ?"
NEXT_TURN = f"SELECT min(turn) FROM pages INDEXED BY queue WHERE state = {QUEUED} AND turn > ?"
_OF_TURN = f"SELECT {ROW_COLUMNS} FROM pages INDEXED BY queue WHERE state = {QUEUED} AND turn = ?"
DATED = f"{_OF_TURN} AND priority >= ? AND priority < ? ORDER BY priority DESC, depth, key LIMIT ?"
UNDATED = f"{_OF_TURN} AND priority IS NULL ORDER BY depth, key LIMIT ?"
PENDING = f"""
SELECT (SELECT count(*) FROM pages INDEXED BY queue WHERE state = {QUEUED})
    + (SELECT count(*) FROM pages WHERE {UNSETTLED} AND state = {FETCHING})
"""
BEGIN_FETCHING = f"UPDATE pages SET state = {FETCHING} WHERE key = ?"
RESET = f"UPDATE pages SET state = {QUEUED} WHERE {UNSETTLED} AND state = {FETCHING}"
VERSION = f"SELECT {VERSION_COLUMNS}, state, exported FROM pages WHERE key = ?"
SETTLE = f"""
UPDATE pages SET state = ?, turn = ?, tries = 0, reason = NULL, hinted = 0, asked_at = ?,
    fetched_at = ?, changed_at = CASE WHEN ? THEN ? ELSE changed_at END, status = ?,
    ({VERSION_COLUMNS}) = (?, ?, ?, ?, ?, ?, ?, ?)
WHERE key = ?
"""
_REQUEUE = (
    f"UPDATE pages SET state = {QUEUED}, tries = 0, reason = NULL, turn = turn_of(kind, 0) WHERE"
)
REQUEUE_ONE = f"{_REQUEUE} key = ?"
REQUEUE_HINTED = f"{_REQUEUE} hinted = 1 AND state NOT IN ({QUEUED}, {FETCHING})"
_SETTLED = f"state IN ({FETCHED}, {GONE})"
RETRY_FAILED = f"""
UPDATE pages SET state = {QUEUED}, turn = turn_of(kind, tries)
WHERE {UNSETTLED} AND state = {FAILED}
    AND (tries <= ? OR 2 * (? - asked_at) >= asked_at - found_at)
"""
REQUEUE_REFUSED = f"{_REQUEUE} {UNSETTLED} AND state = {REFUSED} AND reason = ?"
DUE = f"""
SELECT address FROM pages
WHERE {_SETTLED} AND hinted = 0 AND exported IS NOT NULL AND exported <> '{PART_HASH}'
    AND asked_at < ?
    AND ? - asked_at >= ? * (asked_at - changed_at)
ORDER BY changed_at DESC, key LIMIT ?
"""
IN_SITEMAP = f"""
SELECT key, address FROM pages
WHERE state = {FETCHED} AND in_sitemap = 1 AND exported IS NOT NULL AND key >= ?
ORDER BY key LIMIT ?
"""
DESCRIBE = "UPDATE pages SET kind = coalesce(?, kind), near = coalesce(?, near) WHERE key = ?"
OWE = "UPDATE pages SET owed = 1 WHERE key = ?"
WRITE_OFF = "UPDATE pages SET owed = 0, retracted = 0 WHERE key = ?"
# Without its validators a page that is an article again comes whole.
RETRACT = """
UPDATE pages SET owed = 0, retracted = exported IS NOT NULL,
    etag = CASE WHEN exported IS NULL THEN etag END,
    last_modified = CASE WHEN exported IS NULL THEN last_modified END
WHERE key = ?
"""
FETCHED_SINCE = f"""
SELECT count(*) FROM pages
WHERE state = {FETCHED} AND fetched_at >= ? AND status BETWEEN 200 AND 299
"""
COUNT = "SELECT state, count(*), count(exported), sum(owed) FROM pages GROUP BY state"
VALIDATORS = "SELECT etag, last_modified, owed FROM pages WHERE key = ?"
TRIES = "SELECT kind, tries FROM pages WHERE key = ?"
UNANSWERED = """
UPDATE pages SET state = ?, turn = ?, tries = ?, reason = ?, asked_at = ?, status = ?,
    canonical = coalesce(?, canonical)
WHERE key = ?
"""

BEGIN_RUN = "INSERT INTO runs (id, started) VALUES (?, ?) ON CONFLICT DO NOTHING"
REOPEN_RUN = "UPDATE runs SET ended = NULL, reason = NULL WHERE id = ?"
END_RUN = "UPDATE runs SET ended = ?, reason = ?, figures = ? WHERE number = ?"
RUNS = "SELECT id, started, ended, reason, figures FROM runs ORDER BY number"
RUN_NUMBER = "SELECT number FROM runs WHERE id = ?"
NEXT_PART = "SELECT coalesce(max(number), 0) + 1 FROM parts WHERE run = ?"
BEGIN_PART = "INSERT INTO parts (run, number, name, begun) VALUES (?, ?, ?, ?)"
PART = "SELECT finished, pages FROM parts WHERE run = ? AND number = ?"
PARTS = """
SELECT runs.id, parts.number, parts.name, parts.begun, parts.finished,
    CASE WHEN parts.finished IS NULL
    THEN (SELECT count(*) FROM part_pages WHERE run = parts.run AND part = parts.number)
    ELSE parts.pages END
FROM parts JOIN runs ON runs.number = parts.run
WHERE parts.finished IS NULL OR NOT ?
ORDER BY parts.run, parts.number
"""
EXPORT = """
INSERT OR REPLACE INTO part_pages (run, part, key, content, exported)
SELECT ?, ?, key, coalesce(content, ''), ? FROM pages WHERE key = ?
"""
PART_PAGES = "SELECT key, content, exported FROM part_pages WHERE run = ? AND part = ?"
EXPORTED = (
    "UPDATE pages SET exported_run = ?, exported = ?, owed = owed AND content <> ?, retracted = 0 "
    "WHERE key = ?"
)
DROP_PAGES = "DELETE FROM part_pages WHERE run = ? AND part = ?"
FINISH_PART = "UPDATE parts SET finished = ?, pages = ? WHERE run = ? AND number = ?"
LATEST_RUN = "SELECT max(max(started), coalesce(max(ended), 0)) FROM runs"
CLAMP_RUNS = "UPDATE runs SET started = min(started, ?1), ended = min(ended, ?1)"
CLAMP_PAGES = """
UPDATE pages SET found_at = min(found_at, ?1), asked_at = min(asked_at, ?1),
    fetched_at = min(fetched_at, ?1), changed_at = min(changed_at, ?1)
WHERE found_at > ?1 OR asked_at > ?1 OR fetched_at > ?1 OR changed_at > ?1
"""
OPEN_RUNS = "SELECT id, started FROM runs WHERE ended IS NULL ORDER BY number"
DROP_PART = "DELETE FROM parts WHERE run = ? AND number = ?"


def pages_in_order(choice: str) -> str:
    """Return the statement that reads some pages from a key on, in the order of their keys."""
    return f"SELECT key, {ROW_COLUMNS} FROM pages {choice} key >= ? ORDER BY key LIMIT ?"
