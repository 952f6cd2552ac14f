"""Delivery by the real binary: every channel, mails by encrypted connections, and the way from an event to a message.

Usage: main.py BINARY FOLDER [ALERTMANAGER]"""

import sys
from pathlib import Path

from alertmanager import check_real_alertmanager
from channels import check_all
from encryption import check_encryption
from monitor import check_alert
from receivers import Receivers
from service import Service


def main(binary, folder, alertmanager=None):
    receivers = Receivers()
    try:
        (folder / "channels").mkdir()
        service = Service(binary, folder / "channels", receivers)
        try:
            check_all(service)
            if alertmanager:
                check_real_alertmanager(service, alertmanager, folder)
                print("delivery: a real Alertmanager passed")
        finally:
            service.stop()
        print("delivery: every channel passed")
        check_encryption(binary, folder, receivers)
        print("delivery: mails by STARTTLS and TLS passed")
        (folder / "alert").mkdir()
        check_alert(binary, folder / "alert", receivers, alertmanager)
        print("delivery: from an event to a message passed")
    finally:
        receivers.stop()


main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
