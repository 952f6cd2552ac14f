"""Events by chance, the same for the same seed, whose fields lie on both sides of what the service's fast ways are
bounded by: few and very many different values, short and long texts, types mixed in a field, nulls and missing
fields, the ends of numbers and of time. README.md says which field is for what."""

import datetime
import json
import random

SECOND = 1_000_000_000
HOUR = 3600 * SECOND
DAY = 24 * HOUR

# 2024-03-01T00:00:00Z: long over, so that small segments are merged as soon as they are there.
FIRST_DAY = 1_709_251_200 * SECOND
DAYS = 6

# The share of all events in each day: one holds most of them, another too few for a segment of its own.
DAY_SHARES = (0.16, 0.002, 0.5, 0.2, 0.008, 0.13)

# Seconds at which an event lies now and then: the ends of what can be stored, and around 1970.
WILD_SECONDS = (-9_223_372_035, -2_208_988_800, -86_400, -1, 0, 1, 946_684_800, 4_102_444_800, 9_223_372_035)
WILD_SHARE = 0.0004

# How many combinations of the wide keys are common; a few events have others.
PROFILES = 2_500
WIDE_KEYS = 6

WHOLE_MIN, WHOLE_MAX = -(2**63), 2**63 - 1
EXTREME_WHOLES = (
    WHOLE_MIN, WHOLE_MIN + 1, -(2**53) - 1, -(2**53), -(2**31) - 1, -(2**31), -65_537, -257, -129, -1, 0, 1, 127, 128,
    255, 256, 32_767, 65_536, 2**31 - 1, 2**31, 2**32, 2**53, 2**53 + 1, WHOLE_MAX - 1, WHOLE_MAX,
)
EXTREME_REALS = (
    -1.7976931348623157e308, -1e300, -9.007199254740993e15, -1.5, -2.2250738585072014e-308, 0.0, 5e-324, 1e-300, 0.1,
    0.30000000000000004, 1.0, 1.5, 9.007199254740993e15, 9.223372036854775e18, 1e300, 1.7976931348623157e308,
)
WORDS = (
    "alpha", "Alpha", "ALPHA", "beta", "beta_2", "gamma-ray", "delta.delta", "", " ", "école", "École", "ÉCOLE", "straße",
    "naïve", "日本語", "日本", "Ωmega", "ωmega", "🙂", "🙂🙃", "a\tb", "line\nbreak", "quote\"d", "back\\slash", "o'clock",
    "%percent%", "under_score", "null", "0", "-1", "1.5", "true",
)
TEMPLATES = (
    "GET /api/v{n}/users/{big} took {n} ms",
    "POST /api/v{n}/orders/{hex} took {n} ms from 10.0.{n}.{n}",
    "connection {big} closed by peer {hex}",
    "user {word} signed in from 192.168.{n}.{n} with session {hex}",
    "disk sda{n} is {n} percent full",
    "job {word} failed after {big} attempts: timeout of {n} s",
    "cache miss for key {hex}:{big}",
    "Übertragung {word} beendet nach {n} s",
)

# The SQL types of the fields, beside `_time`, which is a number of nanoseconds in DuckDB.
MIXED = "STRUCT(i BIGINT, r DOUBLE, t VARCHAR, b BOOLEAN)"
FIELDS = {
    "id": "BIGINT", "seq": "BIGINT", "n2": "BIGINT", "n10": "BIGINT", "n60": "BIGINT", "n300": "BIGINT", "n5k": "BIGINT",
    "hi": "BIGINT", "x": "BIGINT", "opt": "BIGINT", "f": "DOUBLE", "q": "DOUBLE", "y": "DOUBLE", "s3": "VARCHAR",
    "s10": "VARCHAR", "s60": "VARCHAR", "s300": "VARCHAR", "s5k": "VARCHAR", "uniq": "VARCHAR", "uuid": "VARCHAR",
    "word": "VARCHAR", "msg": "VARCHAR", "big": "VARCHAR", "late": "VARCHAR", "const": "VARCHAR", "b": "BOOLEAN",
    "m": MIXED, **{f"w{at}": "VARCHAR" for at in range(WIDE_KEYS)}, **{f"v{at}": "BIGINT" for at in range(WIDE_KEYS)},
}
PARTNER_FIELDS = {"key": "BIGINT", "code": "VARCHAR", "name": "VARCHAR", "weight": "DOUBLE", "rank": "BIGINT"}


def rfc3339(nanoseconds):
    """A time with all its digits."""
    seconds, rest = divmod(nanoseconds, SECOND)
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    return f"{moment.isoformat()}.{rest:09}Z"


def nanoseconds_of(text):
    """The time that an answer tells."""
    moment, _, rest = text.removesuffix("Z").partition(".")
    passed = datetime.datetime.fromisoformat(moment) - datetime.datetime(1970, 1, 1)
    return (passed.days * 86_400 + passed.seconds) * SECOND + int(rest.ljust(9, "0") or 0)


def mixed_value(chance, at):
    """A value of some type, as DuckDB has it: one column for each type. Reals are never whole."""
    kind = chance.random()
    if kind < 0.3:
        return {"i": chance.randrange(-20, 60)}
    if kind < 0.5:
        return {"r": chance.randrange(-20, 20) + 0.5}
    if kind < 0.8:
        return {"t": chance.choice(("1", "12", "1.5", "true", "x", "X", "", f"t{at % 40}"))}
    if kind < 0.9:
        return {"b": chance.random() < 0.5}
    return {}


