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
