"""A peer in a process of its own, so that its memory and its threads are its own. `Peer` is the end that asks; run as a
program, this file is the other end: it takes one call on each line and answers with one line."""

import json
import os
import subprocess
import sys
import time
from contextlib import nullcontext

from together import ask_together

THREADS = 2
PEERS = ["ClickHouse", "DuckDB"]


class Peer:
    def __init__(self, name, folder):
        os.makedirs(folder, exist_ok=True)
        benches = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        command = [sys.executable, "-m", "peers.process", name, folder]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=benches
        )
        _, self.version = self.call("version")

    def call(self, method, *arguments):
        """Seconds inside the peer's process, and what the method gave."""
        self.process.stdin.write(json.dumps([method, *arguments]) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the process of a peer ended during {method}")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["seconds"], answer["given"]

    def ask(self, statement):
        return self.call("ask", statement)

    def together(self, plans, seconds):
        """Each plan is what one client asks, in order and again from the beginning, until the time is over. Gives the
        seconds of every answer of each client, its first answer to each statement, and how long all took."""
        _, given = self.call("together", plans, seconds)
        return given

    def insert(self, file):
        seconds, _ = self.call("insert", "events", file)
        return seconds

    def load(self, kind, files):
        """A new table with the events of all files; each is let go before the next is asked for."""
        self.call("make", kind)
        for file in files:
            self.call("insert", kind, file)
        self.call("settle")

    def peak(self):
        import service

        return service.peak_of(self.process.pid)

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def engine(name, folder):
    if name == "ClickHouse":
        from .clickhouse import ClickHouse

        return ClickHouse(folder, THREADS)
    from .duckdb_table import DuckDB

    return DuckDB(folder, THREADS)


def clients_together(opened, plans, seconds):
    """Answers are made to text when all clients have ended."""
    clients = [nullcontext(ask) for ask in opened.clients(len(plans))]
    taken, answers, elapsed = ask_together(clients, plans, seconds)
    return {"taken": taken, "answers": [opened.read(each) for each in answers], "seconds": elapsed}


def main():
    opened = engine(*sys.argv[1:3])
    for line in sys.stdin:
        method, *arguments = json.loads(line)
        begun = time.perf_counter()
        try:
            if method == "together":
                given = clients_together(opened, *arguments)
            else:
                given = getattr(opened, method)(*arguments)
            answer = {"seconds": time.perf_counter() - begun, "given": given}
        except Exception as error:  # The call is at fault, not this process: the asker decides.
            answer = {"error": str(error)}
        print(json.dumps(answer, default=str), flush=True)


if __name__ == "__main__":
    main()
