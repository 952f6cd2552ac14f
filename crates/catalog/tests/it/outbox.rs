//! The outbox: what is enqueued is claimed by one node at a time, in order, and its end is kept.

use std::collections::HashSet;
use std::time::Duration;

use tidegauge_catalog::notifiers::{Notifier, Unsent};
use tidegauge_catalog::outbox::NewDelivery;
use tidegauge_catalog::outbox::attempts::{Attempt, Replay, Verdict};
use tidegauge_model::OrgId;
use tidegauge_model::message::{DeliveryState, Message};
use tidegauge_model::monitor::AlertState;
use tidegauge_model::notifier::DisabledUntil;
use tokio::task::JoinSet;

use crate::database::TestCatalog;
use crate::samples::{self, at, notifier};

const LEASE: i64 = 30;

fn message(incident: &str) -> Message {
    Message {
        state: AlertState::Open,
        monitor: "mon_1".into(),
        incident: incident.to_owned(),
        title: "Errors Triggered".to_owned(),
        body: "12 is above 10".to_owned(),
        description: "the \"front\" door\n".to_owned(),
        query_start: at(-60),
        query_end: at(0),
        timestamp: at(1),
        value: 12.5,
        matched_event: Some(r#"{"status": 500}"#.to_owned()),
        group: vec![("host".to_owned(), "a".to_owned()), ("region".to_owned(), "b".to_owned())],
        is_test: false,
    }
}

pub(crate) fn delivery(org: &OrgId, id: &str, notifier: &str, incident: &str, due: i64) -> NewDelivery {
    NewDelivery {
        id: id.into(),
        org: org.clone(),
        notifier: notifier.into(),
        message: message(incident),
        due: at(due),
    }
}

async fn with_notifiers(test: &TestCatalog<'_>, ids: &[&str]) -> OrgId {
    let (ours, _) = samples::two_orgs(test).await;
    for id in ids {
        test.insert_notifier(&ours, &notifier(id), &samples::change(&ours)).await.unwrap();
    }
    test.new_audit().await;
    ours
}

pub(crate) async fn enqueue(test: &TestCatalog<'_>, deliveries: &[NewDelivery]) -> u64 {
    test.enqueue_deliveries(deliveries).await.unwrap()
}

pub(crate) async fn claim(test: &TestCatalog<'_>, owner: &str, now: i64) -> Vec<String> {
    let claimed = test.claim_deliveries(owner, at(now), at(now + LEASE), 10).await.unwrap();
    let mut ids: Vec<String> = claimed.into_iter().map(|claimed| claimed.id.into_string()).collect();
    ids.sort();
    ids
}

fn attempt(seconds: i64, error: Option<&str>) -> Attempt {
    Attempt {
        at: at(seconds),
        latency: Duration::from_millis(250),
        status: Some(if error.is_some() { 500 } else { 200 }),
        error: error.map(str::to_owned),
    }
}

pub(crate) async fn record(
    test: &TestCatalog<'_>,
    owner: &str,
    id: &str,
    seconds: i64,
    verdict: Verdict,
) -> bool {
    let error = (verdict != Verdict::Sent).then_some("the server answers 500");
    test.record_attempt(owner, &id.into(), &attempt(seconds, error), verdict).await.unwrap()
}

pub(crate) async fn reads_back_what_was_enqueued(test: &TestCatalog<'_>) {
    let ours = with_notifiers(test, &["notify_1"]).await;
    let wanted = delivery(&ours, "msg_1", "notify_1", "i", 5);
    assert_eq!(enqueue(test, &[wanted.clone(), wanted.clone()]).await, 1);
    let found = test.list_deliveries(&ours, &"notify_1".into(), 10, 0).await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].message, wanted.message);
    assert_eq!(
        (found[0].state, found[0].next, found[0].created),
        (DeliveryState::Waiting, Some(at(5)), at(5))
    );
    assert!(test.list_deliveries(&"org_theirs".into(), &"notify_1".into(), 10, 0).await.unwrap().is_empty());
    let claimed = test.claim_deliveries("a", at(5), at(50), 10).await.unwrap();
    assert_eq!(claimed[0].message.as_ref(), Some(&wanted.message));
    assert_eq!((claimed[0].failures, claimed[0].began), (0, at(5)));
}

pub(crate) async fn takes_nothing_for_notifiers_of_others(test: &TestCatalog<'_>) {
    let ours = with_notifiers(test, &["notify_1"]).await;
    let gone = delivery(&ours, "msg_1", "notify_9", "i", 0);
    let theirs = NewDelivery { org: "org_theirs".into(), ..delivery(&ours, "msg_2", "notify_1", "i", 0) };
    assert_eq!(enqueue(test, &[gone, theirs]).await, 0);
    assert_eq!(test.database.count("delivery").await, 0);
}

