//! What the service does when a client takes its time, or when too many come at once.

use std::io::Write;

use crate::database::Backend;
use crate::process::{Installation, client};
use crate::shutdown::{begin_request, read_all};

pub(crate) async fn times_out(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&["--request-timeout-seconds", "1"]);
    let mut connection = begin_request(service.address(), &installation.first_token(), 100);
    connection.write_all(b"{").unwrap();
    let answer = read_all(connection);
    assert!(answer.starts_with("HTTP/1.1 504"), "{answer}");
    assert!(answer.contains("the request took longer than 1 s"), "{answer}");
}

pub(crate) async fn sheds_load(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&["--max-requests-in-flight", "1"]);
    let healthz = || async { client().get(format!("{}/healthz", service.url)).send().await.unwrap() };
    assert_eq!(healthz().await.status(), 200);

    let connection = begin_request(service.address(), &installation.first_token(), 100);
    let refused = loop {
        // The first request is on its way in; until it is there, this one is let through.
        let answer = healthz().await;
        if answer.status() != 200 {
            break answer;
        }
    };
    assert_eq!(refused.status(), 503);
    assert_eq!(refused.headers()["retry-after"], "1");
    drop(connection);
    while healthz().await.status() != 200 {}
}