def time_of(chance, at, count):
    if chance.random() < WILD_SHARE:
        return chance.choice(WILD_SECONDS) * SECOND + chance.choice((0, 1, 999_999_999))
    share = at / count
    for day, of_day in enumerate(DAY_SHARES):
        if share < of_day:
            break
        share -= of_day
    else:
        day, of_day, share = DAYS - 1, DAY_SHARES[-1], DAY_SHARES[-1] * 0.999
    # Most of a day's events lie in some of its hours; a few come late, and some have the same time.
    inside = int((share / of_day) ** 2 * DAY)
    if chance.random() < 0.02:
        inside = chance.randrange(DAY)
    moment = FIRST_DAY + day * DAY + inside
    unit = chance.choice((1, 1, 1, 1000, SECOND))
    return moment // unit * unit


def message(chance):
    template = TEMPLATES[int(chance.random() ** 2 * len(TEMPLATES))]
    return template.format(
        n=chance.randrange(200), big=chance.randrange(10**7), hex=f"{chance.getrandbits(48):012x}",
        word=chance.choice(("ann", "bob", "eve", "Zoë")),
    )


def wide_keys(chance, profile):
    """The values of the wide keys: those of a profile, but now and then another."""
    keys = {}
    for at in range(WIDE_KEYS):
        mixer = random.Random(profile * 31 + at)
        text, whole = mixer.randrange(41), mixer.randrange(-3, 300)
        if chance.random() < 0.002:
            text, whole = chance.randrange(41), chance.randrange(-3, 300)
        keys[f"w{at}"] = None if text == 0 else f"w{text}" if at % 2 else f"a longer value of {text}"
        keys[f"v{at}"] = None if whole == -3 else whole * (1 if at % 2 else 1_000_003)
    return keys


def fields_of(chance, at, count, profiles):
    n300 = int(300 * chance.random() ** 2)
    rare = chance.random()
    fields = {
        "id": at, "seq": 1_000_000 + 7 * at, "n2": at % 2, "n10": chance.randrange(10), "n60": chance.randrange(60),
        "n300": n300, "n5k": chance.randrange(5_000) - 100, "hi": chance.randrange(count * 6 // 10),
        "x": chance.choice(EXTREME_WHOLES), "f": round(chance.random() * 1000, 2), "q": chance.randrange(-200, 200) / 4,
        "y": chance.choice(EXTREME_REALS), "s3": ("red", "green", "blue")[at % 3], "s10": f"s{chance.randrange(10)}",
        "s60": f"host-{chance.randrange(60):02}.example.com", "s300": f"path/{n300}/{n300 % 7}",
        "s5k": f"customer {chance.randrange(5_000)}", "uniq": f"u{at * 2_654_435_761 % 2**32:08x}-{at}",
        "uuid": f"{chance.getrandbits(128):032x}", "word": chance.choice(WORDS), "msg": message(chance),
        "const": "always the same", "b": chance.random() < 0.3, **profiles[int(chance.random() ** 2 * len(profiles))],
    }
    if rare < 0.03:
        fields["opt"] = chance.randrange(40)
    if rare > 0.999 or at == 1:
        fields["big"] = f"{at} " + chance.choice(("x", "long text ", "ü")) * chance.randrange(3_000)
    # One of the first has it too: behind a join, a name that no event has had is a mistake.
    if at > count * 7 // 10 or at == 1:
        fields["late"] = f"l{chance.randrange(20)}"
    for name in ("n10", "f", "q", "s10", "s300", "b", "word", "n5k", "x", "y", "msg"):
        if chance.random() < 0.03:
            # Null and missing are the same to a question, but not to what is written.
            if at % 2:
                del fields[name]
            else:
                fields[name] = None
    return fields


def events(seed, count):
    """Pairs of a time and fields; `m` is as DuckDB has it."""
    chance = random.Random(f"events {seed}")
    profiles = [wide_keys(chance, profile) for profile in range(PROFILES)]
    for at in range(count):
        fields = fields_of(chance, at, count, profiles)
        if chance.random() < 0.01:
            fields.update(wide_keys(chance, chance.randrange(PROFILES)))
        fields["m"] = mixed_value(chance, at)
        yield time_of(chance, at, count), fields


def partners(seed, count):
    """The events of the dataset that others are joined with; keys may be there twice, or not at all."""
    chance = random.Random(f"partners {seed}")
    for at in range(count):
        fields = {
            "key": chance.randrange(400), "code": f"s{chance.randrange(14)}", "name": chance.choice(WORDS),
            "weight": chance.randrange(400) / 4, "rank": at,
        }
        if chance.random() < 0.05:
            fields[chance.choice(("key", "code", "name"))] = None
        yield FIRST_DAY + at * 60 * SECOND, fields


def lines(pairs):
    """For each event its line for the service and its line for DuckDB."""
    for time, fields in pairs:
        mixed = fields.pop("m", None)
        common = json.dumps(fields, ensure_ascii=False)[1:-1]
        sent = f'{{"_time": "{rfc3339(time)}", {common}'
        for value in (mixed or {}).values():
            sent += f', "m": {json.dumps(value)}'
        loaded = f'{{"_time": {time}, {common}, "m": {json.dumps(mixed)}}}'
        yield sent + "}\n", loaded + "\n"
