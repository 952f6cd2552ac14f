-- The outbox: messages on their way to notifiers, and every attempt to send one.

-- `created` with `id` is the order of the messages of an incident. `failures` and `began` are of the present round:
-- sending a message again by hand begins a new one, while `attempts` counts all of them.
CREATE TABLE delivery (
    id          TEXT PRIMARY KEY,
    org_id      TEXT NOT NULL REFERENCES org (id),
    notifier_id TEXT NOT NULL REFERENCES notifier (id) ON DELETE CASCADE,
    incident    TEXT NOT NULL,
    message     TEXT NOT NULL,
    state       TEXT NOT NULL,
    attempts    BIGINT NOT NULL,
    failures    BIGINT NOT NULL,
    next_at     BIGINT NOT NULL,
    lease_until BIGINT NOT NULL,
    lease_owner TEXT NOT NULL,
    created     BIGINT NOT NULL,
    began       BIGINT NOT NULL,
    finished    BIGINT
);
CREATE INDEX delivery_by_notifier ON delivery (notifier_id, created, id);
CREATE INDEX delivery_waiting ON delivery (state, next_at);
CREATE INDEX delivery_in_line ON delivery (notifier_id, state, incident, created, id);
CREATE INDEX delivery_by_end ON delivery (finished);

CREATE TABLE delivery_attempt (
    delivery_id TEXT NOT NULL REFERENCES delivery (id) ON DELETE CASCADE,
    number      BIGINT NOT NULL,
    at          BIGINT NOT NULL,
    latency     BIGINT NOT NULL,
    status      BIGINT,
    error       TEXT,
    PRIMARY KEY (delivery_id, number)
);
