-- What the web interface keeps: matters of taste of each person, and answers as they were seen once.

CREATE TABLE preferences (
    person_id TEXT PRIMARY KEY REFERENCES person (id),
    document  TEXT NOT NULL,
    modified  BIGINT NOT NULL
);

-- The answer is compressed; the names of what it read stand in a JSON list.
CREATE TABLE frozen_answer (
    id         TEXT PRIMARY KEY,
    org_id     TEXT NOT NULL REFERENCES org (id),
    who        TEXT NOT NULL,
    apl        TEXT NOT NULL,
    start_time TEXT NOT NULL,
    end_time   TEXT NOT NULL,
    reads      TEXT NOT NULL,
    answer     BYTEA NOT NULL,
    size       BIGINT NOT NULL,
    created    BIGINT NOT NULL
);
CREATE INDEX frozen_answer_by_org ON frozen_answer (org_id, created, id);
CREATE INDEX frozen_answer_by_time ON frozen_answer (created);
