"""Starts the real binary on what a power cut left, asks it for all that it has, and compares with what was promised."""

import collections
import shutil
import sqlite3

from service import DidNotStart, Refused, Service

SHOWN_MAX = 4

ORPHANED = "was never published and is still there"


def problems(binary, folder, promises, point, settings=None, kind=None, is_again=False):
    """What is wrong with the service on a folder that was cut off at a point; nothing if nothing is. The second time there
    is more than was promised, so that it only has to find no damage."""
    try:
        service = Service(binary, folder, folder / "log", settings=settings)
    except DidNotStart as reason:
        return [f"the service did not start: {reason}"]
    try:
        check = (kind or Check)(service, promises, point)
        found = check.run_again() if is_again else check.run()
    except (Refused, OSError) as error:
        found = [f"the service does not answer as it should: {error}"]
    finally:
        service.kill()
    return found + say_panic(folder / "log")


def say_panic(log):
    return ["the service panicked"] if "panicked" in log.read_text(errors="replace") else []


def run(binary, folder, promises, point):
    """The same, and removes the folder afterwards."""
    try:
        return problems(binary, folder, promises, point)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def read(path, since):
    """What a file says, if it is still there and was written since a time."""
    try:
        return path.read_text() if path.stat().st_mtime >= since else ""
    except FileNotFoundError:
        return ""

# The kind of the dataset that nobody but the service sends to.
AUDIT_KIND = "tidegauge:audit:v1"


class Check:
    def __init__(self, service, promises, point):
        self.service, self.promises, self.point = service, promises, point
        self.found = []

    def wrong(self, what):
        self.found.append(what)

    def run(self):
        self.look_for_orphans()
        listed = self.service.call("GET", "/v2/datasets")[1]
        datasets = {dataset["id"]: dataset for dataset in listed if dataset["kind"] != AUDIT_KIND}
        if len(datasets) < len(listed):
            self.count_audit_events()
        self.compare_things("dataset", self.promises.datasets, datasets)
        tokens = {token["name"] for token in self.service.call("GET", "/v2/tokens")[1]}
        self.compare_things("token", self.promises.tokens, tokens)
        self.compare_retention(datasets)
        repeated = self.repeat_keys(datasets)
        for name in datasets:
            self.compare_events(name, repeated)
        self.look_into_quarantine()
        self.service.call("POST", "/v1/datasets/after/ingest", [{"id": 1}])
        return self.found

    def run_again(self):
        self.look_into_quarantine()
        return [f"{found} after one more start" for found in self.found]

    def count_audit_events(self):
        """The service puts each entry of the audit trail into a dataset, which must not have any twice."""
        doubled = self.service.rows("['tidegauge-audit'] | summarize n = count() by seq | where n > 1 | project seq, n")
        self.tell("tidegauge-audit", "events doubled", [seq for seq, _ in doubled])

    def compare_things(self, what, things, there):
        for name, thing in things.items():
            must_be = thing.must_be(self.point)
            if must_be is True and name not in there:
                self.wrong(f"{what} {name} was acknowledged and is lost")
            elif must_be is False and name in there:
                self.wrong(f"{what} {name} is there although it must not be")

    def compare_retention(self, datasets):
        for name in self.promises.retention:
            allowed = self.promises.days(name, self.point)
            if name in datasets and datasets[name]["retentionDays"] not in allowed:
                self.wrong(f"{name} has a retention of {datasets[name]['retentionDays']} days instead of {allowed}")

    def repeat_keys(self, datasets):
        """Sends what has a key again, as a client does that saw no answer; then it must be there once."""
        repeated = set()
        for first, thing in self.promises.stored.items():
            batch = self.promises.batches[first]
            if not batch.key or thing.may_have_ended(self.point) or batch.dataset not in datasets:
                continue
            must_be = thing.must_be(self.point)
            if must_be is False:
                continue
            answer, _ = self.service.call(
                "POST", f"/v1/datasets/{batch.dataset}/ingest", batch.body(self.promises.base),
                {"idempotency-key": batch.key}, "application/x-ndjson")
            if must_be and answer.getheader("x-tidegauge-repeated") != "true":
                self.wrong(f"the key {batch.key} is forgotten")
            repeated.add(first)
        return repeated

    def compare_events(self, dataset, repeated):
        rows = self.service.events(dataset)
        counts = collections.Counter(row[0] for row in rows)
        tally = {part: count for part, count in self.service.tally(dataset).items() if count}
        if tally != collections.Counter(row[1] for row in rows):
            self.wrong(f"{dataset} has {tally} events by part, but its events say otherwise")
        texts = {number: (part, text) for number, part, text in rows}
        lost, doubled, altered, alive, parted = [], [], [], [], []
        for first, thing in self.promises.stored.items():
            batch = self.promises.batches[first]
            if batch.dataset != dataset:
                continue
            must_be = True if first in repeated else thing.must_be(self.point)
            there = [number for number in batch.ids() if counts[number]]
            doubled += [number for number in there if counts[number] > 1]
            altered += [number for number in there if texts[number] != (batch.part, batch.text(number))]
            if must_be is True:
                lost += sorted(set(batch.ids()) - set(there))
            elif must_be is False:
                alive += there
            elif len(there) not in (0, batch.count):
                parted.append(first)
            for number in batch.ids():
                counts.pop(number, None)
        self.tell(dataset, "acknowledged events lost", lost)
        self.tell(dataset, "events doubled", doubled)
        self.tell(dataset, "events altered", altered)
        self.tell(dataset, "events that were deleted or never sent", alive)
        self.tell(dataset, "requests stored in part", parted)
        self.tell(dataset, "events that nobody sent", list(counts))

    def tell(self, dataset, what, numbers):
        if numbers:
            shown = ", ".join(str(number) for number in numbers[:SHOWN_MAX])
            self.wrong(f"{dataset}: {len(numbers)} {what}: {shown}{', …' if len(numbers) > SHOWN_MAX else ''}")

    def look_for_orphans(self):
        """Every object is a segment, or about to be one. The order of the three looks matters: the service is at work."""
        data = self.service.folder / "data"
        objects = self.objects()
        planned = self.planned(data / "intents")
        catalogue = sqlite3.connect(f"file:{data / 'catalog.sqlite'}?mode=ro", uri=True)
        known = {path for path, in catalogue.execute("SELECT path FROM segment")}
        datasets = {dataset for dataset, in catalogue.execute("SELECT id FROM dataset")}
        catalogue.close()
        for name in objects:
            # Whether a dataset was deleted or the catalogue is another cannot be told if the log lost the note of it.
            if name.split("/")[1] not in datasets and self.is_ending():
                continue
            if name not in known and name.split("#")[0] not in planned and name in self.objects():
                self.wrong(f"the object {name} {ORPHANED}")

    def objects(self):
        """The names of all objects."""
        folder = self.service.folder / "data" / "segments"
        return [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]

    def planned(self, folder):
        """What this service says that it is about to write."""
        # Files have the time of the last tick.
        return " ".join(read(path, self.service.begun - 0.1) for path in folder.glob("*"))

    def is_ending(self):
        """Whether a dataset may be half deleted."""
        return any(thing.may_have_ended(self.point) for thing in self.promises.datasets.values())

    def look_into_quarantine(self):
        """Nothing may be put aside but what is left in the log of a dataset that was being deleted."""
        folder = self.service.folder / "data" / "quarantine"
        for path in sorted(folder.iterdir()) if folder.exists() else []:
            if path.suffix != ".log" or not self.is_ending():
                self.wrong(f"{path.name} is in quarantine")
