"""Programs of Debian, unpacked into a folder and not installed: where their files are, and how they are run."""

import atexit
import os
import subprocess
import time
import urllib.request
from contextlib import contextmanager

from service import WAIT_SECONDS


class Unpacked:
    def __init__(self, root, work):
        self.root, self.work = root, work
        libraries = sorted({str(path.parent) for path in root.rglob("*.so*") if "rsyslog" not in path.parts})
        self.environment = {**os.environ, "LD_LIBRARY_PATH": ":".join(libraries), "TZ": "UTC"}

    def path(self, inside):
        return str(self.root / inside)

    def make(self, name, text=None):
        """A folder of the program's own, or a file in one."""
        path = self.work / "daemons" / name
        (path if text is None else path.parent).mkdir(parents=True, exist_ok=True)
        if text is not None:
            path.write_text(text)
        return path

    def log(self, command):
        return self.make(f"{os.path.basename(command[0])}.log", "")

    def ends(self, command):
        """Runs it to its end: the status, and what it said."""
        log = self.log(command)
        with open(log, "wb") as out:
            done = subprocess.run(command, env=self.environment, stdout=out, stderr=out, timeout=WAIT_SECONDS)
        return done.returncode, log.read_text()[-2000:]

    def run(self, command):
        status, said = self.ends(command)
        if status != 0:
            raise AssertionError(f"{command[0]} ended with {status}:\n{said}")

    @contextmanager
    def running(self, command, health=None):
        """While it runs, from when it answers at an address if there is one."""
        log = self.log(command)
        with open(log, "wb") as out:
            process = subprocess.Popen(command, env=self.environment, stdout=out, stderr=out)
        # Also where it is run by a thread that this program does not wait for.
        atexit.register(process.kill)
        try:
            if health:
                await_health(health)
            yield
        except AssertionError as error:
            raise AssertionError(f"{error}\n{command[0]} says:\n{log.read_text()[-2000:]}") from error
        finally:
            process.terminate()
            try:
                process.wait(WAIT_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def await_health(address):
    until = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            return urllib.request.urlopen(address, timeout=WAIT_SECONDS).close()
        except OSError as error:
            if time.monotonic() > until:
                raise AssertionError(f"{address} does not answer") from error
            time.sleep(0.05)
