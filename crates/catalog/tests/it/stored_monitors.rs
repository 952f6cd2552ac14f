//! What the sample rows of version 6 must mean: monitors and annotations, the watch over monitors, and the outbox,
//! beside all that version 5 stores; and those of version 18, which tell what earlier epochs of monitors could read.

use tidegauge_catalog::Catalog;
use tidegauge_catalog::annotations::{Annotation, AnnotationFilter};
use tidegauge_catalog::monitors::{Given, Monitor, Reads};
use tidegauge_model::monitor::{Definition, MonitorKind, Operator};
use tidegauge_model::notifier::DisabledUntil;
use tidegauge_model::{OrgId, Timestamp};

use crate::database::{Database, KEY_BYTE};
use crate::stored_sign_in::{ADA, ORG, micros};
use crate::{stored_alerting, stored_deliveries, stored_forms, stored_rows, stored_sign_in};

pub(crate) const HIGH_WATER: &str = "mon_018bcfe5680070008000000000000181";
pub(crate) const SHIPS: &str = "mon_018bcfe5680070008000000000000182";
pub(crate) const ODD_TIDES: &str = "mon_018bcfe5680070008000000000000183";
pub(crate) const NOTIFIER: &str = "notify_018bcfe56800700080000000000000d1";

pub(crate) async fn version_6_is_still_read(database: &Database) {
    stored_rows::restore(database, 6).await;
    let catalog = database.open(KEY_BYTE).await.unwrap();
    check_all(&catalog).await;
    catalog.close().await;
}

/// What earlier epochs could read, beside all that was stored before.
pub(crate) async fn version_18_is_still_read(database: &Database) {
    stored_rows::restore(database, 18).await;
    let catalog = database.open(KEY_BYTE).await.unwrap();
    stored_forms::check_resources(&catalog).await;
    check_monitors(&catalog).await;
    check_annotations(&catalog).await;
    stored_alerting::check_history(&catalog).await;
    let known = catalog.monitor_reads(&ORG.into(), None).await.unwrap();
    let before = Reads { datasets: vec!["tide.gates".to_owned()], views: Vec::new() };
    assert_eq!(known.of(&HIGH_WATER.into(), Some(1)), Some(&before));
    catalog.close().await;
}

/// Checks all that version 6 stores, which later samples hold too.
pub(crate) async fn check_all(catalog: &Catalog) {
    stored_sign_in::check_all(catalog).await;
    check_monitors(catalog).await;
    check_annotations(catalog).await;
    stored_alerting::check_watch(catalog).await;
    stored_deliveries::check_outbox(catalog).await;
}

async fn check_monitors(catalog: &Catalog) {
    let org: OrgId = ORG.into();
    assert_eq!(catalog.list_monitors(&org).await.unwrap(), [high_water(), ships(), odd_tides()]);
    assert_eq!(catalog.monitor_to_run(&SHIPS.into()).await.unwrap(), Some(ships()));
    let known = catalog.monitor_reads(&org, None).await.unwrap();
    for monitor in [high_water(), ships(), odd_tides()] {
        assert_eq!(known.of(&monitor.id, Some(monitor.epoch)), Some(&monitor.reads));
    }
}

async fn check_annotations(catalog: &Catalog) {
    let org: OrgId = ORG.into();
    let all = AnnotationFilter::default();
    let expected = [by_hand(), by_ships(), by_high_water(), by_high_water_again()];
    assert_eq!(catalog.list_annotations(&org, &all).await.unwrap(), expected);
    let of_one = AnnotationFilter { datasets: vec!["it's".to_owned()], start: Some(seconds(400)), end: None };
    assert_eq!(catalog.list_annotations(&org, &of_one).await.unwrap(), expected[2..]);
}

/// So many seconds after the time that the sample begins with.
pub(crate) fn seconds(seconds: i64) -> Timestamp {
    micros(seconds * 1_000_000)
}

/// A monitor of values by group, which was changed once.
fn high_water() -> Monitor {
    Monitor {
        id: HIGH_WATER.into(),
        org: ORG.into(),
        definition: Definition {
            name: "High water".to_owned(),
            description: "close the \"north\" gate\n".to_owned(),
            kind: MonitorKind::Threshold,
            query: "['tide.levels'] | summarize max(level) by place".to_owned(),
            operator: Some(Operator::AboveOrEqual),
            threshold: 4.1,
            interval_minutes: 5,
            range_minutes: 10,
            delay_seconds: 30,
            notifiers: vec![NOTIFIER.into()],
            alerts_on_no_data: false,
            notifies_by_group: true,
            is_resolvable: true,
            notifies_every_run: false,
            skips_resolved: false,
            after_positives: 2,
            of_runs: 3,
            tolerance: 3.0,
            compare_days: 0,
            column: Some("max_level".to_owned()),
            is_disabled: false,
            disabled_until: None,
        },
        given: Given { after_positives: 2, of_runs: 3, tolerance: 0.0 },
        reads: Reads {
            datasets: vec!["tide.levels".to_owned(), "it's".to_owned()],
            views: vec!["daily".to_owned()],
        },
        revision: 2,
        epoch: 2,
        created: micros(100),
        created_by: ADA.into(),
        modified: micros(101),
    }
}

