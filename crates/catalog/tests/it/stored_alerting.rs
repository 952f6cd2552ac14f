//! What the sample rows of version 6 must mean that tell when monitors are due, who has them, and what runs have found.

use std::time::Duration;

use tidegauge_catalog::Catalog;
use tidegauge_catalog::monitor_checks::{CheckOutcome, MonitorCheck};
use tidegauge_catalog::monitor_runs::LeasedMonitor;
use tidegauge_model::monitor::AlertState;
use tidegauge_model::{MonitorId, OrgId, Timestamp};

use crate::stored_monitors::{HIGH_WATER, ODD_TIDES, SHIPS, seconds};
use crate::stored_sign_in::ORG;

/// Who had leased the monitor of events, and until when.
const OWNER: &str = "ffeeddccbbaa99887766554433221100";
const LEASED_UNTIL: i64 = 2_070;

const EAST: &str = r#"[["place","east"]]"#;
const NORTH: &str = r#"[["place","north"]]"#;
const SOUTH: &str = r#"[["place","south"]]"#;

/// The catalogue gives a state back as it is; what it means is checked by the crate that forms it.
const HIGH_WATER_STATE: &str = concat!(
    r#"{"form":1,"groups":[{"key":[["place","east"]],"runs":"110","#,
    r#""open":["mon_018bcfe5680070008000000000000181-1700001000000000",1700001000000000],"held":false},"#,
    r#"{"key":[["place","north"]],"runs":"110","held":true},"#,
    r#"{"key":[["place","west"]],"runs":"10","held":false}],"#,
    r#""seen_to":1700001570000000,"told":[0,0,0,0],"is_matching":false,"failures":1}"#
);
const SHIPS_STATE: &str = concat!(
    r#"{"form":1,"seen_to":1700000160000000,"told":[28333336,2,19675,2],"#,
    r#""open_events":["mon_018bcfe5680070008000000000000182-77.1","#,
    r#""mon_018bcfe5680070008000000000000182-77.2"],"is_matching":true,"failures":0}"#
);

/// Checks the watch, and then takes the leases of all monitors.
pub(crate) async fn check_watch(catalog: &Catalog) {
    check_history(catalog).await;
    for (id, state) in [(HIGH_WATER, HIGH_WATER_STATE), (SHIPS, SHIPS_STATE), (ODD_TIDES, "")] {
        let found = catalog.monitor_state(&ORG.into(), &id.into()).await.unwrap();
        assert_eq!(found.as_deref(), Some(state), "{id}");
    }
    check_leases(catalog).await;
}

async fn check_leases(catalog: &Catalog) {
    let lease = async |now: Timestamp| {
        let lease_until = now.plus(Duration::from_secs(3_600));
        catalog.lease_due_monitors("node", now, lease_until, 9, 9).await.unwrap()
    };
    let a_micro = Duration::from_micros(1);
    let (free, due) = (seconds(LEASED_UNTIL), high_water().due.unwrap());
    // One is due, and somebody has it until the lease ends.
    assert_eq!(catalog.first_monitor_due(free.minus(a_micro)).await.unwrap(), Some(due));
    assert_eq!(catalog.first_monitor_due(free).await.unwrap(), ships().due);
    assert!(!catalog.renew_monitor_lease(&SHIPS.into(), "another", free).await.unwrap());
    assert!(catalog.renew_monitor_lease(&SHIPS.into(), OWNER, free).await.unwrap());
    assert_eq!(lease(free.minus(a_micro)).await, []);
    assert_eq!(lease(free).await, [ships()]);
    // Nobody has the other, whose schedule is of the newest revision: it waits for its time.
    assert_eq!(lease(due.minus(a_micro)).await, []);
    assert_eq!(lease(due).await, [high_water()]);
    // The third is disabled. It can be leased for another reason than a run.
    let (org, id, now): (OrgId, MonitorId, _) = (ORG.into(), ODD_TIDES.into(), seconds(1));
    assert_eq!(catalog.lease_monitor(&org, &id, "node", now, free).await.unwrap(), Some(odd_tides()));
}

