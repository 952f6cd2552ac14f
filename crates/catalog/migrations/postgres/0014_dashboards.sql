-- Dashboards: documents of callers, kept as JSON text, and how they were before.

-- The uid is what callers name a dashboard by. The owner is the one person who sees it, and empty for the whole
-- organisation. The version grows with each change.
CREATE TABLE dashboard (
    id          TEXT PRIMARY KEY,
    org_id      TEXT NOT NULL REFERENCES org (id),
    uid         TEXT NOT NULL,
    name        TEXT NOT NULL,
    owner       TEXT NOT NULL,
    document    TEXT NOT NULL,
    version     BIGINT NOT NULL,
    created     BIGINT NOT NULL,
    created_by  TEXT NOT NULL,
    modified    BIGINT NOT NULL,
    modified_by TEXT NOT NULL,
    UNIQUE (org_id, uid)
);
CREATE INDEX dashboard_by_org ON dashboard (org_id, id);

-- The present version is here too. The bytes are those of the document.
CREATE TABLE dashboard_version (
    dashboard_id TEXT NOT NULL REFERENCES dashboard (id) ON DELETE CASCADE,
    version      BIGINT NOT NULL,
    document     TEXT NOT NULL,
    bytes        BIGINT NOT NULL,
    message      TEXT NOT NULL,
    created      BIGINT NOT NULL,
    created_by   TEXT NOT NULL,
    PRIMARY KEY (dashboard_id, version)
);
