"""From an event to a message and back: events come in, a monitor opens, its messages arrive by mail, at a webhook, at a
service for incidents and, where one can be had, at a real Alertmanager, which sends them on; the service is killed in
between, the events age, and the end of the alert follows."""

import email
import email.policy
import json
import queue
import time

from alertmanager import Alertmanager
from service import Service

# A monitor looks once a minute, at another second than others do, and the events must age for a minute.
ALERT_SECONDS = 200
# Where a real Alertmanager sends to, and what it says of an alert that has not ended.
PASSED_ON = "/from-alertmanager"
NO_TIME = "0001-01-01T00:00:00Z"


def check_alert(binary, folder, receivers, root=None):
    """With the real Alertmanager that is unpacked below `root`, if there is one."""
    alertmanager = Alertmanager(root, folder / "alertmanager", f"{receivers.url}{PASSED_ON}") if root else None
    try:
        opens_and_closes(binary, folder, receivers, alertmanager)
    finally:
        if alertmanager:
            alertmanager.stop()


def opens_and_closes(binary, folder, receivers, alertmanager):
    service = Service(binary, folder, receivers)
    notifiers = [
        service.notifier("hook", {"webhook": {"url": f"{receivers.url}/hook"}}),
        service.notifier("mail", {"email": {"emails": ["ops@example.com"]}}),
        service.notifier("pager", {"incidentB": {"routingKey": "r0ute"}}),
    ]
    if alertmanager:
        posted = {"url": f"{alertmanager.url}/api/v2/alerts", "format": "alertmanagerApi"}
        notifiers.append(service.notifier("alertmanager", {"webhook": posted}))
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

    opened = Arrived(receivers, alertmanager)
    opened.wait("Open")
    service.kill()
    service = Service(binary, folder, receivers)
    closed = Arrived(receivers, alertmanager)
    closed.wait("Closed")

    # The same incident, opened and closed; each message under one id, however often it came.
    assert opened.pager["dedup_key"] == closed.pager["dedup_key"]
    assert opened.hook["event"]["value"] >= 3 and closed.hook["event"]["value"] == 0, (opened.hook, closed.hook)
    assert opened.mail["references"] == closed.mail["references"]
    assert opened.mail["message-id"] != closed.mail["message-id"]
    if alertmanager:
        check_passed_on(opened.alert, closed.alert)
        assert alertmanager.alerts() == [], "it knows of no alert any more"
    for notifier in notifiers:
        deliveries = noted(service, notifier)
        told = [(one["action"], one["state"]) for one in deliveries]
        assert told == [("closed", "sent"), ("open", "sent")], deliveries
    service.stop()


def check_passed_on(opened, closed):
    """What a real Alertmanager told of one alert: that it fires, and that it has ended when we said so."""
    for key in ["fingerprint", "labels", "startsAt"]:
        assert opened[key] == closed[key], (key, opened, closed)
    assert opened["endsAt"] == NO_TIME, opened
    assert closed["startsAt"] < closed["endsAt"], closed


def noted(service, notifier):
    """The deliveries once the service has noted the end of each: a receiver has a message before that."""
    deadline = time.monotonic() + ALERT_SECONDS
    while True:
        deliveries = service.call("GET", f"/v2/notifiers/{notifier}/deliveries")
        if all(one["state"] != "waiting" for one in deliveries):
            return deliveries
        assert time.monotonic() < deadline, deliveries


class Arrived:
    """What came of one message to three notifiers, and by a fourth, an Alertmanager, if there is one; a message that comes
    again must be the same."""

    def __init__(self, receivers, alertmanager):
        self.receivers, self.alertmanager = receivers, alertmanager
        self.hook = self.pager = self.mail = self.alert = None

    def wait(self, action):
        words = {
            "Open": ("Open", "trigger", "Triggered", "firing"),
            "Closed": ("Closed", "resolve", "Resolved", "resolved"),
        }[action]
        deadline = time.monotonic() + ALERT_SECONDS
        while not self.is_whole():
            assert time.monotonic() < deadline, (action, self.hook, self.pager, self.mail, self.alert)
            self.take(words)

    def is_whole(self):
        return self.hook and self.pager and self.mail and (self.alert or not self.alertmanager)

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
            elif path == PASSED_ON and body["status"] == words[3]:
                # What it was told before, by another test, may come late.
                about = [alert for alert in body["alerts"] if "Failures" in alert["labels"]["alertname"]]
                self.alert = about[0] if about else self.alert
        except queue.Empty:
            pass
        try:
            mail = email.message_from_bytes(self.receivers.mails.get_nowait().content, policy=email.policy.default)
            if words[2] in mail["subject"]:
                assert self.mail is None or self.mail["message-id"] == mail["message-id"], mail
                self.mail = mail
        except queue.Empty:
            pass
