"""Asks queries and other requests that want more than they may have, each alone and eight at once, and watches what the
process holds.

Every one must end with an answer or an error of its own, and some with nothing but an answer; the process may hold no
more than its settings say and a tenth, and a small query beside them must be answered. scripts/hostile.sh starts this
file.
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

from cases import all_cases

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
            "query-partials-bytes": GROUPS,
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
        # By the name that is given here; the first one has none.
        self.orgs = {}
        status, body = self.get("/v2/orgs")
        self.orgs[None] = json.loads(body)[0]["id"]

    def post(self, path, body, org=None):
        return self.call(path, body.encode(), org)

    def get(self, path):
        return self.call(path, None, None)

    def call(self, path, body, org):
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        if len(self.orgs) > 1:
            headers["X-Axiom-Org-Id"] = self.orgs[org]
        request = urllib.request.Request(self.url + path, body, headers)
        try:
            with urllib.request.urlopen(request, timeout=SECONDS * 6) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def add_org(self, name):
        """An organisation whose datasets no query of the first one reads."""
        status, body = self.post("/v2/orgs", json.dumps({"name": name}))
        if status != 200:
            raise SystemExit(f"hostile: {status} {body[:300]!r}")
        self.orgs[name] = json.loads(body)["id"]

    def fill(self, dataset, made, at_once, org=None):
        for start in range(0, len(made), at_once):
            body = json.dumps(made[start : start + at_once])
            status, body = self.post(f"/v1/datasets/{dataset}/ingest", body, org)
            if status != 200:
                raise SystemExit(f"hostile: {status} {body[:300]!r}")

    def ask(self, apl, org=None):
        return self.post("/v1/query/_apl?format=tabular", json.dumps({"apl": apl}), org)

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


def many_events(count, chance):
    for number in range(count):
        yield {"_time": 1_790_000_000_000 + number, "n": number, "k": f"{chance.randrange(1 << 63):016x}"}


def wide_events(count, fields):
    for number in range(count):
        values = {f"w_{name}": f"value {name % 100 + number}" for name in range(fields)}
        yield {"_time": 1_790_000_000_000 + number * 1_000, **values}


class Suite:
    def __init__(self, service, limit):
        self.service, self.limit, self.wrong, self.seen = service, limit, [], {}
        self.cases = all_cases()

    def one(self, case, expected):
        answers = case.ask(self.service)
        for status, body in answers:
            self.seen[status] = self.seen.get(status, 0) + 1
            if status not in expected:
                self.wrong.append(f"answered with {status} {body[:200]!r}: {case.name[:150]}")
        return max(status for status, _ in answers)

    def look(self, what):
        peak = self.service.held("VmHWM")
        if peak > self.limit:
            self.wrong.append(f"held {peak / MIB:.0f} MiB of {self.limit / MIB:.0f}: {what[:150]}")
        return peak

    def alone(self, only):
        most = 0
        for number, case in enumerate(self.cases):
            if only and number not in only:
                continue
            self.service.forget_peak()
            before = self.service.held("VmRSS")
            begun = time.monotonic()
            status = self.one(case, {200} if case.is_answered else EXPECTED)
            peak = self.look(case.name)
            most = max(most, peak)
            print(f"{number:3} {status} {time.monotonic() - begun:6.2f} s {before / MIB:6.0f} to {peak / MIB:4.0f} MiB  {case.name[:90]}", flush=True)
        return most

    def together(self, rounds, chance):
        most = 0
        for number in range(rounds):
            chosen = chance.sample(self.cases, AT_ONCE)
            self.service.forget_peak()
            threads = [threading.Thread(target=self.one, args=(case, EXPECTED)) for case in chosen]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            peak = self.look(" + ".join(case.name[:60] for case in chosen))
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
    parser.add_argument("--only", type=int, nargs="*", help="the numbers of what is asked alone")
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    service = Service(arguments.binary, arguments.folder)
    try:
        service.fill("d", list(events(arguments.events, chance)), 20_000)
        service.fill("sparse", list(sparse_events(arguments.events // 5)), 5_000)
        service.fill("broad", list(broad_events(20, 390)), 1)
        service.fill("many", list(many_events(arguments.events * 12, chance)), 50_000)
        service.add_org("wide")
        service.fill("wide", list(wide_events(3, 90_000)), 1, "wide")
        for _ in range(2):
            service.ask("d | summarize count(), max(s), max(u) by w")
        service.become_quiet()
        idle = service.held("VmRSS")
        limit = int(idle + ALL_QUERIES * 1.1 + COLUMNS + GROUPS + BESIDE)
        print(f"hostile: {idle / MIB:.0f} MiB idle, at most {limit / MIB:.0f} MiB", flush=True)
        suite = Suite(service, limit)
        alone, together = suite.alone(arguments.only), suite.together(arguments.rounds, chance)
        print(f"hostile: {len(suite.cases)} cases, most {alone / MIB:.0f} MiB alone, {together / MIB:.0f} MiB together, {suite.seen}")
        for wrong in suite.wrong:
            print(f"hostile: {wrong}", file=sys.stderr)
        sys.exit(1 if suite.wrong else 0)
    finally:
        service.process.terminate()
        service.process.wait()


if __name__ == "__main__":
    main()
