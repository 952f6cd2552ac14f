"""OpenTelemetry's exporters for Python, over HTTP and over gRPC: logs, spans and points of metrics."""

from pathlib import Path

import grpc
from opentelemetry._logs import SeverityNumber
from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter as GrpcLogs
from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter as GrpcMetrics
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcSpans
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.metrics.view import ExponentialBucketHistogramAggregation, View
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode

from service import equal

COUNT = 2000
SHOP = Resource.create({"service.name": "shop", "deployment.environment.name": "test", "shelf": "top"})


def over_http(service, dataset):
    """The three exporters over HTTP; logs are plain, spans and metrics compressed."""
    headers = {"authorization": f"Bearer {service.token}", "x-tidegauge-dataset": dataset}
    options = {"headers": headers, "certificate_file": getattr(service, "authority", None)}
    return (
        OTLPLogExporter(endpoint=f"{service.url}/v1/logs", **options),
        OTLPSpanExporter(endpoint=f"{service.url}/v1/traces", **options, compression=Compression.Gzip),
        OTLPMetricExporter(endpoint=f"{service.url}/v1/metrics", **options, compression=Compression.Deflate),
    )


def over_grpc(service, dataset, port=None):
    """The three exporters over gRPC; logs are plain, spans and metrics compressed."""
    options = {
        "endpoint": f"{service.host}:{port or service.port}",
        **encryption(getattr(service, "authority", None)),
        "headers": {"authorization": f"Bearer {service.token}", "x-tidegauge-dataset": dataset},
    }
    return (
        GrpcLogs(**options),
        GrpcSpans(**options, compression=grpc.Compression.Gzip),
        GrpcMetrics(**options, compression=grpc.Compression.Gzip),
    )


def encryption(authority):
    return {"credentials": grpc.ssl_channel_credentials(Path(authority).read_bytes())} if authority else {"insecure": True}


def over_grpc_alone(service, dataset):
    """To the port that takes gRPC and nothing else."""
    return over_grpc(service, dataset, service.ports["otlp-grpc-listen"])


def telemetry(service):
    for name, exporters in [("http", over_http), ("grpc", over_grpc), ("grpc-alone", over_grpc_alone)]:
        logs, spans, _ = exporters(service, f"otlp-{name}")
        send_logs(logs)
        send_spans(spans)
        check_logs(service, f"otlp-{name}")
        check_spans(service, f"otlp-{name}")
        _, _, metrics = exporters(service, f"otlp-{name}-metrics")
        send_metrics(metrics)
        check_metrics(service, f"otlp-{name}-metrics")


def send_logs(exporter):
    provider = LoggerProvider(resource=SHOP)
    # More than all of them fit into the queue, so that none is dropped before it is sent.
    provider.add_log_record_processor(BatchLogRecordProcessor(exporter, max_queue_size=2 * COUNT))
    logger = provider.get_logger("checkout", "1.2")
    for n in range(COUNT):
        logger.emit(
            timestamp=1_780_311_600_000_000_000 + n,
            severity_number=SeverityNumber.WARN,
            severity_text="WARNING",
            body=f"item {n} is out of stock",
            attributes={"n": n, "http.route": "/items", "tags": ["a", "b"]},
        )
    provider.shutdown()


def check_logs(service, dataset):
    logs = f"['{dataset}'] | where isnotnull(body)"
    found = service.rows(f"{logs} | project toint(['attributes.custom'].n) | limit 50000")
    equal(sorted(n for (n,) in found), list(range(COUNT)))
    fields = "_time, body, severity, severity_text, ['service.name'], ['scope.name'], ['attributes.http.route']"
    equal(
        service.rows(f"{logs} | where body == 'item 7 is out of stock' | project {fields}, ['resource.custom'].shelf"),
        [("2026-06-01T11:00:00.000000007Z", "item 7 is out of stock", "warn", "WARNING", "shop", "checkout", "/items", "top")],
    )


def send_spans(exporter):
    provider = TracerProvider(resource=SHOP)
    provider.add_span_processor(BatchSpanProcessor(exporter, max_queue_size=4 * COUNT))
    tracer = provider.get_tracer("checkout")
    for n in range(COUNT):
        with tracer.start_as_current_span(f"order {n}", kind=SpanKind.SERVER) as root:
            root.set_attribute("http.request.method", "POST")
            with tracer.start_as_current_span("pay", attributes={"n": n}) as child:
                child.add_event("declined", {"reason": "funds"})
                child.set_status(Status(StatusCode.ERROR, "card declined"))
    provider.shutdown()


def check_spans(service, dataset):
    spans = f"['{dataset}'] | where isnotnull(trace_id)"
    found = service.rows(f"{spans} | where name == 'pay' | project toint(['attributes.custom'].n) | limit 50000")
    equal(sorted(n for (n,) in found), list(range(COUNT)))
    roots = service.rows(f"{spans} | where kind == 'server' and isnull(parent_span_id) | project name | limit 50000")
    equal(sorted(name for (name,) in roots), sorted(f"order {n}" for n in range(COUNT)))
    same = service.rows(
        f"{spans} | where error == true and ['status.code'] == 'ERROR' and ['status.message'] == 'card declined' "
        "and isnotnull(parent_span_id) and duration > 0 | summarize count()"
    )
    equal(same, [(COUNT,)])


def send_metrics(exporter):
    views = [View(instrument_name="latency", aggregation=ExponentialBucketHistogramAggregation())]
    reader = PeriodicExportingMetricReader(exporter, export_interval_millis=3_600_000)
    provider = MeterProvider(metric_readers=[reader], resource=SHOP, views=views)
    meter = provider.get_meter("checkout")
    orders = meter.create_counter("orders", unit="1")
    sizes = meter.create_histogram("sizes", explicit_bucket_boundaries_advisory=[1, 10])
    latency = meter.create_histogram("latency", unit="ms")
    for n in range(COUNT):
        orders.add(1, {"shelf": str(n % 10)})
    for value in [0.5, 5, 50]:
        sizes.record(value)
        latency.record(value)
    provider.shutdown()


def check_metrics(service, dataset):
    orders = service.rows(f"['{dataset}'] | where metric == 'orders' | project type, unit, value, is_monotonic")
    equal(orders, [("sum", "1", COUNT // 10, True)] * 10)
    histogram = f"['{dataset}'] | where metric == 'sizes' | project type, ['count'], ['sum'], ['min'], ['max'], bounds, counts"
    equal(service.rows(histogram), [("histogram", 3, 55.5, 0.5, 50, [1, 10], [1, 1, 1])])
    exponential = f"['{dataset}'] | where metric == 'latency' | project type, unit, ['count'], ['sum'], zero_count"
    equal(service.rows(exponential), [("exponential_histogram", "ms", 3, 55.5, 0)])
