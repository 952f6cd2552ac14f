-- An endpoint is where some senders send to: by an address that only they know, of which the digest is kept, or by a
-- listener of the settings. What came in by it is counted beside it, so that a person sees why events do not arrive.
CREATE TABLE endpoint (
    id            TEXT PRIMARY KEY,
    org_id        TEXT NOT NULL REFERENCES org (id),
    name          TEXT NOT NULL,
    kind          TEXT NOT NULL,
    dataset       TEXT NOT NULL,
    labels        TEXT NOT NULL,
    digest        TEXT NOT NULL UNIQUE,
    created       BIGINT NOT NULL,
    created_by    TEXT NOT NULL,
    modified      BIGINT NOT NULL,
    events        BIGINT NOT NULL DEFAULT 0,
    bytes         BIGINT NOT NULL DEFAULT 0,
    failures      BIGINT NOT NULL DEFAULT 0,
    last_event    BIGINT,
    last_error    TEXT,
    last_error_at BIGINT
);
CREATE INDEX endpoint_by_org ON endpoint (org_id, id);
