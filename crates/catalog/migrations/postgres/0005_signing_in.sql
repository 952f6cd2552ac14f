-- Signing in: custom roles and groups, passwords and sessions, the embedded authorisation server, and who people are
-- at other ones.

-- Custom roles of organisations, and groups of people. Who is removed from an organisation leaves both.

CREATE TABLE custom_role (
    id           TEXT PRIMARY KEY,
    org_id       TEXT NOT NULL REFERENCES org (id),
    name         TEXT NOT NULL,
    description  TEXT NOT NULL,
    capabilities TEXT NOT NULL,
    created      BIGINT NOT NULL,
    created_by   TEXT NOT NULL,
    modified     BIGINT NOT NULL,
    UNIQUE (org_id, name),
    UNIQUE (org_id, id)
);

CREATE TABLE custom_role_member (
    org_id    TEXT NOT NULL,
    role_id   TEXT NOT NULL,
    person_id TEXT NOT NULL,
    PRIMARY KEY (role_id, person_id),
    FOREIGN KEY (org_id, role_id) REFERENCES custom_role (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, person_id) REFERENCES membership (org_id, person_id) ON DELETE CASCADE
);
CREATE INDEX custom_role_member_by_person ON custom_role_member (org_id, person_id);

CREATE TABLE person_group (
    id          TEXT PRIMARY KEY,
    org_id      TEXT NOT NULL REFERENCES org (id),
    name        TEXT NOT NULL,
    description TEXT NOT NULL,
    created     BIGINT NOT NULL,
    created_by  TEXT NOT NULL,
    modified    BIGINT NOT NULL,
    UNIQUE (org_id, name),
    UNIQUE (org_id, id)
);

CREATE TABLE person_group_member (
    org_id    TEXT NOT NULL,
    group_id  TEXT NOT NULL,
    person_id TEXT NOT NULL,
    PRIMARY KEY (group_id, person_id),
    FOREIGN KEY (org_id, group_id) REFERENCES person_group (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, person_id) REFERENCES membership (org_id, person_id) ON DELETE CASCADE
);
CREATE INDEX person_group_member_by_person ON person_group_member (org_id, person_id);

-- The role is the id of a custom one or the name of a built-in one.
CREATE TABLE person_group_role (
    org_id   TEXT NOT NULL,
    group_id TEXT NOT NULL,
    role     TEXT NOT NULL,
    PRIMARY KEY (group_id, role),
    FOREIGN KEY (org_id, group_id) REFERENCES person_group (org_id, id) ON DELETE CASCADE
);
CREATE INDEX person_group_role_by_role ON person_group_role (org_id, role);

-- The custom role that is shown in the place of the built-in one, which is none then.
ALTER TABLE membership ADD COLUMN main_role TEXT;

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

-- Who people and machines are at the authorisation servers whose access tokens are accepted.
-- A machine has a person for what it makes, but no membership: it acts where the settings of its issuer say.

CREATE TABLE identity (
    issuer    TEXT NOT NULL,
    kind      TEXT NOT NULL,
    subject   TEXT NOT NULL,
    person_id TEXT NOT NULL REFERENCES person (id),
    created   BIGINT NOT NULL,
    PRIMARY KEY (issuer, kind, subject)
);
CREATE INDEX identity_by_person ON identity (person_id);
