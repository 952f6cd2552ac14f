//! Runs of monitors: leased to one node at a time, and recorded whole by who has the lease, or not at all.

use std::collections::BTreeSet;

use tidegauge_catalog::annotations::{Annotation, AnnotationFilter};
use tidegauge_catalog::monitor_checks::{CheckOutcome, MonitorCheck};
use tidegauge_catalog::monitor_epochs::Gone;
use tidegauge_catalog::monitor_runs::RecordedRun;
use tidegauge_catalog::monitors::{Monitor, Reads};
use tidegauge_catalog::outbox::NewDelivery;
use tidegauge_model::message::Message;
use tidegauge_model::monitor::AlertState;
use tidegauge_model::notifier::DisabledUntil;
use tidegauge_model::{MonitorId, OrgId, Timestamp};
use tokio::task::JoinSet;

use crate::database::TestCatalog;
use crate::monitors::monitor;
use crate::samples::{self, OWNER, at, notifier};

const LEASE: i64 = 60;

async fn with_monitors(test: &TestCatalog<'_>, ids: &[&str]) -> OrgId {
    let (ours, _) = samples::two_orgs(test).await;
    for id in ids {
        insert(test, &ours, id, |_| {}).await;
    }
    ours
}

pub(crate) async fn insert(test: &TestCatalog<'_>, org: &OrgId, id: &str, edit: impl FnOnce(&mut Monitor)) {
    let mut monitor = monitor(id, org);
    (monitor.definition.is_disabled, monitor.definition.disabled_until) = (false, None);
    edit(&mut monitor);
    test.insert_monitor(&monitor, 1_000, &samples::change(org)).await.unwrap();
}

async fn lease(test: &TestCatalog<'_>, owner: &str, now: i64) -> Vec<String> {
    let leased = test.lease_due_monitors(owner, at(now), at(now + LEASE), 100, 100).await.unwrap();
    leased.into_iter().map(|one| one.id.into_string()).collect()
}

fn check(id: &str, time: i64, is_change: bool) -> MonitorCheck {
    MonitorCheck {
        id: id.to_owned(),
        at: at(time),
        finished: at(time + 1),
        window: (at(time - 60), at(time)),
        group_key: r#"[["host","a"]]"#.to_owned(),
        state: AlertState::Open,
        outcome: CheckOutcome::NoData,
        is_change,
        value: Some(0.1 + 0.2),
        reason: "why".to_owned(),
        missed: 2,
        cost: 3,
        epoch: Some(1),
    }
}

pub(crate) fn recorded(org: &OrgId, monitor: &str, owner: &str) -> RecordedRun {
    RecordedRun {
        monitor: MonitorId::from(monitor),
        org: org.clone(),
        owner: owner.to_owned(),
        revision: 1,
        last_run: Some(at(10)),
        next_due: at(100),
        state: "state".to_owned(),
        checks: vec![check("check_1", 10, true)],
        annotation: Some(Annotation {
            id: "ann_1".into(),
            datasets: vec!["logs".to_owned()],
            at: at(10),
            end_at: None,
            kind: "monitor-triggered".to_owned(),
            title: String::new(),
            description: String::new(),
            url: String::new(),
            monitor: Some(MonitorId::from(monitor)),
            epoch: Some(1),
            created: at(11),
            created_by: OWNER.into(),
            modified: at(11),
        }),
        deliveries: vec![NewDelivery {
            id: "msg_1".into(),
            org: org.clone(),
            notifier: "notify_1".into(),
            message: Message {
                state: AlertState::Open,
                monitor: MonitorId::from(monitor),
                incident: "i".to_owned(),
                title: String::new(),
                body: String::new(),
                description: String::new(),
                query_start: at(0),
                query_end: at(1),
                timestamp: at(2),
                value: 1.0,
                matched_event: None,
                group: Vec::new(),
                is_test: false,
            },
            due: at(11),
        }],
    }
}

pub(crate) async fn due_ones_are_leased_once(test: &TestCatalog<'_>) {
    let ours = with_monitors(test, &["mon_1", "mon_2"]).await;
    insert(test, &ours, "mon_off", |monitor| monitor.definition.is_disabled = true).await;
    let until = DisabledUntil { text: "later".to_owned(), time: at(50) };
    insert(test, &ours, "mon_later", |monitor| monitor.definition.disabled_until = Some(until)).await;
    assert_eq!(lease(test, "a", 10).await, ["mon_1", "mon_2"]);
    assert_eq!(lease(test, "b", 10).await, [""; 0]);
    test.end_left_monitor_leases().await.unwrap();
    let is_file = matches!(test.database.location, tidegauge_catalog::Location::Sqlite(_));
    assert_eq!(!lease(test, "c", 10).await.is_empty(), is_file);
    // A lease ends by itself.
    assert_eq!(lease(test, "b", 10 + LEASE).await, ["mon_1", "mon_2", "mon_later"]);
}

