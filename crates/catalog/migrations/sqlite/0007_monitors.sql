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
