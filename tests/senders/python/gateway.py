"""What stands between a sender and the service and gets in the way: it refuses requests as a gateway does that is too
busy, or hands them on and loses the answers. One for HTTP, one for gRPC, one for protocols of their own over TCP, and one
that is not there."""

import http.client
import socket
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import grpc
from google.protobuf.any_pb2 import Any
from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status

from service import WAIT_SECONDS

# What is done to a request instead of handing it on: an answer with this status and Retry-After.
REFUSALS = [(429, None), (429, 1), (503, None), (503, 1)]
# Or it is handed on, and its answer is lost.
LOST = "lost"
BUSY = "the gateway is busy"


class Gateway:
    """A queue of what is done to the next requests; when it is empty, they pass."""

    def __init__(self, service):
        self.behind = service
        self.token, self.host = service.token, service.host
        self.upcoming = deque()
        self.changed = threading.Condition()

    @property
    def url(self):
        return f"http://{self.host}:{self.port}"

    def next(self):
        with self.changed:
            self.changed.notify_all()
            return self.upcoming.popleft() if self.upcoming else None

    def await_used(self):
        """Waits until nothing is left to be done."""
        with self.changed:
            if not self.changed.wait_for(lambda: not self.upcoming, WAIT_SECONDS):
                raise AssertionError(f"no request came in the way of {list(self.upcoming)}")


class Direct(Gateway):
    """Nothing stands between: what the service does is what the sender sees."""

    def __init__(self, service, port=None):
        super().__init__(service)
        self.port = port or service.port

    def close(self):
        pass


class HttpGateway(Gateway):
    def __init__(self, service):
        super().__init__(service)
        gateway = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def pass_on(self):
                gateway.pass_on(self)

            do_GET = do_HEAD = do_POST = do_PUT = pass_on

        self.server = ThreadingHTTPServer((self.host, 0), Handler)
        # A sender that does not wait any longer is no fault.
        self.server.handle_error = lambda *_: None
        self.server.daemon_threads = True
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def pass_on(self, request):
        body = read_body(request)
        is_ours = request.command in ("POST", "PUT")
        trouble = self.next() if is_ours else None
        if trouble not in (None, LOST):
            status, retry_after = trouble
            headers = {} if retry_after is None else {"retry-after": str(retry_after)}
            return answer(request, status, headers, BUSY.encode())
        try:
            connection = http.client.HTTPConnection(self.host, self.behind.port, timeout=WAIT_SECONDS)
            headers = {name: value for name, value in request.headers.items() if name.lower() not in HOP}
            connection.request(request.command, request.path, body, headers)
            answered = connection.getresponse()
            content = answered.read()
            connection.close()
        except (OSError, http.client.HTTPException):
            # As gateways say it of a service that is away.
            return answer(request, 502, {}, b"the service is away")
        if trouble == LOST:
            request.close_connection = True
            return request.connection.shutdown(socket.SHUT_RDWR)
        headers = {name: value for name, value in answered.getheaders() if name.lower() not in HOP}
        return answer(request, answered.status, headers, content)

    def close(self):
        self.server.shutdown()
        self.server.server_close()


HOP = {"connection", "content-length", "expect", "transfer-encoding"}


def read_body(request):
    if request.headers.get("transfer-encoding", "").lower() != "chunked":
        return request.rfile.read(int(request.headers.get("content-length") or 0))
    parts = []
    while size := int(request.rfile.readline().split(b";")[0], 16):
        parts.append(request.rfile.read(size))
        request.rfile.readline()
    while request.rfile.readline().strip():
        pass
    return b"".join(parts)


def answer(request, status, headers, content):
    request.send_response(status)
    for name, value in headers.items():
        request.send_header(name, value)
    # 204 has no content and no length.
    if status != 204:
        request.send_header("content-length", str(len(content)))
    request.end_headers()
    if request.command != "HEAD":
        request.wfile.write(content)


def come_back(code, seconds):
    """When to come back, in both places where senders look: Python's by itself, Rust's in the details of the status."""
    info, inside = RetryInfo(retry_delay=Duration(seconds=seconds)), Any()
    inside.Pack(info)
    details = Status(code=code.value[0], message=BUSY, details=[inside])
    return [
        ("google.rpc.retryinfo-bin", info.SerializeToString()),
        ("grpc-status-details-bin", details.SerializeToString()),
    ]


class GrpcGateway(Gateway, grpc.GenericRpcHandler):
    """Statuses of HTTP stand for those of gRPC with the same meaning."""

    STATUSES = {429: grpc.StatusCode.RESOURCE_EXHAUSTED, 503: grpc.StatusCode.UNAVAILABLE}

    def __init__(self, service):
        super().__init__(service)
        self.channel = grpc.insecure_channel(f"{service.host}:{service.port}")
        self.server = grpc.server(ThreadPoolExecutor(4))
        self.server.add_generic_rpc_handlers((self,))
        self.port = self.server.add_insecure_port(f"{self.host}:0")
        self.server.start()

    def service(self, details):
        return grpc.unary_unary_rpc_method_handler(lambda body, context: self.pass_on(details, body, context))

    def pass_on(self, details, body, context):
        trouble = self.next()
        if trouble not in (None, LOST):
            status, retry_after = trouble
            # One that says nothing of when to come back is for good, so that only the busy one may leave it out.
            if retry_after is not None or status == 429:
                context.set_trailing_metadata(come_back(self.STATUSES[status], retry_after or 1))
            context.abort(self.STATUSES[status], BUSY)
        try:
            metadata = [pair for pair in details.invocation_metadata if pair[0] != "user-agent"]
            answered = self.channel.unary_unary(details.method)(body, timeout=WAIT_SECONDS, metadata=metadata)
        except grpc.RpcError as error:
            context.set_trailing_metadata(error.trailing_metadata() or ())
            context.abort(error.code(), error.details())
        if trouble == LOST:
            context.abort(grpc.StatusCode.UNAVAILABLE, "the answer was lost")
        return answered

    def close(self):
        self.server.stop(None)
        self.channel.close()


class TcpGateway(Gateway):
    """Hands bytes on, and can lose answers; then the connection ends, as both sides see it."""

    def __init__(self, service, port_behind):
        super().__init__(service)
        self.port_behind = port_behind
        self.listener = socket.create_server((self.host, 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                sender, _ = self.listener.accept()
            except OSError:
                return
            try:
                service = socket.create_connection((self.host, self.port_behind))
            except OSError:
                sender.close()
                continue
            for source, target, has_answers in [(sender, service, False), (service, sender, True)]:
                threading.Thread(target=self.pump, args=(source, target, has_answers), daemon=True).start()

    def pump(self, source, target, has_answers):
        try:
            while block := source.recv(65_536):
                if has_answers and self.next() is not None:
                    break
                target.sendall(block)
        except OSError:
            pass
        for side in (source, target):
            try:
                side.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.listener.close()
