//! What becomes of the messages of a notifier: try it, list its messages with every attempt, send a dead letter again,
//! and the secret that its messages are signed with.

use tidegauge_catalog::notifiers::Notifier;
use tidegauge_catalog::outbox::attempts::Replay;
use tidegauge_catalog::outbox::list::Delivery;
use tidegauge_model::message::Message;
use tidegauge_model::monitor::AlertState;
use tidegauge_model::{DeliveryId, ErrorKind, MonitorId, NotifierId, Timestamp};

use super::{Caller, Error, Result, notifiers};
use crate::app::App;

/// How far a test pretends to have looked back.
const TEST_RANGE_SECONDS: i64 = 300;

/// Sends a test message at once, and gives what became of it. It is not tried again.
pub async fn test(app: &App, caller: &Caller, id: &str) -> Result<Delivery> {
    let notifier = notifiers::get(app, caller, id).await?;
    if let Some(until) = &notifier.disabled_until {
        let message = format!("the notifier is disabled until {}", until.text);
        return Err(Error::new(ErrorKind::Conflict, message).hint("enable it to try it"));
    }
    let org = caller.org()?;
    // Before it is sent, so that it is in the trail however that ends.
    app.catalog.note_notifier("notifier.test", &notifier, &caller.change()).await?;
    let message = test_message(&notifier, caller.now);
    let sent = app.notify.send_now(org, &notifier, message).await?;
    let (delivery, _) = sent.ok_or_else(|| Error::not_found("notifier"))?;
    find(app, caller, &notifier.id, &delivery).await
}

/// It names no monitor that there is: an id of this form is never made.
fn test_message(notifier: &Notifier, now: Timestamp) -> Message {
    let monitor = MonitorId::from(format!("{}{:032x}", MonitorId::PREFIX, 0));
    Message {
        state: AlertState::Open,
        incident: format!("test.{}", notifier.id),
        monitor,
        title: format!("Test of {}", notifier.name),
        body: "This message was sent to try the notifier. Nothing has happened.".to_owned(),
        description: String::new(),
        query_start: now.minus_seconds(TEST_RANGE_SECONDS),
        query_end: now,
        timestamp: now,
        value: 0.0,
        matched_event: None,
        group: Vec::new(),
        is_test: true,
    }
}

/// The newest first.
pub async fn list(app: &App, caller: &Caller, id: &str, limit: i64, offset: i64) -> Result<Vec<Delivery>> {
    let notifier = notifiers::get(app, caller, id).await?;
    Ok(app.catalog.list_deliveries(caller.org()?, &notifier.id, limit, offset).await?)
}

/// Puts a dead letter in line again.
pub async fn replay(app: &App, caller: &Caller, id: &str, delivery: &str) -> Result<Delivery> {
    let notifier = NotifierId::parse(id).ok_or_else(|| Error::not_found("notifier"))?;
    let delivery = DeliveryId::parse(delivery).ok_or_else(|| Error::not_found("delivery"))?;
    let unsent = notifiers::unsent_for(caller);
    let (org, change) = (caller.org()?, caller.change());
    let replayed = app.catalog.replay_delivery(org, &notifier, &delivery, unsent, &change).await?;
    match replayed {
        Replay::Done => {}
        Replay::Unknown => return Err(Error::not_found("delivery")),
        Replay::NotDead => {
            let message = "only a message that was given up can be sent again";
            return Err(Error::new(ErrorKind::Conflict, message));
        }
        Replay::Withdrawn => {
            let message = "the message was made for where the notifier does not point any more";
            return Err(Error::new(ErrorKind::Conflict, message).hint(
                "ask somebody with the right monitors|update, and query|read on all datasets and views",
            ));
        }
    }
    let found = find(app, caller, &notifier, &delivery).await;
    app.notify.wake();
    found
}

/// The secret of the notifier's signatures, in the form that libraries take.
pub async fn signing_secret(app: &App, caller: &Caller, id: &str) -> Result<String> {
    let notifier = notifiers::get(app, caller, id).await?;
    app.catalog.note_notifier("notifier.signing-secret", &notifier, &caller.change()).await?;
    Ok(app.notify.secret(caller.org()?, &notifier.id).reveal())
}

async fn find(app: &App, caller: &Caller, notifier: &NotifierId, id: &DeliveryId) -> Result<Delivery> {
    let found = app.catalog.find_delivery(caller.org()?, notifier, id).await?;
    found.ok_or_else(|| Error::not_found("delivery"))
}
