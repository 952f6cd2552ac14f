"""Where the power goes: around syncs, changes of names and acknowledgements, and anywhere; and what is left then."""

import dataclasses
import random

from cut import Manner
from trace import Kind

MANNERS = {Manner.NOTHING: 4, Manner.NAMES: 2, Manner.DATA: 1, Manner.SOME: 5}

# One in so many points has a second cut, while the service recovers from the first.
AGAIN_ONE_IN = 12

BORDERS = (Kind.SYNC, Kind.RENAME, Kind.UNLINK, Kind.TRUNCATE, Kind.MKDIR, Kind.RMDIR, Kind.ALLOCATE)


@dataclasses.dataclass(frozen=True, order=True)
class Point:
    """All up to and with this record has happened."""

    record: int
    manner: Manner
    variant: int
    is_again: bool = False

    def __str__(self):
        return f"{self.record}-{self.manner}-{self.variant}{'-again' if self.is_again else ''}"

    @staticmethod
    def parse(text):
        record, manner, variant, *again = text.split("-")
        return Point(int(record), Manner(manner), int(variant), bool(again))

    def chance(self, seed):
        return random.Random(f"cut {seed} {self}")


def choose(records, seed, count):
    """So many points, in the order of the trace: a half around acknowledgements, most others around syncs and names."""
    chance = random.Random(f"points {seed}")
    # The cut before the answer leaves what the answer was for open; the one after does not.
    answers = [at for at, record in enumerate(records) if record.answered()]
    borders = [at for at, record in enumerate(records) if record.kind in BORDERS]
    kinds = (around(answers), around(borders), around(answers), [*around(borders), *range(len(records))])
    queues = [[] for _ in kinds]
    points = set()
    while len(points) < count:
        for queue, places in zip(queues, kinds):
            if not queue:
                queue.extend(chance.sample(places, len(places)))
            manner = chance.choices(list(MANNERS), list(MANNERS.values()))[0]
            point = Point(queue.pop(), manner, len(points), chance.randrange(AGAIN_ONE_IN) == 0)
            points.add(point)
    return sorted(chance.sample(sorted(points), count))


def around(places):
    return sorted({at for place in places for at in (place - 1, place) if at >= 0})
