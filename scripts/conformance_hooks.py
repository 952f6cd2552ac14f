"""Lets schemathesis send bodies of types that it has no form for, as they are: some are bytes already, and others texts."""

import schemathesis


@schemathesis.serializer(
    "application/grpc", "application/logplex-1", "application/vnd.fdo.journal", "application/x-protobuf"
)
def as_it_is(_context, value):
    return value if isinstance(value, bytes) else str(value).encode()
