"""Asks queries that want more than they may have, each alone and eight at once, and watches what the process holds.

Every query must end with an answer or an error of its own, the process may hold no more than its settings say and a
tenth, and a small query beside them must be answered. scripts/hostile.sh starts this file.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

from queries import QUERIES

MIB = 1 << 20
ALL_QUERIES, ONE_QUERY, COLUMNS, GROUPS = 256 * MIB, 128 * MIB, 32 * MIB, 16 * MIB
SECONDS = 20
AT_ONCE = 8
# What an answer that is written at the moment, the allocator and threads take beside what is counted.
BESIDE = 96 * MIB
# 400 is not among them: a query that is not understood proves nothing.
EXPECTED = {200, 408, 422, 429, 432, 503, 504}


class Service:
    def __init__(self, binary, folder):
        settings = {
            "query-memory-bytes": ALL_QUERIES,
            "max-query-memory-bytes": ONE_QUERY,
            "query-cache-bytes": COLUMNS,
            "query-groups-bytes": GROUPS,
            "query-timeout-seconds": SECONDS,
        }
        flags = [word for name, value in settings.items() for word in (f"--{name}", str(value))]
        command = [binary, "serve", "--data", folder, "--listen", "127.0.0.1:0", "--log-level", "warn", *flags]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = next((line for line in self.process.stdout if "listens on " in line), None)
        if line is None:
            raise SystemExit("hostile: the service did not start")
        self.url = line.split("listens on ")[1].strip()
        threading.Thread(target=self.process.stdout.read, daemon=True).start()
        with open(os.path.join(folder, "first-token"), encoding="utf-8") as file:
            self.token = file.read().strip()

    def post(self, path, body):
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, body.encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=SECONDS * 6) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def fill(self, dataset, made, at_once):
        for start in range(0, len(made), at_once):
            status, body = self.post(f"/v1/datasets/{dataset}/ingest", json.dumps(made[start : start + at_once]))
            if status != 200:
                raise SystemExit(f"hostile: {status} {body[:300]!r}")

    def ask(self, apl):
        return self.post("/v1/query/_apl?format=tabular", json.dumps({"apl": apl}))

    def held(self, field):
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as file:
            line = next(line for line in file if line.startswith(field))
        return int(line.split()[1]) * 1024

    def forget_peak(self):
        with open(f"/proc/{self.process.pid}/clear_refs", "w", encoding="ascii") as file:
            file.write("5")

    def become_quiet(self):
        """Events go to segments by and by, which takes memory that is not the queries'."""
        time.sleep(25)
        for _ in range(20):
            before = self.held("VmRSS")
            self.forget_peak()
            time.sleep(3)
            if max(abs(self.held("VmRSS") - before), self.held("VmHWM") - before) < 8 * MIB:
                return


def events(count, chance):
    for number in range(count):
        yield {
            "_time": 1_790_000_000_000 + number * 1_000,
            "s": f"a message of its own, number {number} of {chance.randrange(10 ** 9)}",
            "n": number,
            "w": f"word-{number % 7}",
            "u": f"{chance.randrange(1 << 63):016x}",
            "o": {"a": number % 11, "b": f"x{number % 101}"},
            "a": [number % 3, number % 5, number % 7],
        }


def sparse_events(count):
    for number in range(count):
        fields = {f"f_{(number * 7 + place * 101) % 2_000}": f"value {number} of {place}" for place in range(20)}
        yield {"_time": 1_790_000_000_000 + number * 1_000, "i": number, **fields}


def broad_events(count, fields):
    for number in range(count):
        names = range(number * fields, (number + 1) * fields)
        yield {"_time": 1_790_000_000_000 + number * 1_000, **{f"b_{name}": name for name in names}}


class Suite:
    def __init__(self, service, limit):
        self.service, self.limit, self.wrong, self.seen = service, limit, [], {}

    def one(self, apl):
        status, body = self.service.ask(apl)
        self.seen[status] = self.seen.get(status, 0) + 1
        if status not in EXPECTED:
            self.wrong.append(f"answered with {status} {body[:200]!r}: {apl[:150]}")
        return status

    def look(self, what):
        peak = self.service.held("VmHWM")
        if peak > self.limit:
            self.wrong.append(f"held {peak / MIB:.0f} MiB of {self.limit / MIB:.0f}: {what[:150]}")
        return peak

    def alone(self, only):
        most = 0
        for number, apl in enumerate(QUERIES):
            if only and number not in only:
                continue
            self.service.forget_peak()
            before = self.service.held("VmRSS")
            begun = time.monotonic()
            status = self.one(apl)
            peak = self.look(apl)
            most = max(most, peak)
            print(f"{number:3} {status} {time.monotonic() - begun:6.2f} s {before / MIB:6.0f} to {peak / MIB:4.0f} MiB  {apl[:90]}", flush=True)
        return most

    def together(self, rounds, chance):
        most = 0
        for number in range(rounds):
            chosen = chance.sample(QUERIES, AT_ONCE)
            self.service.forget_peak()
            threads = [threading.Thread(target=self.one, args=(apl,)) for apl in chosen]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            peak = self.look(" + ".join(apl[:60] for apl in chosen))
            most = max(most, peak)
            status, _ = self.service.ask("d | where n < 10 | count")
            if status != 200:
                self.wrong.append(f"a small query after round {number} was answered with {status}")
            print(f"together {number}: {peak / MIB:.0f} MiB", flush=True)
        return most


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("folder")
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, nargs="*", help="the numbers of the queries that are asked alone")
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    service = Service(arguments.binary, arguments.folder)
    try:
        service.fill("d", list(events(arguments.events, chance)), 20_000)
        service.fill("sparse", list(sparse_events(arguments.events // 5)), 5_000)
        service.fill("broad", list(broad_events(20, 390)), 1)
        for _ in range(2):
            service.ask("d | summarize count(), max(s), max(u) by w")
        service.become_quiet()
        idle = service.held("VmRSS")
        limit = int(idle + ALL_QUERIES * 1.1 + COLUMNS + GROUPS + BESIDE)
        print(f"hostile: {idle / MIB:.0f} MiB idle, at most {limit / MIB:.0f} MiB", flush=True)
        suite = Suite(service, limit)
        alone, together = suite.alone(arguments.only), suite.together(arguments.rounds, chance)
        print(f"hostile: {len(QUERIES)} queries, most {alone / MIB:.0f} MiB alone, {together / MIB:.0f} MiB together, {suite.seen}")
        for wrong in suite.wrong:
            print(f"hostile: {wrong}", file=sys.stderr)
        sys.exit(1 if suite.wrong else 0)
    finally:
        service.process.terminate()
        service.process.wait()


if __name__ == "__main__":
    main()
