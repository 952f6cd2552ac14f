//! Hands batches to the real exporter, and notes of which it says that they were stored.
//!
//! Over gRPC it asks again what was not: an exporter takes a connection that breaks in the middle of a call for a failure that
//! lasts, and an application that must lose nothing would ask again too.

use std::fmt::Debug;
use std::sync::mpsc::Sender;
use std::time::Duration;

use opentelemetry::logs::AnyValue;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::logs::{LogBatch, LogExporter};
use opentelemetry_sdk::metrics::Temporality;
use opentelemetry_sdk::metrics::data::{AggregatedMetrics, MetricData, ResourceMetrics};
use opentelemetry_sdk::metrics::exporter::PushMetricExporter;
use opentelemetry_sdk::trace::{SpanData, SpanExporter};

const REST: Duration = Duration::from_millis(100);

/// The numbers of a batch, and whether they were stored.
pub type Note = (Vec<u64>, bool);

#[derive(Debug)]
pub struct Noting<E> {
    pub exporter: E,
    pub notes: Sender<Note>,
    pub asks_again: bool,
}

impl<E> Noting<E> {
    /// Whether it is to be asked again.
    fn is_again(&self, result: &OTelSdkResult) -> bool {
        if result.is_ok() || !self.asks_again {
            return false;
        }
        // The thread is the processor's own.
        std::thread::sleep(REST);
        true
    }

    fn note(&self, numbers: Vec<u64>, result: OTelSdkResult) -> OTelSdkResult {
        // Nobody listens any more when the program ends.
        let _ = self.notes.send((numbers, result.is_ok()));
        result
    }
}

impl<E: LogExporter> LogExporter for Noting<E> {
    async fn export(&self, batch: LogBatch<'_>) -> OTelSdkResult {
        let records: Vec<_> = batch.iter().collect();
        let numbers = records.iter().map(|(record, _)| match record.body() {
            Some(AnyValue::String(text)) => text.as_str().parse().expect("a number"),
            other => panic!("not a text: {other:?}"),
        });
        let numbers = numbers.collect();
        loop {
            let result = self.exporter.export(LogBatch::new(&records)).await;
            if !self.is_again(&result) {
                return self.note(numbers, result);
            }
        }
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}

impl<E: SpanExporter> SpanExporter for Noting<E> {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let numbers = batch.iter().map(|span| span.name.parse().expect("a number")).collect();
        loop {
            let result = self.exporter.export(batch.clone()).await;
            if !self.is_again(&result) {
                return self.note(numbers, result);
            }
        }
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}

impl<E: PushMetricExporter> PushMetricExporter for Noting<E> {
    async fn export(&self, metrics: &ResourceMetrics) -> OTelSdkResult {
        let numbers =
            metrics.scope_metrics().flat_map(|scope| scope.metrics()).flat_map(|metric| {
                match metric.data() {
                    AggregatedMetrics::U64(MetricData::Gauge(gauge)) => {
                        gauge.data_points().map(|point| point.value())
                    }
                    other => panic!("not a gauge: {other:?}"),
                }
            });
        let numbers = numbers.collect();
        loop {
            let result = self.exporter.export(metrics).await;
            if !self.is_again(&result) {
                return self.note(numbers, result);
            }
        }
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.exporter.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn temporality(&self) -> Temporality {
        self.exporter.temporality()
    }
}
