"""Sends a test message through every channel of the real binary and checks what arrives by the documentation of each
receiver: a mail server, chat services, services for incidents, and webhooks with their signatures."""

import base64
import email
import email.policy
import hashlib
import hmac
import http.server
import json
import queue
import re
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

WAIT_SECONDS = 30


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


def authenticator(server, session, envelope, mechanism, data):
    known = data.login == b"alerts" and data.password == b"mail-secret"
    return AuthResult(success=known)


class Receiver(http.server.BaseHTTPRequestHandler):
    """Answers by the path, and keeps what came."""

    requests = queue.Queue()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        Receiver.requests.put((self.path, self.headers, body))
        status = 500 if self.path.startswith("/fails") else 202
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Service:
    def __init__(self, binary, folder, http_port, smtp_port):
        self.log = open(folder / "log", "w")
        here = f"http://127.0.0.1:{http_port}"
        (folder / "password").write_text("mail-secret\n")
        settings = {
            "notify-plain-http": "true",
            "notify-allowed-networks": "127.0.0.0/8",
            "notify-chat-a-url": f"{here}/chat-a/api",
            "notify-incident-a-url": f"{here}/incident-a",
            "notify-incident-a-eu-url": f"{here}/incident-a-eu",
            "notify-incident-b-url": f"{here}/incident-b",
            "smtp-host": "127.0.0.1",
            "smtp-port": str(smtp_port),
            "smtp-encryption": "none",
            "smtp-user": "alerts",
            "smtp-password-file": str(folder / "password"),
            "smtp-from": "alerts@example.com",
        }
        arguments = [part for key, value in settings.items() for part in (f"--{key}", value)]
        command = [binary, "serve", "--data", str(folder / "data"), "--listen", "127.0.0.1:0", *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, text=True)
        for line in self.process.stdout:
            if "listens on" in line:
                self.url = line.split("listens on ")[1].strip()
                break
        self.token = (folder / "data" / "first-token").read_text().strip()
        self.binary = binary

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"authorization": f"Bearer {self.token}", "content-type": "application/json"}
        request = urllib.request.Request(self.url + path, data=data, headers=headers, method=method)
        with urllib.request.urlopen(request, timeout=WAIT_SECONDS) as answer:
            return json.load(answer)

    def notifier(self, name, properties):
        return self.call("POST", "/v2/notifiers", {"name": name, "properties": properties})["id"]

    def test(self, name, properties):
        """Makes a notifier and tries it."""
        id = self.notifier(name, properties)
        return id, self.call("POST", f"/v2/notifiers/{id}/test")

    def sent(self, name, properties):
        """Makes a notifier, tries it, and gives what its receiver got."""
        id, delivery = self.test(name, properties)
        assert delivery["state"] == "sent", (name, delivery)
        assert delivery["attempts"][0]["status"] == 202, delivery
        path, headers, body = Receiver.requests.get(timeout=WAIT_SECONDS)
        return id, delivery, path, headers, body

    def stop(self):
        self.process.terminate()
        self.process.wait(WAIT_SECONDS)
        self.log.close()


def check_chats(service, here):
    _, delivery, path, headers, body = service.sent("a", {"chatA": {"chatAChannel": "42", "chatAToken": "t0k"}})
    message = json.loads(body)
    assert path == "/chat-a/api/channels/42/messages", path
    assert headers["authorization"] == "Bot t0k"
    assert message["allowed_mentions"] == {"parse": []} and message["enforce_nonce"] is True
    assert len(message["nonce"]) <= 25 and delivery["id"].endswith(message["nonce"])
    assert message["embeds"][0]["title"] == "Test of a"

    _, _, path, headers, body = service.sent("aw", {"discordWebhook": {"discordWebhookUrl": f"{here}/hook-a"}})
    assert path == "/hook-a" and json.loads(body)["embeds"][0]["title"] == "Test of aw"

    _, _, path, _, body = service.sent("b", {"slack": {"slackUrl": f"{here}/hook-b"}})
    message = json.loads(body)
    kinds = [block["type"] for block in message["attachments"][0]["blocks"]]
    assert message["text"].startswith("Test of b") and kinds[0] == "header" and kinds[-1] == "context", message

    _, _, path, _, body = service.sent("c", {"chatC": {"chatCUrl": f"{here}/hook-c"}})
    message = json.loads(body)
    card = message["attachments"][0]
    assert message["type"] == "message"
    assert card["contentType"] == "application/vnd.microsoft.card.adaptive"
    assert card["content"]["type"] == "AdaptiveCard" and card["content"]["body"], card


def check_incidents(service):
    for is_eu, base in [(False, "/incident-a"), (True, "/incident-a-eu")]:
        id, _, path, headers, body = service.sent("ia", {"opsgenie": {"apiKey": "k3y", "isEU": is_eu}})
        alert = json.loads(body)
        assert path == f"{base}/v2/alerts", path
        assert headers["authorization"] == "GenieKey k3y"
        assert alert["message"] == "Test of ia" and alert["alias"] == f"test.{id}" and alert["priority"] == "P5"
    id, _, path, _, body = service.sent("ib", {"pagerduty": {"routingKey": "r0ute", "token": "t"}})
    event = json.loads(body)
    assert path == "/incident-b/v2/enqueue", path
    assert event["routing_key"] == "r0ute" and event["event_action"] == "trigger"
    assert event["dedup_key"] == f"test.{id}" and event["payload"]["severity"] == "info"
    assert {"summary", "source", "severity", "timestamp"} <= event["payload"].keys()


