"""A dataset of 2,000 sparse fields: 200,000 events of 200 kinds with 20 fields each, half of them shared with the next.

So each field is in one event of a hundred. The service takes them as they are. ClickHouse has them in a column of its
type JSON, DuckDB in a map: of the forms that each offers, the one that answered fastest.
"""

import json
import os
import random
from datetime import UTC, datetime, timedelta

from dataset import bytes_on_disk, copy_loaded
from peers.process import Peer
from questions.question import Question, Window, aggregate, both, is_, query
from runs import answers
from runs.setting import COMPUTED, KEPT, with_kept_clickhouse
from service import Service

EVENTS, FIELDS, KINDS, FIELDS_OF_KIND = 200_000, 2_000, 200, 20
HOURS = 6
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
WORDS = ["amber", "basalt", "cedar", "delta", "ember", "fjord", "granite", "harbour", "indigo", "juniper"]


def name(field):
    return f"f{field:04}"


def write(path):
    """The same bytes each time. Every third field is a number, the others are words."""
    chance = random.Random(7)
    step = HOURS * 3_600_000_000 // EVENTS
    with open(path, "w", encoding="ascii") as out:
        for number in range(EVENTS):
            first = chance.randrange(KINDS) * (FIELDS // KINDS)
            event = {"_time": f"{BEGIN + timedelta(microseconds=number * step):%Y-%m-%dT%H:%M:%S.%fZ}"}
            for place in range(FIELDS_OF_KIND):
                field = (first + place) % FIELDS
                event[name(field)] = chance.randrange(1_000) if field % 3 == 0 else chance.choice(WORDS)
            out.write(json.dumps(event) + "\n")


def questions():
    window = Window(BEGIN, BEGIN + timedelta(hours=HOURS))
    # Three fields of one kind of events: two with words, and the last with numbers.
    asked, grouped, number = name(1_004), name(1_007), name(1_005)
    word, text, whole = WORDS[2], "data.{}::Nullable(String)", "data.{}::Nullable(Int64)"
    return [
        Question(
            "2,000 sparse fields: filter and group",
            query(window, filter=is_(asked, "==", word), aggregations=[aggregate("count")], groupBy=[grouped]),
            f"SELECT {text.format(grouped)} AS k, count(*) FROM {window.events} "
            f"AND {text.format(asked)} = '{word}' GROUP BY k",
            f"SELECT data['{grouped}'] AS k, count(*) FROM {window.events} AND data['{asked}'] = '{word}' GROUP BY k",
        ),
        Question(
            "2,000 sparse fields: sum of numbers",
            query(window, filter=both(is_(asked, "==", word), is_(number, ">=", 500)),
                  aggregations=[aggregate("count"), aggregate("sum", number, "s")], groupBy=[grouped]),
            f"SELECT {text.format(grouped)} AS k, count(*), sum({whole.format(number)}) FROM {window.events} "
            f"AND {text.format(asked)} = '{word}' AND {whole.format(number)} >= 500 GROUP BY k",
            f"SELECT data['{grouped}'] AS k, count(*), sum(try_cast(data['{number}'] AS BIGINT)) "
            f"FROM {window.events} AND data['{asked}'] = '{word}' AND try_cast(data['{number}'] AS BIGINT) >= 500 "
            "GROUP BY k",
        ),
    ]


def load(setting, folder):
    """Loads all engines anew: it takes seconds."""
    file = os.path.join(folder, "wide.ndjson")
    write(file)
    for name_ in setting.peers:
        peer = Peer(name_, folder)
        try:
            peer.load("wide", [file])
        finally:
            peer.stop()
    service = Service(setting.dataset.binary, folder, ["--flush-age-seconds", "10"])
    try:
        service.make_dataset()
        service.ingest(file)
        service.settle()
        return service.stored_bytes()
    finally:
        service.stop()


def run(setting):
    """The questions of this dataset, with the bytes that it takes on the disk."""
    with setting.scratch() as scratch:
        folder = os.path.join(scratch, "wide")
        os.makedirs(folder)
        stored = load(setting, folder)
        disk = {peer: bytes_on_disk(folder, peer) for peer in setting.peers} | {COMPUTED: stored}
        kept = os.path.join(scratch, "kept")
        os.makedirs(kept)
        copy_loaded(folder, kept, "Tidegauge")
        names = [COMPUTED, KEPT, *setting.peers]
        with setting.engines(names, {name_: kept if name_ == KEPT else folder for name_ in names}) as engines:
            found = answers.hot(setting, with_kept_clickhouse(engines), questions())
            peaks = {name_: engine.peak() for name_, engine in engines.items()}
    return {"questions": found, "disk": disk, "peaks": peaks}
