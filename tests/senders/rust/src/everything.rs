//! Logs, spans and points of metrics with the values that python/telemetry.py sends and looks up.

use std::time::{Duration, SystemTime};

use opentelemetry::logs::{AnyValue, LogRecord, Logger, LoggerProvider, Severity};
use opentelemetry::metrics::MeterProvider;
use opentelemetry::trace::{Span, SpanKind, Status, TraceContextExt, Tracer, TracerProvider};
use opentelemetry::{Context, InstrumentationScope, KeyValue};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::logs::{BatchConfigBuilder as LogBatches, BatchLogProcessor, SdkLoggerProvider};
use opentelemetry_sdk::metrics::{Aggregation, Instrument, PeriodicReader, SdkMeterProvider, Stream};
use opentelemetry_sdk::trace::{BatchConfigBuilder as SpanBatches, BatchSpanProcessor, SdkTracerProvider};

use crate::exporters::{self, Place};

const COUNT: usize = 2000;
const BEGIN_NANOS: u64 = 1_780_311_600_000_000_000;
const WAIT: Duration = Duration::from_secs(60);

pub fn send(to: &Place) {
    send_logs(to);
    send_spans(to);
    send_metrics(&to.beside("-metrics"));
}

fn shop() -> Resource {
    let more = [KeyValue::new("deployment.environment.name", "test"), KeyValue::new("shelf", "top")];
    Resource::builder().with_service_name("shop").with_attributes(more).build()
}

fn scope() -> InstrumentationScope {
    InstrumentationScope::builder("checkout").with_version("1.2").build()
}

fn send_logs(to: &Place) {
    // More than all of them fit into the queue, so that none is dropped before it is sent.
    let batches = LogBatches::default().with_max_queue_size(2 * COUNT).build();
    let processor = BatchLogProcessor::builder(exporters::logs(to)).with_batch_config(batches).build();
    let provider = SdkLoggerProvider::builder().with_resource(shop()).with_log_processor(processor).build();
    let logger = provider.logger_with_scope(scope());
    for n in 0..COUNT {
        let mut record = logger.create_log_record();
        record.set_timestamp(SystemTime::UNIX_EPOCH + Duration::from_nanos(BEGIN_NANOS + n as u64));
        record.set_severity_number(Severity::Warn);
        record.set_severity_text("WARNING");
        record.set_body(format!("item {n} is out of stock").into());
        record.add_attribute("n", n as i64);
        record.add_attribute("http.route", "/items");
        record.add_attribute("tags", AnyValue::ListAny(Box::new(vec!["a".into(), "b".into()])));
        logger.emit(record);
    }
    provider.shutdown_with_timeout(WAIT).expect("all logs are sent");
}

fn send_spans(to: &Place) {
    let batches = SpanBatches::default().with_max_queue_size(4 * COUNT).build();
    let processor = BatchSpanProcessor::builder(exporters::spans(to)).with_batch_config(batches).build();
    let provider = SdkTracerProvider::builder().with_resource(shop()).with_span_processor(processor).build();
    let tracer = provider.tracer_with_scope(scope());
    for n in 0..COUNT {
        let root = tracer
            .span_builder(format!("order {n}"))
            .with_kind(SpanKind::Server)
            .with_attributes([KeyValue::new("http.request.method", "POST")])
            .start_with_context(&tracer, &Context::new());
        let inside = Context::new().with_span(root);
        let mut child = tracer.start_with_context("pay", &inside);
        child.set_attribute(KeyValue::new("n", n as i64));
        child.add_event("declined", vec![KeyValue::new("reason", "funds")]);
        child.set_status(Status::error("card declined"));
        child.end();
        inside.span().end();
    }
    provider.shutdown_with_timeout(WAIT).expect("all spans are sent");
}

fn send_metrics(to: &Place) {
    let reader =
        PeriodicReader::builder(exporters::metrics(to)).with_interval(Duration::from_secs(3600)).build();
    let exponential = |instrument: &Instrument| {
        let aggregation =
            Aggregation::Base2ExponentialHistogram { max_size: 160, max_scale: 20, record_min_max: true };
        (instrument.name() == "latency")
            .then(|| Stream::builder().with_aggregation(aggregation).build().expect("a stream"))
    };
    let provider =
        SdkMeterProvider::builder().with_resource(shop()).with_reader(reader).with_view(exponential).build();
    let meter = provider.meter_with_scope(scope());
    let orders = meter.u64_counter("orders").with_unit("1").build();
    let sizes = meter.f64_histogram("sizes").with_boundaries(vec![1.0, 10.0]).build();
    let latency = meter.f64_histogram("latency").with_unit("ms").build();
    for n in 0..COUNT {
        orders.add(1, &[KeyValue::new("shelf", (n % 10).to_string())]);
    }
    for value in [0.5, 5.0, 50.0] {
        sizes.record(value, &[]);
        latency.record(value, &[]);
    }
    provider.shutdown_with_timeout(WAIT).expect("all points are sent");
}
