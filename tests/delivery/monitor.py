"""From an event to a message and back: events come in, a monitor opens, its messages arrive by mail, at a webhook and
at a service for incidents; the service is killed in between, the events age, and the end of the alert follows."""

import email
import email.policy
import json
import queue
import time

from service import Service

# A monitor looks once a minute, at another second than others do, and the events must age for a minute.
ALERT_SECONDS = 200


def check_alert(binary, folder, receivers):
    service = Service(binary, folder, receivers)
    notifiers = [
        service.notifier("hook", {"webhook": {"url": f"{receivers.url}/hook"}}),
        service.notifier("mail", {"email": {"emails": ["ops@example.com"]}}),
        service.notifier("pager", {"incidentB": {"routingKey": "r0ute"}}),
    ]
    events = [{"path": "/pay", "status": 500}] * 3
    service.call("POST", "/v1/datasets/web/ingest", events)
    monitor = {
        "name": "Failures",
        "type": "Threshold",
        "aplQuery": "['web'] | where status >= 500 | summarize count()",
        "operator": "AboveOrEqual",
        "threshold": 3,
        "intervalMinutes": 1,
        "rangeMinutes": 1,
        "notifierIds": notifiers,
    }
    service.call("POST", "/v2/monitors", monitor)
    # The window of the first run begins after the monitor was made.
    service.call("POST", "/v1/datasets/web/ingest", events)

    opened = Arrived(receivers)
    opened.wait("Open")
    service.kill()
    service = Service(binary, folder, receivers)
    closed = Arrived(receivers)
    closed.wait("Closed")

    # The same incident, opened and closed; each message under one id, however often it came.
    assert opened.pager["dedup_key"] == closed.pager["dedup_key"]
    assert opened.hook["event"]["value"] >= 3 and closed.hook["event"]["value"] == 0, (opened.hook, closed.hook)
    assert opened.mail["references"] == closed.mail["references"]
    assert opened.mail["message-id"] != closed.mail["message-id"]
    for notifier in notifiers:
        deliveries = noted(service, notifier)
        told = [(one["action"], one["state"]) for one in deliveries]
        assert told == [("closed", "sent"), ("open", "sent")], deliveries
    service.stop()


def noted(service, notifier):
    """The deliveries once the service has noted the end of each: a receiver has a message before that."""
    deadline = time.monotonic() + ALERT_SECONDS
    while True:
        deliveries = service.call("GET", f"/v2/notifiers/{notifier}/deliveries")
        if all(one["state"] != "waiting" for one in deliveries):
            return deliveries
        assert time.monotonic() < deadline, deliveries


class Arrived:
    """What came of one message to three notifiers; a message that comes again must be the same."""

    def __init__(self, receivers):
        self.receivers = receivers
        self.hook = self.pager = self.mail = None

    def wait(self, action):
        words = {"Open": ("Open", "trigger", "Triggered"), "Closed": ("Closed", "resolve", "Resolved")}[action]
        deadline = time.monotonic() + ALERT_SECONDS
        while not (self.hook and self.pager and self.mail):
            assert time.monotonic() < deadline, (action, self.hook, self.pager, self.mail)
            self.take(words)

    def take(self, words):
        try:
            path, _, body = self.receivers.requests.get(timeout=0.2)
            body = json.loads(body)
            if path == "/hook" and body["action"] == words[0]:
                assert self.hook in (None, body), body
                self.hook = body
            elif path.startswith("/incident-b") and body["event_action"] == words[1]:
                assert self.pager in (None, body), body
                self.pager = body
        except queue.Empty:
            pass
        try:
            mail = email.message_from_bytes(self.receivers.mails.get_nowait().content, policy=email.policy.default)
            if words[2] in mail["subject"]:
                assert self.mail is None or self.mail["message-id"] == mail["message-id"], mail
                self.mail = mail
        except queue.Empty:
            pass
