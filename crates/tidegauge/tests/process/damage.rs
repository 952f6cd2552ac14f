//! Damage to the files of a service that is not running: it starts, loses nothing that is not damaged, and says what
//! it has lost.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tidegauge_store::StoredValue;

use crate::database::Backend;
use crate::process::{Installation, Service, client};

/// Sends one event under its own key and returns the commit.
async fn send(installation: &Installation, service: &Service, dataset: &str, id: &str) -> u64 {
    let request = client().post(format!("{}/v1/datasets/{dataset}/ingest", service.url));
    let request = request.bearer_auth(installation.first_token()).header("idempotency-key", id);
    let body = serde_json::json!([{ "id": id }]);
    let response = request.json(&body).send().await.unwrap();
    let commit = response.headers().get("x-tidegauge-commit").map(|value| value.to_str().unwrap().to_owned());
    let status = response.status();
    assert_eq!(status, 200, "{}", response.text().await.unwrap());
    commit.unwrap().parse().unwrap()
}

async fn event_count(installation: &Installation, service: &Service, dataset: &str) -> u64 {
    let request = client().get(format!("{}/v1/datasets/{dataset}/info", service.url));
    let info: Value =
        request.bearer_auth(installation.first_token()).send().await.unwrap().json().await.unwrap();
    info["numEvents"].as_u64().unwrap_or_else(|| panic!("{info}"))
}

async fn ids(installation: &Installation, dataset: &str) -> Vec<String> {
    let (store, org) = installation.open_store().await;
    let rows = store.rows(&store.find(&org, dataset).unwrap()).await.unwrap();
    let id = |value: &StoredValue| match value {
        StoredValue::String(id) => id.clone(),
        other => panic!("{other:?}"),
    };
    let mut ids: Vec<String> = rows.iter().map(|row| id(&row.fields[0].1)).collect();
    ids.sort();
    ids
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            found.extend(files(&entry.path(), extension));
        } else if entry.path().extension().is_some_and(|present| present == extension) {
            found.push(entry.path());
        }
    }
    found.sort();
    found
}

fn find(bytes: &[u8], text: &str) -> usize {
    let found = bytes.windows(text.len()).position(|window| window == text.as_bytes());
    found.unwrap_or_else(|| panic!("{text} is not in the log"))
}

/// What was being written when the service was killed: garbage behind the last record, and half a record.
pub(crate) async fn torn_record(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    for event in 0..5 {
        send(&installation, &service, "d", &format!("event-{event}")).await;
    }
    service.kill();
    let log = files(&installation.data().join("log"), "log").pop().unwrap();
    let mut bytes = std::fs::read(&log).unwrap();
    let end = bytes.iter().rposition(|byte| *byte != 0).unwrap() + 1;
    bytes.truncate(end.next_multiple_of(8));
    bytes.extend([0xA5; 1000]);
    std::fs::write(&log, &bytes).unwrap();

    let service = installation.start(&[]);
    assert_eq!(event_count(&installation, &service, "d").await, 5);
    assert!(!installation.data().join("quarantine").try_exists().unwrap(), "a torn end is no damage");
    send(&installation, &service, "d", "event-5").await;
    send(&installation, &service, "d", "event-6").await;
    service.kill();

    // The last record is cut in its middle, as if its write had not come to an end: its sender repeats it.
    let log = files(&installation.data().join("log"), "log").pop().unwrap();
    let bytes = std::fs::read(&log).unwrap();
    std::fs::write(&log, &bytes[..find(&bytes, "event-6") + 3]).unwrap();
    let service = installation.start(&[]);
    assert_eq!(event_count(&installation, &service, "d").await, 6);
    for event in 0..8 {
        send(&installation, &service, "d", &format!("event-{event}")).await;
    }
    service.kill();
    let wanted: Vec<String> = (0..8).map(|event| format!("event-{event}")).collect();
    assert_eq!(ids(&installation, "d").await, wanted);
}

pub(crate) async fn flipped_byte(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    let mut commits = Vec::new();
    for event in 0..6 {
        let dataset = ["a", "b"][event % 2];
        commits.push(send(&installation, &service, dataset, &format!("event-{event}")).await);
    }
    service.kill();
    // The next start begins another file, so that the damage is in an older one.
    let service = installation.start(&[]);
    send(&installation, &service, "a", "event-6").await;
    service.kill();
    let logs = files(&installation.data().join("log"), "log");
    assert!(logs.len() > 1, "{logs:?}");
    let mut bytes = std::fs::read(&logs[0]).unwrap();
    let at = find(&bytes, "event-2");
    bytes[at + 6] ^= 0x01;
    std::fs::write(&logs[0], &bytes).unwrap();

    let service = installation.start(&[]);
    assert_eq!(event_count(&installation, &service, "a").await, 3, "all but the damaged one");
    assert_eq!(event_count(&installation, &service, "b").await, 3);
    let quarantine = installation.data().join("quarantine");
    let reports = files(&quarantine, "txt");
    assert_eq!(reports.len(), 1, "{reports:?}");
    let report = std::fs::read_to_string(&reports[0]).unwrap();
    let lost = commits[2];
    assert!(report.starts_with(&format!("sequences {lost} to {lost} of ")), "{report}");
    let copy = std::fs::read(&files(&quarantine, "bin")[0]).unwrap();
    assert!(copy.windows(6).any(|window| window == b"event-"), "the damaged bytes are kept");
    let metrics = client().get(format!("{}/metrics", service.url)).send().await.unwrap();
    let metrics = metrics.text().await.unwrap();
    assert!(metrics.lines().any(|line| line.ends_with("wal_damaged_parts 1")), "{metrics}");

    // Its key went with it: its sender can send it again.
    send(&installation, &service, "a", "event-2").await;
    service.kill();
    assert_eq!(ids(&installation, "a").await, ["event-0", "event-2", "event-4", "event-6"]);
    assert_eq!(ids(&installation, "b").await, ["event-1", "event-3", "event-5"]);
}

pub(crate) async fn truncated_segment(backend: Backend) {
    let installation = Installation::new(backend);
    let segments = installation.data().join("segments");
    let mut known = BTreeSet::new();
    let mut of_first = Vec::new();
    for dataset in ["a", "b"] {
        // A stop in good order writes what is in the buffer as segments.
        let service = installation.start(&[]);
        send(&installation, &service, dataset, "event-0").await;
        service.terminate();
        assert_eq!(service.exit_code(), Some(0));
        let all: BTreeSet<PathBuf> = files(&segments, "parquet").into_iter().collect();
        if dataset == "a" {
            of_first = all.iter().cloned().collect();
        }
        assert!(all.len() > known.len(), "no segment of {dataset} in {all:?}");
        known = all;
    }
    for path in &of_first {
        let bytes = std::fs::read(path).unwrap();
        std::fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
    }
    let service = installation.start(&["--flush-age-seconds", "1"]);
    for dataset in ["a", "b"] {
        send(&installation, &service, dataset, "event-1").await;
        assert_eq!(event_count(&installation, &service, dataset).await, 2);
    }
    service.terminate();
    assert_eq!(service.exit_code(), Some(0));
    assert_eq!(ids(&installation, "b").await, ["event-0", "event-1"]);
    let (store, org) = installation.open_store().await;
    let damaged = store.rows(&store.find(&org, "a").unwrap()).await;
    assert!(damaged.is_err(), "half a segment is no segment: {damaged:?}");
}
