"""OpenTelemetry's exporters for Rust: the program of ../rust sends what telemetry.py sends, and here is looked up what
arrived; in the matrix of troubles it is handed numbers and tells what became of each. And tracing-loki, which pushes lines
of JSON to Loki."""

import atexit
import json
import subprocess

from service import WAIT_SECONDS, equal
from telemetry import check_logs, check_metrics, check_spans

LOKI_COUNT = 400
KINDS = {"logs": "body", "spans": "name", "metrics": "value"}


def rust(service, program):
    alone = f"http://{service.host}:{service.ports['otlp-grpc-listen']}"
    ways = [("http", "http", service.url), ("grpc", "grpc", service.url), ("grpc-alone", "grpc", alone)]
    for name, transport, address in ways:
        dataset = f"rust-{name}"
        command = [program, "everything", transport, address, service.token, dataset]
        subprocess.run(command, check=True, timeout=WAIT_SECONDS)
        check_logs(service, dataset)
        check_spans(service, dataset)
        check_metrics(service, f"{dataset}-metrics")
    tracing_loki(service, program)


def tracing_loki(service, program):
    command = [program, "loki", service.url, service.token, "rust-loki"]
    subprocess.run(command, check=True, timeout=WAIT_SECONDS)
    lines = [json.loads(line) for line in service.values("rust-loki", "message")]
    sent = [(n, f"item {n} is out of stock", "top") for n in range(LOKI_COUNT)]
    equal(sorted((line["n"], line["message"], line["shelf"]) for line in lines), sent)
    equal(service.rows("['rust-loki'] | distinct job, level"), [("shop", "warn")])


def retrying(program, transport):
    """A sender of each kind over HTTP or gRPC, with the field that has its number."""
    return [(numbers_by(program, transport, kind), field) for kind, field in KINDS.items()]


def numbers_by(program, transport, kind):
    def by_program(gateway, dataset, ledger):
        command = [program, "numbers", transport, gateway.url, gateway.token, dataset, kind]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            # It would wait for the service when this program has failed.
            atexit.register(process.kill)
            for numbers in ledger.batches():
                print(numbers[0], len(numbers), file=process.stdin, flush=True)
                told = [process.stdout.readline().split() for _ in numbers]
                ledger.add([int(number) for became, number in told if became == "stored"])
                ledger.given_up.update(int(number) for became, number in told if became == "lost")
        if process.returncode:
            raise AssertionError(f"{command[1:4]} ended with {process.returncode}")

    by_program.__name__ = f"rust-{transport}-{kind}"
    return by_program
