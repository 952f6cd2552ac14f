-- Organisations and people, tokens, notifiers, starred queries, audit.
-- Times are microseconds since 1970 in UTC; documents are JSON text; ids are text with a prefix.

CREATE TABLE installation (
    name  TEXT PRIMARY KEY,
    value BYTEA NOT NULL
);

CREATE TABLE org (
    id                   TEXT PRIMARY KEY,
    name                 TEXT NOT NULL,
    primary_email        TEXT NOT NULL,
    plan                 TEXT NOT NULL,
    plan_created         BIGINT NOT NULL,
    payment_status       TEXT NOT NULL,
    first_failed_payment BIGINT,
    last_usage_sync      BIGINT NOT NULL,
    default_region       TEXT NOT NULL,
    licence              TEXT NOT NULL,
    created              BIGINT NOT NULL,
    modified             BIGINT NOT NULL,
    version              BIGINT NOT NULL
);

CREATE TABLE person (
    id      TEXT PRIMARY KEY,
    email   TEXT NOT NULL UNIQUE,
    name    TEXT NOT NULL,
    created BIGINT NOT NULL
);

-- A person is a member from the moment they are added, but it is accepted only once they have acted on it: until
-- then it does not change what their token means.
CREATE TABLE membership (
    org_id    TEXT NOT NULL REFERENCES org (id),
    person_id TEXT NOT NULL REFERENCES person (id),
    role      TEXT NOT NULL,
    created   BIGINT NOT NULL,
    accepted  BIGINT,
    PRIMARY KEY (org_id, person_id)
);
CREATE INDEX membership_by_person ON membership (person_id);

-- A personal token has no organisation: it acts wherever its person is a member.
CREATE TABLE token (
    id           TEXT PRIMARY KEY,
    kind         TEXT NOT NULL,
    digest       TEXT NOT NULL UNIQUE,
    org_id       TEXT REFERENCES org (id),
    person_id    TEXT NOT NULL REFERENCES person (id),
    name         TEXT NOT NULL,
    description  TEXT NOT NULL,
    capabilities TEXT NOT NULL,
    created      BIGINT NOT NULL,
    expires_at   BIGINT,
    last_used_at BIGINT
);
CREATE INDEX token_by_org ON token (org_id, id);
CREATE INDEX token_by_person ON token (person_id, id);

-- The properties hold secrets and are sealed with a key that is kept outside the database.
CREATE TABLE notifier (
    id                  TEXT PRIMARY KEY,
    org_id              TEXT NOT NULL REFERENCES org (id),
    name                TEXT NOT NULL,
    channel             TEXT NOT NULL,
    properties          BYTEA NOT NULL,
    disabled_until      BIGINT,
    disabled_until_text TEXT,
    created             BIGINT NOT NULL,
    created_by          TEXT NOT NULL,
    modified            BIGINT NOT NULL
);
CREATE INDEX notifier_by_org ON notifier (org_id, id);

CREATE TABLE starred_query (
    id         TEXT PRIMARY KEY,
    org_id     TEXT NOT NULL REFERENCES org (id),
    kind       TEXT NOT NULL,
    name       TEXT NOT NULL,
    who        TEXT NOT NULL,
    dataset    TEXT NOT NULL,
    metadata   TEXT NOT NULL,
    query      TEXT NOT NULL,
    searched   TEXT NOT NULL,
    created    BIGINT NOT NULL,
    created_by TEXT NOT NULL,
    modified   BIGINT NOT NULL
);
CREATE INDEX starred_query_by_org ON starred_query (org_id, id);

-- Refused calls whose token is not known belong to no organisation.
CREATE TABLE audit (
    seq        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    org_id     TEXT,
    at         BIGINT NOT NULL,
    actor      TEXT NOT NULL,
    action     TEXT NOT NULL,
    resource   TEXT NOT NULL,
    outcome    TEXT NOT NULL,
    detail     TEXT NOT NULL,
    request_id TEXT NOT NULL,
    times      BIGINT NOT NULL
);
CREATE INDEX audit_by_org ON audit (COALESCE(org_id, ''), seq);
CREATE INDEX audit_by_time ON audit (COALESCE(org_id, ''), at);
