"""Datasets, the user and tokens, and everything that is refused."""

from datetime import datetime, timedelta, timezone

from axiom_py import AplOptions, Client, ContentEncoding, ContentType
from axiom_py.tokens import (
    CreateTokenRequest,
    RegenerateTokenRequest,
    TokenDatasetCapabilities,
    TokenOrganizationCapabilities,
)

from checks import check_refusal, equal, rows, truth


def datasets(client):
    made = client.datasets.create("python-web", "Requests")
    equal((made.id, made.name, made.description), ("python-web", "python-web", "Requests"))
    equal(made.who, client.users.current().id)
    truth(datetime.fromisoformat(made.created.replace("Z", "+00:00")).tzinfo, "a time with its zone")
    equal(client.datasets.get("python-web"), made)
    equal([dataset for dataset in client.datasets.get_list() if dataset.name == "python-web"], [made])
    changed = client.datasets.update("python-web", "Requests to the shop")
    equal(changed.description, "Requests to the shop")
    equal(client.datasets.get("python-web"), changed)


def user(client):
    current = client.users.current()
    equal((current.id[:5], current.role.id), ("user_", "owner"))
    truth("@" in current.email, "an address")


def tokens(client):
    capabilities = {"python-web": TokenDatasetCapabilities(ingest=["create"], query=["read"])}
    request = CreateTokenRequest(
        name="python",
        description="For a test",
        expiresAt="2099-01-01T00:00:00Z",
        datasetCapabilities=capabilities,
        orgCapabilities=TokenOrganizationCapabilities(users=["read"]),
    )
    made = client.tokens.create(request)
    truth(made.token.startswith("xaat-"), "an API token")
    equal((made.name, made.description, made.samlAuthenticated), ("python", "For a test", False))
    equal(made.expiresAt, datetime(2099, 1, 1, tzinfo=timezone.utc))
    equal(made.datasetCapabilities, capabilities)
    equal(made.orgCapabilities, TokenOrganizationCapabilities(users=["read"]))
    got = client.tokens.get(made.id)
    equal((got.id, got.datasetCapabilities, got.expiresAt), (made.id, capabilities, made.expiresAt))
    equal([token for token in client.tokens.list() if token.id == made.id], [got])

    limited = Client(token=made.token)
    equal(limited.users.current(), None)
    equal(rows(limited, "['python-web'] | count"), [{"Count": 3}])
    equal([dataset.name for dataset in limited.datasets.get_list()], ["python-web"])
    check_refusal(
        403,
        "token does not have access to resource: query with action: read",
        lambda: limited.query("['python-series']"),
    )
    check_refusal(
        403,
        "token does not have access to resource: ingest with action: create",
        lambda: limited.ingest_events("python-series", [{"n": 1}]),
    )
    check_refusal(
        403,
        "token does not have access to resource: datasets with action: create",
        lambda: limited.datasets.create("x"),
    )

    end = datetime(2098, 1, 1, tzinfo=timezone.utc)
    renewed = client.tokens.regenerate(made.id, RegenerateTokenRequest(end, end))
    truth(renewed.id != made.id, "another token")
    equal((renewed.name, renewed.datasetCapabilities, renewed.expiresAt), ("python", capabilities, end))
    equal(client.tokens.get(made.id).expiresAt, end)
    for token in (made, renewed):
        client.tokens.delete(token.id)
        check_refusal(404, "token not found", lambda: client.tokens.get(token.id))
    check_refusal(401, "forbidden", lambda: limited.query("['python-web']"))


def refusals(client):
    stranger = Client(token="xapt-123")
    check_refusal(401, "forbidden", stranger.datasets.get_list)
    check_refusal(401, "forbidden", stranger.users.current)
    check_refusal(404, "dataset not found", lambda: client.datasets.get("python-unknown"))
    check_refusal(404, "dataset not found", lambda: client.datasets.update("python-unknown", ""))
    check_refusal(404, "dataset not found", lambda: client.datasets.delete("python-unknown"))
    check_refusal(
        404, "dataset not found", lambda: client.datasets.trim("python-unknown", timedelta(hours=1))
    )
    check_refusal(404, 'dataset not found: "python-unknown"', lambda: client.query("['python-unknown']"))
    check_refusal(409, "there is a dataset with this name", lambda: client.datasets.create("python-web"))
    check_refusal(
        422, "name in body must be a dataset's name", lambda: client.datasets.create(""), exact=False
    )
    check_refusal(
        422, "name in body is required", lambda: client.tokens.create(CreateTokenRequest(name=None))
    )
    check_refusal(
        422, "startTime", lambda: client.query("['python-web']", AplOptions(start_time="soon")), exact=False
    )
    check_refusal(400, "line 1, column", lambda: client.query("['python-web'] | where"), exact=False)
    check_refusal(
        400,
        "malformed body at line 1, column 3",
        lambda: client.ingest("python-web", b"[{", ContentType.JSON, ContentEncoding.IDENTITY),
        exact=False,
    )
    check_refusal(
        400,
        "gzip",
        lambda: client.ingest("python-web", b"[{}]", ContentType.JSON, ContentEncoding.GZIP),
        exact=False,
    )


def trim(client):
    """Only what is older goes, and only whole segments of it."""
    client.ingest_events("python-trim", [{"_time": "2020-01-01T00:00:00Z", "n": 1}])
    client.datasets.trim("python-trim", timedelta(hours=1))
    client.ingest_events("python-trim", [{"n": 2}])
    client.datasets.trim("python-trim", timedelta(hours=1))
    equal(rows(client, "['python-trim'] | project n"), [{"n": 2}])


def deletion(client):
    for dataset in client.datasets.get_list():
        if dataset.name.startswith("python-"):
            client.datasets.delete(dataset.id)
    check_refusal(404, "dataset not found", lambda: client.datasets.get("python-web"))
    client.datasets.create("python-web")
    equal(rows(client, "['python-web'] | count"), [{"Count": 0}])
    client.datasets.delete("python-web")
