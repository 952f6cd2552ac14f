-- What people want to be told about, and what they note on events.

-- The definition is JSON text. What is read is what a run may read, settled when the query was saved: names of datasets
-- and of views, as JSON lists. The revision grows with each change.
CREATE TABLE monitor (
    id             TEXT PRIMARY KEY,
    org_id         TEXT NOT NULL REFERENCES org (id),
    name           TEXT NOT NULL,
    definition     TEXT NOT NULL,
    datasets       TEXT NOT NULL,
    views          TEXT NOT NULL,
    is_disabled    BOOLEAN NOT NULL,
    disabled_until BIGINT,
    revision       BIGINT NOT NULL,
    created        BIGINT NOT NULL,
    created_by     TEXT NOT NULL,
    modified       BIGINT NOT NULL
);
CREATE INDEX monitor_by_org ON monitor (org_id, id);

-- The datasets are a JSON list of names, which may be those of datasets that are gone. The monitor is the one whose
-- trigger made the annotation.
CREATE TABLE annotation (
    id          TEXT PRIMARY KEY,
    org_id      TEXT NOT NULL REFERENCES org (id),
    datasets    TEXT NOT NULL,
    at          BIGINT NOT NULL,
    end_at      BIGINT,
    kind        TEXT NOT NULL,
    title       TEXT NOT NULL,
    description TEXT NOT NULL,
    url         TEXT NOT NULL,
    monitor_id  TEXT,
    created     BIGINT NOT NULL,
    created_by  TEXT NOT NULL,
    modified    BIGINT NOT NULL
);
CREATE INDEX annotation_by_time ON annotation (org_id, at, id);
CREATE INDEX annotation_by_monitor ON annotation (monitor_id, at, id);

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
    value        DOUBLE PRECISION,
    reason       TEXT NOT NULL,
    missed       BIGINT NOT NULL,
    cost         BIGINT NOT NULL
);
CREATE INDEX monitor_check_by_time ON monitor_check (monitor_id, at, check_id);
CREATE INDEX monitor_check_by_age ON monitor_check (is_change, at);

-- The outbox: messages on their way to notifiers, and every attempt to send one.

-- `created` with `id` is the order of the messages of an incident. `failures` and `began` are of the present round:
-- sending a message again by hand begins a new one, while `attempts` counts all of them.
CREATE TABLE delivery (
    id          TEXT PRIMARY KEY,
    org_id      TEXT NOT NULL REFERENCES org (id),
    notifier_id TEXT NOT NULL REFERENCES notifier (id) ON DELETE CASCADE,
    incident    TEXT NOT NULL,
    message     TEXT NOT NULL,
    state       TEXT NOT NULL,
    attempts    BIGINT NOT NULL,
    failures    BIGINT NOT NULL,
    next_at     BIGINT NOT NULL,
    lease_until BIGINT NOT NULL,
    lease_owner TEXT NOT NULL,
    created     BIGINT NOT NULL,
    began       BIGINT NOT NULL,
    finished    BIGINT
);
CREATE INDEX delivery_by_notifier ON delivery (notifier_id, created, id);
CREATE INDEX delivery_waiting ON delivery (state, next_at);
CREATE INDEX delivery_in_line ON delivery (notifier_id, state, incident, created, id);
CREATE INDEX delivery_by_end ON delivery (finished);

CREATE TABLE delivery_attempt (
    delivery_id TEXT NOT NULL REFERENCES delivery (id) ON DELETE CASCADE,
    number      BIGINT NOT NULL,
    at          BIGINT NOT NULL,
    latency     BIGINT NOT NULL,
    status      BIGINT,
    error       TEXT,
    PRIMARY KEY (delivery_id, number)
);
