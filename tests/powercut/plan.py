"""Which calls of a run fail, and how: every one of them, or so many that each kind has its turn."""

import dataclasses
import random

from control import LASTING, Fault

# How the service ends: as it should, also with the fault still there, at once, or by a power cut.
STOP, STOP_LATE, KILL, CUT = "stop", "stop-late", "kill", "cut"

ANY = "any"

# What passes by itself, or what only lasts.
ONLY_ONCE = {"short"}
ONLY_LASTING = {"slow"}


@dataclasses.dataclass
class Plan:
    """How what can fail."""

    # By call.
    errors: dict
    # Calls that fail together, by name, and what happens to them, which lasts: such a name, a class of files, an error.
    groups: dict
    together: tuple
    # How often each is chosen beside the others.
    ends: dict

    def kinds(self, counts):
        """All kinds of faults of a stage, each with the number of calls that it can begin with."""
        for (call, file), count in counts.items():
            for error in self.errors.get(call, ()):
                for times in (1, LASTING):
                    if error not in (ONLY_ONCE if times == LASTING else ONLY_LASTING):
                        yield (call, file, error, times), count
        for group, file, error in self.together:
            calls = self.groups[group]
            count = sum(number for (call, other), number in counts.items() if call in calls and file in (ANY, other))
            if count:
                yield (group, file, error, LASTING), count

    def only(self, errors):
        """The same with some errors alone."""
        wanted = {call: tuple(error for error in known if error in errors) for call, known in self.errors.items()}
        together = tuple(kind for kind in self.together if kind[2] in errors)
        return dataclasses.replace(self, errors=wanted, together=together)

    def every(self, counted):
        """Each call of each stage, with each error."""
        chance = random.Random("every")
        for stage, (counts, before_end) in counted.items():
            for kind, count in self.kinds(counts):
                for nth in range(1, count + 1):
                    yield self.make(stage, kind, nth, before_end, chance)

    def choose(self, counted, seed, points):
        """So many faults, each kind as often as the others as long as it has calls left."""
        chance = random.Random(f"faults {seed}")
        waiting = []
        for stage, (counts, _) in counted.items():
            for kind, count in self.kinds(counts):
                waiting.append((stage, kind, chance.sample(range(1, count + 1), count)))
        chosen = []
        while waiting and len(chosen) < points:
            chance.shuffle(waiting)
            for stage, kind, order in waiting[:points - len(chosen)]:
                chosen.append(self.make(stage, kind, order.pop(0), counted[stage][1], chance))
            waiting = [entry for entry in waiting if entry[2]]
        return chosen

    def make(self, stage, kind, nth, before_end, chance):
        call, file, error, times = kind
        # A call that is made while the service stops is not made by one that is killed.
        is_at_end = call not in self.groups and nth > before_end.get((call, file), 0)
        ends = {STOP: 1} if is_at_end else self.ends
        end = chance.choices(list(ends), list(ends.values()))[0]
        return Fault(stage, call, file, nth, error, times, end)
