-- The watch over monitors: when each is due, who runs it, in which state it is, and what its runs have found.

-- One row for each monitor, made when a node first looks for due ones. `revision` is that of the definition which `due_at`
-- was computed from: another one makes the monitor due, so that its schedule is made anew.
CREATE TABLE monitor_watch (
    monitor_id  TEXT PRIMARY KEY REFERENCES monitor (id) ON DELETE CASCADE,
    org_id      TEXT NOT NULL REFERENCES org (id),
    due_at      BIGINT NOT NULL,
    revision    BIGINT NOT NULL,
    last_run    BIGINT,
    state       TEXT NOT NULL,
    lease_owner TEXT NOT NULL,
    lease_until BIGINT NOT NULL
);
CREATE INDEX monitor_watch_by_due ON monitor_watch (due_at);

-- What runs have found. The row with an empty group key is about the whole run; others are about single groups.
-- `at` is the time that the run was for, `state` is open or closed, `outcome` is judged, no_data or failed.
CREATE TABLE monitor_check (
    check_id     TEXT PRIMARY KEY,
    monitor_id   TEXT NOT NULL REFERENCES monitor (id) ON DELETE CASCADE,
    org_id       TEXT NOT NULL REFERENCES org (id),
    at           BIGINT NOT NULL,
    finished     BIGINT NOT NULL,
    window_start BIGINT NOT NULL,
    window_end   BIGINT NOT NULL,
    group_key    TEXT NOT NULL,
    state        TEXT NOT NULL,
    outcome      TEXT NOT NULL,
    is_change    BOOLEAN NOT NULL,
    value        REAL,
    reason       TEXT NOT NULL,
    missed       BIGINT NOT NULL,
    cost         BIGINT NOT NULL
);
CREATE INDEX monitor_check_by_time ON monitor_check (monitor_id, at, check_id);
CREATE INDEX monitor_check_by_age ON monitor_check (is_change, at);
