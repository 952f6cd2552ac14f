//! Receivers in trouble: each has the documented end, and the others are not delayed.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tidegauge_model::message::{DeliveryState, Message};
use tokio_util::sync::CancellationToken;

use crate::delivery::Desk;
use crate::receiver::{Receiver, WorkerOptions};
use crate::samples::{at, bases, opened};

fn of_incident(incident: &str) -> Message {
    Message { incident: incident.to_owned(), ..opened() }
}

#[tokio::test]
async fn an_error_of_the_server_is_tried_again_and_given_up_in_the_end() {
    let (desk, receiver) = (Desk::new().await, Receiver::start(WorkerOptions::Status(500, "")).await);
    desk.webhook("notify_1", &receiver).await;
    desk.enqueue("msg_1", "notify_1", opened()).await;
    desk.run_out().await;
    let delivery = desk.delivery("notify_1", "msg_1").await;
    assert_eq!(delivery.state, DeliveryState::Dead);
    assert_eq!(delivery.attempts.len(), 4);
    assert!(delivery.attempts.windows(2).all(|pair| pair[0].at < pair[1].at));
    assert_eq!(delivery.attempts[0].error.as_deref(), Some("the server answers 500"));
    assert_eq!(receiver.requests().len(), 4);
    assert_eq!(desk.worker.counts.read(), (0, 4, 1));
}

#[tokio::test]
async fn a_receiver_that_asks_to_wait_is_left_alone_so_long() {
    let (desk, receiver) =
        (Desk::new().await, Receiver::start(WorkerOptions::Status(429, "Retry-After: 90\r\n")).await);
    desk.webhook("notify_1", &receiver).await;
    desk.enqueue("msg_1", "notify_1", opened()).await;
    desk.step().await;
    assert_eq!(desk.delivery("notify_1", "msg_1").await.next, Some(at(90)));
    desk.clock.advance(Duration::from_secs(89));
    assert_eq!(desk.step().await, 0);
    receiver.behave(WorkerOptions::Status(429, "Retry-After: 999999999\r\n"));
    desk.clock.advance(Duration::from_secs(1));
    desk.step().await;
    assert_eq!(
        desk.delivery("notify_1", "msg_1").await.next,
        Some(at(690)),
        "not longer than the longest wait"
    );
    receiver.behave(WorkerOptions::Status(200, ""));
    desk.clock.advance(Duration::from_secs(600));
    desk.step().await;
    assert_eq!(desk.delivery("notify_1", "msg_1").await.state, DeliveryState::Sent);
}

#[tokio::test]
async fn refusals_and_redirects_are_given_up_at_once() {
    let (desk, private) = (Desk::new().await, Receiver::start(WorkerOptions::Status(200, "")).await);
    let redirect: &'static str = format!("location: {}\r\n", private.url("/secret")).leak();
    for (number, options) in [
        WorkerOptions::Status(400, ""),
        WorkerOptions::Status(404, ""),
        WorkerOptions::Status(410, ""),
        WorkerOptions::Status(307, "location: http://169.254.169.254/latest\r\n"),
        WorkerOptions::Status(302, redirect),
    ]
    .into_iter()
    .enumerate()
    {
        let receiver = Receiver::start(options).await;
        let (notifier, id) = (format!("notify_{number}"), format!("msg_{number}"));
        desk.webhook(&notifier, &receiver).await;
        desk.enqueue(&id, &notifier, opened()).await;
        desk.step().await;
        let delivery = desk.delivery(&notifier, &id).await;
        assert_eq!((delivery.state, delivery.attempts.len()), (DeliveryState::Dead, 1), "{delivery:?}");
        assert_eq!(receiver.requests().len(), 1);
    }
    assert!(private.requests().is_empty());
}

#[tokio::test]
async fn a_gigabyte_of_answer_is_cut_and_the_message_was_sent() {
    let (desk, receiver) = (Desk::new().await, Receiver::start(WorkerOptions::Endless).await);
    desk.webhook("notify_1", &receiver).await;
    desk.enqueue("msg_1", "notify_1", opened()).await;
    desk.step().await;
    assert_eq!(desk.delivery("notify_1", "msg_1").await.state, DeliveryState::Sent);
}

