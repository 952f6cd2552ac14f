//! Monitors: their definitions and what their runs may read.

use tidegauge_catalog::limits::MONITOR_EPOCHS_MAX;
use tidegauge_catalog::monitors::{Given, Monitor, Reads};
use tidegauge_model::monitor::{Definition, MonitorKind, Operator};
use tidegauge_model::notifier::DisabledUntil;
use tidegauge_model::{ErrorKind, OrgId};

use crate::database::TestCatalog;
use crate::samples::{self, OWNER, at, notifier};

const MANY: i64 = 1_000;

pub(crate) fn definition(name: &str) -> Definition {
    Definition {
        name: name.to_owned(),
        description: "for the suite".to_owned(),
        kind: MonitorKind::AnomalyDetection,
        query: "['logs'] | summarize count() by bin_auto(_time)".to_owned(),
        operator: Some(Operator::AboveOrBelow),
        // Not every reader of JSON brings this one back.
        threshold: 0.1 + 0.2,
        interval_minutes: 5,
        range_minutes: 10,
        delay_seconds: 30,
        notifiers: vec!["notify_1".into(), "notify_2".into()],
        alerts_on_no_data: true,
        notifies_by_group: true,
        is_resolvable: true,
        notifies_every_run: true,
        skips_resolved: true,
        after_positives: 2,
        of_runs: 3,
        tolerance: 1e-300,
        compare_days: 7,
        column: Some("count_".to_owned()),
        is_disabled: true,
        disabled_until: Some(DisabledUntil { text: "2030-01-01T00:00:00+01:00".to_owned(), time: at(99) }),
    }
}

pub(crate) fn monitor(id: &str, org: &OrgId) -> Monitor {
    Monitor {
        id: id.into(),
        org: org.clone(),
        definition: definition(&format!("Monitor {id}")),
        given: Given { after_positives: 0, of_runs: 3, tolerance: 0.5 },
        reads: Reads { datasets: vec!["logs".to_owned()], views: vec!["daily".to_owned()] },
        revision: 1,
        epoch: 1,
        created: at(3),
        created_by: OWNER.into(),
        modified: at(4),
    }
}

pub(crate) async fn read_back_what_was_inserted(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    let plain = Definition {
        kind: MonitorKind::MatchEvent,
        operator: None,
        column: None,
        disabled_until: None,
        is_disabled: false,
        threshold: f64::MAX,
        notifiers: Vec::new(),
        ..definition("plain")
    };
    let plain = Monitor { definition: plain, reads: Reads::default(), ..monitor("mon_2", &ours) };
    for wanted in [monitor("mon_1", &ours), plain] {
        test.insert_monitor(&wanted, MANY, &change).await.unwrap();
        assert_eq!(test.find_monitor(&ours, &wanted.id).await.unwrap().as_ref(), Some(&wanted));
        assert_eq!(test.monitor_to_run(&wanted.id).await.unwrap().as_ref(), Some(&wanted));
        assert_eq!(test.find_monitor(&theirs, &wanted.id).await.unwrap(), None);
        assert_eq!(test.new_audit().await, [format!("monitor.create {}", wanted.id)]);
    }
    assert_eq!(test.list_monitors(&ours).await.unwrap().len(), 2);
    assert!(test.list_monitors(&theirs).await.unwrap().is_empty());
}

pub(crate) async fn replace_what_a_caller_may_set(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let (before, change) = (monitor("mon_1", &ours), samples::change(&ours));
    test.insert_monitor(&before, MANY, &change).await.unwrap();
    test.new_audit().await;
    let wanted = Monitor {
        definition: Definition {
            threshold: -7.5,
            is_disabled: false,
            disabled_until: None,
            ..definition("after")
        },
        given: Given::default(),
        reads: Reads { datasets: vec!["other".to_owned()], views: Vec::new() },
        epoch: 2,
        created: at(70),
        created_by: "user_strange".into(),
        modified: at(80),
        ..before.clone()
    };
    let replaced = test.replace_monitor(&wanted, &change).await.unwrap();
    let expected =
        Monitor { created: before.created, created_by: before.created_by, revision: 2, ..wanted.clone() };
    assert_eq!(replaced.as_ref(), Some(&expected));
    assert_eq!(test.find_monitor(&ours, &wanted.id).await.unwrap(), replaced);
    assert_eq!(test.new_audit().await, ["monitor.update mon_1"]);
    // Who was asked about an earlier revision may not be allowed to change this one.
    assert_eq!(test.replace_monitor(&wanted, &change).await.unwrap(), None);
    assert!(test.new_audit().await.is_empty());

    let foreign = Monitor { org: theirs.clone(), revision: 2, ..wanted.clone() };
    assert_eq!(test.replace_monitor(&foreign, &change).await.unwrap(), None);
    assert!(!test.delete_monitor(&theirs, &wanted.id, &change).await.unwrap());
    assert!(test.new_audit().await.is_empty());
    assert!(test.delete_monitor(&ours, &wanted.id, &change).await.unwrap());
    assert!(!test.delete_monitor(&ours, &wanted.id, &change).await.unwrap());
    assert_eq!(test.new_audit().await, ["monitor.delete mon_1"]);
}

