"""Posts to a real Alertmanager, which takes the alert, knows it by the fingerprint that we say, and sends it on to a webhook
in the form that ours has too. The program is that of Debian, unpacked and not installed."""

import json
import socket
import subprocess
import time
import urllib.error
import urllib.request

from channels import check_fingerprint
from service import WAIT_SECONDS


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


# The program looks for its templates in a place that is built into it, and is shown a folder there that nobody else sees.
SHOWN = ["unshare", "--map-root-user", "--mount", "sh", "-c", 'mount --bind "$1" /usr/share && shift && exec "$@"', "sh"]


class Alertmanager:
    def __init__(self, root, folder, receiver):
        folder.mkdir()
        config = folder / "alertmanager.yml"
        config.write_text(
            f"""route: {{receiver: on, group_by: [alertname, monitor], group_wait: 1s, group_interval: 1s}}
receivers: [{{name: on, webhook_configs: [{{url: "{receiver}"}}]}}]
"""
        )
        self.url = f"http://127.0.0.1:{free_port()}"
        command = [*SHOWN, f"{root}/usr/share", f"{root}/usr/bin/prometheus-alertmanager"]
        command += [f"--config.file={config}", f"--storage.path={folder}/data", "--cluster.listen-address="]
        command.append(f"--web.listen-address={self.url.removeprefix('http://')}")
        self.log = open(folder / "log", "w")
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log)
        until = time.monotonic() + WAIT_SECONDS
        while True:
            try:
                urllib.request.urlopen(f"{self.url}/-/ready", timeout=WAIT_SECONDS)
                return
            except (urllib.error.URLError, ConnectionError):
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)

    def alerts(self):
        with urllib.request.urlopen(f"{self.url}/api/v2/alerts", timeout=WAIT_SECONDS) as answer:
            return json.load(answer)

    def stop(self):
        self.process.terminate()
        self.process.wait(WAIT_SECONDS)
        self.log.close()


def forms(value):
    """The names and types in a body, without its values."""
    if isinstance(value, dict):
        return {key: forms(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [forms(inner) for inner in value]
    return type(value).__name__


def check_real_alertmanager(service, root, folder):
    here = service.receivers.url
    alertmanager = Alertmanager(root, folder / "alertmanager", f"{here}/from-alertmanager")
    try:
        posted = {"webhook": {"url": f"{alertmanager.url}/api/v2/alerts", "format": "alertmanagerApi"}}
        _, delivery = service.test("real", posted)
        assert delivery["state"] == "sent" and delivery["attempts"][0]["status"] == 200, delivery
        [alert] = alertmanager.alerts()
        assert alert["labels"]["alertname"] == "Test of real" and alert["status"]["state"] in ("active", "unprocessed")
        path, _, body = service.receivers.requests.get(timeout=WAIT_SECONDS)
        theirs = json.loads(body)
        assert path == "/from-alertmanager" and theirs["version"] == "4", theirs
    finally:
        alertmanager.stop()
    _, _, _, _, body = service.sent("real", {"webhook": {"url": f"{here}/hook", "format": "alertmanager"}})
    ours = json.loads(body)
    assert forms(ours) == forms(theirs), (forms(ours), forms(theirs))
    # The sum that ours is checked by gives theirs too.
    for one in [theirs["alerts"][0], ours["alerts"][0]]:
        check_fingerprint(one)
