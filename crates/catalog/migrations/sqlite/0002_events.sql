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

-- One row for each commit that an outside reader may still look at, the newest among them. Times that outside
-- readers ask for are kept as text too: no expression turns a number into it on every one of them.
CREATE TABLE commit_log (
    sequence       BIGINT PRIMARY KEY,
    made           BIGINT NOT NULL,
    made_text      TEXT NOT NULL,
    schema_version BIGINT NOT NULL,
    next_dataset   BIGINT NOT NULL,
    next_file      BIGINT NOT NULL
);
CREATE INDEX commit_log_by_time ON commit_log (made);
INSERT INTO commit_log (sequence, made, made_text, schema_version, next_dataset, next_file)
VALUES (0, 0, '1970-01-01T00:00:00Z', 0, 1, 1);

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

-- A segment outlives its dataset until its file is deleted, so it does not refer to the dataset.
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
    min_text     TEXT NOT NULL,
    max_text     TEXT NOT NULL,
    min_sequence BIGINT NOT NULL,
    max_sequence BIGINT NOT NULL,
    level        BIGINT NOT NULL,
    checksum     TEXT NOT NULL,
    sidecar      TEXT,
    added        BIGINT NOT NULL,
    removed      BIGINT,
    removed_at   BIGINT
);
CREATE INDEX segment_by_dataset ON segment (dataset_id, number);
CREATE INDEX segment_live ON segment (dataset_id, number) WHERE removed IS NULL;
CREATE INDEX segment_by_removal ON segment (removed_at, number) WHERE removed_at IS NOT NULL;

-- Apart, because they are large and seldom read: whoever lists segments passes them by.
CREATE TABLE segment_stats (
    segment_id TEXT PRIMARY KEY REFERENCES segment (id) ON DELETE CASCADE,
    stats      BLOB NOT NULL
);

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

