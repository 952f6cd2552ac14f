//! Senders of other services that are hard on a connection.

use std::io::Write;
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::database::Backend;
use crate::process::{Installation, acknowledged, client, eventually};

const MESSAGES: usize = 100;

/// Loggers of Graylog close the connection as soon as they have sent a message.
pub(crate) async fn hang_up(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
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
        let answer: Value = acknowledged(question).await?;
        let count = answer["tables"][0]["columns"][0][0].as_u64()?;
        (count == MESSAGES as u64).then_some(count)
    });
    assert_eq!(count.await, MESSAGES as u64);
}
