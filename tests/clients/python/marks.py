"""Annotations, through both halves of the client."""

from datetime import datetime, timedelta, timezone

from axiom_py.annotations import AnnotationCreateRequest, AnnotationUpdateRequest

from checks import check_refusal, equal, truth


def create_request(**given):
    fields = dict(datasets=["python-web"], time=None, endTime=None, title=None, description=None, url=None, type="release")
    return AnnotationCreateRequest(**{**fields, **given})


def update_request(**given):
    fields = dict(datasets=None, time=None, endTime=None, title=None, description=None, url=None, type=None)
    return AnnotationUpdateRequest(**{**fields, **given})


def annotations(client):
    made = client.annotations.create(create_request(title="Release 7", url="some-url"))
    truth(made.id.startswith("ann_"), "an id")
    equal((made.datasets, made.type, made.title, made.url), (["python-web"], "release", "Release 7", "some-url"))
    equal((made.description, made.endTime), (None, None))
    now = datetime.now(timezone.utc)
    truth(abs(now - made.time) < timedelta(minutes=5), "the time of the request")
    equal(client.annotations.get(made.id), made)
    other = client.annotations.create(create_request(datasets=["python-other"], type="outage"))
    hour = timedelta(hours=1)
    equal(client.annotations.list(datasets=["python-web", "python-none"]), [made])
    equal(client.annotations.list(datasets=["python-web"], start=now - hour, end=now + hour), [made])
    equal(client.annotations.list(datasets=["python-web"], start=now + hour), [])
    truth(other in client.annotations.list(), "both in the list of all")
    changed = client.annotations.update(made.id, update_request(title="Release 8", datasets=["python-other"]))
    equal((changed.title, changed.datasets, changed.url), ("Release 8", ["python-other"], "some-url"))
    equal(changed.time, made.time)
    equal(client.annotations.get(made.id), changed)
    for one in (made, other):
        client.annotations.delete(one.id)
        check_refusal(404, "annotation not found", lambda: client.annotations.get(one.id))
    check_refusal(
        422,
        "type in body must be of lower-case letters, digits and hyphens, such as production-release",
        lambda: client.annotations.create(create_request(type="Not So")),
    )
