"""HTTP to the service without a client's library, whose work would be counted as the service's: a request is bytes that
were made before, and an answer is read to its end and looked at later."""

import json
import socket


def connect(service):
    connection = socket.create_connection((service.host, service.port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def request(service, path, body):
    body = json.dumps(body).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {service.token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def exchange(connection, request):
    """The answer's head and body as they came."""
    connection.sendall(request)
    raw = b""
    while b"\r\n\r\n" not in raw:
        raw += received(connection)
    head, _, body = raw.partition(b"\r\n\r\n")
    length = content_length(head)
    if length is not None:
        while len(body) < length:
            body += received(connection)
    else:
        # In pieces: the last one is empty.
        while not body.endswith(b"0\r\n\r\n"):
            body += received(connection)
    if not head.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(f"{head[:200]!r} {body[:300]!r}")
    return head, body


def content_length(head):
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    return int(lengths[0].split(b":")[1]) if lengths else None


def received(connection):
    part = connection.recv(1 << 20)
    if not part:
        raise RuntimeError("the service closed the connection")
    return part


def parsed(head, body):
    """The document of an answer."""
    if content_length(head) is not None:
        return json.loads(body)
    pieces = []
    while body:
        size, _, rest = body.partition(b"\r\n")
        length = int(size.split(b";")[0], 16)
        pieces.append(rest[:length])
        body = rest[length + 2:] if length else b""
    return json.loads(b"".join(pieces))
