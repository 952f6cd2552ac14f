//! The exporters, over HTTP and over gRPC: logs are plain, spans and points compressed. Where they go is in [`Place`].

use std::collections::HashMap;

use opentelemetry_otlp::tonic_types::metadata::MetadataMap;
use opentelemetry_otlp::{
    Compression, LogExporter, MetricExporter, RetryPolicy, SpanExporter, WithExportConfig, WithHttpConfig,
    WithTonicConfig,
};

#[derive(Clone, Copy, PartialEq)]
pub enum Transport {
    /// Whatever the environment names, with the address and all else.
    Environment,
    Http,
    Grpc,
}

#[derive(Clone)]
pub struct Place {
    pub transport: Transport,
    pub address: String,
    pub token: String,
    pub dataset: String,
}

impl Place {
    pub fn of_environment() -> Self {
        Self {
            transport: Transport::Environment,
            address: String::new(),
            token: String::new(),
            dataset: String::new(),
        }
    }

    pub fn beside(&self, ending: &str) -> Self {
        Self { dataset: format!("{}{ending}", self.dataset), ..self.clone() }
    }

    fn headers(&self) -> [(&'static str, String); 2] {
        [("authorization", format!("Bearer {}", self.token)), ("x-tidegauge-dataset", self.dataset.clone())]
    }

    fn over_http<B: WithExportConfig + WithHttpConfig>(&self, builder: B, path: &str) -> B {
        let headers: HashMap<String, String> =
            self.headers().map(|(name, value)| (name.to_owned(), value)).into();
        builder
            .with_endpoint(format!("{}{path}", self.address))
            .with_headers(headers)
            .with_retry_policy(patient())
    }

    fn over_grpc<B: WithExportConfig + WithTonicConfig>(&self, builder: B) -> B {
        let mut metadata = MetadataMap::new();
        for (name, value) in self.headers() {
            metadata.insert(name, value.parse().expect("a text for metadata"));
        }
        builder.with_endpoint(self.address.clone()).with_metadata(metadata).with_retry_policy(patient())
    }
}

/// Three attempts more, which they make by themselves, are over before a service has started anew. The ten seconds for all of
/// them stay as they are.
fn patient() -> RetryPolicy {
    RetryPolicy::recommended().with_max_retries(100)
}

pub fn logs(to: &Place) -> LogExporter {
    let builder = LogExporter::builder();
    match to.transport {
        Transport::Environment => builder.build(),
        Transport::Http => to.over_http(builder.with_http(), "/v1/logs").build(),
        Transport::Grpc => to.over_grpc(builder.with_tonic()).build(),
    }
    .expect("an exporter of logs")
}

pub fn spans(to: &Place) -> SpanExporter {
    let builder = SpanExporter::builder();
    match to.transport {
        Transport::Environment => builder.build(),
        Transport::Http => {
            let builder = to.over_http(builder.with_http(), "/v1/traces");
            WithHttpConfig::with_compression(builder, Compression::Gzip).build()
        }
        Transport::Grpc => {
            WithTonicConfig::with_compression(to.over_grpc(builder.with_tonic()), Compression::Gzip).build()
        }
    }
    .expect("an exporter of spans")
}

pub fn metrics(to: &Place) -> MetricExporter {
    let builder = MetricExporter::builder();
    match to.transport {
        Transport::Environment => builder.build(),
        Transport::Http => {
            let builder = to.over_http(builder.with_http(), "/v1/metrics");
            WithHttpConfig::with_compression(builder, Compression::Gzip).build()
        }
        Transport::Grpc => {
            WithTonicConfig::with_compression(to.over_grpc(builder.with_tonic()), Compression::Gzip).build()
        }
    }
    .expect("an exporter of metrics")
}
