//! Receivers that misbehave: the message ends with what they answered, in bounded time and memory.

use std::time::Duration;

use tidegauge_egress::EgressError;
use tidegauge_egress::webhook::WebhookClient;

use crate::receiver::{Manner, Receiver, status};
use crate::{local, send};

#[tokio::test]
async fn every_status_is_told() {
    for line in ["200 OK", "202 Accepted", "400 Bad Request", "410 Gone", "500 Internal Server Error"] {
        let receiver = Receiver::start(status(line, "")).await;
        let response_head = send(&local(), &receiver.url("/")).await.unwrap();
        assert_eq!(response_head.status.to_string(), line[..3]);
        assert_eq!(response_head.retry_after, None);
    }
    let receiver = Receiver::start(status("429 Too Many Requests", "retry-after: 17\r\n")).await;
    let response_head = send(&local(), &receiver.url("/")).await.unwrap();
    assert_eq!((response_head.status, response_head.retry_after.as_deref()), (429, Some("17")));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let private = Receiver::start(status("200 OK", "")).await;
    let location = format!("location: {}\r\n", private.url("/secret"));
    let receiver = Receiver::start(status("307 Temporary Redirect", &location)).await;
    assert_eq!(send(&local(), &receiver.url("/")).await.unwrap().status, 307);
    assert!(private.requests().is_empty());
}

#[tokio::test]
async fn an_endless_answer_is_cut() {
    let receiver = Receiver::start(Manner::Endless).await;
    assert_eq!(send(&local(), &receiver.url("/")).await.unwrap().status, 200);
}

#[tokio::test]
async fn a_receiver_that_hangs_is_left() {
    let receiver = Receiver::start(Manner::Hang).await;
    // Each waits longer before it is left, until a request had come as far as the receiver.
    let mut short = Duration::from_millis(50);
    while receiver.requests().is_empty() {
        short *= 2;
        let client = WebhookClient { time_max: short, ..local() };
        assert_eq!(send(&client, &receiver.url("/")).await.map(|_| ()), Err(EgressError::TooSlow(short)));
    }
}

#[tokio::test]
async fn a_receiver_that_hangs_in_its_answer_has_answered() {
    let begun = "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nsome".to_owned();
    let receiver = Receiver::start(Manner::FetchResponse(begun)).await;
    assert_eq!(send(&local(), &receiver.url("/")).await.unwrap().status, 200);
}

#[tokio::test]
async fn a_receiver_that_closes_early_has_not_answered() {
    let receiver = Receiver::start(Manner::Close).await;
    assert_eq!(send(&local(), &receiver.url("/")).await.map(|_| ()), Err(EgressError::BrokenOff));
    let gone = Receiver::start(Manner::Close).await.url("/");
    assert!(send(&local(), &gone).await.is_err());
}