pub(crate) async fn leases_one_of_each_notifier_at_a_time(test: &TestCatalog<'_>) {
    let ours = with_notifiers(test, &["notify_1", "notify_2"]).await;
    let all = [
        delivery(&ours, "msg_1", "notify_1", "i", 0),
        delivery(&ours, "msg_2", "notify_1", "j", 1),
        delivery(&ours, "msg_3", "notify_2", "i", 2),
        delivery(&ours, "msg_4", "notify_2", "i", 90),
    ];
    enqueue(test, &all).await;
    assert_eq!(claim(test, "a", 10).await, ["msg_1", "msg_3"]);
    assert!(claim(test, "b", 10).await.is_empty());
    assert!(record(test, "a", "msg_1", 11, Verdict::Sent).await);
    assert_eq!(claim(test, "b", 12).await, ["msg_2"]);
    // A lease that ended is somebody else's to take, and its former owner can record nothing.
    assert_eq!(claim(test, "c", 41).await, ["msg_3"]);
    assert!(!record(test, "a", "msg_3", 42, Verdict::Sent).await);
    assert!(record(test, "c", "msg_3", 42, Verdict::Sent).await);
    assert!(!record(test, "c", "msg_3", 43, Verdict::Dead).await);
}

pub(crate) async fn keeps_the_order_of_an_incident(test: &TestCatalog<'_>) {
    let ours = with_notifiers(test, &["notify_1"]).await;
    let all = [
        delivery(&ours, "msg_9", "notify_1", "i", 0),
        delivery(&ours, "msg_1", "notify_1", "i", 1),
        delivery(&ours, "msg_5", "notify_1", "j", 2),
    ];
    enqueue(test, &all).await;
    assert_eq!(claim(test, "a", 10).await, ["msg_9"]);
    record(test, "a", "msg_9", 10, Verdict::TryAgain { at: at(60) }).await;
    // The end of the incident waits for its beginning; another incident does not.
    assert_eq!(claim(test, "a", 11).await, ["msg_5"]);
    record(test, "a", "msg_5", 11, Verdict::Sent).await;
    assert!(claim(test, "a", 12).await.is_empty());
    assert_eq!(claim(test, "a", 60).await, ["msg_9"]);
    record(test, "a", "msg_9", 60, Verdict::Dead).await;
    assert_eq!(claim(test, "a", 61).await, ["msg_1"]);
}

pub(crate) async fn holds_what_is_for_a_disabled_notifier(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let until = DisabledUntil { text: "later".to_owned(), time: at(100) };
    let disabled = Notifier { disabled_until: Some(until), ..notifier("notify_1") };
    test.insert_notifier(&ours, &disabled, &samples::change(&ours)).await.unwrap();
    enqueue(test, &[delivery(&ours, "msg_1", "notify_1", "i", 0)]).await;
    assert!(claim(test, "a", 99).await.is_empty());
    assert_eq!(claim(test, "a", 100).await, ["msg_1"]);
}

pub(crate) async fn keeps_every_attempt(test: &TestCatalog<'_>) {
    let ours = with_notifiers(test, &["notify_1"]).await;
    enqueue(test, &[delivery(&ours, "msg_1", "notify_1", "i", 0)]).await;
    claim(test, "a", 0).await;
    record(test, "a", "msg_1", 1, Verdict::TryAgain { at: at(5) }).await;
    let claimed = test.claim_deliveries("a", at(5), at(50), 10).await.unwrap();
    assert_eq!(claimed[0].failures, 1);
    test.postpone_delivery("a", &"msg_1".into(), at(9)).await.unwrap();
    assert!(claim(test, "a", 8).await.is_empty());
    claim(test, "a", 9).await;
    record(test, "a", "msg_1", 9, Verdict::Sent).await;
    let found = test.find_delivery(&ours, &"notify_1".into(), &"msg_1".into()).await.unwrap().unwrap();
    assert_eq!(found.attempts, [attempt(1, Some("the server answers 500")), attempt(9, None)]);
    assert_eq!((found.state, found.next), (DeliveryState::Sent, None));
    assert_eq!(found.finished, Some(at(9).plus(Duration::from_millis(250))));
}

