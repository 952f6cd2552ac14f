"""Makes requests to the object store fail under the real binary, as faults.py does with calls on the disk: segments lie
in a bucket, and a proxy stands before it. Started by scripts/objectfaults.sh; see README.md."""

import http.client
import itertools
import os
import re
import sys
import urllib.parse
import xml.etree.ElementTree

import runner
import verify
from faulted import SETTINGS, STAGES, Attempt, Bench
from plan import ANY, KILL, STOP, STOP_LATE, Plan
from proxy import BUCKET, Way
from selftest import NeverSent, SentTwice, report
from service import Service

ALL = ("request", "answer", "half", "late", "500", "503", "done-500")

PLAN = Plan(
    errors={"PUT": ALL, "GET": ALL, "DELETE": ALL, "HEAD": ("request", "answer", "late", "500", "503"), "POST": ALL},
    groups={ANY: ("PUT", "GET", "DELETE", "HEAD", "POST")},
    # The store is away, does all and says nothing, or asks for patience.
    together=((ANY, "object", "request"), (ANY, "object", "answer"), (ANY, "object", "503")),
    ends={STOP: 3, STOP_LATE: 2, KILL: 4},
)

# A question that needs the disk needs no store.
OBJECT_STAGES = [stage for stage in STAGES if stage != "spill"]

PREFIX = "segments"

MANY = 1000


class Store:
    """The server that has the buckets."""

    def __init__(self, address):
        self.address = address
        self.numbers = itertools.count()
        url = urllib.parse.urlsplit(address)
        self.host = url.hostname, url.port

    def call(self, method, path, body=b"", headers=None):
        connection = http.client.HTTPConnection(*self.host)
        # It wants to know who asks, and takes everybody's word.
        who = {"authorization": "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request"}
        connection.request(method, path, body, who | (headers or {}))
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        if answer.status >= 300:
            raise SystemExit(f"objectfaults: {method} {path} is answered with {answer.status}: {content[:300]}")
        return content

    def make_bucket(self, like=None):
        bucket = f"faults-{os.getpid()}-{next(self.numbers)}"
        self.call("PUT", f"/{bucket}")
        for name in self.list(like) if like else []:
            self.call("PUT", f"/{bucket}/{name}", self.call("GET", f"/{like}/{name}"))
        return bucket

    def list(self, bucket):
        content = self.call("GET", f"/{bucket}?list-type=2&max-keys={MANY}")
        keys = [found.text for found in xml.etree.ElementTree.fromstring(content).iter() if found.tag.endswith("Key")]
        if len(keys) == MANY:
            raise SystemExit("objectfaults: there are too many objects for one list")
        return keys

    def remove(self, bucket):
        for name in self.list(bucket):
            self.call("DELETE", f"/{bucket}/{name}")
        self.call("DELETE", f"/{bucket}")


def settings(way):
    chosen = SETTINGS | {
        "objects": f"s3://{BUCKET}/{PREFIX}", "objects-endpoint": way.endpoint, "objects-region": "us-east-1"}
    if way.fault and way.fault.error == "late":
        # Questions take longer then than it takes to replace a segment, and its object must be there for so long.
        chosen |= {"segment-grace-seconds": 60}
    return chosen


class ObjectBench(Bench):
    def __init__(self, binary, folder, store, seed):
        super().__init__(binary, folder, None, seed)
        self.store = store
        self.buckets = {True: store.make_bucket(), False: store.make_bucket()}

    def start(self, root):
        self.way = Way(self.store.address, self.buckets[False])
        return Service(self.binary, root, self.folder / "log", settings=settings(self.way))

    def attempt(self, stage, fault):
        return ObjectAttempt(self, stage, fault)


class ObjectAttempt(Attempt):
    CAUSES = re.compile(r"the object store does not answer|error sending request|SlowDown|InternalError")

    def make_control(self):
        store = self.bench.store
        self.bucket = store.make_bucket(self.bench.buckets[self.stage.is_new])
        return Way(store.address, self.bucket, self.fault)

    def start(self):
        return Service(self.bench.binary, self.root, self.log, settings=settings(self.control))

    def verify(self, promises, point):
        self.control.lift()
        listed, bucket = self.bench.store.list, self.bucket

        class BucketCheck(verify.Check):
            def objects(self):
                return [name.removeprefix(f"{PREFIX}/") for name in listed(bucket)]

            def planned(self, folder):
                # What an earlier process was about to write may get there for an hour.
                return " ".join(verify.read(path, 0) for path in folder.glob("*"))

        return verify.problems(self.bench.binary, self.root, promises, point, settings(self.control), BucketCheck)

    def clean(self):
        super().clean()
        self.bench.store.remove(self.bucket)


class Forgetful(ObjectAttempt):
    """The store loses an object that it had acknowledged."""

    def verify(self, promises, point):
        for name in self.bench.store.list(self.bucket):
            self.bench.store.call("DELETE", f"/{self.bucket}/{name}")
        return super().verify(promises, point)


def self_test(bench):
    """How many things that are wrong are not noticed."""
    cases = (("the store forgets what it acknowledged", Forgetful),
             ("an acknowledged event is not there", type("", (NeverSent, ObjectAttempt), {})),
             ("events are there twice", type("", (SentTwice, ObjectAttempt), {})))
    return sum(report(bench, "objectfaults", name, kind, "work/PUT:object:1:answer:1/stop") for name, kind in cases)


def main():
    arguments = runner.parse("objectfaults")
    address = os.environ.get("TIDEGAUGE_TEST_S3")
    if not address:
        print("objectfaults: not run (there is no S3 server: scripts/with-s3.sh)", file=sys.stderr)
        return 0
    bench = ObjectBench(arguments.binary, arguments.folder, Store(address), arguments.seed)
    return runner.run(runner.Run("objectfaults", arguments, bench, OBJECT_STAGES, PLAN), self_test)


if __name__ == "__main__":
    sys.exit(main())
