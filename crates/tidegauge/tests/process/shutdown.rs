//! How the service ends and who may start beside it.

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::database::Backend;
use crate::process::{HANGS, Installation, client};

/// A request that is half sent when SIGTERM comes is still answered; then the process ends by itself.
/// Requests that are under way have the time that a slow machine takes.
const PATIENT: [&str; 2] = ["--shutdown-grace-seconds", "1200"];

pub(crate) async fn drains(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&PATIENT);
    let body = r#"{"name": "slow", "properties": {"webhook": {"url": "https://example.com"}}}"#;
    let mut connection = begin_request(service.address(), &installation.first_token(), body.len());
    let (first, second) = body.split_at(10);
    connection.write_all(first.as_bytes()).unwrap();
    wait_until_in_flight(&service.url).await;

    service.terminate();
    wait_until_refused(service.address());
    connection.write_all(second.as_bytes()).unwrap();
    let answer = read_all(connection);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert_eq!(service.exit_code(), Some(0));

    let service = installation.start(&[]);
    let list = client().get(format!("{}/v2/notifiers", service.url)).bearer_auth(installation.first_token());
    assert!(list.send().await.unwrap().text().await.unwrap().contains("slow"));
}

/// A request that never comes to an end does not keep the service from ending: after the time of grace it is cut off.
pub(crate) async fn cuts_off(backend: Backend) {
    let installation = Installation::new(backend);
    let mut service = installation.start(&["--shutdown-grace-seconds", "1"]);
    let connection = begin_request(service.address(), &installation.first_token(), 100);
    wait_until_in_flight(&service.url).await;
    service.terminate();
    let ends = async {
        while !service.has_ended() {
            tokio::task::yield_now().await;
        }
    };
    assert!(tokio::time::timeout(HANGS, ends).await.is_ok(), "it waits for a request that does not end");
    assert_eq!(service.exit_code(), Some(0));
    drop(connection);
}

/// With neither a certificate nor a geo database to read again, SIGHUP changes nothing: not while the service runs, and
/// not while it drains.
pub(crate) async fn outlives_hangups(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&PATIENT);
    service.hang_up();
    let body = r#"{"name": "slow", "properties": {"webhook": {"url": "https://example.com"}}}"#;
    let mut connection = begin_request(service.address(), &installation.first_token(), body.len());
    wait_until_in_flight(&service.url).await;

    service.terminate();
    wait_until_refused(service.address());
    service.hang_up();
    connection.write_all(body.as_bytes()).unwrap();
    let answer = read_all(connection);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert_eq!(service.exit_code(), Some(0));
}

pub(crate) async fn locked(backend: Backend) {
    let installation = Installation::new(backend);
    let _service = installation.start(&[]);
    let second = installation.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert!(!second.status.success());
    let message = String::from_utf8(second.stderr).unwrap();
    assert!(message.contains("another tidegauge serves the data folder"), "{message}");
}

/// Sends the head of a request and leaves the body to the caller.
pub(crate) fn begin_request(address: &str, token: &str, length: usize) -> TcpStream {
    let mut connection = TcpStream::connect(address).unwrap();
    let head = format!(
        "POST /v2/notifiers HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    );
    connection.write_all(head.as_bytes()).unwrap();
    connection
}

pub(crate) fn read_all(mut connection: TcpStream) -> String {
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    answer
}

/// Waits until the service works on a request besides the one that asks.
async fn wait_until_in_flight(url: &str) {
    let metrics =
        || async { client().get(format!("{url}/metrics")).send().await.unwrap().text().await.unwrap() };
    while !metrics().await.contains("tidegauge_http_requests_in_flight 2") {}
}

/// Waits until nothing listens any more: the sign that draining has begun.
fn wait_until_refused(address: &str) {
    while TcpStream::connect(address).is_ok() {
        std::thread::yield_now();
    }
}