def check_signature(service, id, delivery, headers, body):
    """By the scheme's own words, not by the service's code."""
    secret = service.call("GET", f"/v2/notifiers/{id}/signing-secret")["secret"]
    assert secret.startswith("whsec_")
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.new(base64.b64decode(secret[6:]), signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    assert headers["webhook-id"] == delivery["id"]


def check_webhooks(service, here):
    id, delivery, path, headers, body = service.sent("w", {"webhook": {"url": f"{here}/hook"}})
    message = json.loads(body)
    check_signature(service, id, delivery, headers, body)
    assert headers["content-type"] == "application/json"
    assert message["action"] == "Open" and message["event"]["title"] == "Test of w"
    assert message["event"]["groupKeys"] is None and message["event"]["value"] == 0
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? \+0000 UTC", message["event"]["timestamp"])

    template = '{"title": "{{.Title}}", {{if eq .Action "Open"}}"on": true{{else}}"on": false{{end}}}'
    name = 'w "quoted" \\ {{.Title}}'
    properties = {"URL": f"{here}/custom", "Body": template, "Headers": {"X-Team": "a"}, "secretHeaders": {"X-Key": "b"}}
    id, delivery, path, headers, body = service.sent(name, {"customWebhook": properties})
    check_signature(service, id, delivery, headers, body)
    assert json.loads(body) == {"title": f"Test of {name}", "on": True}, body
    assert (headers["x-team"], headers["x-key"]) == ("a", "b")


def check_mails(service, mailbox):
    id, delivery = service.test("mail ä", {"email": {"emails": ["ops@example.com", "oncall@example.com"]}})
    assert delivery["state"] == "sent", delivery
    envelope = mailbox.mails.get(timeout=WAIT_SECONDS)
    assert envelope.mail_from == "alerts@example.com"
    assert envelope.rcpt_tos == ["ops@example.com", "oncall@example.com"]
    mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
    assert mail["subject"] == "Test of mail ä", mail["subject"]
    assert mail["message-id"] == f"<{delivery['id']}@example.com>", mail["message-id"]
    assert mail["references"] and "sent to try the notifier" in mail.get_content()

    id, delivery = service.test("refused", {"email": {"emails": ["nobody@example.com"]}})
    attempt = delivery["attempts"][0]
    assert delivery["state"] == "dead" and attempt["error"] == "the mail server answers 550", delivery
    assert mailbox.mails.empty()


def check_trace(service, here):
    id, delivery = service.test("fails", {"webhook": {"url": f"{here}/fails/SECRET-PATH"}})
    Receiver.requests.get(timeout=WAIT_SECONDS)
    assert delivery["state"] == "dead" and delivery["attempts"][0]["status"] == 500, delivery
    listed = service.call("GET", f"/v2/notifiers/{id}/deliveries")
    assert [one["id"] for one in listed] == [delivery["id"]]
    assert "SECRET-PATH" not in json.dumps(listed)
    # A dead letter that is sent again comes under the same id, now by the worker.
    service.call("POST", f"/v2/notifiers/{id}/deliveries/{delivery['id']}/replay")
    _, headers, _ = Receiver.requests.get(timeout=WAIT_SECONDS)
    assert headers["webhook-id"] == delivery["id"]
    for refused in ["https://10.0.0.1/", "http://169.254.169.254/latest", "http://user@127.0.0.1/"]:
        try:
            service.notifier("refused", {"webhook": {"url": refused}})
        except urllib.error.HTTPError as error:
            assert error.code == 422, error
        else:
            raise AssertionError(refused)


def check_command(service, here):
    id = service.notifier("by command", {"webhook": {"url": f"{here}/hook"}})
    environment = {"TIDEGAUGE_URL": service.url, "TIDEGAUGE_TOKEN": service.token}
    run = lambda *arguments: subprocess.run(
        [service.binary, "notifier", *arguments], env=environment, capture_output=True, text=True, timeout=WAIT_SECONDS
    )
    tested = run("test", id)
    assert tested.returncode == 0 and "sent" in tested.stdout and "status 202" in tested.stdout, tested
    Receiver.requests.get(timeout=WAIT_SECONDS)
    assert f"{id}\twebhook\ton\tby command" in run("list").stdout
    assert "Test of by command" in run("deliveries", id).stdout


def main(binary, folder):
    mailbox = Mailbox()
    # Port 0 would be asked for again by the controller itself, so a free one is looked for.
    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    probe = http.server.HTTPServer(("127.0.0.1", 0), Receiver)
    smtp_port = probe.server_address[1]
    probe.server_close()
    mail_server = Controller(
        mailbox, hostname="127.0.0.1", port=smtp_port, authenticator=authenticator, auth_require_tls=False, auth_required=True
    )
    mail_server.start()
    service = Service(binary, folder, receiver.server_address[1], smtp_port)
    here = f"http://127.0.0.1:{receiver.server_address[1]}"
    try:
        check_chats(service, here)
        check_incidents(service)
        check_webhooks(service, here)
        check_mails(service, mailbox)
        check_trace(service, here)
        check_command(service, here)
        assert Receiver.requests.empty(), Receiver.requests.get()
        with urllib.request.urlopen(service.url + "/metrics", timeout=WAIT_SECONDS) as answer:
            figures = answer.read().decode()
        assert re.search(r"^tidegauge_messages_sent_total [1-9]", figures, re.M), figures
    finally:
        service.stop()
        mail_server.stop()
    print("delivery: every channel passed")


main(sys.argv[1], Path(sys.argv[2]))