pub(crate) async fn several_nodes_share_the_work(test: &TestCatalog<'_>) {
    let ids: Vec<String> = (0..40).map(|number| format!("mon_{number:02}")).collect();
    with_monitors(test, &ids.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let mut nodes = JoinSet::new();
    for node in 0..6 {
        let catalog = test.shared();
        nodes.spawn(async move {
            let mut mine = Vec::new();
            for turn in 0..5 {
                let owner = format!("{node}-{turn}");
                mine.extend(catalog.lease_due_monitors(&owner, at(10), at(99), 3, 1_000).await.unwrap());
            }
            mine
        });
    }
    let mut all = Vec::new();
    while let Some(mine) = nodes.join_next().await {
        all.extend(mine.unwrap().into_iter().map(|one| one.id.into_string()));
    }
    // Who came too late for what it had found has got less than it wanted.
    all.extend(lease(test, "last", 10).await);
    let different: BTreeSet<_> = all.iter().collect();
    assert_eq!((all.len(), different.len()), (40, 40));
}

pub(crate) async fn a_run_is_recorded_whole_by_who_has_the_lease(test: &TestCatalog<'_>) {
    let ours = with_monitors(test, &["mon_1"]).await;
    test.insert_notifier(&ours, &notifier("notify_1"), &samples::change(&ours)).await.unwrap();
    lease(test, "a", 10).await;
    let id = MonitorId::from("mon_1");
    assert!(!test.record_monitor_run(&recorded(&ours, "mon_1", "b")).await.unwrap());
    let list = async || test.list_monitor_checks(&ours, &id, at(0), at(1_000), 10).await.unwrap();
    assert_eq!((list().await.len(), test.database.count("delivery").await), (0, 0));
    assert!(test.record_monitor_run(&recorded(&ours, "mon_1", "a")).await.unwrap());
    assert_eq!(list().await, [check("check_1", 10, true)]);
    assert_eq!(test.database.count("delivery").await, 1);
    assert_eq!(test.list_annotations(&ours, &AnnotationFilter::default()).await.unwrap().len(), 1);
    assert_eq!(test.monitor_state(&ours, &id).await.unwrap().as_deref(), Some("state"));
    assert_eq!(test.first_monitor_due(at(10)).await.unwrap(), Some(at(100)));
    // Who recorded it has no lease any more, and a run that is repeated adds nothing.
    assert!(!test.record_monitor_run(&recorded(&ours, "mon_1", "a")).await.unwrap());
    let again = test.lease_monitor(&ours, &id, "c", at(20), at(30)).await.unwrap().unwrap();
    assert_eq!((again.last_run, again.due, again.state.as_str()), (Some(at(10)), Some(at(100)), "state"));
    assert!(test.record_monitor_run(&recorded(&ours, "mon_1", "c")).await.unwrap());
    assert_eq!((list().await.len(), test.database.count("delivery").await), (1, 1));
}

/// What was found was for the notifiers that the monitor had: they may point to somebody else when it has others.
pub(crate) async fn a_run_of_a_former_definition_is_made_anew(test: &TestCatalog<'_>) {
    let ours = with_monitors(test, &["mon_1"]).await;
    let (id, change) = (MonitorId::from("mon_1"), samples::change(&ours));
    test.insert_notifier(&ours, &notifier("notify_1"), &change).await.unwrap();
    assert_eq!(lease(test, "a", 10).await, ["mon_1"]);
    let found = test.find_monitor(&ours, &id).await.unwrap().unwrap();
    test.replace_monitor(&found, &change).await.unwrap().unwrap();
    // Only who has the lease gives it back.
    assert!(!test.record_monitor_run(&recorded(&ours, "mon_1", "b")).await.unwrap());
    assert_eq!(lease(test, "c", 10).await, [""; 0]);
    assert!(!test.record_monitor_run(&recorded(&ours, "mon_1", "a")).await.unwrap());
    for table in ["delivery", "monitor_check", "annotation"] {
        assert_eq!(test.database.count(table).await, 0, "{table}");
    }
    let state = test.monitor_state(&ours, &id).await.unwrap();
    assert_eq!(state.as_deref(), Some(""), "the run counts as not made");
    assert_eq!(lease(test, "c", 10).await, ["mon_1"]);
    let run = RecordedRun { revision: 2, ..recorded(&ours, "mon_1", "c") };
    assert!(test.record_monitor_run(&run).await.unwrap());
    assert_eq!(test.database.count("delivery").await, 1);
}

pub(crate) async fn a_change_makes_it_due_and_deleting_takes_all_along(test: &TestCatalog<'_>) {
    let ours = with_monitors(test, &["mon_1"]).await;
    lease(test, "a", 10).await;
    assert!(test.record_monitor_run(&recorded(&ours, "mon_1", "a")).await.unwrap());
    assert_eq!(lease(test, "b", 20).await, [""; 0]);
    let id = MonitorId::from("mon_1");
    let found = test.find_monitor(&ours, &id).await.unwrap().unwrap();
    test.replace_monitor(&found, &samples::change(&ours)).await.unwrap().unwrap();
    assert_eq!(lease(test, "b", 20).await, ["mon_1"]);
    assert!(test.delete_monitor(&ours, &id, &samples::change(&ours)).await.unwrap());
    assert!(!test.record_monitor_run(&recorded(&ours, "mon_1", "b")).await.unwrap());
    assert_eq!(test.database.count("monitor_watch").await, 0);
    assert_eq!(test.database.count("monitor_check").await, 0);
}

pub(crate) async fn old_checks_are_dropped_and_changes_later(test: &TestCatalog<'_>) {
    let ours = with_monitors(test, &["mon_1"]).await;
    lease(test, "a", 10).await;
    let checks = (0..10).map(|time| check(&format!("check_{time}"), time, time % 2 == 0)).collect();
    let run = RecordedRun { checks, ..recorded(&ours, "mon_1", "a") };
    assert!(test.record_monitor_run(&run).await.unwrap());
    assert_eq!(test.prune_monitor_checks(at(6), at(3)).await.unwrap(), 3 + 2);
    let id = MonitorId::from("mon_1");
    let (start, end) = (Timestamp::from_micros(0), at(1_000));
    let left = test.list_monitor_checks(&ours, &id, start, end, 100).await.unwrap();
    assert_eq!(left.iter().map(|check| check.at).collect::<Vec<_>>(), [at(9), at(8), at(7), at(6), at(4)]);
}

/// However many groups the runs had, each of them is told.
pub(crate) async fn runs_are_listed_apart_from_their_groups(test: &TestCatalog<'_>) {
    let ours = with_monitors(test, &["mon_1"]).await;
    lease(test, "a", 10).await;
    let of_run = |time: i64| {
        let whole = MonitorCheck { group_key: String::new(), ..check(&format!("run_{time}"), time, false) };
        let groups = (0..5).map(move |group| check(&format!("check_{time}_{group}"), time, false));
        std::iter::once(whole).chain(groups)
    };
    let run = RecordedRun { checks: (0..4).flat_map(of_run).collect(), ..recorded(&ours, "mon_1", "a") };
    assert!(test.record_monitor_run(&run).await.unwrap());
    let id = MonitorId::from("mon_1");
    let listed = async |limit: i64| {
        let runs = test.list_monitor_runs(&ours, &id, at(1), at(4), limit).await.unwrap();
        runs.into_iter().map(|run| run.id).collect::<Vec<_>>()
    };
    assert_eq!(listed(10).await, ["run_3", "run_2", "run_1"]);
    assert_eq!(listed(2).await, ["run_3", "run_2"]);
}

/// The state and the changes of what a monitor watched before are none of what it watches now; the last run is still the
/// last one, and known to have read something else.
pub(crate) async fn a_state_counts_in_its_epoch(test: &TestCatalog<'_>) {
    let ours = with_monitors(test, &["mon_1"]).await;
    lease(test, "a", 10).await;
    let whole = MonitorCheck { group_key: String::new(), ..check("check_1", 10, true) };
    let whole = MonitorCheck { outcome: CheckOutcome::Evaluated, ..whole };
    let run = RecordedRun { checks: vec![whole], ..recorded(&ours, "mon_1", "a") };
    assert!(test.record_monitor_run(&run).await.unwrap());
    let (id, change) = (MonitorId::from("mon_1"), samples::change(&ours));
    let status = async || {
        let mut all = test.monitor_statuses(&ours, |status| status).await.unwrap();
        let status = all.remove(0);
        let reads = status.last.and_then(|run| run.reads).map(|reads| reads.datasets);
        (status.state, status.changed, reads)
    };
    let logs = || Some(vec!["logs".to_owned()]);
    assert_eq!(status().await, ("state".to_owned(), Some(at(10)), logs()));
    let muted = test.find_monitor(&ours, &id).await.unwrap().unwrap();
    let muted = test.replace_monitor(&muted, &change).await.unwrap().unwrap();
    assert_eq!(status().await, ("state".to_owned(), Some(at(10)), logs()));
    let mut other = Monitor { epoch: muted.revision + 1, ..muted };
    other.reads.datasets = vec!["other".to_owned()];
    test.replace_monitor(&other, &change).await.unwrap().unwrap();
    assert_eq!(status().await, (String::new(), None, logs()));
    let leased = test.lease_monitor(&ours, &id, "b", at(20), at(30)).await.unwrap().unwrap();
    assert_eq!((leased.revision, leased.state.as_str()), (1, "state"), "who runs it sees which one it is");
}

pub(crate) async fn are_shared_out_among_organisations(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    for number in 0..20 {
        insert(test, &ours, &format!("mon_a{number:02}"), |_| {}).await;
    }
    for number in 0..2 {
        insert(test, &theirs, &format!("mon_b{number:02}"), |_| {}).await;
    }
    let leased = async |owner: &str, limit: i64, of_one: i64| {
        let leased = test.lease_due_monitors(owner, at(10), at(10 + LEASE), limit, of_one).await.unwrap();
        leased.into_iter().map(|one| one.id.into_string()).collect::<Vec<_>>()
    };
    // Whoever has fewest is next, whatever else was due before.
    assert_eq!(leased("first", 3, 5).await, ["mon_a00", "mon_a01", "mon_b00"]);
    let expected = ["mon_a02", "mon_a03", "mon_a04", "mon_b01"];
    assert_eq!(leased("second", 100, 5).await, expected, "no more than five of one");
    assert_eq!(leased("third", 100, 5).await, Vec::<String>::new());
    assert_eq!(leased("fourth", 100, 7).await, ["mon_a05", "mon_a06"]);
}

fn reads(datasets: &[&str], views: &[&str]) -> Reads {
    let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    Reads { datasets: owned(datasets), views: owned(views) }
}

/// What runs have found in a dataset, or by a view that reads it, goes with it: another one of its name has other readers.
pub(crate) async fn are_lost_when_what_they_read_goes(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    for (id, org, reads) in [
        ("mon_1", &ours, reads(&["logs"], &[])),
        ("mon_2", &ours, reads(&["web"], &["daily"])),
        ("mon_3", &ours, reads(&["logs-2", "web"], &["logs"])),
        ("mon_4", &theirs, reads(&["logs"], &["daily"])),
        ("mon_5", &ours, reads(&["logs"], &[])),
    ] {
        test.insert_monitor(&Monitor { reads, ..monitor(id, org) }, 1_000, &change).await.unwrap();
    }
    let moved = Monitor { reads: reads(&["web"], &[]), epoch: 2, ..monitor("mon_5", &ours) };
    test.replace_monitor(&moved, &change).await.unwrap().unwrap();
    let leased = test.lease_monitor(&ours, &"mon_1".into(), "owner", at(9), at(70)).await.unwrap();
    assert!(leased.is_some());

    let views = ["daily".to_owned()];
    let gone = Gone { dataset: Some("logs"), views: &views };
    test.begin_monitors_anew(&ours, gone).await.unwrap();
    let mut epochs = Vec::new();
    for id in ["mon_1", "mon_2", "mon_3", "mon_4", "mon_5"] {
        let monitor = test.monitor_to_run(&id.into()).await.unwrap().unwrap();
        epochs.push((monitor.revision, monitor.epoch));
    }
    assert_eq!(epochs, [(2, 2), (2, 2), (1, 1), (1, 1), (2, 2)]);
    let (known, strange) =
        (test.monitor_reads(&ours, None).await.unwrap(), test.monitor_reads(&theirs, None).await.unwrap());
    for (id, epoch, expected) in [
        ("mon_1", 1, None),
        ("mon_1", 2, Some(reads(&["logs"], &[]))),
        ("mon_2", 1, None),
        ("mon_2", 2, Some(reads(&["web"], &["daily"]))),
        ("mon_3", 1, Some(reads(&["logs-2", "web"], &["logs"]))),
        // One that reads something else by now goes on.
        ("mon_5", 1, None),
        ("mon_5", 2, Some(reads(&["web"], &[]))),
    ] {
        assert_eq!(known.of(&id.into(), Some(epoch)), expected.as_ref(), "{id} {epoch}");
    }
    assert!(strange.of(&"mon_4".into(), Some(1)).is_some());
    // A run that was under way found what is gone.
    assert!(!test.record_monitor_run(&recorded(&ours, "mon_1", "owner")).await.unwrap());
    assert_eq!(test.database.count("monitor_check").await, 0);

    test.begin_monitors_anew(&ours, gone).await.unwrap();
    let known = test.monitor_reads(&ours, None).await.unwrap();
    assert_eq!(known.of(&"mon_1".into(), Some(2)), None);
    assert!(known.of(&"mon_1".into(), Some(3)).is_some());

    // Nobody can tell what a damaged list named beside what it holds.
    test.database.execute("UPDATE monitor_reads SET views = views || '!'").await;
    assert_eq!(test.database.count("monitor_reads").await, 5);
    test.begin_monitors_anew(&ours, Gone { dataset: Some("logs"), views: &[] }).await.unwrap();
    assert_eq!(test.database.count("monitor_reads").await, 4, "mon_3 has a view of that name");
}
