"""The real binary, told to send to the receivers on this machine."""

import json
import subprocess
import urllib.request

WAIT_SECONDS = 300


class Service:
    def __init__(self, binary, folder, receivers, changes=None):
        self.log = open(folder / "log", "a")
        self.receivers = receivers
        here = receivers.url
        (folder / "password").write_text("mail-secret\n")
        settings = {
            "notify-plain-http": "true",
            "notify-allowed-networks": "127.0.0.0/8",
            "notify-chat-a-url": f"{here}/chat-a/api",
            "notify-incident-a-url": f"{here}/incident-a",
            "notify-incident-a-eu-url": f"{here}/incident-a-eu",
            "notify-incident-b-url": f"{here}/incident-b",
            "smtp-host": "127.0.0.1",
            "smtp-port": str(receivers.smtp_port),
            "smtp-encryption": "none",
            "smtp-user": "alerts",
            "smtp-password-file": str(folder / "password"),
            "smtp-from": "alerts@example.com",
            **(changes or {}),
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

    def figures(self):
        """What /metrics shows."""
        with urllib.request.urlopen(self.url + "/metrics", timeout=WAIT_SECONDS) as answer:
            return answer.read().decode()

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
        path, headers, body = self.receivers.requests.get(timeout=WAIT_SECONDS)
        return id, delivery, path, headers, body

    def kill(self):
        self.process.kill()
        self.process.wait(WAIT_SECONDS)
        self.log.close()

    def stop(self):
        self.process.terminate()
        self.process.wait(WAIT_SECONDS)
        self.log.close()
