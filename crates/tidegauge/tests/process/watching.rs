//! Kills the service while monitors are run and their messages are sent. Each alert is told at least once when it opens
//! and when it ends, always under one id, and never under a second one.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Value, json};
use tidegauge_catalog::monitor_runs::RecordedRun;
use tidegauge_catalog::monitors::{Given, Monitor, Reads};
use tidegauge_catalog::{Catalog, Change};
use tidegauge_model::monitor::{Definition, MonitorKind, Operator};
use tidegauge_model::os_rng::OsRng;
use tidegauge_model::time::SystemClock;
use tidegauge_model::{Clock, MonitorId, NotifierId, OrgId, Timestamp};

use crate::database::Backend;
use crate::delivery::{Receiver, SETTINGS, notifier};
use crate::process::{Installation, Service, client};

const MONITORS: usize = 20;

/// Messages that have arrived when the service is killed; each time at another moment of its work.
const KILL_AFTER: [usize; 3] = [1, 3, 7];

fn definition(notifier: &NotifierId, threshold: f64) -> Definition {
    Definition {
        name: "errors".to_owned(),
        description: String::new(),
        kind: MonitorKind::Threshold,
        query: "['web'] | where status >= 500 | summarize count()".to_owned(),
        operator: Some(Operator::Above),
        threshold,
        interval_minutes: 1,
        range_minutes: 60,
        delay_seconds: 0,
        notifiers: vec![notifier.clone()],
        alerts_on_no_data: false,
        notifies_by_group: false,
        is_resolvable: false,
        notifies_every_run: false,
        skips_resolved: false,
        after_positives: 1,
        of_runs: 1,
        tolerance: 3.0,
        compare_days: 0,
        column: None,
        is_disabled: false,
        disabled_until: None,
    }
}

fn change(org: &OrgId) -> Change {
    Change {
        org: Some(org.clone()),
        actor: "test".to_owned(),
        at: SystemClock.now(),
        request_id: String::new(),
    }
}

/// Puts monitors into the catalogue that were made some time ago, so that a run of each is due at once.
async fn insert(installation: &Installation, org: &OrgId, notifier: &NotifierId) -> Vec<Monitor> {
    let catalog = installation.open_catalog().await;
    let made = SystemClock.now().minus(Duration::from_secs(600));
    let mut monitors = Vec::new();
    for _ in 0..MONITORS {
        let monitor = Monitor {
            id: MonitorId::generate(made, &OsRng),
            org: org.clone(),
            definition: definition(notifier, 0.0),
            given: Given::default(),
            reads: Reads { datasets: vec!["web".to_owned()], views: Vec::new() },
            revision: 1,
            epoch: 1,
            created: made,
            created_by: "user_1".into(),
            modified: made,
        };
        catalog.insert_monitor(&monitor, 1_000, &change(org)).await.unwrap();
        monitors.push(monitor);
    }
    catalog.close().await;
    monitors
}

/// Changes a monitor so that its alert ends, and makes a run of it due at once.
async fn raise(catalog: &Catalog, monitor: &Monitor, notifier: &NotifierId) {
    let raised = Monitor { definition: definition(notifier, 1e9), ..monitor.clone() };
    let changed = catalog.replace_monitor(&raised, &change(&monitor.org)).await.unwrap().unwrap();
    let now = SystemClock.now();
    let until = now.plus(Duration::from_secs(60));
    let leased = loop {
        let leased = catalog.lease_monitor(&monitor.org, &monitor.id, "test", SystemClock.now(), until);
        match leased.await.unwrap() {
            Some(leased) => break leased,
            None => tokio::task::yield_now().await,
        }
    };
    let run = RecordedRun {
        monitor: monitor.id.clone(),
        org: monitor.org.clone(),
        owner: "test".to_owned(),
        revision: changed.revision,
        last_run: None,
        next_due: Timestamp::from_micros(1),
        state: leased.state,
        checks: Vec::new(),
        annotation: None,
        deliveries: Vec::new(),
    };
    assert!(catalog.record_monitor_run(&run).await.unwrap());
}

async fn send(installation: &Installation, service: &Service) {
    let path = format!("{}/v1/datasets/web/ingest", service.url);
    let time = SystemClock.now().minus(Duration::from_secs(300)).to_string();
    let events = json!([{"_time": time, "status": 500}, {"_time": time, "status": 503}]);
    let sent =
        client().post(path).bearer_auth(installation.first_token()).json(&events).send().await.unwrap();
    sent.error_for_status().unwrap();
}

/// The different ids of the messages that came, by monitor and action.
fn ids(received: Vec<(String, String)>) -> BTreeMap<(String, String), BTreeSet<String>> {
    let mut ids: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for (id, body) in received {
        let body: Value = serde_json::from_str(&body).unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        ids.entry((text(&body["event"]["monitorID"]), text(&body["action"]))).or_default().insert(id);
    }
    ids
}

/// Kills the service several times, and waits until so many different messages have come.
async fn killed_until(installation: &Installation, receiver: &Receiver, count: usize) -> Service {
    for more in KILL_AFTER {
        let wanted = receiver.received().len() + more;
        receiver.answer(wanted);
        let service = installation.start(&SETTINGS);
        receiver.had(wanted).await;
        service.kill();
    }
    receiver.answer(usize::MAX);
    let service = installation.start(&SETTINGS);
    loop {
        let received = receiver.received();
        let came = received.len();
        if ids(received).len() >= count {
            return service;
        }
        receiver.had(came + 1).await;
    }
}

pub(crate) async fn every_alert_is_told_under_one_id(backend: Backend) {
    let (installation, receiver) = (Installation::new(backend), Receiver::start().await);
    let service = installation.start(&SETTINGS);
    let (org, hook) = notifier(&installation, &service, &receiver.url).await;
    send(&installation, &service).await;
    service.kill();
    let monitors = insert(&installation, &org, &hook).await;
    let service = killed_until(&installation, &receiver, MONITORS).await;

    // The end of each alert follows, with the service killed meanwhile as well.
    let catalog = installation.open_catalog().await;
    service.kill();
    catalog.end_left_monitor_leases().await.unwrap();
    for monitor in &monitors {
        // On a server, a run that a kill cut off keeps its lease for half a minute.
        raise(&catalog, monitor, &hook).await;
    }
    catalog.close().await;
    let _service = killed_until(&installation, &receiver, 2 * MONITORS).await;
    let ids = ids(receiver.received());
    for monitor in &monitors {
        for action in ["Open", "Closed"] {
            let of = ids.get(&(monitor.id.as_str().to_owned(), action.to_owned()));
            assert_eq!(of.map(BTreeSet::len), Some(1), "{action} of {}: {of:?}", monitor.id);
        }
    }
}
