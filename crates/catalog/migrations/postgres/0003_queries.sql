-- Queries that were asked to be kept, and what queries have cost.

CREATE TABLE query_history (
    id      TEXT PRIMARY KEY,
    org_id  TEXT NOT NULL REFERENCES org (id),
    kind    TEXT NOT NULL,
    dataset TEXT NOT NULL,
    who     TEXT NOT NULL,
    query   TEXT NOT NULL,
    created BIGINT NOT NULL
);
CREATE INDEX query_history_by_org ON query_history (org_id, created, id);
CREATE INDEX query_history_by_time ON query_history (created);

-- In gigabytes times milliseconds.
CREATE TABLE query_usage (
    org_id TEXT NOT NULL REFERENCES org (id),
    month  TEXT NOT NULL,
    cost   BIGINT NOT NULL,
    PRIMARY KEY (org_id, month)
);
