-- Datasets, their typed columns and segments, the keys of idempotent ingest, and metered use. The second half
-- publishes them as a DuckLake catalogue.
-- Times are microseconds since 1970 in UTC, but the times of events are nanoseconds.

-- The one row that every commit locks: a commit's number is given under that lock, so numbers are in the order of
-- the commits, and numbers of datasets and segments are never given twice.
CREATE TABLE commit_sequence (
    id             BIGINT PRIMARY KEY CHECK (id = 1),
    value          BIGINT NOT NULL,
    schema_version BIGINT NOT NULL,
    last_dataset   BIGINT NOT NULL,
    last_segment   BIGINT NOT NULL
);
INSERT INTO commit_sequence (id, value, schema_version, last_dataset, last_segment) VALUES (1, 0, 0, 0, 0);

-- One row for each commit that an outside reader may still look at, the newest among them.
CREATE TABLE commit_log (
    sequence       BIGINT PRIMARY KEY,
    made           BIGINT NOT NULL,
    schema_version BIGINT NOT NULL,
    next_dataset   BIGINT NOT NULL,
    next_file      BIGINT NOT NULL
);
CREATE INDEX commit_log_by_time ON commit_log (made);
INSERT INTO commit_log (sequence, made, schema_version, next_dataset, next_file) VALUES (0, 0, 0, 1, 1);

-- What outside readers put before the path of a segment.
CREATE TABLE lake (
    id        BIGINT PRIMARY KEY CHECK (id = 1),
    data_path TEXT NOT NULL
);
INSERT INTO lake (id, data_path) VALUES (1, '');

CREATE TABLE dataset (
    id             TEXT PRIMARY KEY,
    number         BIGINT NOT NULL UNIQUE,
    org_id         TEXT NOT NULL REFERENCES org (id),
    name           TEXT NOT NULL,
    description    TEXT NOT NULL,
    kind           TEXT NOT NULL,
    created        BIGINT NOT NULL,
    created_by     TEXT NOT NULL,
    modified       BIGINT NOT NULL,
    use_retention  BOOLEAN NOT NULL,
    retention_days BIGINT NOT NULL,
    map_fields     TEXT NOT NULL,
    flushed        BIGINT NOT NULL,
    vacuumed       BIGINT,
    last_column    BIGINT NOT NULL,
    added          BIGINT NOT NULL,
    UNIQUE (org_id, name)
);

-- A column holds the values of one field in one kind. Its number stands in the files and is never given again.
CREATE TABLE dataset_column (
    dataset_id TEXT NOT NULL REFERENCES dataset (id),
    number     BIGINT NOT NULL,
    field      TEXT NOT NULL,
    kind       TEXT NOT NULL,
    name       TEXT NOT NULL,
    added      BIGINT NOT NULL,
    PRIMARY KEY (dataset_id, number),
    UNIQUE (dataset_id, field, kind)
);

-- What people have written down about a field.
CREATE TABLE dataset_field (
    dataset_id  TEXT NOT NULL REFERENCES dataset (id),
    field       TEXT NOT NULL,
    description TEXT NOT NULL,
    unit        TEXT NOT NULL,
    hidden      BOOLEAN NOT NULL,
    PRIMARY KEY (dataset_id, field)
);

-- A segment outlives its dataset until its file is deleted, so nothing refers to the dataset. The statistics are
-- large and seldom read: they stand last, where a reader of the other columns passes them by.
CREATE TABLE segment (
    id           TEXT PRIMARY KEY,
    number       BIGINT NOT NULL UNIQUE,
    dataset_id   TEXT NOT NULL,
    path         TEXT NOT NULL UNIQUE,
    rows         BIGINT NOT NULL,
    bytes        BIGINT NOT NULL,
    raw_bytes    BIGINT NOT NULL,
    footer_bytes BIGINT NOT NULL,
    min_time     BIGINT NOT NULL,
    max_time     BIGINT NOT NULL,
    min_sequence BIGINT NOT NULL,
    max_sequence BIGINT NOT NULL,
    level        BIGINT NOT NULL,
    checksum     TEXT NOT NULL,
    sidecar      TEXT,
    added        BIGINT NOT NULL,
    removed      BIGINT,
    removed_at   BIGINT,
    stats        BYTEA NOT NULL
);
CREATE INDEX segment_by_dataset ON segment (dataset_id, number);
CREATE INDEX segment_live ON segment (dataset_id, number) WHERE removed IS NULL;
CREATE INDEX segment_by_removal ON segment (removed_at) WHERE removed_at IS NOT NULL;

CREATE TABLE ingest_key (
    dataset_id  TEXT NOT NULL REFERENCES dataset (id),
    key         TEXT NOT NULL,
    fingerprint BIGINT NOT NULL,
    answer      TEXT NOT NULL,
    sequence    BIGINT NOT NULL,
    at          BIGINT NOT NULL,
    PRIMARY KEY (dataset_id, key)
);
CREATE INDEX ingest_key_by_time ON ingest_key (at);

CREATE TABLE usage (
    org_id         TEXT NOT NULL REFERENCES org (id),
    month          TEXT NOT NULL,
    ingested_bytes BIGINT NOT NULL,
    PRIMARY KEY (org_id, month)
);
