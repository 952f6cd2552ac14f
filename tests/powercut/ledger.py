"""What the service was told and what it acknowledged, and from that what it must hold after a power cut at any point."""

import bisect
import dataclasses
import datetime
import json

NEVER = 1 << 62


@dataclasses.dataclass
class Batch:
    """The events of one request, which are made of these few numbers."""

    dataset: str
    first: int
    count: int
    part: int
    text_bytes: int
    days_back: int
    key: str | None = None

    def ids(self):
        return range(self.first, self.first + self.count)

    def text(self, number):
        return f"event {number} ".ljust(self.text_bytes, "abcdefghij"[number % 10])

    def body(self, base):
        lines = []
        for number in self.ids():
            # A microsecond apart, so that no two have the same time.
            time = datetime.datetime.fromtimestamp(base, datetime.UTC)
            time += datetime.timedelta(days=-self.days_back, microseconds=number)
            event = {"_time": time.isoformat(), "id": number, "part": self.part, "text": self.text(number)}
            lines.append(json.dumps(event) + "\n")
        return "".join(lines).encode()


@dataclasses.dataclass
class Act:
    """One request. `begun` is where the trace ended before it was sent; in `Promises`, points of the trace. One that was
    refused is over too, though nobody can say what it did before."""

    id: str
    kind: str
    what: dict
    begun: int
    begun_at: int = NEVER
    acknowledged_at: int = NEVER
    refused_at: int = NEVER

    def over_at(self):
        return min(self.acknowledged_at, self.refused_at)


class Ledger:
    """All requests of a run, in no order."""

    def __init__(self, base):
        self.base = base
        self.acts = []

    def note(self, act):
        self.acts.append(act)

    def forget(self, act):
        """Takes a request back that was refused: it did nothing."""
        self.acts.remove(act)

    def save(self, path):
        acts = [[act.id, act.kind, act.what, act.begun] for act in self.acts]
        path.write_text(json.dumps({"base": self.base, "acts": acts}))

    @staticmethod
    def load(path):
        stored = json.loads(path.read_text())
        ledger = Ledger(stored["base"])
        ledger.acts = [Act(*act) for act in stored["acts"]]
        return ledger

    def place(self, records):
        """Finds where each request was sent at the earliest, and where its answer was. Says how many were answered."""
        ends = [record.end for record in records]
        answers = {}
        for point, record in enumerate(records):
            answered = record.answered()
            if answered and answered[1] < 300:
                answers[answered[0]] = point
        for act in self.acts:
            act.begun_at = bisect.bisect_right(ends, act.begun)
            act.acknowledged_at = answers.get(act.id, NEVER)
        return len(answers)


class Thing:
    """Something that requests make and take away: an event, a dataset, a token."""

    def __init__(self):
        self.makings, self.endings = [], []

    def must_be(self, point):
        """True, False, or None where both are right. At a point, all up to that record has happened."""
        made = min(act.acknowledged_at for act in self.makings)
        begun = min(act.begun_at for act in self.makings)
        # What was over before it was made did nothing to it.
        endings = [act for act in self.endings if act.begun_at <= point and act.over_at() > begun]
        if begun > point or any(act.acknowledged_at <= point and made < act.begun_at for act in endings):
            return False
        return True if made <= point and not endings else None

    def may_have_ended(self, point):
        return any(act.begun_at <= point for act in self.endings)


class Promises:
    """What must be there at a point of the trace."""

    def __init__(self, ledger):
        self.base = ledger.base
        self.batches = {}
        self.datasets, self.tokens, self.retention = {}, {}, {}
        # A batch is one thing: requests that are repeated with their key are the same one.
        self.stored = {}
        for act in ledger.acts:
            getattr(self, f"take_{act.kind}")(act.what, act)
        self.end_events(ledger.acts)

    def take_ingest(self, what, act):
        batch = Batch(**what)
        self.batches[batch.first] = batch
        self.stored.setdefault(batch.first, Thing()).makings.append(act)
        self.datasets.setdefault(batch.dataset, Thing()).makings.append(act)

    def take_dataset(self, what, act):
        self.datasets.setdefault(what["name"], Thing()).makings.append(act)

    def take_end_dataset(self, what, act):
        self.datasets[what["name"]].endings.append(act)

    def take_token(self, what, act):
        self.tokens.setdefault(what["name"], Thing()).makings.append(act)

    def take_end_token(self, what, act):
        self.tokens[what["name"]].endings.append(act)

    def take_retention(self, what, act):
        self.retention.setdefault(what["name"], []).append((act, what["days"]))

    def take_delete(self, what, act):
        pass

    def take_trim(self, what, act):
        pass

    def take_expire(self, what, act):
        # When events that are too old go is for the service to choose.
        act.acknowledged_at = NEVER

    def end_events(self, acts):
        for first, thing in self.stored.items():
            batch = self.batches[first]
            for act in acts:
                name = act.what.get("name")
                is_whole = act.kind in ("end_dataset", "trim", "expire") and name == batch.dataset
                is_part = act.kind == "delete" and name == batch.dataset and act.what["part"] == batch.part
                if is_whole or is_part:
                    thing.endings.append(act)

    def days(self, name, point):
        """The retention times that a dataset may have: what was set last, or what was being set."""
        allowed = {0}
        for act, days in sorted(self.retention.get(name, []), key=lambda change: change[0].begun_at):
            if act.acknowledged_at <= point:
                allowed = {days}
            elif act.begun_at <= point:
                allowed.add(days)
        return allowed
