"""Compares answers of the service with those of DuckDB: random events, random questions, wherever the events lie and
whether an answer is computed or put together from what was kept. Started by scripts/oracle.sh; see README.md."""

import argparse
import dataclasses
import pathlib
import random
import sys
import time

import duckdb

import compare
import events
from dialect import MACROS, column, name
from expressions import Ex
from limits import Seen
from queries import ROWS_SHOWN, Author
from service import Refused, Service
from shrink import smallest
from stages import Count, Summarize

PARTNERS = 1_500

# How many events are in one request: from one to more than the rows of a stretch of the buffer.
BATCH_SIZES = (1, 17, 700, 3_000, 9_000, 20_000)

# One in so many questions is asked again when the events have moved: part of what was kept still counts then.
REPEATED_ONE_IN = 5

FAILURES_MAX = 5

# So many questions are looked at for the limits that they lie on both sides of; fewer cannot be expected to.
LOOKED_AT = 400
EXPECTED_FROM = 60


class Oracle:
    def __init__(self, arguments):
        self.arguments = arguments
        self.folder = arguments.folder
        self.database = duckdb.connect(config={"threads": 2})
        self.database.execute(MACROS)
        self.service = Service(arguments.binary, arguments.folder)
        self.asked, self.wrong, self.failures, self.number = 0, 0, 0, 0
        self.earlier, self.samples, self.lines = [], {}, {}
        self.seen = Seen(self.database)

    # Events.

    def load(self, dataset, pairs, fields):
        """Has DuckDB read the events as they were drawn, and keeps their lines for the service."""
        path = self.folder / f"{dataset}.ndjson"
        with open(path, "w", encoding="utf-8") as file:
            self.lines[dataset] = []
            for sent, loaded in events.lines(pairs):
                self.lines[dataset].append(sent)
                file.write(loaded)
        columns = ", ".join(f"{field}: '{kind}'" for field, kind in ({"_time": "BIGINT"} | fields).items())
        self.database.execute(f"CREATE TABLE all_{dataset} AS SELECT * FROM read_ndjson('{path}', columns = {{{columns}}})")
        self.database.execute(f"CREATE TABLE {dataset} AS SELECT * FROM all_{dataset} LIMIT 0")
        path.unlink()

    def make(self):
        seed = self.arguments.seed
        self.load("events", events.events(seed, self.arguments.events), events.FIELDS)
        self.load("partners", events.partners(seed, PARTNERS), events.PARTNER_FIELDS)
        self.database.execute("INSERT INTO partners SELECT * FROM all_partners")
        self.service.ingest("partners", self.lines["partners"])
        for field in ["_time", *(field for field in events.FIELDS if field not in ("m", "big"))]:
            sampled = f"SELECT {field} FROM all_events WHERE {field} IS NOT NULL AND id % 211 = 0 ORDER BY id LIMIT 300"
            self.samples[field] = [value for value, in self.database.execute(sampled).fetchall()]

    def send(self, first, end):
        """Hands the events with these numbers to both."""
        chance = random.Random(f"batches {self.arguments.seed} {first}")
        at = first
        while at < end:
            size = min(chance.choice(BATCH_SIZES), end - at)
            self.seen.note("events of a request", size)
            self.service.ingest("events", self.lines["events"][at:at + size])
            at += size
        self.database.execute(f"INSERT INTO events SELECT * FROM all_events WHERE id >= {first} AND id < {end}")

    def delete(self, condition, sql):
        """Deletes events of both. The service writes what is in its buffer to segments before."""
        deleted = self.service.delete(f"events | where {condition}")
        expected = self.database.execute(f"DELETE FROM events WHERE {sql}").fetchone()[0]
        if deleted != expected:
            self.failed(f"{deleted} events were deleted instead of {expected}: {condition}")

    # Questions.

    def expected(self, query):
        """The question and its rows by DuckDB; of too many rows a summary is asked for."""
        rows = self.database.execute(query.sql()).fetchmany(ROWS_SHOWN + 1)
        if len(rows) <= ROWS_SHOWN:
            return query, rows
        wholes = [field for field, kind in query.table().items() if kind == "int"][:4]
        stage = Count()
        if wholes:
            sums = [(f"z{at}", self.checksum(field)) for at, field in enumerate(wholes)]
            stage = Summarize((("z", Ex("count()", "count(*)", "int")), *sums), ())
        query = dataclasses.replace(query, stages=query.stages + (stage,))
        return query, self.database.execute(query.sql()).fetchall()

    @staticmethod
    def checksum(field):
        apl, sql = f"sum({name(field)} % 1009)", f"coalesce(sum({column(field)} % 1009), 0)"
        return Ex(apl, sql, "int", frozenset((field,)))

    def difference(self, query):
        """What is different in one of the answers: computed, or put together from what was kept."""
        query, wanted = self.expected(query)
        for turn in range(1, self.arguments.times + 1):
            try:
                answer = self.service.ask(query)
            except Refused as refused:
                return f"time {turn}: refused with {refused}"
            found = compare.difference(query, answer, wanted)
            if found:
                return f"time {turn}: {found}"
        return None

    def difference_or_none(self, query):
        try:
            return self.difference(query)
        except duckdb.Error:
            return None

    def ask(self, number, query, place):
        self.asked += 1
        started = time.monotonic()
        found = self.difference(query)
        if self.arguments.verbose:
            print(f"{number} {place} {time.monotonic() - started:.3f} s\n{query.apl()}", flush=True)
        if not found:
            return True
        self.wrong += 1
        # Making it smaller asks many times, each of which may take as long as this one.
        print(f"oracle: question {number} is different, {place}: {found[:2_000]}", flush=True)
        query, found = smallest(query, found, self.difference_or_none)
        span = f"startTime {query.start}, endTime {query.end}" if query.start is not None else "all time"
        self.failed(f"question {number}, events {place}, {span}\n\n{query.apl()}\n\n{query.sql()}\n\n{found}", number)
        return False

    def failed(self, text, number=None):
        self.failures += 1
        only = "" if number is None else f" --only {number}"
        arguments = self.arguments
        command = f"scripts/oracle.sh --seed {arguments.seed} --events {arguments.events} --queries {arguments.queries}{only}"
        print(f"\noracle: different: {text}\n\nagain: {command}\n", flush=True)
        if self.failures >= FAILURES_MAX:
            raise SystemExit(self.closed())

    def phase(self, place, end):
        """Asks the questions up to a number, and some of those before again."""
        started, first = time.monotonic(), self.asked
        for number, query in self.earlier:
            self.ask(number, query, place)
        while self.number < end:
            number, self.number = self.number, self.number + 1
            if self.arguments.only not in (None, number) or not self.arguments.first <= number < self.arguments.end:
                continue
            author = Author(random.Random(f"query {self.arguments.seed} {number}"), self.samples)
            query = author.query() if number else author.first_of_all()
            is_right = self.ask(number, query, place)
            if number % max(1, self.arguments.queries // LOOKED_AT) == 0:
                self.seen.note_query(query)
            if is_right and (number % REPEATED_ONE_IN == 0 or self.arguments.only is not None):
                self.earlier.append((number, query))
        self.earlier = self.earlier[-200:]
        print(f"oracle: {self.asked - first} questions, events {place}, {time.monotonic() - started:.1f} s", flush=True)

    def run(self):
        count, queries = self.arguments.events, self.arguments.queries
        half = count // 2
        self.make()
        self.seen.note_events(events.FIELDS)
        self.send(0, half)
        self.phase("in the buffer", queries // 6)
        self.delete("id == 0", "id = 0")
        self.phase("in segments", 2 * queries // 6)
        self.send(half, count)
        self.phase("in segments and in the buffer", 3 * queries // 6)
        self.delete(f"id == {half}", f"id = {half}")
        self.phase("in segments that are merged", 4 * queries // 6)
        self.delete("n60 == 7 and n10 < 5", "n60 = 7 AND n10 < 5")
        self.delete("s3 == \"red\" and w1 in (\"w3\", \"w4\")", "s3 = 'red' AND w1 IN ('w3', 'w4')")
        self.phase("in segments, some deleted", 5 * queries // 6)
        self.service.restart()
        self.phase("in segments after a restart", queries)
        self.crossed()

    def crossed(self):
        """Tells which limits were not crossed; those that should have been are failures."""
        lines, missed = self.seen.report(self.arguments.events)
        print("\n".join(lines), flush=True)
        is_part = self.arguments.first > 0 or self.arguments.end < self.arguments.queries
        if self.arguments.only is None and not is_part and self.arguments.queries >= EXPECTED_FROM:
            self.failures += missed

    def closed(self):
        print(f"oracle: {self.asked - self.wrong} passed, {self.failures} failed", flush=True)
        return 1 if self.failures else 0


def main():
    parser = argparse.ArgumentParser(prog="scripts/oracle.sh")
    parser.add_argument("binary")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--times", type=int, default=3, help="how often each question is asked")
    parser.add_argument("--only", type=int, help="ask this question alone")
    parser.add_argument("--first", type=int, default=0, help="ask questions from this number on")
    parser.add_argument("--end", type=int, default=1 << 60, help="ask questions up to this number, and not that one")
    parser.add_argument("--verbose", action="store_true")
    oracle = Oracle(parser.parse_args())
    try:
        oracle.run()
    finally:
        oracle.service.stop()
    sys.exit(oracle.closed())


main()
