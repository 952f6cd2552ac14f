// OpenTelemetry's exporters: logs, spans and metrics over HTTP in JSON and in protobuf, and logs over gRPC to the port that
// takes nothing else.
import { Metadata, credentials } from '@grpc/grpc-js';
import { SeverityNumber } from '@opentelemetry/api-logs';
import { OTLPLogExporter as GrpcLogs } from '@opentelemetry/exporter-logs-otlp-grpc';
import { OTLPLogExporter as JsonLogs } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as ProtobufLogs } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPMetricExporter as JsonMetrics } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtobufMetrics } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as JsonSpans } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufSpans } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

function overHttp({ url, authorization }, path, dataset, compression) {
  return { url: `${url}${path}`, headers: { authorization, 'x-tidegauge-dataset': dataset }, compression };
}

async function logs(exporter, numbers) {
  const processor = new BatchLogRecordProcessor({ exporter, maxQueueSize: 2 * numbers.length });
  const provider = new LoggerProvider({ processors: [processor] });
  const logger = provider.getLogger('shop');
  for (const n of numbers) {
    logger.emit({ body: `message ${n}`, severityNumber: SeverityNumber.ERROR, attributes: { 'http.route': `${n}` } });
  }
  await provider.shutdown();
}

async function spans(exporter, numbers) {
  const processor = new BatchSpanProcessor({ exporter, maxQueueSize: 2 * numbers.length });
  const provider = new TracerProvider({ spanProcessors: [processor] });
  const tracer = provider.getTracer('shop');
  for (const n of numbers) tracer.startSpan(`message ${n}`).end();
  await provider.shutdown();
}

// Each number is a point of its own, and all of them are counted in one histogram.
async function metrics(exporter, numbers) {
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const provider = new MeterProvider({ readers: [reader] });
  const meter = provider.getMeter('shop');
  const orders = meter.createCounter('orders', { unit: '1' });
  const sizes = meter.createHistogram('sizes', { advice: { explicitBucketBoundaries: [10, 100] } });
  for (const n of numbers) {
    orders.add(n, { message: `message ${n}` });
    sizes.record(n);
  }
  await provider.shutdown();
}

function overGrpc({ token, places, numbers }) {
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  metadata.set('x-tidegauge-dataset', 'node-grpc-logs');
  return logs(new GrpcLogs({ url: `http://${places.grpc}`, metadata, credentials: credentials.createInsecure() }), numbers);
}

export default [
  function jsonLogs(target) {
    return logs(new JsonLogs(overHttp(target, '/v1/logs', 'node-json-logs')), target.numbers);
  },
  function protobufLogs(target) {
    return logs(new ProtobufLogs(overHttp(target, '/v1/logs', 'node-protobuf-logs', 'gzip')), target.numbers);
  },
  overGrpc,
  function jsonSpans(target) {
    return spans(new JsonSpans(overHttp(target, '/v1/traces', 'node-json-spans')), target.numbers);
  },
  function protobufSpans(target) {
    return spans(new ProtobufSpans(overHttp(target, '/v1/traces', 'node-protobuf-spans', 'gzip')), target.numbers);
  },
  function jsonMetrics(target) {
    return metrics(new JsonMetrics(overHttp(target, '/v1/metrics', 'node-json-metrics', 'gzip')), target.numbers);
  },
  function protobufMetrics(target) {
    return metrics(new ProtobufMetrics(overHttp(target, '/v1/metrics', 'node-protobuf-metrics')), target.numbers);
  },
];
