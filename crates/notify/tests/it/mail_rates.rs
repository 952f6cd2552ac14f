//! Mails that an organisation may have sent in an hour: those beyond wait in the outbox, and a test says so at once.

use std::time::Duration;

use serde_json::json;
use tidegauge_model::message::DeliveryState;
use tidegauge_notify::send::Outcome;

use crate::delivery::Desk;
use crate::samples::opened;

/// There is no mail server here, which ends every attempt.
const NO_SERVER: &str = "no mail server is configured";

#[tokio::test]
async fn an_organisation_has_so_many_mails_sent_in_an_hour() {
    let desk = Desk::new().await;
    // Each counts as two of the three mails that the desk allows.
    let emails = json!({"email": {"emails": ["a@example.com", "b@example.com"]}});
    let mut notifiers = Vec::new();
    for number in 1..=3 {
        let (notifier, message) = (format!("notify_{number}"), format!("msg_{number}"));
        notifiers.push(desk.notifier(&notifier, emails.clone()).await);
        desk.enqueue(&message, &notifier, opened()).await;
        desk.step().await;
        desk.clock.advance(Duration::from_secs(60));
    }
    for number in 1..=2 {
        let sent = desk.delivery(&format!("notify_{number}"), &format!("msg_{number}")).await;
        assert_eq!((sent.state, sent.attempts.len()), (DeliveryState::Dead, 1));
    }
    let waiting = desk.delivery("notify_3", "msg_3").await;
    assert_eq!((waiting.state, waiting.attempts.len()), (DeliveryState::Waiting, 0));

    let tried = desk.worker.send_now(&desk.org, &notifiers[0], opened()).await.unwrap().unwrap().1;
    let Outcome::GiveUp { error, .. } = &tried.outcome else { panic!("{tried:?}") };
    assert!(error.contains("in an hour: try again later"), "{error}");

    desk.clock.advance(Duration::from_secs(3_600));
    desk.step().await;
    let later = desk.delivery("notify_3", "msg_3").await;
    assert_eq!((later.state, later.attempts.len()), (DeliveryState::Dead, 1));
    assert!(later.attempts[0].error.as_ref().unwrap().contains(NO_SERVER), "{later:?}");
}
