//! What the program for axiom-rs checks with: clients for several tokens, rows of answers, and that a call is refused
//! as it should be.

use std::fmt::Debug;

use axiom_rs::datasets::{QueryOptions, QueryResult};
use axiom_rs::{Client, Error};
use chrono::{DateTime, Utc};
use serde_json::Value;

/// The owner's client; address, organisation and token come from the environment, which the client reads by itself.
pub fn owner() -> Client {
    Client::new().expect("AXIOM_URL and AXIOM_TOKEN are set")
}

/// A client with another token, without an organisation: an API token has its own.
pub fn with_token(token: &str) -> Client {
    let url = variable("AXIOM_URL");
    Client::builder().no_env().with_url(url).with_token(token).build().expect("a client")
}

#[expect(clippy::disallowed_methods, reason = "a test program has no settings but those of its caller")]
pub fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("scripts/clients.sh sets {name}"))
}

pub fn time(text: &str) -> DateTime<Utc> {
    text.parse().expect("a time")
}

pub async fn query(client: &Client, apl: &str) -> QueryResult {
    client.query(apl, QueryOptions::default()).await.unwrap_or_else(|error| panic!("{apl}: {error}"))
}

/// The rows of the first table of an answer, each as its values in the order of the fields.
pub fn rows(result: &QueryResult) -> Vec<Vec<Value>> {
    let table = &result.tables[0];
    table.iter().map(|row| row.iter().map(|value| value.expect("a value").clone()).collect()).collect()
}

/// The names of the fields of the first table with their types.
pub fn fields(result: &QueryResult) -> Vec<String> {
    result.tables[0].fields().iter().map(ToString::to_string).collect()
}

/// The call was refused with this status and a message that begins so, and the answer can be traced.
pub fn check_refusal<T: Debug>(answer: Result<T, Error>, status: u16, message: &str) {
    match answer {
        Err(Error::Axiom(error)) => {
            let text = error.message.as_deref().unwrap_or_default();
            assert_eq!(error.status, status, "{error}");
            assert!(text.starts_with(message), "expected {message:?}, got {text:?}");
            assert!(error.trace_id.is_some_and(|id| !id.is_empty()), "a trace id");
        }
        other => panic!("expected a refusal with {status}, got {other:?}"),
    }
}
