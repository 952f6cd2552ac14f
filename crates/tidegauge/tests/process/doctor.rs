//! `tidegauge doctor` on an installation that is well, on one with a damaged segment, and on one that lost its catalogue.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::database::Backend;
use crate::process::{Installation, Service, client};

const EVENTS: u64 = 300;

async fn send_events(service: &Service, token: &str) {
    let events: Vec<Value> = (0..EVENTS).map(|n| json!({"n": n, "text": format!("event {n}")})).collect();
    let request = client().post(format!("{}/v1/datasets/logs/ingest", service.url)).bearer_auth(token);
    assert_eq!(request.json(&events).send().await.unwrap().status(), 200);
}

async fn count_events(service: &Service, token: &str) -> Value {
    let request = client().get(format!("{}/v1/datasets/logs/info", service.url)).bearer_auth(token);
    request.send().await.unwrap().json::<Value>().await.unwrap()["numEvents"].clone()
}

/// Stops the service so that everything is in segments.
fn stop(service: Service) {
    service.terminate();
    assert_eq!(service.exit_code(), Some(0));
}

fn segments(installation: &Installation) -> Vec<PathBuf> {
    let datasets = std::fs::read_dir(installation.data().join("segments/datasets")).unwrap();
    let files =
        |folder: std::io::Result<std::fs::DirEntry>| std::fs::read_dir(folder.unwrap().path()).unwrap();
    datasets.flat_map(files).map(|file| file.unwrap().path()).collect()
}

/// What the doctor says of an installation that is well. A disk that is slow or nearly full is the machine's.
fn examined(installation: &Installation, more: &[&str]) -> String {
    let output = installation.run(&[&["doctor"], more].concat());
    let said = String::from_utf8(output.stdout).unwrap();
    let is_of_the_machine =
        |line: &str| line.starts_with("problem  disk: ") || line.starts_with("problem  space: ");
    assert!(output.status.success() || said.lines().any(is_of_the_machine), "{said}");
    said
}

/// Whoever can read the data folder is the operator, so that others who can are told of, here and at the start.
fn tells_of_an_open_folder(installation: &Installation) {
    use std::os::unix::fs::PermissionsExt;
    let allow =
        |mode| std::fs::set_permissions(installation.data(), PermissionsExt::from_mode(mode)).unwrap();
    allow(0o755);
    let said = String::from_utf8(installation.run(&["doctor"]).stdout).unwrap();
    assert!(said.contains("problem  folder: every user of this machine can read the data folder "), "{said}");
    allow(0o750);
    assert!(examined(installation, &[]).contains("ok       folder: "));
    allow(0o700);
}

pub(crate) async fn examines(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&["--lease-seconds", "3600"]);
    let token = installation.first_token();
    send_events(&service, &token).await;
    let beside_it = examined(&installation, &[]);
    for what in ["folder", "clock", "catalogue", "lease", "log", "audit", "segments"] {
        assert!(beside_it.contains(&format!("ok       {what}: ")), "{what} in {beside_it}");
    }
    // How fast and how full the disk is depends on the machine.
    for what in ["disk", "space"] {
        assert!(beside_it.contains(&format!("  {what}: ")), "{what} in {beside_it}");
    }
    let holder = format!("the tidegauge at {} (host ", service.address());
    let process = format!("process {}", service.process());
    for part in ["has it until ", &holder, &process] {
        assert!(beside_it.contains(part), "{part} in {beside_it}");
    }
    stop(service);
    let stopped = examined(&installation, &[]);
    assert!(stopped.contains(&format!("ok       lease: nobody has it; {holder}")), "{stopped}");
    assert!(examined(&installation, &["--deep"]).contains("every segment was read"));
    tells_of_an_open_folder(&installation);

    let segment = segments(&installation).remove(0);
    let bytes = std::fs::read(&segment).unwrap();
    std::fs::write(&segment, &bytes[..bytes.len() - 7]).unwrap();
    let cut = installation.run(&["doctor"]);
    let said = String::from_utf8_lossy(&cut.stdout).into_owned();
    assert!(!cut.status.success() && said.contains("problem  segments: segment_"), "{said}");

    let mut altered = bytes.clone();
    altered[bytes.len() / 2] ^= 1;
    std::fs::write(&segment, &altered).unwrap();
    let said = examined(&installation, &[]);
    assert!(!said.contains("problem  segments"), "without --deep only the size is looked at: {said}");
    assert!(!installation.run(&["doctor", "--deep"]).status.success());
}

pub(crate) async fn rebuilds(backend: Backend) {
    let installation = Installation::new(backend);
    let service = installation.start(&[]);
    send_events(&service, &installation.first_token()).await;
    stop(service);
    for name in ["catalog.sqlite", "catalog.sqlite-wal", "catalog.sqlite-shm"] {
        let _ = std::fs::remove_file(installation.data().join(name));
    }

    // The next start makes a new organisation, which the dataset is given to. It is killed, so that it gives no lease back.
    installation.start(&["--lease-seconds", "3600"]).kill();
    let killed = String::from_utf8(installation.run(&["doctor"]).stdout).unwrap();
    assert!(killed.contains("has it until "), "{killed}");
    let said = installation.answer(&["doctor", "rebuild-catalog"]);
    // The other one is that of the audit trail.
    assert!(said.starts_with("put back 2 datasets with "), "{said}");
    let service = installation.start(&[]);
    assert_eq!(count_events(&service, &installation.first_token()).await, EVENTS);
}
