-- What is on its way into the dataset of the audit trail of an organisation: written in the transaction of what it tells
-- of, and dropped when the segment that holds it is in the catalogue.

-- The details are a JSON object. The batch is the idempotency key that the entry is handed on with, together with the
-- others of the batch and never in another one; it is empty until the entry was put into one.
CREATE TABLE event_feed (
    seq        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    org_id     TEXT NOT NULL,
    kind       TEXT NOT NULL,
    at         BIGINT NOT NULL,
    actor      TEXT NOT NULL,
    action     TEXT NOT NULL,
    target     TEXT NOT NULL,
    outcome    TEXT NOT NULL,
    detail     TEXT NOT NULL,
    request_id TEXT NOT NULL,
    times      BIGINT NOT NULL,
    details    TEXT NOT NULL,
    batch      TEXT NOT NULL,
    batched    BIGINT NOT NULL
);
CREATE INDEX event_feed_by_batch ON event_feed (org_id, batch, seq);
CREATE INDEX event_feed_by_key ON event_feed (batch);
