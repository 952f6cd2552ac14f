"""A way to an object store on which requests fail: they or their answers are lost, cut off, late, or refused. What it
answers well is done, and nothing of that is lost."""

import collections
import http.client
import http.server
import threading
import time
import urllib.parse

# The bucket that the service knows. Each way has its own behind it.
BUCKET = "events"

DELAY_SECONDS = 1.5
WAIT_SECONDS = 60

# Between two that talk to each other alone.
HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "server", "date"}

# What the store answers when it refuses: status, code.
REFUSALS = {"500": (500, "InternalError"), "503": (503, "SlowDown")}


class Lost(Exception):
    """The connection is cut here."""


class Way:
    """Stands between one service and the store. A fault is one of control.py: the calls are methods of HTTP, the only
    class is `object`, and the errors are

    request   the request does not arrive
    answer    it is done, and the answer does not arrive
    half      half of it arrives: of a request with a body, or else of the answer
    late      the answer comes late
    500, 503  it is refused, as by a store that has a fault or asks for patience
    done-500  it is done and then refused
    """

    def __init__(self, server, bucket, fault=None):
        self.upstream, self.bucket, self.fault = urllib.parse.urlsplit(server), bucket, fault
        self.lock = threading.Lock()
        self.is_armed, self.is_lifted = False, False
        self.met, self.strikes, self.path = 0, 0, ""
        self.counted = collections.Counter()
        way = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def handle_one_request(self):
                try:
                    super().handle_one_request()
                except (Lost, OSError):
                    self.close_connection = True

            def answer(self):
                way.answer(self)

            do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = answer

        self.listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.listener.daemon_threads = True
        threading.Thread(target=self.listener.serve_forever, daemon=True).start()
        self.endpoint = f"http://127.0.0.1:{self.listener.server_port}"

    # As Control.

    def arm(self):
        self.is_armed = True

    def lift(self):
        self.is_lifted = True

    def struck(self):
        return self.strikes

    def struck_path(self):
        return self.path

    def counts(self):
        return dict(self.counted)

    def close(self):
        self.listener.shutdown()
        self.listener.server_close()

    # Requests.

    def error_of(self, method, path):
        """What is to become of a request."""
        with self.lock:
            if not self.is_armed:
                return None
            self.counted[method, "object"] += 1
            if not self.fault or self.fault.call not in (method, "any"):
                return None
            self.met += 1
            is_later = self.fault.times and self.met >= self.fault.nth + self.fault.times
            if self.met < self.fault.nth or is_later or self.is_lifted:
                return None
            self.strikes += 1
            self.path = self.path or path
            return self.fault.error

    def answer(self, request):
        error = self.error_of(request.command, request.path)
        length = int(request.headers.get("content-length") or 0)
        if error == "half" and length:
            request.rfile.read(length // 2)
            raise Lost
        body = request.rfile.read(length)
        if error == "request":
            raise Lost
        if error in REFUSALS:
            self.refuse(request, *REFUSALS[error])
            return
        status, headers, content = self.forward(request, body)
        if error == "answer":
            raise Lost
        if error == "done-500":
            self.refuse(request, *REFUSALS["500"])
            return
        if error == "late":
            time.sleep(DELAY_SECONDS)
        self.reply(request, status, headers, content, is_half=error == "half")

    def forward(self, request, body):
        connection = http.client.HTTPConnection(self.upstream.hostname, self.upstream.port, timeout=WAIT_SECONDS)
        path = request.path
        if path == f"/{BUCKET}" or path.startswith((f"/{BUCKET}/", f"/{BUCKET}?")):
            path = f"/{self.bucket}{path[len(BUCKET) + 1:]}"
        headers = {name: value for name, value in request.headers.items() if name.lower() not in HOP_BY_HOP}
        try:
            connection.request(request.command, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        finally:
            connection.close()

    def refuse(self, request, status, code):
        content = f"<Error><Code>{code}</Code><Message>please try again</Message></Error>".encode()
        self.reply(request, status, [("content-type", "application/xml")], content)

    def reply(self, request, status, headers, content, is_half=False):
        request.send_response(status)
        length = str(len(content))
        for name, value in headers:
            if request.command == "HEAD" and name.lower() == "content-length":
                length = value
            if name.lower() not in HOP_BY_HOP:
                request.send_header(name, value)
        request.send_header("content-length", length)
        request.end_headers()
        if request.command != "HEAD":
            request.wfile.write(content[:len(content) // 2] if is_half else content)
        if is_half:
            request.wfile.flush()
            raise Lost
