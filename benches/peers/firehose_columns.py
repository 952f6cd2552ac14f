"""The columns of the firehose in the peers, as a careful user would declare them: each known field has its type, and words
of which few differ are low-cardinality. What is missing is NULL in DuckDB; in ClickHouse it is an empty text or list, and
NULL where it is a number or a truth value."""

WORD, TEXT, NUMBER = "LowCardinality(String)", "String", "Nullable(UInt64)"
POST = f"Tuple(cid {TEXT}, uri {TEXT})"
RECORD = ", ".join([
    f"text {TEXT}",
    f"langs Array({WORD})",
    f"reply Tuple(root {POST}, parent {POST})",
    f"embed Tuple(kind {WORD}, images Array(Tuple(alt {TEXT}, size UInt64)), external Tuple(uri {TEXT}, title {TEXT}))",
    f"tags Array({TEXT})",
    f"subject {POST}",
    f"target {TEXT}",
    f"displayName {TEXT}",
    f"description {TEXT}",
    f"name {TEXT}",
    "version Nullable(UInt8)",
    f"createdAt {TEXT}",
])
RELAY = ", ".join([
    "seq UInt64", f"host {WORD}", f"region {WORD}", "shard Nullable(UInt8)", "lag_ms Nullable(Float64)", f"bytes {NUMBER}",
    "attempt Nullable(UInt8)", f"encoding {WORD}", f"trace {TEXT}", "verified Nullable(Bool)",
    "account_age_days Nullable(UInt16)", f"followers {NUMBER}", f"following {NUMBER}", f"posts {NUMBER}",
    "score Nullable(Float64)", f"app {WORD}", f"app_version {WORD}", f"locale {WORD}", f"label {WORD}",
])
# Name, type for the table, codec before ZSTD(1).
CLICKHOUSE_COLUMNS = [
    ("_time", "DateTime64(6, 'UTC')", "Delta, "),
    ("did", TEXT, ""),
    ("time_us", "Int64", "Delta, "),
    ("kind", WORD, ""),
    (
        "commit",
        f"Tuple(rev {TEXT}, operation {WORD}, collection {WORD}, rkey {TEXT}, record Tuple({RECORD}), cid {TEXT})",
        "",
    ),
    ("identity", f"Tuple(did {TEXT}, seq {NUMBER}, time {TEXT}, handle {TEXT})", ""),
    ("account", f"Tuple(active Nullable(Bool), did {TEXT}, seq {NUMBER}, time {TEXT}, status {WORD})", ""),
    ("relay", f"Tuple({RELAY})", ""),
]
# On the ids that are looked up.
INDEXES = (
    "INDEX user did TYPE bloom_filter GRANULARITY 4, INDEX content commit.cid TYPE bloom_filter GRANULARITY 4"
)

DUCKDB_POST = "STRUCT(cid VARCHAR, uri VARCHAR)"
DUCKDB_RECORD = ", ".join([
    '"text" VARCHAR',
    "langs VARCHAR[]",
    f"reply STRUCT(root {DUCKDB_POST}, parent {DUCKDB_POST})",
    "embed STRUCT(kind VARCHAR, images STRUCT(alt VARCHAR, size UBIGINT)[], "
    "\"external\" STRUCT(uri VARCHAR, title VARCHAR))",
    "tags VARCHAR[]",
    f"subject {DUCKDB_POST}",
    "target VARCHAR",
    "displayName VARCHAR",
    "description VARCHAR",
    "name VARCHAR",
    "version UTINYINT",
    "createdAt VARCHAR",
])
DUCKDB_RELAY = ", ".join([
    "seq UBIGINT", "host VARCHAR", "region VARCHAR", "shard UTINYINT", "lag_ms DOUBLE", "bytes UBIGINT",
    "attempt UTINYINT", "encoding VARCHAR", "trace VARCHAR", "verified BOOLEAN", "account_age_days USMALLINT",
    "followers UBIGINT", "following UBIGINT", "posts UBIGINT", "score DOUBLE", "app VARCHAR", "app_version VARCHAR",
    "locale VARCHAR", "label VARCHAR",
])
DUCKDB_COLUMNS = {
    "_time": "TIMESTAMP",
    "did": "VARCHAR",
    "time_us": "BIGINT",
    "kind": "VARCHAR",
    "commit": f"STRUCT(rev VARCHAR, operation VARCHAR, collection VARCHAR, rkey VARCHAR, record STRUCT({DUCKDB_RECORD}), "
              "cid VARCHAR)",
    "identity": "STRUCT(did VARCHAR, seq UBIGINT, \"time\" VARCHAR, handle VARCHAR)",
    "account": "STRUCT(active BOOLEAN, did VARCHAR, seq UBIGINT, \"time\" VARCHAR, status VARCHAR)",
    "relay": f"STRUCT({DUCKDB_RELAY})",
}
