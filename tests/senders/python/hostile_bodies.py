"""Bodies that nobody would send: lengths that are declared and not there, bombs of every compression, nesting and fields
without end, for every endpoint and port. What becomes of them is hostile.py's."""

import base64
import gzip
import json
import struct
import zlib

MIB = 1 << 20
# The limits of a body as sent and unpacked, of the service that they are sent to.
BODY, PLAIN = 4 * MIB, 8 * MIB

PROTOBUF, JSON = "application/x-protobuf", "application/json"
REMOTE_WRITE_2 = "application/x-protobuf;proto=io.prometheus.write.v2.Request"


def varint(number):
    parts = bytearray()
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])


def field(number, content):
    """A field of protobuf with a length."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def deep(inner, around):
    for _ in range(5000):
        inner = around(inner)
    return inner


def zeros(begin, end, count=16 * PLAIN, compressor=None):
    """So many zeros between two texts, by zlib or as gzip."""
    compressor = compressor or zlib.compressobj(1, zlib.DEFLATED, 31)
    parts = [compressor.compress(begin)]
    parts += [compressor.compress(b"0" * MIB) for _ in range(count // MIB)]
    return b"".join([*parts, compressor.compress(end), compressor.flush()])


def zstd(blocks, window=0x38):
    """A frame of blocks that stand for 128 KiB of one byte each; nobody says how many."""
    return b"\x28\xb5\x2f\xfd\x00" + bytes([window]) + b"\x02\x00\x10 " * blocks + b"\x03\x00\x00"


def snappy(plain):
    """Nothing but literals of up to 64 KiB."""
    parts = [plain[begin : begin + 65_536] for begin in range(0, len(plain), 65_536)]
    return varint(len(plain)) + b"".join(b"\xf4" + struct.pack("<H", len(part) - 1) + part for part in parts)


# Four bytes of text, and then copies of 64 bytes from four before.
SNAPPY_BOMB = varint(8 * PLAIN) + b"\x0c\x0a\x02\x0a\x00" + b"\xfe\x04\x00" * (8 * PLAIN // 64)
SNAPPY = {
    "declares 4 GiB": varint(0xFFFFFFFF) + b"\x00x",
    "declares more than a length can be": b"\xff" * 9 + b"\x01x",
    "unpacks to eight times the limit": SNAPPY_BOMB,
    "copies from before its beginning": varint(1000) + b"\xfe\xff\xff" * 100,
}
# A span of 4 Gi buckets that begins far out, and deltas that leave every range.
SPAN = field(11, b"\x08\xff\xff\xff\xff\x0f\x10\xff\xff\xff\xff\x0f")
HISTOGRAM = SPAN * 1000 + field(12, b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" * 10_000)
WRITE_1 = {
    "labels without number": field(1, field(1, field(1, b"a") + field(2, b"b")) * 100_000 + field(2, b"\x10\x01") * 1000),
    "series without number": field(1, field(2, b"\x10\x01")) * 20_000,
    "spans without number": field(1, field(4, HISTOGRAM)),
}
WRITE_2 = {
    "symbols without number": b"\x22\x00" * 2_000_000,
    "references without number": b"\x22\x00" + field(5, field(1, b"\0" * (3 * MIB)) + field(2, b"\x10\x01")),
    "references beyond the symbols": b"\x22\x00" + field(5, field(1, b"\xff\xff\xff\xff\x0f" * 200_000) + field(2, b"\x10\x01")),
    # A long symbol that each of many series refers to.
    "a symbol for many series": b"\x22\x00" + field(4, b"x" * 10_000) + field(5, field(1, b"\x01\x01") + field(2, b"\x10\x01")) * 2000,
    "spans without number": b"\x22\x00" + field(5, field(3, HISTOGRAM)),
}
GZIP = {"unpacks to sixteen times the limit": zeros(b'[{"a":"', b'"}]'), "unpacks to numbers": zeros(b"[", b"]")}
ZSTD = {
    "unpacks to 4 GiB": zstd(32_768),
    "has a window of 3 TiB": zstd(1, 0xFF),
    "declares 2^63 bytes": b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", 1 << 63) + b"\x03\x00\x00",
}
MSGPACK = {
    "an array of 4 Gi": b"\xdd\xff\xff\xff\xff",
    "a map of 4 Gi": b"\xdf\xff\xff\xff\xff" + b"\xa1a\x01" * 1000,
    "a text of 4 GiB": b"\x81\xa1a\xdb\xff\xff\xff\xffx",
    "bytes of 4 GiB": b"\x81\xa1a\xc6\xff\xff\xff\xffx",
    "an extension of 4 GiB": b"\x81\xa1a\xc9\xff\xff\xff\xff\x00x",
    "arrays in arrays": b"\x91" * MIB,
    "maps in maps": b"\x81\xa1a" * MIB,
}
NESTED = {"arrays in arrays": b"[" * MIB, "objects in objects": b'{"a":' * MIB}

ANY_VALUE = deep(field(1, b"deep"), lambda inner: field(5, field(1, inner)))
RECORD = field(6, field(1, b"mine") + field(2, ANY_VALUE)) + field(5, ANY_VALUE)
OTLP = {
    "values in values": field(1, field(2, field(2, RECORD))),
    "a length of 4 GiB": b"\x0a\xff\xff\xff\xff\x0fx",
    "empty records without number": field(1, field(2, b"\x12\x00" * 200_000)),
    "empty resources without number": b"\x0a\x00" * 200_000,
    # A long attribute of the resource, which each of many records would have.
    "a resource for many records": field(
        1, field(1, field(1, field(1, b"service.name") + field(2, field(1, b"x" * 100_000)))) + field(2, b"\x12\x00" * 10_000)
    ),
}
BULK = {
    "a line without end": b"[" * (3 * MIB),
    "a dataset for each document": b"".join(b'{"index":{"_index":"d%d"}}\n{"a":1}\n' % n for n in range(10_000)),
    "actions alone": b'{"index":{}}\n' * 50_000,
}
JOURNAL = {
    "a length of 4 EiB": b"MESSAGE\n" + struct.pack("<Q", 1 << 62) + b"x",
    "fields without number": b"".join(b"FIELD%d=x\n" % n for n in range(50_000)),
    "a name without end": b"N" * (4 * MIB),
    "entries without number": b"A=1\n\n" * 50_000,
}
LOGPLEX = {
    "a count beyond the body": b"999999999 <40>1 - h a p - x",
    "a count without end": b"9" * (3 * MIB),
    "frames without number": b"1 x" * 1_000_000,
    "empty frames without number": b"0 " * 1_000_000,
    "a long frame": b"3000000 " + b"x" * 3_000_000,
}
def delivery(record, count=1):
    return json.dumps({"requestId": "a", "records": [{"data": base64.b64encode(record).decode()}] * count}).encode()


FIREHOSE = {
    "bombs in many records": delivery(zeros(b'{"a":"', b'"}', PLAIN), 64),
    "objects without number": delivery(gzip.compress(b"{}" * (PLAIN // 2 - 1), 1)),
    "names without number": delivery(
        gzip.compress(b'{"messageType":"a","logEvents":[{}]' + b',"":0' * (PLAIN // 6) + b"}", 1)
    ),
}
LOKI = {"labels without number": b'{"streams":[{"stream":{"":""' + b',"":""' * (3 * MIB // 6) + b'},"values":[["1","x"]]}]}'}
HONEYCOMB = {"numbers without number": b"[" + b"1," * (3 * MIB // 2) + b"1]"}
# Records, packed, which are far more than their bytes say.
PACKED = {"gzip": zeros(b"\x81\xa1a\x01", b"\x81\xa1a\x01"), "zstd": ZSTD["unpacks to 4 GiB"]}
GELF = {"zlib": zlib.compress(b'{"short_message":"' + b"0" * (4 * PLAIN) + b'"}'), "gzip": GZIP["unpacks to numbers"]}


CALL = b'{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"queryApl","arguments":{"apl":%s}}}'
MCP = {
    **NESTED,
    "a nested argument": CALL % (b"1", b"[" * MIB + b"]" * MIB),
    "a long id": CALL % (b'"' + b"x" * (3 * MIB) + b'"', b'"a"'),
    "a long query": CALL % (b"1", b'"' + b"a | where b == 1 or " * 150_000 + b'"'),
    "calls without number": b"[" + b",".join([CALL % (b"1", b'"a"')] * 20_000) + b"]",
}


def requests(addresses):
    """Where, of which type, how compressed, what it is, and its bytes; `addresses` are those of endpoints by their kind."""
    for what, body in MCP.items():
        yield "/mcp", JSON, None, what, body
    for path in ["/api/v1/write?dataset=hostile", addresses["remoteWrite"] + "/api/v1/write"]:
        for what, body in WRITE_1.items():
            yield path, PROTOBUF, None, what, snappy(body)
        for what, body in WRITE_2.items():
            yield path, REMOTE_WRITE_2, None, what, snappy(body)
    # The same as at the paths of their own: an address of an endpoint is open to whoever has it.
    for what, body in MSGPACK.items():
        yield addresses["ingest"], "application/msgpack", None, what, body
    for what, body in OTLP.items():
        yield addresses["otlp"] + "/v1/logs", PROTOBUF, None, what, body
    for what, body in BULK.items():
        yield addresses["elastic"] + "/_bulk", "application/x-ndjson", None, what, body
    for what, body in SNAPPY.items():
        yield addresses["loki"] + "/loki/api/v1/push", PROTOBUF, None, what, body
    for path in ["/loki/api/v1/push?dataset=hostile", "/api/v1/write?dataset=hostile"]:
        for what, body in SNAPPY.items():
            yield path, PROTOBUF, None, what, body
    for path in ["/v1/logs", "/v1/traces", "/v1/metrics"]:
        for what, body in OTLP.items():
            yield path, PROTOBUF, None, what, body
    for what, body in MSGPACK.items():
        yield "/v1/ingest/hostile", "application/msgpack", None, what, body
    for what, body in BULK.items():
        yield "/_bulk", "application/x-ndjson", None, what, body
    for what, body in JOURNAL.items():
        yield "/v1/ingest/hostile/journald/upload", "application/vnd.fdo.journal", None, what, body
    for path in ["/v1/ingest/hostile", addresses["ingest"]]:
        for what, body in LOGPLEX.items():
            yield path, "application/logplex-1", None, what, body
    for what, body in FIREHOSE.items():
        yield "/v1/ingest/hostile/firehose", JSON, None, what, body
    for what, body in LOKI.items():
        yield "/loki/api/v1/push?dataset=hostile", JSON, None, what, body
    for what, body in HONEYCOMB.items():
        yield "/1/batch/hostile", JSON, None, what, body
    for what, body in GELF.items():
        yield "/v1/ingest/hostile/gelf", JSON, None, what, body
    for path, kind in COMPRESSED:
        for what, body in NESTED.items():
            yield path, kind, None, what, body
        for what, body in GZIP.items():
            yield path, kind, "gzip", what, body
        for what, body in ZSTD.items():
            yield path, kind, "zstd", what, body


# Every endpoint over HTTP, with the type of its bodies in JSON or what is nearest to that.
COMPRESSED = [
    ("/v1/ingest/hostile", JSON),
    ("/v1/ingest/hostile", "application/x-ndjson"),
    ("/v1/ingest/hostile", "text/csv"),
    ("/v1/ingest/hostile", "application/logplex-1"),
    ("/v1/ingest/hostile", "application/msgpack"),
    ("/v1/logs", JSON),
    ("/v1/traces", JSON),
    ("/v1/metrics", JSON),
    ("/v1/logs", PROTOBUF),
    ("/v1/ingest/hostile/elastic/_bulk", "application/x-ndjson"),
    ("/hostile/_bulk", JSON),
    ("/loki/api/v1/push?dataset=hostile", JSON),
    ("/services/collector/event?index=hostile", JSON),
    ("/services/collector/raw?index=hostile", "text/plain"),
    ("/api/v2/logs?dataset=hostile", JSON),
    ("/1/batch/hostile", JSON),
    ("/1/events/hostile", JSON),
    ("/v1/ingest/hostile/firehose", JSON),
    ("/v1/ingest/hostile/journald/upload", "application/vnd.fdo.journal"),
    ("/v1/ingest/hostile/cloudevents", "application/cloudevents-batch+json"),
    ("/v1/ingest/hostile/gelf", JSON),
    ("/api/v1/write?dataset=hostile", PROTOBUF),
]

# What goes on and on behind the beginning of a body.
ENDLESS_PARTS = {
    JSON: (b'[{"a":"', b"x" * 65_536),
    "application/x-ndjson": (b"", b'{"a":1}\n' * 8192),
    "text/csv": (b"a\n", b"1\n" * 32_768),
    "application/logplex-1": (b"", b"1 x" * 16_384),
    "application/msgpack": (b"", b"\x81\xa1a\x01" * 16_384),
    "text/plain": (b"", b"x" * 65_536),
    PROTOBUF: (b"\x0a\xff\xff\xff\x7f", b"\x12\x00" * 32_768),
    "application/vnd.fdo.journal": (b"MESSAGE=", b"x" * 65_536),
    "application/cloudevents-batch+json": (b"[", b" " * 65_536),
}
def chunks(message, count, missing=0, size=8000):
    """Of a message over UDP, but for those that are missing."""
    for number in range(count - missing):
        yield b"\x1e\x0f" + message + bytes([number, count]) + b"x" * size


def datagrams():
    """By the port that they go to."""
    for n in range(3000):
        # Of so many messages the last of 128 chunks is missing, or all but one.
        yield "gelf-udp", next(chunks(struct.pack(">Q", n), 128))
    for n in range(30):
        for chunk in chunks(struct.pack(">Q", 1 << 32 | n), 128, missing=1):
            yield "gelf-udp", chunk
    # What the same message says of itself differs, and parts that there cannot be.
    for number, count in [(0, 0), (5, 2), (255, 255), (0, 1), (1, 128), (1, 2)]:
        yield "gelf-udp", b"\x1e\x0f" + b"\0" * 8 + bytes([number, count]) + b"x"
    for bomb in [GELF["zlib"], GELF["gzip"], zlib.compress(NESTED["arrays in arrays"])]:
        parts = [bomb[begin : begin + 8000] for begin in range(0, len(bomb), 8000)]
        for number, part in enumerate(parts):
            yield "gelf-udp", b"\x1e\x0f" + b"bombbomb" + bytes([number, len(parts)]) + part
    yield "gelf-udp", NESTED["arrays in arrays"][:60_000]
    for text in [b"<1>1 - - - - - [", b"<1>1 - - - - - " + b'[a b="c"]' * 7000, b"<999999999999999999999>", b"<1>" + b"\xff" * 60_000]:
        yield "syslog-udp", text


def packed_forward(name, bomb):
    """A message of Fluent forward whose events are compressed."""
    return b"\x93\xa1t\xc6" + struct.pack(">I", len(bomb)) + bomb + b"\x81\xaacompressed\xa4" + name.encode()


PORTS = {
    "syslog-tcp": [b"99999999999 <1>x", b"<1>" + b"x" * (4 * MIB), b"2147483647 " + b"x" * MIB],
    "gelf-tcp": [b"{" * (8 * MIB), NESTED["arrays in arrays"] + b"\0"],
    "fluent-listen": [b"\x93\xa1t\xdd\xff\xff\xff\xff", b"\x93\xa1t\xc6\xff\xff\xff\xff" + b"x" * MIB, *MSGPACK.values()],
}
PORTS["fluent-listen"] += [packed_forward(name, bomb) for name, bomb in PACKED.items()]
# Small messages without end, in one of which the events go on and on.
PORTS["fluent-listen"] += [b"\x93\xa1t\x01\x81\xa1a\x01" * 500_000, b"\x92\xa1t\xdd\x7f\xff\xff\xff" + b"\x92\x01\x80" * 2_000_000]