-- The catalogue as DuckLake 1.0 for outside readers (https://ducklake.select). An organisation is a schema, a dataset
-- is a table, a segment is a data file, a commit is a snapshot. DuckDB reads the text of these
-- views and runs it itself, so it must mean the same to both, and no name may be a keyword of DuckDB.
-- Every output is cast, so that its type does not hang on where it comes from.

CREATE VIEW ducklake_metadata AS
SELECT CAST('version' AS VARCHAR) AS "key", CAST('1.0' AS VARCHAR) AS "value",
    CAST(NULL AS VARCHAR) AS "scope", CAST(NULL AS BIGINT) AS scope_id
UNION ALL SELECT CAST('created_by' AS VARCHAR), CAST('Tidegauge' AS VARCHAR), CAST(NULL AS VARCHAR),
    CAST(NULL AS BIGINT)
UNION ALL SELECT CAST('encrypted' AS VARCHAR), CAST('false' AS VARCHAR), CAST(NULL AS VARCHAR), CAST(NULL AS BIGINT)
UNION ALL SELECT CAST('data_path' AS VARCHAR), CAST(data_path AS VARCHAR), CAST(NULL AS VARCHAR), CAST(NULL AS BIGINT)
FROM lake;

CREATE VIEW ducklake_snapshot AS
SELECT CAST(sequence AS BIGINT) AS snapshot_id, CAST(made_text AS VARCHAR) AS snapshot_time,
    CAST(schema_version AS BIGINT) AS schema_version, CAST(next_dataset AS BIGINT) AS next_catalog_id,
    CAST(next_file AS BIGINT) AS next_file_id
FROM commit_log;

CREATE VIEW ducklake_snapshot_changes AS
SELECT CAST(sequence AS BIGINT) AS snapshot_id, CAST('' AS VARCHAR) AS changes_made, CAST(NULL AS VARCHAR) AS author,
    CAST(NULL AS VARCHAR) AS commit_message, CAST(NULL AS VARCHAR) AS commit_extra_info
FROM commit_log;

-- Schemas have numbers far above those of tables. They are made from the dataset's, so that none has to be kept.
CREATE VIEW ducklake_schema AS
SELECT CAST(0 AS BIGINT) AS schema_id,
    CAST('00000000-0000-0000-0000-000000000000' AS VARCHAR) AS schema_uuid, CAST(0 AS BIGINT) AS begin_snapshot,
    CAST(NULL AS BIGINT) AS end_snapshot, CAST('main' AS VARCHAR) AS schema_name, CAST('' AS VARCHAR) AS path,
    CAST(1 AS BIGINT) AS path_is_relative
UNION ALL
SELECT CAST(1000000000000 + MIN(number) AS BIGINT),
    CAST('00000000-0000-0000-0001-' || substr('00000000000' || MIN(number), -12) AS VARCHAR), CAST(0 AS BIGINT),
    CAST(NULL AS BIGINT), CAST(org_id AS VARCHAR), CAST('' AS VARCHAR),
    CAST(1 AS BIGINT)
FROM dataset GROUP BY org_id;

CREATE VIEW ducklake_table AS
SELECT CAST(d.number AS BIGINT) AS table_id,
    CAST('00000000-0000-0000-0002-' || substr('00000000000' || d.number, -12) AS VARCHAR) AS table_uuid,
    CAST(d.added AS BIGINT) AS begin_snapshot, CAST(NULL AS BIGINT) AS end_snapshot,
    CAST(1000000000000 + o.number AS BIGINT) AS schema_id, CAST(d.name AS VARCHAR) AS table_name,
    CAST('' AS VARCHAR) AS path, CAST(1 AS BIGINT) AS path_is_relative
FROM dataset d JOIN (SELECT org_id, MIN(number) AS number FROM dataset GROUP BY org_id) o ON o.org_id = d.org_id;

CREATE VIEW ducklake_column AS
SELECT CAST(c.number AS BIGINT) AS column_id, CAST(c.added AS BIGINT) AS begin_snapshot,
    CAST(NULL AS BIGINT) AS end_snapshot, CAST(d.number AS BIGINT) AS table_id,
    CAST(c.number AS BIGINT) AS column_order, CAST(c.name AS VARCHAR) AS column_name,
    CAST(CASE c.kind WHEN 'boolean' THEN 'boolean' WHEN 'integer' THEN 'int64' WHEN 'float' THEN 'float64'
        ELSE 'varchar' END AS VARCHAR) AS column_type,
    CAST(NULL AS VARCHAR) AS initial_default, CAST(NULL AS VARCHAR) AS default_value,
    CAST(1 AS BIGINT) AS nulls_allowed, CAST(NULL AS BIGINT) AS parent_column,
    CAST('literal' AS VARCHAR) AS default_value_type, CAST('duckdb' AS VARCHAR) AS default_value_dialect
FROM dataset_column c JOIN dataset d ON d.id = c.dataset_id
UNION ALL
SELECT CAST(s.number AS BIGINT), CAST(d.added AS BIGINT), CAST(NULL AS BIGINT), CAST(d.number AS BIGINT),
    CAST(s.number AS BIGINT), CAST(s.name AS VARCHAR), CAST(s.kind AS VARCHAR), CAST(NULL AS VARCHAR),
    CAST(NULL AS VARCHAR), CAST(1 AS BIGINT), CAST(NULL AS BIGINT), CAST('literal' AS VARCHAR),
    CAST('duckdb' AS VARCHAR)
FROM dataset d CROSS JOIN (
    SELECT 1 AS number, '_time' AS name, 'timestamptz' AS kind
    UNION ALL SELECT 2, '_sysTime', 'timestamptz'
    UNION ALL SELECT 3, '_sequence', 'int64'
    UNION ALL SELECT 4, '_index', 'int32'
    UNION ALL SELECT 5, '_rest', 'varchar'
) s;

CREATE VIEW ducklake_data_file AS
SELECT CAST(s.number AS BIGINT) AS data_file_id, CAST(d.number AS BIGINT) AS table_id,
    CAST(s.added AS BIGINT) AS begin_snapshot, CAST(s.removed AS BIGINT) AS end_snapshot,
    CAST(s.number AS BIGINT) AS file_order, CAST(s.path AS VARCHAR) AS path, CAST(1 AS BIGINT) AS path_is_relative,
    CAST('parquet' AS VARCHAR) AS file_format, CAST(s.rows AS BIGINT) AS record_count,
    CAST(s.bytes AS BIGINT) AS file_size_bytes, CAST(s.footer_bytes AS BIGINT) AS footer_size,
    CAST(s.number * 16777216 AS BIGINT) AS row_id_start, CAST(NULL AS BIGINT) AS partition_id,
    CAST(NULL AS VARCHAR) AS encryption_key, CAST(NULL AS BIGINT) AS mapping_id, CAST(NULL AS BIGINT) AS partial_max
FROM segment s JOIN dataset d ON d.id = s.dataset_id;

CREATE VIEW ducklake_file_column_stats AS
SELECT CAST(s.number AS BIGINT) AS data_file_id, CAST(d.number AS BIGINT) AS table_id, CAST(1 AS BIGINT) AS column_id,
    CAST(NULL AS BIGINT) AS column_size_bytes, CAST(s.rows AS BIGINT) AS value_count, CAST(0 AS BIGINT) AS null_count,
    CAST(s.min_text AS VARCHAR) AS min_value, CAST(s.max_text AS VARCHAR) AS max_value,
    CAST(NULL AS BIGINT) AS contains_nan, CAST(NULL AS VARCHAR) AS extra_stats
FROM segment s JOIN dataset d ON d.id = s.dataset_id;

CREATE VIEW ducklake_table_stats AS
SELECT CAST(d.number AS BIGINT) AS table_id, CAST(SUM(s.rows) AS BIGINT) AS record_count,
    CAST((MAX(s.number) + 1) * 16777216 AS BIGINT) AS next_row_id, CAST(SUM(s.bytes) AS BIGINT) AS file_size_bytes
FROM segment s JOIN dataset d ON d.id = s.dataset_id WHERE s.removed IS NULL GROUP BY d.number;

-- What a DuckLake can have and this one has not.
CREATE VIEW ducklake_schema_versions AS
SELECT CAST(NULL AS BIGINT) AS begin_snapshot, CAST(NULL AS BIGINT) AS schema_version,
    CAST(NULL AS BIGINT) AS table_id WHERE 1 = 0;

CREATE VIEW ducklake_table_column_stats AS
SELECT CAST(NULL AS BIGINT) AS table_id, CAST(NULL AS BIGINT) AS column_id,
    CAST(NULL AS BIGINT) AS contains_null, CAST(NULL AS BIGINT) AS contains_nan,
    CAST(NULL AS VARCHAR) AS min_value, CAST(NULL AS VARCHAR) AS max_value,
    CAST(NULL AS VARCHAR) AS extra_stats WHERE 1 = 0;

CREATE VIEW ducklake_view AS
SELECT CAST(NULL AS BIGINT) AS view_id, CAST(NULL AS VARCHAR) AS view_uuid,
    CAST(NULL AS BIGINT) AS begin_snapshot, CAST(NULL AS BIGINT) AS end_snapshot,
    CAST(NULL AS BIGINT) AS schema_id, CAST(NULL AS VARCHAR) AS view_name,
    CAST(NULL AS VARCHAR) AS dialect, CAST(NULL AS VARCHAR) AS "sql",
    CAST(NULL AS VARCHAR) AS column_aliases WHERE 1 = 0;

CREATE VIEW ducklake_tag AS
SELECT CAST(NULL AS BIGINT) AS object_id, CAST(NULL AS BIGINT) AS begin_snapshot,
    CAST(NULL AS BIGINT) AS end_snapshot, CAST(NULL AS VARCHAR) AS "key",
    CAST(NULL AS VARCHAR) AS "value" WHERE 1 = 0;

CREATE VIEW ducklake_column_tag AS
SELECT CAST(NULL AS BIGINT) AS table_id, CAST(NULL AS BIGINT) AS column_id,
    CAST(NULL AS BIGINT) AS begin_snapshot, CAST(NULL AS BIGINT) AS end_snapshot,
    CAST(NULL AS VARCHAR) AS "key", CAST(NULL AS VARCHAR) AS "value" WHERE 1 = 0;

CREATE VIEW ducklake_delete_file AS
SELECT CAST(NULL AS BIGINT) AS delete_file_id, CAST(NULL AS BIGINT) AS table_id,
    CAST(NULL AS BIGINT) AS begin_snapshot, CAST(NULL AS BIGINT) AS end_snapshot,
    CAST(NULL AS BIGINT) AS data_file_id, CAST(NULL AS VARCHAR) AS path,
    CAST(NULL AS BIGINT) AS path_is_relative, CAST(NULL AS VARCHAR) AS "format",
    CAST(NULL AS BIGINT) AS delete_count, CAST(NULL AS BIGINT) AS file_size_bytes,
    CAST(NULL AS BIGINT) AS footer_size, CAST(NULL AS VARCHAR) AS encryption_key,
    CAST(NULL AS BIGINT) AS partial_max WHERE 1 = 0;

CREATE VIEW ducklake_file_variant_stats AS
SELECT CAST(NULL AS BIGINT) AS data_file_id, CAST(NULL AS BIGINT) AS table_id,
    CAST(NULL AS BIGINT) AS column_id, CAST(NULL AS VARCHAR) AS variant_path,
    CAST(NULL AS VARCHAR) AS shredded_type, CAST(NULL AS BIGINT) AS column_size_bytes,
    CAST(NULL AS BIGINT) AS value_count, CAST(NULL AS BIGINT) AS null_count,
    CAST(NULL AS VARCHAR) AS min_value, CAST(NULL AS VARCHAR) AS max_value,
    CAST(NULL AS BIGINT) AS contains_nan, CAST(NULL AS VARCHAR) AS extra_stats WHERE 1 = 0;

CREATE VIEW ducklake_partition_info AS
SELECT CAST(NULL AS BIGINT) AS partition_id, CAST(NULL AS BIGINT) AS table_id,
    CAST(NULL AS BIGINT) AS begin_snapshot, CAST(NULL AS BIGINT) AS end_snapshot WHERE 1 = 0;

CREATE VIEW ducklake_partition_column AS
SELECT CAST(NULL AS BIGINT) AS partition_id, CAST(NULL AS BIGINT) AS table_id,
    CAST(NULL AS BIGINT) AS partition_key_index, CAST(NULL AS BIGINT) AS column_id,
    CAST(NULL AS VARCHAR) AS "transform" WHERE 1 = 0;

CREATE VIEW ducklake_file_partition_value AS
SELECT CAST(NULL AS BIGINT) AS data_file_id, CAST(NULL AS BIGINT) AS table_id,
    CAST(NULL AS BIGINT) AS partition_key_index, CAST(NULL AS VARCHAR) AS partition_value WHERE 1 = 0;

CREATE VIEW ducklake_files_scheduled_for_deletion AS
SELECT CAST(NULL AS BIGINT) AS data_file_id, CAST(NULL AS VARCHAR) AS path,
    CAST(NULL AS BIGINT) AS path_is_relative, CAST(NULL AS VARCHAR) AS schedule_start WHERE 1 = 0;

CREATE VIEW ducklake_inlined_data_tables AS
SELECT CAST(NULL AS BIGINT) AS table_id, CAST(NULL AS VARCHAR) AS table_name,
    CAST(NULL AS BIGINT) AS schema_version WHERE 1 = 0;

CREATE VIEW ducklake_column_mapping AS
SELECT CAST(NULL AS BIGINT) AS mapping_id, CAST(NULL AS BIGINT) AS table_id,
    CAST(NULL AS VARCHAR) AS "type" WHERE 1 = 0;

CREATE VIEW ducklake_name_mapping AS
SELECT CAST(NULL AS BIGINT) AS mapping_id, CAST(NULL AS BIGINT) AS column_id,
    CAST(NULL AS VARCHAR) AS source_name, CAST(NULL AS BIGINT) AS target_field_id,
    CAST(NULL AS BIGINT) AS parent_column, CAST(NULL AS BIGINT) AS is_partition WHERE 1 = 0;

CREATE VIEW ducklake_macro AS
SELECT CAST(NULL AS BIGINT) AS schema_id, CAST(NULL AS BIGINT) AS macro_id,
    CAST(NULL AS VARCHAR) AS macro_name, CAST(NULL AS BIGINT) AS begin_snapshot,
    CAST(NULL AS BIGINT) AS end_snapshot WHERE 1 = 0;

CREATE VIEW ducklake_macro_impl AS
SELECT CAST(NULL AS BIGINT) AS macro_id, CAST(NULL AS BIGINT) AS impl_id,
    CAST(NULL AS VARCHAR) AS dialect, CAST(NULL AS VARCHAR) AS "sql", CAST(NULL AS VARCHAR) AS "type" WHERE 1 = 0;

CREATE VIEW ducklake_macro_parameters AS
SELECT CAST(NULL AS BIGINT) AS macro_id, CAST(NULL AS BIGINT) AS impl_id,
    CAST(NULL AS BIGINT) AS column_id, CAST(NULL AS VARCHAR) AS parameter_name,
    CAST(NULL AS VARCHAR) AS parameter_type, CAST(NULL AS VARCHAR) AS default_value,
    CAST(NULL AS VARCHAR) AS default_value_type WHERE 1 = 0;

CREATE VIEW ducklake_sort_info AS
SELECT CAST(NULL AS BIGINT) AS sort_id, CAST(NULL AS BIGINT) AS table_id,
    CAST(NULL AS BIGINT) AS begin_snapshot, CAST(NULL AS BIGINT) AS end_snapshot WHERE 1 = 0;

CREATE VIEW ducklake_sort_expression AS
SELECT CAST(NULL AS BIGINT) AS sort_id, CAST(NULL AS BIGINT) AS table_id,
    CAST(NULL AS BIGINT) AS sort_key_index, CAST(NULL AS VARCHAR) AS expression,
    CAST(NULL AS VARCHAR) AS dialect, CAST(NULL AS VARCHAR) AS sort_direction,
    CAST(NULL AS VARCHAR) AS null_order WHERE 1 = 0;
