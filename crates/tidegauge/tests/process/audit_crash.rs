//! Kills the service while changes are made, at moments when their entries are anywhere on the way into the dataset of the
//! audit trail. In the end each entry is an event there, exactly once.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use tidegauge_model::Timestamp;
use tidegauge_model::dataset::AUDIT_DATASET;
use tidegauge_store::StoredValue;

use crate::database::Backend;
use crate::process::{Installation, Service, acknowledged, client, eventually};

const WRITERS: usize = 4;

/// Acknowledged changes after which each round kills.
const KILL_AFTER: [usize; 5] = [1, 140, 260, 391, 77];

/// So often that segments are published between two kills.
const SETTINGS: [&str; 2] = ["--flush-age-seconds", "1"];

pub(crate) async fn stores_each_entry_once(backend: Backend) {
    let installation = Installation::new(backend);
    for kill_after in KILL_AFTER {
        let service = installation.start(&SETTINGS);
        let count = Arc::new(AtomicUsize::new(0));
        let (reached, mut enough) = tokio::sync::mpsc::channel(1);
        let mut writers = tokio::task::JoinSet::new();
        for _ in 0..WRITERS {
            let (url, token) = (format!("{}/v2/annotations", service.url), installation.first_token());
            let (count, reached) = (Arc::clone(&count), reached.clone());
            writers.spawn(async move {
                let body = json!({"datasets": ["tide"], "type": "deploy"});
                while acknowledged(client().post(&url).bearer_auth(&token).json(&body)).await.is_some() {
                    if count.fetch_add(1, Ordering::SeqCst) + 1 == kill_after {
                        let _ = reached.send(()).await;
                    }
                }
            });
        }
        drop(reached);
        enough.recv().await.unwrap();
        service.kill();
        writers.join_all().await;
    }
    let service = installation.start(&SETTINGS);
    all_are_on_their_way(&service).await;
    service.terminate();
    assert_eq!(service.exit_code(), Some(0));
    check(&installation).await;
}

async fn all_are_on_their_way(service: &Service) {
    eventually("no entry waits", async || {
        let metrics =
            client().get(format!("{}/metrics", service.url)).send().await.ok()?.text().await.ok()?;
        metrics.lines().any(|line| line == "tidegauge_audit_events_waiting 0").then_some(())
    })
    .await;
}

async fn check(installation: &Installation) {
    let catalog = installation.open_catalog().await;
    let (store, org) = installation.open_store().await;
    let entries =
        catalog.list_audit(Some(&org), Timestamp::from_micros(0), i64::MAX, i64::MAX).await.unwrap();
    let rows = store.rows(&store.find(&org, AUDIT_DATASET).unwrap()).await.unwrap();
    let mut numbers = BTreeSet::new();
    for row in &rows {
        let number = row.fields.iter().find(|(name, _)| &**name == "seq").map(|(_, value)| value.clone());
        let Some(StoredValue::Integer(number)) = number else { panic!("{row:?}") };
        assert!(numbers.insert(number), "the entry {number} is there twice");
    }
    assert!(entries.len() > KILL_AFTER.iter().sum::<usize>());
    assert_eq!(numbers.len(), entries.len(), "as many events as entries");
}
