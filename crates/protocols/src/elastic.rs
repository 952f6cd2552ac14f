//! Elasticsearch: bulk requests, whose items each have a state of their own, and the questions that clients ask before
//! they send anything. A request may name several datasets: it is parsed first, then read for one dataset at a time.

mod bulk;
mod items;
mod probes;

use crate::answer::{Answer, Problem, status_of};
use crate::json_text::JsonText;
pub use bulk::{Bulk, Target};
pub use probes::probe;

/// The field that holds the time of an event, unless the request names another.
pub const TIME_FIELD: &str = "@timestamp";

/// Clients that do not find it in an answer take the server for something else.
const PRODUCT: (&str, &str) = ("x-elastic-product", "Elasticsearch");

/// The answer to a request of which nothing is stored.
pub fn refused(problem: &Problem) -> Answer {
    let status = status(problem);
    let mut text = JsonText::default();
    text.open('{');
    text.name("error");
    write_error(status, &problem.message, &mut text);
    text.name("status");
    text.unsigned(u64::from(status));
    text.close('}');
    Answer::json(status, text.into_bytes()).header(PRODUCT.0, PRODUCT.1).with_retry_after()
}

/// What is full is full for a while: senders come back after 429, but not all of them after 503.
fn status(problem: &Problem) -> u16 {
    use tidegauge_model::ErrorKind::{OutOfMemory, Unavailable};
    match problem.kind {
        Unavailable | OutOfMemory => 429,
        kind => status_of(kind),
    }
}

fn write_error(status: u16, reason: &str, text: &mut JsonText) {
    text.open('{');
    text.name("type");
    text.string(match status {
        400 => "document_parsing_exception",
        401 | 403 => "security_exception",
        404 => "index_not_found_exception",
        413 => "content_too_long_exception",
        429 => "es_rejected_execution_exception",
        _ => "status_exception",
    });
    text.name("reason");
    text.string(reason);
    text.close('}');
}
