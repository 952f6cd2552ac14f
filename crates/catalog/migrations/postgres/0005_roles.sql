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
