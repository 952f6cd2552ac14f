"""The work that is recorded: several clients at once, each with its own chance, through several lives of the service."""

import random
import threading
import urllib.parse

from ledger import Act, Batch
from service import SINCE, Refused

CLIENTS = 3

# Who is told to come back does so.
TRIES = 5

# Datasets and how old their events are. All of `old` are trimmed now and then, those of `expired` run out.
DATASETS = {"alpha": 0, "beta": 0, "late": 3, "old": 9, "expired": 12}
TRIMMED, EXPIRED = "old", "expired"
TRIMMED_AGE, EXPIRED_DAYS = "48h", 5
UNREACHED_AGE = "100000h"

PARTS = 6

# Events in a request and bytes of their texts: within a page, over several, and larger than what a flush waits for.
SIZES = ((1, 20), (3, 40), (7, 900), (40, 60), (130, 1500))
SIZE_WEIGHTS = (6, 6, 3, 3, 1)


class Client:
    """One of several that work at the same time."""

    def __init__(self, number, seed, trace, ledger):
        self.number, self.trace, self.ledger = number, trace, ledger
        self.chance = random.Random(f"work {seed} {number}")
        self.sent, self.made, self.events = 0, 0, 0
        self.keyed, self.tokens, self.own = [], [], []
        self.service = None

    def work(self, service, count):
        self.service = service
        acts = self.acts()
        for act in self.chance.choices(list(acts), list(acts.values()), k=count):
            act()

    def acts(self):
        """What it does, and how often one is done beside the others."""
        return {
            self.ingest: 22, self.ingest_with_key: 6, self.repeat: 4, self.flush: 6, self.delete: 3, self.trim: 1,
            self.expire: 1, self.make_dataset: 3, self.end_dataset: 2, self.make_token: 4, self.end_token: 1,
            self.retain: 3, self.ask: 2,
        }

    def act(self, kind, what, method, path, body=None, headers=None, content_type="application/json"):
        """Makes a request and notes it first; whether it was answered is seen in the trace."""
        for _ in range(TRIES):
            self.sent += 1
            name = f"powercut-{self.number}-{self.sent}"
            act = Act(name, kind, what, self.trace.stat().st_size)
            self.ledger.note(act)
            try:
                headers = (headers or {}) | {"x-request-id": name}
                return self.service.call(method, path, body, headers, content_type)[1]
            except Refused as refused:
                if refused.status != 503:
                    self.ledger.forget(act)
                    raise
        raise SystemExit("powercut: the service had no time for a request")

    # Events.

    def send(self, batch):
        headers = {"idempotency-key": batch.key} if batch.key else {}
        path = f"/v1/datasets/{batch.dataset}/ingest"
        body = batch.body(self.ledger.base)
        answer = self.act("ingest", vars(batch), "POST", path, body, headers, "application/x-ndjson")
        if answer["ingested"] != batch.count:
            raise SystemExit(f"powercut: {answer} instead of {batch.count} events")

    def batch(self, dataset, key=None):
        count, text_bytes = self.chance.choices(SIZES, SIZE_WEIGHTS)[0]
        first = self.number * 1_000_000 + self.events
        self.events += count
        days_back = DATASETS.get(dataset, 0)
        return Batch(dataset, first, count, self.chance.randrange(PARTS), text_bytes, days_back, key)

    def ingest(self):
        self.send(self.batch(self.chance.choice([*DATASETS, "alpha", "beta", *self.own])))

    def ingest_with_key(self):
        self.made += 1
        batch = self.batch(self.chance.choice(["alpha", "beta", "late"]), f"key-{self.number}-{self.made}")
        self.keyed.append(batch)
        self.send(batch)

    def repeat(self):
        if self.keyed:
            self.send(self.chance.choice(self.keyed))

    def if_there(self, make, *request):
        """Makes a request about a dataset that nobody may have sent an event to yet."""
        try:
            make(*request)
        except Refused as refused:
            if refused.status not in (400, 404):
                raise

    def delete(self):
        name, part = self.chance.choice(["alpha", "beta", "late"]), self.chance.randrange(PARTS)
        body = {"apl": f"['{name}'] | where part == {part}", "commit": True, "startTime": SINCE}
        self.if_there(self.act, "delete", {"name": name, "part": part}, "POST", "/v2/datasets/_apl/delete", body)

    def trim(self):
        path = f"/v2/datasets/{TRIMMED}/trim"
        self.if_there(self.act, "trim", {"name": TRIMMED}, "POST", path, {"maxDuration": TRIMMED_AGE})

    def flush(self):
        """Has events written as segments, by a trim that nothing is old enough for."""
        name = self.chance.choice(["alpha", "beta", "late", "late"])
        self.if_there(self.service.call, "POST", f"/v2/datasets/{name}/trim", {"maxDuration": UNREACHED_AGE})

    def expire(self):
        body = {"useRetentionPeriod": True, "retentionDays": EXPIRED_DAYS}
        self.if_there(self.act, "expire", {"name": EXPIRED}, "PUT", f"/v2/datasets/{EXPIRED}", body)

    def ask(self):
        """Has the service keep groups of segments, which must not be wrong later."""
        self.if_there(self.service.tally, self.chance.choice(list(DATASETS)))

    # The catalogue.

    def make_dataset(self):
        self.made += 1
        name = f"made-{self.number}-{self.made}"
        self.act("dataset", {"name": name}, "POST", "/v2/datasets", {"name": name})
        self.own.append(name)

    def end_dataset(self):
        if self.own:
            name = self.own.pop(self.chance.randrange(len(self.own)))
            self.act("end_dataset", {"name": name}, "DELETE", f"/v2/datasets/{name}")

    def make_token(self):
        self.made += 1
        name = f"token-{self.number}-{self.made}"
        body = {"name": name, "datasetCapabilities": {"*": {"ingest": ["create"]}}}
        answer = self.act("token", {"name": name}, "POST", "/v2/tokens", body)
        self.tokens.append((name, answer["id"]))

    def end_token(self):
        if self.tokens:
            name, token = self.tokens.pop(self.chance.randrange(len(self.tokens)))
            self.act("end_token", {"name": name}, "DELETE", f"/v2/tokens/{urllib.parse.quote(token)}")

    def retain(self):
        """Sets a time that no event reaches, on a dataset that nobody else sets it on."""
        name = ["alpha", "beta", "late"][self.number]
        days = self.chance.randint(1_000, 30_000)
        body = {"useRetentionPeriod": True, "retentionDays": days}
        self.if_there(self.act, "retention", {"name": name, "days": days}, "PUT", f"/v2/datasets/{name}", body)


def work(clients, service, count):
    """Has each client make so many requests."""
    failures = []

    def run(client):
        try:
            client.work(service, count)
        except BaseException as error:  # noqa: BLE001 - a thread has nobody to raise it to
            failures.append(error)

    threads = [threading.Thread(target=run, args=(client,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