pub(crate) async fn replays_what_was_given_up(test: &TestCatalog<'_>) {
    let ours = with_notifiers(test, &["notify_1"]).await;
    enqueue(test, &[delivery(&ours, "msg_1", "notify_1", "i", 0)]).await;
    let replay = async |org: &OrgId, notifier: &str, id: &str| {
        let change = samples::change(&ours);
        test.replay_delivery(org, &notifier.into(), &id.into(), Unsent::Withdraw, &change).await.unwrap()
    };
    assert_eq!(replay(&ours, "notify_1", "msg_1").await, Replay::NotDead);
    claim(test, "a", 0).await;
    record(test, "a", "msg_1", 1, Verdict::Dead).await;
    assert_eq!(replay(&ours, "notify_2", "msg_1").await, Replay::Unknown);
    assert_eq!(replay(&"org_theirs".into(), "notify_1", "msg_1").await, Replay::Unknown);
    assert!(test.new_audit().await.is_empty());
    assert_eq!(replay(&ours, "notify_1", "msg_1").await, Replay::Done);
    assert_eq!(test.new_audit().await, ["notifier.replay msg_1"]);
    let claimed = test.claim_deliveries("a", at(60), at(90), 10).await.unwrap();
    assert_eq!((claimed[0].failures, claimed[0].began), (0, at(60)));
    record(test, "a", "msg_1", 61, Verdict::Sent).await;
    let found = test.find_delivery(&ours, &"notify_1".into(), &"msg_1".into()).await.unwrap().unwrap();
    assert_eq!(found.attempts.len(), 2);
}

/// Points a notifier to a place of which the properties are another text.
async fn point(test: &TestCatalog<'_>, org: &OrgId, properties: &str, unsent: Unsent) {
    let pointed = Notifier { properties: properties.to_owned(), ..notifier("notify_1") };
    test.replace_notifier(org, &pointed, unsent, &samples::change(org)).await.unwrap().unwrap();
}

/// One message of each state but withdrawn: sent, dead, under way, and in line.
async fn one_of_each_state(test: &TestCatalog<'_>) -> OrgId {
    let ours = with_notifiers(test, &["notify_1", "notify_2"]).await;
    let all = [
        delivery(&ours, "msg_1", "notify_1", "i", 0),
        delivery(&ours, "msg_2", "notify_1", "j", 1),
        delivery(&ours, "msg_3", "notify_1", "k", 2),
        delivery(&ours, "msg_4", "notify_1", "l", 3),
        delivery(&ours, "msg_5", "notify_2", "i", 99),
    ];
    enqueue(test, &all).await;
    for (id, verdict) in [("msg_1", Verdict::Sent), ("msg_2", Verdict::Dead)] {
        assert_eq!(claim(test, "a", 10).await, [id]);
        assert!(record(test, "a", id, 11, verdict).await);
    }
    assert_eq!(claim(test, "a", 12).await, ["msg_3"]);
    ours
}

/// The states of the messages of the first notifier, in their order.
async fn states(test: &TestCatalog<'_>, org: &OrgId) -> Vec<DeliveryState> {
    let mut found = test.list_deliveries(org, &"notify_1".into(), 10, 0).await.unwrap();
    found.reverse();
    found.into_iter().map(|delivery| delivery.state).collect()
}

