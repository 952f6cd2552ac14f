"""Elasticsearch's client, whichever version is there: its helpers for bulk requests, at both addresses."""

from elasticsearch import Elasticsearch, helpers

from service import equal

COUNT = 3000


def documents(**action):
    for n in range(COUNT):
        source = {"@timestamp": "2026-06-01T11:00:00Z", "n": n, "user": {"name": f"user {n % 7}"}}
        yield {"_op_type": "create", "_source": source, **action}


def elastic(service, version):
    dataset = f"elastic-{version}"
    by_index(service, dataset)
    by_path(service, f"{dataset}-path")
    refusals(service, f"{dataset}-refusals")


def by_index(service, dataset):
    """Each document names its dataset; the token is an API key."""
    with Elasticsearch(service.url, api_key=service.token) as client:
        equal(client.info()["cluster_name"], "tidegauge")
        equal(client.ping(), True)
        stored, errors = helpers.bulk(client, documents(_index=dataset), chunk_size=700)
        equal((stored, errors), (COUNT, []))
    equal(service.values(dataset), list(range(COUNT)))
    users = service.rows(f"['{dataset}'] | where n == 8 | project _time, ['user.name']")
    equal(users, [("2026-06-01T11:00:00Z", "user 1")])


def by_path(service, dataset):
    """The address names the dataset; requests are compressed and sent by several threads, the token is a password."""
    address = f"{service.url}/v1/ingest/{dataset}/elastic"
    with Elasticsearch(address, basic_auth=("any", service.token), http_compress=True) as client:
        sent = helpers.parallel_bulk(client, documents(_index="logs"), thread_count=4, chunk_size=500)
        equal(sum(stored for stored, _ in sent), COUNT)
        # An index for all of them stands in the path, behind the dataset.
        equal(helpers.bulk(client, [{"n": COUNT}], index="logs"), (1, []))
    equal(service.values(dataset), list(range(COUNT + 1)))


def refusals(service, dataset):
    """The state of each document is told, and that of the others is as if they were alone."""
    with Elasticsearch(service.url, api_key=service.token) as client:
        actions = [
            {"_op_type": "create", "_index": dataset, "n": 1},
            {"_op_type": "delete", "_index": dataset, "_id": "1"},
            {"_op_type": "create", "_index": dataset, "@timestamp": "tomorrow", "n": 2},
            {"_op_type": "index", "_index": dataset, "n": 3},
        ]
        states = [
            item[operation]["status"]
            for _, item in helpers.streaming_bulk(client, actions, raise_on_error=False)
            for operation in item
        ]
        equal(states, [201, 400, 400, 201])
    equal(service.values(dataset), [1, 3])
