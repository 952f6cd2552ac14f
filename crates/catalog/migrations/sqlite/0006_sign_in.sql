-- Signing in: passwords, browser sessions, one-time links, and attempts that failed.

-- The hash is a PHC string, which names its own parameters.
CREATE TABLE password (
    person_id TEXT PRIMARY KEY REFERENCES person (id),
    hash      TEXT NOT NULL,
    changed   BIGINT NOT NULL
);

-- The browser keeps the secret; here is its digest.
CREATE TABLE browser_session (
    id         TEXT PRIMARY KEY,
    digest     TEXT NOT NULL UNIQUE,
    person_id  TEXT NOT NULL REFERENCES person (id),
    created    BIGINT NOT NULL,
    last_used  BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    address    TEXT NOT NULL,
    agent      TEXT NOT NULL
);
CREATE INDEX browser_session_by_person ON browser_session (person_id, id);
CREATE INDEX browser_session_by_use ON browser_session (last_used);

-- A person has one link at most: a new one takes the place of the one before. An invitation belongs to the
-- organisation that made it; a link of the operator to none.
CREATE TABLE password_link (
    person_id  TEXT PRIMARY KEY REFERENCES person (id),
    digest     TEXT NOT NULL UNIQUE,
    org_id     TEXT REFERENCES org (id),
    created    BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

-- Attempts since the last success, also for addresses that belong to nobody: the account is the digest of an address.
CREATE TABLE sign_in_attempt (
    account  TEXT PRIMARY KEY,
    failures BIGINT NOT NULL,
    last_at  BIGINT NOT NULL
);
CREATE INDEX sign_in_attempt_by_time ON sign_in_attempt (last_at);
