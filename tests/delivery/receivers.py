"""A mail server and a web server on this machine that keep what comes."""

import http.server
import logging
import queue
import socket
import threading
import warnings

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult


class Mailbox:
    """Keeps mails, and refuses the address that begins with nobody."""

    def __init__(self):
        self.mails = queue.Queue()

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("nobody"):
            return "550 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        self.mails.put(envelope)
        return "250 OK"


class MailServer:
    """A mail server on a free port that keeps mails, and who signed in; `options` are those of aiosmtpd."""

    def __init__(self, mails, **options):
        self.mails = mails
        self.logins = []
        mailbox = Mailbox()
        mailbox.mails = mails
        # The controller asks for its own port again, so a free one is looked for.
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        options = {"authenticator": self.authenticate, "auth_required": True, **options}
        self.controller = Controller(mailbox, hostname="127.0.0.1", port=self.port, **options)
        self.controller.start()

    def authenticate(self, server, session, envelope, mechanism, data):
        self.logins.append(data.login)
        return AuthResult(success=data.login == b"alerts" and data.password == b"mail-secret")

    def stop(self):
        self.controller.stop()


class Receiver(http.server.BaseHTTPRequestHandler):
    """Answers by the path, and keeps what came."""

    requests = queue.Queue()
    failed = set()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        Receiver.requests.put((self.path, self.headers, body))
        # Once: a message that is sent again is taken, so that no third attempt comes into what is looked at next.
        status = 500 if self.path.startswith("/fails") and self.path not in Receiver.failed else 202
        Receiver.failed.add(self.path)
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Receivers:
    """Both servers, running."""

    def __init__(self):
        # A mail server without TLS warns of that in several ways.
        warnings.simplefilter("ignore")
        logging.disable(logging.WARNING)
        self.mails = queue.Queue()
        self.requests = Receiver.requests
        self.web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
        threading.Thread(target=self.web.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.web.server_address[1]}"
        self.mail_server = MailServer(self.mails, auth_require_tls=False)
        self.smtp_port = self.mail_server.port

    def stop(self):
        self.mail_server.stop()
        self.web.shutdown()