/// A monitor of events, which have neither a side nor a column.
fn ships() -> Monitor {
    let definition = Definition {
        name: "Ships".to_owned(),
        description: String::new(),
        kind: MonitorKind::MatchEvent,
        query: "['tide.levels'] | where ship == true".to_owned(),
        operator: None,
        threshold: 0.0,
        interval_minutes: 1,
        range_minutes: 1,
        delay_seconds: 0,
        notifies_by_group: false,
        after_positives: 1,
        of_runs: 1,
        column: None,
        ..high_water().definition
    };
    Monitor {
        id: SHIPS.into(),
        definition,
        given: Given::default(),
        reads: Reads { datasets: vec!["tide.levels".to_owned()], views: Vec::new() },
        revision: 1,
        epoch: 1,
        created: micros(102),
        modified: micros(102),
        ..high_water()
    }
}

/// A monitor that is off, and tells nobody.
fn odd_tides() -> Monitor {
    let definition = Definition {
        name: "Odd tides".to_owned(),
        description: "unlike the week before".to_owned(),
        kind: MonitorKind::AnomalyDetection,
        query: "daily".to_owned(),
        operator: Some(Operator::AboveOrBelow),
        // A number that not every reader of JSON brings back.
        threshold: 0.1 + 0.2,
        interval_minutes: 60,
        range_minutes: 1_440,
        notifiers: Vec::new(),
        alerts_on_no_data: true,
        notifies_by_group: false,
        is_resolvable: false,
        notifies_every_run: true,
        skips_resolved: true,
        tolerance: 2.5,
        compare_days: 7,
        is_disabled: true,
        disabled_until: Some(DisabledUntil {
            text: "2030-01-01T02:00:00+02:00".to_owned(),
            time: Timestamp::from_micros(1_893_456_000_000_000),
        }),
        ..high_water().definition
    };
    Monitor {
        id: ODD_TIDES.into(),
        definition,
        given: Given { after_positives: 0, of_runs: 0, tolerance: 2.5 },
        reads: Reads { datasets: Vec::new(), views: vec!["daily".to_owned()] },
        revision: 1,
        epoch: 1,
        created: micros(103),
        modified: micros(103),
        ..high_water()
    }
}

/// Made by hand, about a dataset that is there and one that is not.
fn by_hand() -> Annotation {
    Annotation {
        id: "ann_018bcfe5680070008000000000000191".into(),
        datasets: vec!["tide.levels".to_owned(), "it's".to_owned()],
        at: micros(104),
        end_at: Some(micros(105)),
        kind: "dredging".to_owned(),
        title: "The harbour is dredged".to_owned(),
        description: "levels are \"off\"".to_owned(),
        url: "https://harbour.example/dredging".to_owned(),
        monitor: None,
        epoch: None,
        created: micros(106),
        created_by: ADA.into(),
        modified: micros(107),
    }
}

/// Made by the trigger of a monitor.
fn by_high_water() -> Annotation {
    let description = "Current value of 5.5 is above or equal to the threshold value of 4.1, for place = south \
         and 1 more group";
    Annotation {
        id: "ann_4338173801a3bebfa02507838464e9ed".into(),
        datasets: vec!["tide.levels".to_owned(), "it's".to_owned()],
        at: seconds(400),
        end_at: None,
        kind: "monitor-triggered".to_owned(),
        title: "High water Triggered".to_owned(),
        description: description.to_owned(),
        url: String::new(),
        monitor: Some(HIGH_WATER.into()),
        epoch: Some(2),
        created: seconds(410),
        created_by: ADA.into(),
        modified: seconds(410),
    }
}

fn by_high_water_again() -> Annotation {
    let description =
        "Current value of 6.25 is above or equal to the threshold value of 4.1, for place = east";
    Annotation {
        id: "ann_be63b4cd93ed770c83cbb699b396cc48".into(),
        at: seconds(1_000),
        description: description.to_owned(),
        created: seconds(1_010),
        modified: seconds(1_010),
        ..by_high_water()
    }
}

fn by_ships() -> Annotation {
    Annotation {
        id: "ann_9e6e4eea1ac0bef88e20dd20efd7afc7".into(),
        datasets: vec!["tide.levels".to_owned()],
        at: seconds(160),
        title: "Ships Triggered".to_owned(),
        description: "An event matched".to_owned(),
        monitor: Some(SHIPS.into()),
        epoch: Some(1),
        created: seconds(165),
        modified: seconds(165),
        ..by_high_water()
    }
}