pub(crate) async fn check_history(catalog: &Catalog) {
    let history = async |id: &str| {
        let (start, end) = (seconds(0), seconds(9_999));
        catalog.list_monitor_checks(&ORG.into(), &id.into(), start, end, 99).await.unwrap()
    };
    assert_eq!(history(SHIPS).await, [ships_matched()]);
    assert_eq!(history(ODD_TIDES).await, []);
    let expected = [
        failed(),
        no_data("check_a7762b7b7d47f579daa71ab644edfe52", "", None),
        no_data("check_21fbae7712d4a46ae14ca7d96c3a3e11", EAST, Some(0.0)),
        crossed("check_11bfa1be19c9d4ac1d3877e762124e77", 1_000, "", 6.25),
        crossed("check_86317852de44f8952c697d9560142265", 1_000, EAST, 6.25),
        closed_by_hand(),
        crossed("check_682b42e3264a0585909e4e0fa10fda67", 400, "", 5.5),
        crossed("check_4910c8256ee7de8d2b42eed61a018340", 400, NORTH, 4.75),
        crossed("check_3395a4660d06a72a4305759103beb7a2", 400, SOUTH, 5.5),
    ];
    assert_eq!(history(HIGH_WATER).await, expected);
}

fn high_water() -> LeasedMonitor {
    LeasedMonitor {
        id: HIGH_WATER.into(),
        org: ORG.into(),
        last_run: Some(seconds(1_900)),
        due: Some(seconds(2_228).plus(Duration::from_millis(605))),
        state: HIGH_WATER_STATE.to_owned(),
        revision: 2,
    }
}

fn ships() -> LeasedMonitor {
    LeasedMonitor {
        id: SHIPS.into(),
        last_run: Some(seconds(160)),
        due: Some(seconds(223).plus(Duration::from_millis(972))),
        state: SHIPS_STATE.to_owned(),
        revision: 1,
        ..high_water()
    }
}

/// Has never run.
fn odd_tides() -> LeasedMonitor {
    let id = ODD_TIDES.into();
    LeasedMonitor { id, last_run: None, due: None, state: String::new(), revision: 0, ..high_water() }
}

fn crossed(id: &str, at: i64, group_key: &str, value: f64) -> MonitorCheck {
    MonitorCheck {
        id: id.to_owned(),
        at: seconds(at),
        finished: seconds(at + 10),
        window: (seconds(at - 630), seconds(at - 30)),
        group_key: group_key.to_owned(),
        state: AlertState::Open,
        outcome: CheckOutcome::Evaluated,
        is_change: true,
        value: Some(value),
        reason: format!("Current value of {value} is above or equal to the threshold value of 4.1"),
        missed: 0,
        cost: 7,
        epoch: Some(2),
    }
}

fn no_data(id: &str, group_key: &str, value: Option<f64>) -> MonitorCheck {
    MonitorCheck {
        outcome: CheckOutcome::NoData,
        is_change: false,
        value,
        reason: "There are no values any more".to_owned(),
        missed: 1,
        cost: 5,
        ..crossed(id, 1_600, group_key, 0.0)
    }
}

fn failed() -> MonitorCheck {
    MonitorCheck {
        outcome: CheckOutcome::Failed,
        value: None,
        reason: "The query failed: the dataset 'it's' was not found".to_owned(),
        cost: 0,
        ..crossed("check_3b2b0b3bc783f33891985645f48c1acb", 1_900, "", 0.0)
    }
}

fn closed_by_hand() -> MonitorCheck {
    MonitorCheck {
        finished: seconds(460),
        window: (seconds(460), seconds(460)),
        state: AlertState::Closed,
        value: None,
        reason: "Closed by hand".to_owned(),
        cost: 0,
        ..crossed("check_a12439649b26fc5350f7e5f39b0ac142", 460, "", 0.0)
    }
}

fn ships_matched() -> MonitorCheck {
    MonitorCheck {
        finished: seconds(165),
        window: (seconds(100), seconds(160)),
        reason: "2 events matched".to_owned(),
        missed: 1,
        cost: 11,
        epoch: Some(1),
        ..crossed("check_05369989125d96944e961eda9ce4fd76", 160, "", 2.0)
    }
}
