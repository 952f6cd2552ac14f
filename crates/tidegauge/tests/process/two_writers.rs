//! Two services on one catalogue, each with a data folder of its own: one writes at a time, and in the end every event
//! that either has acknowledged is there exactly once.

use std::collections::BTreeSet;

use serde_json::json;
use tidegauge_store::StoredValue;

use crate::database::Backend;
use crate::process::{Installation, Service, client};

const DATASET: &str = "shared";

/// The events that were acknowledged, by their ids.
#[derive(Default)]
struct Sent {
    ids: BTreeSet<String>,
    token: String,
}

impl Sent {
    fn new(installation: &Installation) -> Self {
        Self { ids: BTreeSet::new(), token: installation.first_token() }
    }

    /// Sends some requests of two events, all of which must be acknowledged.
    async fn send(&mut self, service: &Service, name: &str) {
        for request in 0..6 {
            let ids = [format!("{name}-{request}-a"), format!("{name}-{request}-b")];
            assert_eq!(post(service, &self.token, &ids).await.unwrap(), 200);
            self.ids.extend(ids);
        }
    }

    /// Every event is there once. The services must not be running.
    async fn check(&self, installation: &Installation) {
        let (store, org) = installation.open_store().await;
        assert_eq!(store.damage(), []);
        let rows = store.rows(&store.find(&org, DATASET).unwrap()).await.unwrap();
        let id = |value: &StoredValue| match value {
            StoredValue::String(id) => id.clone(),
            other => panic!("{other:?}"),
        };
        let found: Vec<String> = rows.iter().map(|row| id(&row.fields[0].1)).collect();
        let distinct: BTreeSet<String> = found.iter().cloned().collect();
        assert_eq!(distinct, self.ids);
        assert_eq!(found.len(), distinct.len(), "an event is there twice");
        let identities: BTreeSet<_> = rows.iter().map(|row| (row.sequence, row.index)).collect();
        assert_eq!(identities.len(), rows.len(), "two events have one identity");
    }
}

async fn post(service: &Service, token: &str, ids: &[String]) -> reqwest::Result<u16> {
    let events: Vec<_> = ids.iter().map(|id| json!({ "id": id })).collect();
    let request = client().post(format!("{}/v1/datasets/{DATASET}/ingest", service.url)).bearer_auth(token);
    Ok(request.json(&events).send().await?.status().as_u16())
}

/// Starts the service again and again until nobody else has the catalogue any more.
fn start_when_free(installation: &Installation, more: &[&str]) -> Service {
    loop {
        match installation.try_start(more) {
            Ok(service) => return service,
            Err(refused) => assert!(refused.contains("the catalogue is in use by"), "{refused}"),
        }
    }
}

/// Stops a process where it stands, and starts the service once its lease has ended.
fn start_beside_paused(installation: &Installation, paused: &Service) -> Service {
    paused.signal("-STOP");
    loop {
        match installation.try_start(&["--lease-seconds", "3600"]) {
            Ok(service) => return service,
            // It stands inside a transaction and has the database's lock: it must come out of there first.
            Err(refused) if refused.contains("cannot take the request right now") => {
                paused.signal("-CONT");
                paused.signal("-STOP");
            }
            Err(refused) => assert!(refused.contains("the catalogue is in use by"), "{refused}"),
        }
    }
}

fn stop(service: Service) {
    service.terminate();
    assert_eq!(service.exit_code(), Some(0));
}

/// A lease that does not end while a slow machine stands still.
const LONG: [&str; 2] = ["--lease-seconds", "3600"];

pub(crate) async fn second_is_refused(backend: Backend) {
    let first = Installation::new(backend);
    let second = first.beside();
    let service = first.start(&LONG);
    let mut sent = Sent::new(&first);
    sent.send(&service, "before").await;

    let refused = second.try_start(&[]).err().unwrap();
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let process = format!("process {}", service.process());
    for part in ["the catalogue is in use by", service.address(), host.trim(), &process, "its lease ends at"]
    {
        assert!(refused.contains(part), "{part} in {refused}");
    }
    // Commands that do not serve go on beside it, from either folder.
    assert_eq!(first.answer(&["org", "list"]), second.answer(&["org", "list"]));
    sent.send(&service, "beside").await;

    // After a clean stop nobody waits, and nobody's sequences meet another's marks.
    stop(service);
    let service = second.start(&LONG);
    sent.send(&service, "second").await;
    assert!(first.try_start(&[]).is_err());
    stop(service);
    let service = first.start(&LONG);
    sent.send(&service, "again").await;
    service.kill();
    sent.check(&first).await;
}

pub(crate) async fn killed_gets_its_lease_back(backend: Backend) {
    const SHORT: [&str; 2] = ["--lease-seconds", "2"];
    let first = Installation::new(backend);
    let second = first.beside();
    // So long that only its own node can be let in before the test ends.
    let service = first.start(&["--lease-seconds", "3600"]);
    let mut sent = Sent::new(&first);
    sent.send(&service, "first").await;
    service.kill();
    let refused = second.try_start(&SHORT).err().unwrap();
    assert!(refused.contains("its lease ends at"), "{refused}");
    let service = first.start(&SHORT);
    sent.send(&service, "restarted").await;
    service.kill();

    // What it acknowledged last is in its log alone while another one writes.
    let service = start_when_free(&second, &SHORT);
    sent.send(&service, "second").await;
    stop(service);
    // It is stored before the first request is answered, and still there after another start.
    let service = first.start(&SHORT);
    sent.send(&service, "back").await;
    service.kill();
    sent.check(&first).await;
}

pub(crate) async fn paused_is_fenced(backend: Backend) {
    const SHORT: [&str; 2] = ["--lease-seconds", "1"];
    let first = Installation::new(backend);
    let second = first.beside();
    let paused = first.try_start(&SHORT).unwrap();
    let mut sent = Sent::new(&first);
    sent.send(&paused, "first").await;
    let service = start_beside_paused(&second, &paused);
    sent.send(&service, "second").await;
    paused.signal("-CONT");
    // It may answer that it cannot, or not at all; what it must not say is that it has stored them.
    let answered = post(&paused, &sent.token, &["lost".to_owned()]).await;
    assert!(!matches!(answered, Ok(200)), "{answered:?}");
    assert_eq!(paused.exit_code(), Some(1));
    let told = first.last_errors();
    assert!(told.contains("may not write any more") && told.contains(service.address()), "{told}");
    stop(service);
    sent.check(&first).await;
}
