//! Senders of other services that are hard on a connection.

use std::io::Write;
use std::net::TcpStream;

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::database::Backend;
use crate::process::{Installation, acknowledged, client, eventually};

const MESSAGES: usize = 300;

/// Loggers of Graylog close the connection as soon as they have sent a message, so that nobody hears of a refusal. Far more
/// of them than there are places, for a dataset that is made meanwhile: none is lost, and questions have a place too.
pub(crate) async fn hang_up(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&["--max-requests-in-flight", "8"]);
    let token = installation.first_token();
    for number in 0..MESSAGES {
        let body = format!(r#"{{"version": "1.1", "host": "a", "short_message": "{number}"}}"#);
        let head = format!(
            "POST /v1/ingest/web/gelf?tk={token} HTTP/1.1\r\nhost: a\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        let mut connection = TcpStream::connect(service.address()).unwrap();
        connection.write_all([head, body].concat().as_bytes()).unwrap();
    }
    let count = eventually("every message", async || {
        let question = client().post(format!("{}/v1/query/_apl?format=tabular", service.url));
        let question = question.bearer_auth(&token).json(&json!({"apl": "web | summarize dcount(message)"}));
        let answer = question.send().await.unwrap();
        let status = answer.status();
        assert!(status == StatusCode::OK || status == StatusCode::NOT_FOUND, "{status}");
        let answer: Value = answer.json().await.unwrap();
        let count = answer["tables"][0]["columns"][0][0].as_u64()?;
        (count == MESSAGES as u64).then_some(count)
    });
    assert_eq!(count.await, MESSAGES as u64);
}

/// The port takes calls of OTLP, from who has a token, and shows nothing of the interface.
pub(crate) async fn grpc_port(backend: Backend) {
    const LOGS: &str = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";
    let installation = Installation::new(backend);
    let (service, ports) = installation.start_listening(&["--otlp-grpc-listen", "127.0.0.1:0"]);
    let (token, port) = (installation.first_token(), ports["OTLP over gRPC"]);
    let send = async |base: &str, token: &str| {
        // A record whose body is the text "hello", in its frame.
        let record = [&[0x0a, 0x0d, 0x12, 0x0b, 0x12, 0x09, 0x2a, 0x07, 0x0a, 0x05][..], b"hello"].concat();
        let frame = [&[0, 0, 0, 0, record.len() as u8][..], &record].concat();
        let call =
            client().post(format!("{base}{LOGS}")).bearer_auth(token).header("x-axiom-dataset", "calls");
        call.header("content-type", "application/grpc").body(frame).send().await.unwrap()
    };
    let at_port = format!("http://{port}");
    for base in [at_port.as_str(), &service.url] {
        let answer = send(base, &token).await;
        assert_eq!((answer.status(), answer.headers().get("grpc-status")), (StatusCode::OK, None), "{base}");
    }
    let refused = send(&at_port, "xaat-00000000-0000-4000-8000-000000000000").await;
    assert_eq!(refused.headers()["grpc-status"], "16");

    let question = client().post(format!("{}/v1/query/_apl?format=tabular", service.url)).bearer_auth(&token);
    let answer: Value = acknowledged(question.json(&json!({"apl": "calls | project body"}))).await.unwrap();
    assert_eq!(answer["tables"][0]["columns"], json!([["hello", "hello"]]));

    for path in [
        "/",
        "/healthz",
        "/metrics",
        "/v2/datasets",
        "/v1/logs",
        "/mcp",
        "/e/x/opentelemetry.proto.collector.",
    ] {
        let answer = client().get(format!("{at_port}{path}")).bearer_auth(&token).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{path}");
        assert!(!answer.text().await.unwrap().contains('{'), "{path}");
    }
}
