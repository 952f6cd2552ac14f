"""Ids that are asked for, taken from events in the middle of the data."""

import re
from datetime import timedelta

from questions.question import Window, aggregate, is_, query, text

MOST_OF_A_USER = 200


def take(service, times):
    middle = times.whole.begin + timedelta(seconds=times.whole.seconds // 2)
    _, answer = service.ask(query(Window(middle, middle + timedelta(seconds=10)), limit=200))
    events = [match["data"] for match in answer["matches"]]
    return {
        "trace": events[0]["trace_id"],
        "user": rare_user(service, times.whole, events),
        "part_of_id": next(part for part in map(part_of_id, events) if part),
    }


def rare_user(service, window, events):
    """A user with few events, as who is looked for mostly is."""
    for event in events:
        body = query(window, filter=is_("user_id", "==", event["user_id"]), aggregations=[aggregate("count")])
        _, answer = service.ask(body)
        if answer["buckets"]["totals"][0]["aggregations"][0]["value"] <= MOST_OF_A_USER:
            return event["user_id"]
    raise RuntimeError("all users of the sample have many events")


def take_of_firehose(service, times):
    """A content, and an account with few events."""
    middle = times.whole.begin + timedelta(seconds=times.whole.seconds // 2)
    around = Window(middle, times.whole.end)
    wanted = "where ['commit.operation'] == 'create' | take 200 | project ['commit.cid'], did"
    rows = rows_of(service, around, wanted)
    for _, did in rows:
        ((events,),) = rows_of(service, times.whole, f"where did == '{did}' | summarize count()")
        if events <= MOST_OF_A_USER:
            return {"content": rows[0][0], "user": did}
    raise RuntimeError("all users of the sample have many events")


def rows_of(service, window, stages):
    _, answer = service.ask(text(window, stages))
    return answer["tables"][0]["rows"]


def part_of_id(event):
    """All but the first letter of a number of eight hexadecimal digits in the message."""
    found = re.search(r"\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*[0-9])[0-9a-f]{8}\b", event["message"])
    return found and found.group()[1:]