/// What runs of an epoch could read stays known when the monitor reads something else.
pub(crate) async fn keep_what_their_epochs_read(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let (mut monitor, change) = (monitor("mon_1", &ours), samples::change(&ours));
    let of = |epoch: i64| Reads { datasets: vec![format!("logs-{epoch}")], views: vec!["daily".to_owned()] };
    monitor.reads = of(1);
    test.insert_monitor(&monitor, MANY, &change).await.unwrap();
    // Muting is a revision of the same epoch.
    monitor = test.replace_monitor(&monitor, &change).await.unwrap().unwrap();
    let last = MONITOR_EPOCHS_MAX + 3;
    for epoch in 3..=last {
        monitor = Monitor { reads: of(epoch), epoch, ..monitor };
        monitor = test.replace_monitor(&monitor, &change).await.unwrap().unwrap();
    }
    let known = test.monitor_reads(&ours, Some(&monitor.id)).await.unwrap();
    assert_eq!(known, test.monitor_reads(&ours, None).await.unwrap());
    assert_eq!(known.of(&monitor.id, Some(last)), Some(&of(last)));
    assert_eq!(known.of(&monitor.id, Some(4)), Some(&of(4)));
    // Those that are too old, that never were, and what was found before it was kept.
    for epoch in [Some(3), Some(1), Some(2), Some(last + 1), None] {
        assert_eq!(known.of(&monitor.id, epoch), None, "{epoch:?}");
    }
    let strange = test.monitor_reads(&theirs, Some(&monitor.id)).await.unwrap();
    assert_eq!(strange.of(&monitor.id, Some(last)), None);
    assert!(test.delete_monitor(&ours, &monitor.id, &change).await.unwrap());
    assert_eq!(test.database.count("monitor_reads").await, 0);
}

pub(crate) async fn are_refused_beyond_the_licence(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    test.insert_monitor(&monitor("mon_1", &ours), 1, &change).await.unwrap();
    test.new_audit().await;
    let refused = test.insert_monitor(&monitor("mon_2", &ours), 1, &change).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::LimitReached);
    assert!(test.new_audit().await.is_empty());
    test.insert_monitor(&monitor("mon_2", &theirs), 1, &change).await.unwrap();
}

pub(crate) async fn know_which_notifiers_there_are(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    test.insert_notifier(&ours, &notifier("notify_1"), &change).await.unwrap();
    test.insert_notifier(&theirs, &notifier("notify_2"), &change).await.unwrap();
    assert_eq!(test.unknown_notifiers(&ours, &definition("m")).await.unwrap(), ["notify_2"]);
    // A monitor outlives what it names.
    test.insert_monitor(&monitor("mon_1", &ours), MANY, &change).await.unwrap();
    assert!(test.delete_notifier(&ours, &"notify_1".into(), &change).await.unwrap());
    assert_eq!(test.find_monitor(&ours, &"mon_1".into()).await.unwrap(), Some(monitor("mon_1", &ours)));
}

pub(crate) async fn are_reported_when_they_cannot_be_read(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    test.insert_monitor(&monitor("mon_1", &ours), MANY, &samples::change(&ours)).await.unwrap();
    for damage in ["UPDATE monitor SET definition = '{}'", "UPDATE monitor SET datasets = '{}'"] {
        test.database.execute(damage).await;
        assert_eq!(test.list_monitors(&ours).await.unwrap_err().kind(), ErrorKind::Corrupt, "{damage}");
    }
}
