//! The guard of outgoing messages, against addresses that try to lead somewhere else and receivers that misbehave.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, which names the line")]

mod addresses;
mod names;
mod receiver;
mod receivers;

use std::sync::Arc;
use std::time::Duration;

use tidegauge_outgoing::Problem;
use tidegauge_outgoing::post::{Letter, Post, Reply};
use tidegauge_outgoing::resolver::{Resolver, SystemResolver};

/// The rules as they are where an operator has changed nothing.
fn strict() -> Post {
    Post {
        allowed: Vec::new(),
        allows_plain_http: false,
        connect_time_max: Duration::from_secs(3),
        time_max: Duration::from_secs(10),
        answer_bytes_max: 64 * 1024,
        resolver: Arc::new(SystemResolver),
    }
}

/// The rules of an installation whose receivers are on the same machine.
fn local() -> Post {
    Post { allowed: vec!["127.0.0.0/8".parse().unwrap()], allows_plain_http: true, ..strict() }
}

fn with_names(post: Post, resolver: impl Resolver + 'static) -> Post {
    Post { resolver: Arc::new(resolver), ..post }
}

async fn send(post: &Post, url: &str) -> Result<Reply, Problem> {
    let headers = [("X-Test".to_owned(), "yes".to_owned())];
    post.send(Letter { url, headers: &headers, body: r#"{"a": 1}"# }).await
}
