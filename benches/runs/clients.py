"""Sixteen clients at once, each with its own mixture of questions: how many answers a second all get together, and how
long the slowest take, beside the same windows asked by one client while nothing else happens. The service stands there
twice, as it computes and by its default settings. What each client asks is decided by a seed, and is the same for all
engines, so that answers are compared."""

from contextlib import contextmanager
from functools import partial

from agreement import difference
from peers.process import PEERS
from runs import wire
from runs.setting import COMPUTED, KEPT, body_for, say
from runs.windows import spread
from together import ask_together

CLIENTS = 16
SECONDS = 20
# So many are made for each client, and for the one that is alone, before the time runs: more than are asked in it,
# because whoever has asked them all begins again, with questions that were answered before.
ASKS_OF_CLIENT, QUIET_ASKS = 1_500, 6_000
TEXT_PATH = "/v1/query/_apl?format=tabular-rows"


class ServiceTogether:
    """The service with the face of a peer: clients have a connection each."""

    def __init__(self, service):
        self.service = service

    def plan(self, asks):
        return [wire.request(self.service, TEXT_PATH, ask.body) for ask in asks]

    def together(self, plans, seconds):
        try:
            taken, answers, elapsed = ask_together([self.client() for _ in plans], plans, seconds)
        except OSError as error:
            raise RuntimeError(str(error)) from error
        read = [[wire.parsed(*answer) for answer in each] for each in answers]
        return {"taken": taken, "answers": read, "seconds": elapsed}

    @contextmanager
    def client(self):
        with wire.connect(self.service) as connection:
            yield partial(wire.exchange, connection)


class PeerTogether:
    def __init__(self, name, peer):
        self.name, self.peer = name, peer

    def plan(self, asks):
        return [body_for(self.name, ask) for ask in asks]

    def together(self, plans, seconds):
        return self.peer.together(plans, seconds)


def run(setting, times, mixture, seed, seconds=SECONDS):
    """One engine after the other, each alone on the machine, in a process of its own."""
    drawn = [mixture.draw(times, f"{seed} client {number}", ASKS_OF_CLIENT) for number in range(CLIENTS)]
    quiet = mixture.windows(times, f"{seed} quiet", QUIET_ASKS)
    found, answers = {"clients": CLIENTS, "seed": seed, "engines": {}}, {}
    with setting.scratch() as scratch:
        kept = setting.copy_without_kept(scratch)
        for name in [COMPUTED, KEPT, *setting.peers]:
            say(f"{CLIENTS} clients: {name}")
            with setting.engines([name], {KEPT: kept}) as engines:
                setting.warm_page_cache(kept)
                engine = PeerTogether(name, engines[name]) if name in PEERS else ServiceTogether(engines[name])
                try:
                    found["engines"][name], answers[name] = measure(engine, drawn, quiet, seconds)
                    found["engines"][name]["peak"] = engines[name].peak()
                except RuntimeError as error:
                    found.setdefault("failed", {})[name] = str(error)
    found["compared"], found["difference"] = compared(drawn, answers)
    return found


def measure(engine, drawn, quiet, seconds):
    """Figures of one engine, and the answers of each client. Some of the mixture is asked before anything counts."""
    warming = engine.plan([ask for _, ask in drawn[0][:40]])
    engine.together([warming], seconds / 4)
    alone = engine.together([engine.plan([ask for _, ask in quiet])], seconds / 2)
    given = engine.together([engine.plan([ask for _, ask in asks]) for asks in drawn], seconds)
    windowed, whole = [], []
    for asks, taken in zip(drawn, given["taken"], strict=True):
        for place, value in enumerate(taken):
            (windowed if asks[place % len(asks)][0] else whole).append(value * 1_000)
    figures = {
        "per_second": (len(windowed) + len(whole)) / given["seconds"],
        "quiet": spread([value * 1_000 for value in alone["taken"][0]]),
        "all": spread(windowed + whole),
        # A slow engine may not have come to all kinds of questions.
        "windowed": spread(windowed) if windowed else None,
        "whole": spread(whole) if whole else None,
    }
    return figures, given["answers"]


def compared(drawn, answers):
    """How many answers of peers were compared with those of the service to the same questions, and the first that
    differs."""
    own = next((name for name in (COMPUTED, KEPT) if name in answers), None)
    count = 0
    for other in answers:
        if own is None or other == own:
            continue
        for asks, left, right in zip(drawn, answers[own], answers[other], strict=True):
            for (_, ask), mine, theirs in zip(asks, left, right):
                told = difference([ask], own, [mine], other, [theirs])
                if told:
                    return count, f"{ask.body['apl']}: {told}"
                count += 1
    return count, None
