"""Sends a test message through every channel of the real binary and checks what arrives by the documentation of each
receiver: a mail server, chat services, services for incidents, and webhooks with their signatures."""

import base64
import email
import email.policy
import hashlib
import hmac
import json
import re
import subprocess
import urllib.error

from service import WAIT_SECONDS


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


def check_fingerprint(alert):
    """FNV-1a over the labels in order, as Prometheus has it."""
    total = 0xCBF29CE484222325
    for name, value in sorted(alert["labels"].items()):
        for byte in name.encode() + b"\xff" + value.encode() + b"\xff":
            total = ((total ^ byte) * 0x100000001B3) % 2**64
    assert alert["fingerprint"] == f"{total:016x}", alert


def check_alertmanager(service, here):
    """By the documentation of Alertmanager's webhooks and of its own interface."""
    properties = {"webhook": {"url": f"{here}/hook", "format": "alertmanager"}}
    id, delivery, _, headers, body = service.sent("am", properties)
    check_signature(service, id, delivery, headers, body)
    message = json.loads(body)
    assert message["version"] == "4" and message["status"] == "firing" and message["truncatedAlerts"] == 0, message
    texts = ["groupKey", "receiver", "externalURL"]
    assert all(isinstance(message[key], str) for key in texts), message
    [alert] = message["alerts"]
    assert message["commonLabels"] == alert["labels"] and message["commonAnnotations"] == alert["annotations"]
    assert message["groupLabels"].items() <= alert["labels"].items()
    assert alert["status"] == "firing" and alert["endsAt"] == "0001-01-01T00:00:00Z", alert
    pairs = [*alert["labels"].items(), *alert["annotations"].items()]
    assert all(re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_]*", name) and isinstance(value, str) for name, value in pairs)
    assert alert["labels"]["alertname"] == "Test of am" and alert["labels"]["severity"] == "info"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", alert["startsAt"])
    check_fingerprint(alert)

    properties = {"webhook": {"url": f"{here}/api/v2/alerts", "format": "alertmanagerApi"}}
    _, _, path, headers, body = service.sent("api", properties)
    [alert] = json.loads(body)
    assert path == "/api/v2/alerts" and headers["content-type"] == "application/json"
    assert set(alert) == {"labels", "annotations", "startsAt"}, alert
    assert alert["labels"]["alertname"] == "Test of api" and alert["annotations"]["summary"] == "Test of api"


def check_mails(service):
    id, delivery = service.test("mail ä", {"email": {"emails": ["ops@example.com", "oncall@example.com"]}})
    assert delivery["state"] == "sent", delivery
    envelope = service.receivers.mails.get(timeout=WAIT_SECONDS)
    assert envelope.mail_from == "alerts@example.com"
    assert envelope.rcpt_tos == ["ops@example.com", "oncall@example.com"]
    mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
    assert mail["subject"] == "Test of mail ä", mail["subject"]
    assert mail["message-id"] == f"<{delivery['id']}@example.com>", mail["message-id"]
    assert mail["references"] and "sent to try the notifier" in mail.get_content()

    id, delivery = service.test("refused", {"email": {"emails": ["nobody@example.com"]}})
    attempt = delivery["attempts"][0]
    assert delivery["state"] == "dead" and attempt["error"] == "the mail server answers 550", delivery
    assert service.receivers.mails.empty()


def check_trace(service, here):
    id, delivery = service.test("fails", {"webhook": {"url": f"{here}/fails/SECRET-PATH"}})
    service.receivers.requests.get(timeout=WAIT_SECONDS)
    assert delivery["state"] == "dead" and delivery["attempts"][0]["status"] == 500, delivery
    listed = service.call("GET", f"/v2/notifiers/{id}/deliveries")
    assert [one["id"] for one in listed] == [delivery["id"]]
    assert "SECRET-PATH" not in json.dumps(listed)
    # A dead letter that is sent again comes under the same id, now by the worker.
    service.call("POST", f"/v2/notifiers/{id}/deliveries/{delivery['id']}/replay")
    _, headers, _ = service.receivers.requests.get(timeout=WAIT_SECONDS)
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
    assert tested.returncode == 0 and " sent " in tested.stdout and " 202 " in tested.stdout, tested
    service.receivers.requests.get(timeout=WAIT_SECONDS)
    rows = [line.split(maxsplit=3) for line in run("list").stdout.splitlines()]
    assert [id, "webhook", "on", "by command"] in rows, rows
    assert "Test of by command" in run("deliveries", id).stdout


def check_all(service):
    here = service.receivers.url
    check_chats(service, here)
    check_incidents(service)
    check_webhooks(service, here)
    check_alertmanager(service, here)
    check_mails(service)
    check_trace(service, here)
    check_command(service, here)
    assert service.receivers.requests.empty(), service.receivers.requests.get()
    assert re.search(r"^tidegauge_messages_sent_total [1-9]", service.figures(), re.M), service.figures()
