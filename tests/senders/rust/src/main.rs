//! Sends by OpenTelemetry's exporters for Rust and by tracing-loki as they are on crates.io; what arrived is looked up by
//! python/rust.py.
//!
//! Usage: tidegauge-sender-test everything|numbers http|grpc ADDRESS TOKEN DATASET [logs|spans|metrics], or `everything
//! environment`, or `loki ADDRESS TOKEN DATASET`. `everything` sends what python/telemetry.py sends, of all three kinds; metrics go to a dataset beside.
//! `numbers` reads lines with the first number of a batch and how many there are, and writes what became of each number before
//! it reads the next line.

mod everything;
mod exporters;
mod loki;
mod noting;
mod numbers;

use exporters::{Place, Transport};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let place = |transport, address: &str, token: &str, dataset: &str| Place {
        transport: match transport {
            "http" => Transport::Http,
            "grpc" => Transport::Grpc,
            other => panic!("unknown transport: {other}"),
        },
        address: address.to_owned(),
        token: token.to_owned(),
        dataset: dataset.to_owned(),
    };
    // The exporters over gRPC have their connections here; those over HTTP have threads of their own.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    let _entered = runtime.enter();
    match arguments[..] {
        ["everything", "environment"] => everything::send(&Place::of_environment()),
        ["everything", transport, address, token, dataset] => {
            everything::send(&place(transport, address, token, dataset));
        }
        ["loki", address, token, dataset] => loki::send(&runtime, address, token, dataset),
        ["numbers", transport, address, token, dataset, kind] => {
            numbers::send(&place(transport, address, token, dataset), kind);
        }
        _ => panic!("unknown arguments: {arguments:?}"),
    }
}