#[tokio::test]
async fn a_connection_that_breaks_is_tried_again() {
    let (desk, receiver) = (Desk::new().await, Receiver::start(WorkerOptions::Close).await);
    desk.webhook("notify_1", &receiver).await;
    desk.enqueue("msg_1", "notify_1", opened()).await;
    desk.step().await;
    let delivery = desk.delivery("notify_1", "msg_1").await;
    assert_eq!(delivery.state, DeliveryState::Waiting);
    assert_eq!(delivery.attempts[0].error.as_deref(), Some("the connection broke off"));
    receiver.behave(WorkerOptions::Status(200, ""));
    desk.run_out().await;
    assert_eq!(desk.delivery("notify_1", "msg_1").await.state, DeliveryState::Sent);
}

#[tokio::test]
async fn addresses_that_are_not_allowed_are_not_asked() {
    let desk = Desk::new().await;
    for (number, url) in
        ["http://169.254.169.254/", "http://10.0.0.1/", "http://[::1]/", "http://u:p@127.0.0.1/"]
            .iter()
            .enumerate()
    {
        let (notifier, id) = (format!("notify_{number}"), format!("msg_{number}"));
        desk.notifier(&notifier, json!({"webhook": {"url": url}})).await;
        desk.enqueue(&id, &notifier, opened()).await;
        desk.step().await;
        let delivery = desk.delivery(&notifier, &id).await;
        assert_eq!(delivery.state, DeliveryState::Dead, "{delivery:?}");
        let error = delivery.attempts[0].error.clone().unwrap();
        assert!(error.contains("not a public one") || error.contains("user"), "{error}");
    }
}

/// Receivers that hang take their time; whoever is well has the message meanwhile.
#[tokio::test]
async fn receivers_that_hang_do_not_delay_the_others() {
    let desk = Desk::with(bases(), Duration::from_secs(600)).await;
    let (hanging, well) =
        (Receiver::start(WorkerOptions::Hang).await, Receiver::start(WorkerOptions::Status(200, "")).await);
    for number in 0..6 {
        let notifier = format!("notify_hanging_{number}");
        desk.webhook(&notifier, &hanging).await;
        desk.enqueue(&format!("msg_a{number}"), &notifier, opened()).await;
    }
    desk.webhook("notify_well", &well).await;
    let stop = CancellationToken::new();
    let running = Arc::clone(&desk.worker).run(&stop);
    let watching = async {
        hanging.had(2).await;
        for number in 0..5 {
            desk.enqueue(&format!("msg_b{number}"), "notify_well", of_incident(&number.to_string())).await;
            desk.worker.wake();
        }
        well.had(5).await;
    };
    tokio::select! {
        () = running => panic!("it runs until it is stopped"),
        () = watching => {}
    }
    // Only so many are at the one that hangs, however many wait for it.
    assert_eq!(hanging.requests().len(), 2);
}

#[tokio::test]
async fn a_receiver_that_fails_again_and_again_is_left_alone() {
    let (desk, receiver) = (Desk::new().await, Receiver::start(WorkerOptions::Status(503, "")).await);
    for number in 0..5 {
        let notifier = format!("notify_{number}");
        desk.webhook(&notifier, &receiver).await;
        desk.enqueue(&format!("msg_{number}"), &notifier, opened()).await;
        desk.step().await;
    }
    assert_eq!(receiver.requests().len(), 3, "after three failures the receiver rests");
    let postponed = desk.delivery("notify_4", "msg_4").await;
    assert_eq!((postponed.attempts.len(), postponed.next), (0, Some(at(30))));
    receiver.behave(WorkerOptions::Status(200, ""));
    desk.run_out().await;
    for number in 0..5 {
        let delivery = desk.delivery(&format!("notify_{number}"), &format!("msg_{number}")).await;
        assert_eq!(delivery.state, DeliveryState::Sent);
    }
}

#[tokio::test]
async fn stopping_waits_for_what_is_under_way() {
    let (desk, receiver) = (Desk::new().await, Receiver::start(WorkerOptions::Status(200, "")).await);
    desk.webhook("notify_1", &receiver).await;
    desk.enqueue("msg_1", "notify_1", opened()).await;
    let stop = CancellationToken::new();
    let worker = Arc::clone(&desk.worker);
    tokio::join!(worker.run(&stop), async {
        receiver.had(1).await;
        stop.cancel();
    });
    assert_eq!(desk.delivery("notify_1", "msg_1").await.state, DeliveryState::Sent);
}
