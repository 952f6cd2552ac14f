"""The columns of the made-up events in the peers, as a careful user would declare them."""

# For ClickHouse: name, type for the table, codec before ZSTD(1).
WORD = "LowCardinality(String)"
CLICKHOUSE_COLUMNS = [
    ("_time", "DateTime64(6, 'UTC')", "Delta, "),
    ("service", WORD, ""),
    ("host", WORD, ""),
    ("region", WORD, ""),
    ("env", WORD, ""),
    ("version", WORD, ""),
    ("level", WORD, ""),
    ("method", WORD, ""),
    ("path", WORD, ""),
    ("protocol", WORD, ""),
    ("status", "UInt16", ""),
    ("duration_ms", "Float64", ""),
    ("bytes", "UInt64", ""),
    ("user_id", "String", ""),
    ("session_id", "String", ""),
    ("trace_id", "String", ""),
    ("span_id", "String", ""),
    ("client_ip", "IPv4", ""),
    ("user_agent", WORD, ""),
    ("geo", f"Tuple(city {WORD}, country {WORD})", ""),
    ("message", "String", ""),
    ("k8s", f"Tuple(pod {WORD}, node {WORD})", ""),
    ("sampled", "Bool", ""),
    ("retries", "UInt8", ""),
    ("flags", f"Array({WORD})", ""),
    ("error", f"Tuple(kind {WORD}, stack String)", ""),
]

# On the ids that are looked up.
INDEXES = "INDEX trace trace_id TYPE bloom_filter GRANULARITY 4, INDEX user user_id TYPE bloom_filter GRANULARITY 4"

DUCKDB_COLUMNS = {
    "_time": "TIMESTAMP",
    "service": "VARCHAR",
    "host": "VARCHAR",
    "region": "VARCHAR",
    "env": "VARCHAR",
    "version": "VARCHAR",
    "level": "VARCHAR",
    "method": "VARCHAR",
    "path": "VARCHAR",
    "protocol": "VARCHAR",
    "status": "USMALLINT",
    "duration_ms": "DOUBLE",
    "bytes": "UBIGINT",
    "user_id": "VARCHAR",
    "session_id": "VARCHAR",
    "trace_id": "VARCHAR",
    "span_id": "VARCHAR",
    "client_ip": "VARCHAR",
    "user_agent": "VARCHAR",
    "geo": "STRUCT(city VARCHAR, country VARCHAR)",
    "message": "VARCHAR",
    "k8s": "STRUCT(pod VARCHAR, node VARCHAR)",
    "sampled": "BOOLEAN",
    "retries": "UTINYINT",
    "flags": "VARCHAR[]",
    "error": "STRUCT(kind VARCHAR, stack VARCHAR)",
}


def quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