pub(crate) async fn withdraws_what_was_made_for_another_place(test: &TestCatalog<'_>) {
    use DeliveryState::{Dead, Sent, Waiting, Withdrawn};
    let ours = one_of_each_state(test).await;
    let under_way =
        async || test.find_notifier_for(&ours, &"notify_1".into(), &"msg_3".into()).await.unwrap();
    // The same place in another spelling.
    let same = notifier("notify_1").properties.replace(':', " : ").replace("https : ", "https:");
    assert_ne!(same, notifier("notify_1").properties);
    point(test, &ours, &same, Unsent::Withdraw).await;
    assert_eq!(states(test, &ours).await, [Sent, Dead, Waiting, Waiting]);
    assert!(under_way().await.is_some());

    point(test, &ours, r#"{"webhook":{"url":"https://elsewhere.example/"}}"#, Unsent::Withdraw).await;
    assert_eq!(states(test, &ours).await, [Sent, Withdrawn, Withdrawn, Withdrawn]);
    assert_eq!(under_way().await, None, "who has leased it does not send it there");
    assert!(!record(test, "a", "msg_3", 13, Verdict::TryAgain { at: at(20) }).await);
    // Another notifier's stay, and nothing else is left to be sent.
    assert_eq!(claim(test, "a", 100).await, ["msg_5"]);
    // Neither does pointing it back bring them back.
    point(test, &ours, &same, Unsent::Withdraw).await;
    let replay = async |id: &str, unsent: Unsent| {
        let change = samples::change(&ours);
        test.replay_delivery(&ours, &"notify_1".into(), &id.into(), unsent, &change).await.unwrap()
    };
    for id in ["msg_2", "msg_3", "msg_4"] {
        assert_eq!(replay(id, Unsent::Withdraw).await, Replay::Withdrawn);
    }
    assert_eq!(replay("msg_1", Unsent::Follow).await, Replay::NotDead);
    assert_eq!(replay("msg_2", Unsent::Follow).await, Replay::Done);
    assert_eq!(states(test, &ours).await, [Sent, Waiting, Withdrawn, Withdrawn]);
    // They go as other messages do that have ended.
    assert_eq!(test.prune_deliveries(at(1_000), 100).await.unwrap(), 3);
}

pub(crate) async fn lets_messages_follow_a_notifier(test: &TestCatalog<'_>) {
    use DeliveryState::{Dead, Sent, Waiting};
    let ours = one_of_each_state(test).await;
    let elsewhere = r#"{"webhook":{"url":"https://elsewhere.example/"}}"#;
    point(test, &ours, elsewhere, Unsent::Follow).await;
    assert_eq!(states(test, &ours).await, [Sent, Dead, Waiting, Waiting]);
    let found = test.find_notifier_for(&ours, &"notify_1".into(), &"msg_3".into()).await.unwrap();
    assert_eq!(found.unwrap().properties, elsewhere);
}

pub(crate) async fn gives_up_and_drops_what_is_old(test: &TestCatalog<'_>) {
    let ours = with_notifiers(test, &["notify_1", "notify_2"]).await;
    let all = [
        delivery(&ours, "msg_1", "notify_1", "i", 0),
        delivery(&ours, "msg_2", "notify_1", "j", 20),
        delivery(&ours, "msg_3", "notify_2", "k", 0),
    ];
    enqueue(test, &all).await;
    let claimed = test.claim_deliveries("a", at(0), at(500), 1).await.unwrap();
    assert_eq!(claimed[0].id.as_str(), "msg_1");
    assert_eq!(test.expire_deliveries(at(10), at(100)).await.unwrap(), 1);
    let size = test.outbox_size().await.unwrap();
    assert_eq!((size.waiting, size.dead, size.oldest), (2, 1, Some(at(0))));
    record(test, "a", "msg_1", 200, Verdict::Sent).await;
    assert_eq!(test.prune_deliveries(at(150), 100).await.unwrap(), 1);
    assert_eq!(test.prune_deliveries(at(0), 0).await.unwrap(), 1);
    assert_eq!(test.database.count("delivery").await, 1);
    assert_eq!(test.database.count("delivery_attempt").await, 0);
    test.delete_notifier(&ours, &"notify_1".into(), &samples::change(&ours)).await.unwrap();
    assert_eq!(test.database.count("delivery").await, 0);
}

/// Nodes that claim at once share the work: nothing is leased twice, and of no notifier are two under way.
pub(crate) async fn is_shared_by_nodes(test: &TestCatalog<'_>) {
    const NOTIFIERS: usize = 6;
    let names: Vec<String> = (0..NOTIFIERS).map(|number| format!("notify_{number}")).collect();
    let ours = with_notifiers(test, &names.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let all: Vec<NewDelivery> = (0..NOTIFIERS * 4)
        .map(|number| {
            let due = i64::try_from(number).unwrap();
            delivery(&ours, &format!("msg_{number}"), &names[number % NOTIFIERS], &number.to_string(), due)
        })
        .collect();
    enqueue(test, &all).await;
    let mut done = HashSet::new();
    while done.len() < all.len() {
        let mut nodes = JoinSet::new();
        for node in 0..4 {
            let catalog = test.shared();
            nodes.spawn(async move {
                let owner = format!("node {node}");
                let claimed = catalog.claim_deliveries(&owner, at(100), at(130), 4).await.unwrap();
                claimed.into_iter().map(|claimed| (owner.clone(), claimed)).collect::<Vec<_>>()
            });
        }
        let claimed: Vec<_> = nodes.join_all().await.into_iter().flatten().collect();
        let notifiers: HashSet<_> = claimed.iter().map(|(_, claimed)| claimed.notifier.clone()).collect();
        assert_eq!(notifiers.len(), claimed.len());
        assert_eq!(claimed.len(), NOTIFIERS);
        for (owner, claimed) in claimed {
            assert!(done.insert(claimed.id.clone()));
            assert!(record(test, &owner, claimed.id.as_str(), 101, Verdict::Sent).await);
        }
    }
}
