-- The embedded authorisation server: keys that sign, clients, and what people and machines were granted.
-- Secrets (codes, refresh tokens, device codes, secrets of clients) are digests only; private keys are sealed.

-- Numbered, so that of two nodes that make the next key at once only one can.
CREATE TABLE oauth_key (
    number  BIGINT PRIMARY KEY,
    kid     TEXT NOT NULL UNIQUE,
    public  TEXT NOT NULL,
    private BYTEA NOT NULL,
    created BIGINT NOT NULL,
    begins  BIGINT NOT NULL,
    retires BIGINT
);

-- A client without an organisation registered itself. Clients that are built in have no row.
CREATE TABLE oauth_client (
    id            TEXT PRIMARY KEY,
    org_id        TEXT REFERENCES org (id),
    name          TEXT NOT NULL,
    redirect_uris TEXT NOT NULL,
    grants        TEXT NOT NULL,
    is_public     BOOLEAN NOT NULL,
    capabilities  TEXT NOT NULL,
    digest        TEXT,
    former_digest TEXT,
    former_until  BIGINT,
    created       BIGINT NOT NULL,
    created_by    TEXT NOT NULL,
    modified      BIGINT NOT NULL
);
CREATE INDEX oauth_client_by_org ON oauth_client (org_id, id);

-- A grant of a person has no organisation: it acts wherever the person is a member. One of a machine has no person.
CREATE TABLE oauth_grant (
    id         TEXT PRIMARY KEY,
    client_id  TEXT NOT NULL,
    person_id  TEXT REFERENCES person (id),
    org_id     TEXT REFERENCES org (id),
    scope      TEXT NOT NULL,
    auth_time  BIGINT,
    thumbprint TEXT,
    created    BIGINT NOT NULL,
    last_used  BIGINT NOT NULL,
    ends       BIGINT NOT NULL,
    revoked    BIGINT
);
CREATE INDEX oauth_grant_by_person ON oauth_grant (person_id, id);
CREATE INDEX oauth_grant_by_client ON oauth_grant (client_id);
CREATE INDEX oauth_grant_by_end ON oauth_grant (ends);

-- The grant is made when the code is redeemed; its id is chosen before, so that a replay finds it.
CREATE TABLE oauth_code (
    digest       TEXT PRIMARY KEY,
    grant_id     TEXT NOT NULL,
    client_id    TEXT NOT NULL,
    person_id    TEXT NOT NULL REFERENCES person (id),
    redirect_uri TEXT NOT NULL,
    challenge    TEXT NOT NULL,
    scope        TEXT NOT NULL,
    auth_time    BIGINT NOT NULL,
    thumbprint   TEXT,
    expires      BIGINT NOT NULL,
    used         BIGINT
);
CREATE INDEX oauth_code_by_end ON oauth_code (expires);

-- Used ones are kept for as long as their grant, because their reuse ends it.
CREATE TABLE oauth_refresh (
    digest   TEXT PRIMARY KEY,
    grant_id TEXT NOT NULL REFERENCES oauth_grant (id),
    expires  BIGINT NOT NULL,
    used     BIGINT
);
CREATE INDEX oauth_refresh_by_grant ON oauth_refresh (grant_id);

CREATE TABLE oauth_device (
    digest           TEXT PRIMARY KEY,
    user_code        TEXT NOT NULL UNIQUE,
    client_id        TEXT NOT NULL,
    scope            TEXT NOT NULL,
    status           TEXT NOT NULL,
    person_id        TEXT REFERENCES person (id),
    auth_time        BIGINT,
    expires          BIGINT NOT NULL,
    interval_seconds BIGINT NOT NULL,
    polled           BIGINT
);
CREATE INDEX oauth_device_by_end ON oauth_device (expires);

-- What a person has allowed a client before, so that they are not asked again.
CREATE TABLE oauth_consent (
    person_id TEXT NOT NULL REFERENCES person (id),
    client_id TEXT NOT NULL,
    scope     TEXT NOT NULL,
    created   BIGINT NOT NULL,
    PRIMARY KEY (person_id, client_id)
);
