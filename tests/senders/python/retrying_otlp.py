"""OpenTelemetry's exporters in the trouble matrix: logs, spans and metrics, over HTTP and over gRPC. They have ten seconds for
all attempts at a batch, and say whether they gave it up."""

from opentelemetry.metrics import Observation
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor, LogRecordExporter, LogRecordExportResult
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricExporter, MetricExportResult, PeriodicExportingMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from ledger import TOGETHER
from telemetry import over_grpc, over_http


class Noting:
    """Hands batches to the real exporter, and notes of which it says that they were stored."""

    def __init__(self, exporter, ledger):
        super().__init__()
        self.exporter, self.ledger = exporter, ledger

    def note(self, numbers, is_stored, result):
        if is_stored:
            self.ledger.add(numbers)
        else:
            self.ledger.given_up.update(numbers)
        return result

    def shutdown(self, *_, **__):
        self.exporter.shutdown()

    def force_flush(self, timeout_millis=30_000):
        return self.exporter.force_flush(timeout_millis)


class NotingLogs(Noting, LogRecordExporter):
    def export(self, batch):
        result = self.exporter.export(batch)
        numbers = [int(record.log_record.body) for record in batch]
        return self.note(numbers, result == LogRecordExportResult.SUCCESS, result)


class NotingSpans(Noting, SpanExporter):
    def export(self, spans):
        result = self.exporter.export(spans)
        return self.note([int(span.name) for span in spans], result == SpanExportResult.SUCCESS, result)


class NotingMetrics(Noting, MetricExporter):
    def export(self, metrics_data, timeout_millis=10_000, **options):
        result = self.exporter.export(metrics_data, timeout_millis, **options)
        scopes = [scope for resource in metrics_data.resource_metrics for scope in resource.scope_metrics]
        points = [point for scope in scopes for metric in scope.metrics for point in metric.data.data_points]
        return self.note([int(point.value) for point in points], result == MetricExportResult.SUCCESS, result)


def logs(exporter, ledger):
    provider = LoggerProvider()
    provider.add_log_record_processor(BatchLogRecordProcessor(NotingLogs(exporter, ledger)))
    logger = provider.get_logger("shop")
    for numbers in ledger.batches():
        for n in numbers:
            logger.emit(body=str(n))
        provider.force_flush()
    provider.shutdown()


def spans(exporter, ledger):
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(NotingSpans(exporter, ledger)))
    tracer = provider.get_tracer("shop")
    for numbers in ledger.batches():
        for n in numbers:
            tracer.start_span(str(n)).end()
        provider.force_flush()
    provider.shutdown()


def metrics(exporter, ledger):
    """Each number is the value of a gauge; there are as many gauges as numbers come together."""
    reader = PeriodicExportingMetricReader(NotingMetrics(exporter, ledger), export_interval_millis=3_600_000)
    provider = MeterProvider(metric_readers=[reader])
    upcoming = []

    def observe(_):
        # All of them were exported before the provider asks a last time.
        taken = list(upcoming)
        upcoming.clear()
        return taken

    provider.get_meter("shop").create_observable_gauge("numbers", [observe])
    for numbers in ledger.batches():
        upcoming.extend(Observation(n, {"place": n % TOGETHER}) for n in numbers)
        provider.force_flush()
    provider.shutdown()


def sender(send, exporters, place, name):
    """A sender that has a name of its own, by one of the three exporters."""

    def by_exporter(gateway, dataset, ledger):
        send(exporters(gateway, dataset)[place], ledger)

    by_exporter.__name__ = name
    return by_exporter


# Each with the field that has the number.
OVER_HTTP = [
    (sender(logs, over_http, 0, "otlp-logs"), "body"),
    (sender(spans, over_http, 1, "otlp-spans"), "name"),
    (sender(metrics, over_http, 2, "otlp-metrics"), "value"),
]
OVER_GRPC = [
    (sender(logs, over_grpc, 0, "grpc-logs"), "body"),
    (sender(spans, over_grpc, 1, "grpc-spans"), "name"),
    (sender(metrics, over_grpc, 2, "grpc-metrics"), "value"),
]
