//! When runs are due and which time they look at.

use std::collections::BTreeSet;
use std::time::Duration;

use proptest::prelude::{ProptestConfig, any, proptest};
use tidegauge_alerting::{Due, State, due, evaluate, first_run_after, next_due, spread, window};
use tidegauge_model::monitor::MonitorKind;
use tidegauge_model::{MonitorId, Timestamp};

use crate::support::{MINUTE, definition, monitor, nothing, run, threshold};

fn at(micros: i64) -> Timestamp {
    Timestamp::from_micros(micros)
}

#[test]
fn monitors_are_spread_and_none_waits_for_long() {
    let interval = Duration::from_secs(60);
    let seconds: BTreeSet<u64> = (0..1_000)
        .map(|number| spread(&MonitorId::from(format!("mon_{number:032x}")), interval))
        .inspect(|spread| assert!(*spread < Duration::from_secs(30)))
        .map(|spread| spread.as_secs())
        .collect();
    assert_eq!(seconds.len(), 30);
    // The same on every machine and for ever, or a new version would make all runs at other moments.
    assert_eq!(spread(&monitor(), interval), Duration::from_millis(21_825));
    let other = MonitorId::from("mon_018bcfe5680070008000000000000181");
    assert_eq!(spread(&other, interval * 60), Duration::from_millis(28_605));
}

#[test]
fn windows_end_at_whole_multiples_of_the_interval_less_the_delay() {
    let mut definition = threshold();
    (definition.interval_minutes, definition.range_minutes, definition.delay_seconds) = (5, 30, 90);
    let run = first_run_after(&definition, at(61 * MINUTE));
    assert_eq!(run, at(65 * MINUTE));
    let window = window(&definition, run, &State::default(), at(0));
    assert_eq!(window.end, at(65 * MINUTE - 90_000_000));
    assert_eq!(window.start, at(35 * MINUTE - 90_000_000));
}

#[test]
fn after_a_pause_only_the_latest_run_is_made() {
    let definition = threshold();
    let late = spread(&monitor(), definition.interval());
    let now = at(100 * MINUTE).plus(late);
    let due = |after| due(&definition, &monitor(), after, at(0), now);
    assert_eq!(due(at(99 * MINUTE)), Some(Due { at: at(100 * MINUTE), missed: 0 }));
    assert_eq!(due(at(40 * MINUTE)), Some(Due { at: at(100 * MINUTE), missed: 59 }));
    assert_eq!(due(at(100 * MINUTE)), None);
    // What lies before a change of the definition was not missed: perhaps it was off.
    let changed = at(98 * MINUTE + 1);
    let found = tidegauge_alerting::due(&definition, &monitor(), at(40 * MINUTE), changed, now);
    assert_eq!(found, Some(Due { at: at(100 * MINUTE), missed: 1 }));
}

#[test]
fn windows_of_events_join_and_go_back_a_day_at_most() {
    let definition = definition(MonitorKind::MatchEvent);
    let seen = |minute: i64| {
        let samples = tidegauge_alerting::Samples::Events(Vec::new());
        evaluate(&definition, &State::default(), &run(minute), &samples).state
    };
    let start = |state: &State, enabled| window(&definition, at(10_000 * MINUTE), state, enabled).start;
    assert_eq!(start(&State::default(), at(0)), at(9_995 * MINUTE));
    assert_eq!(start(&seen(9_999), at(0)), at(9_999 * MINUTE));
    assert_eq!(start(&seen(9_000), at(0)), at(9_000 * MINUTE));
    assert_eq!(start(&seen(1_000), at(0)), at((10_000 - 24 * 60) * MINUTE));
    // After it was off, it looks back no further than its range.
    assert_eq!(start(&seen(9_000), at(9_998 * MINUTE)), at(9_993 * MINUTE));
    // A failed run has not looked at its events.
    let failed = tidegauge_alerting::failed(&seen(9_000), String::new());
    assert_eq!(start(&failed.state, at(0)), at(9_000 * MINUTE));
    // Other kinds look at their range, whatever came before.
    let state = evaluate(&threshold(), &State::default(), &run(9_000), &nothing()).state;
    assert_eq!(window(&threshold(), at(10_000 * MINUTE), &state, at(0)).start, at(9_995 * MINUTE));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// A clock that is looked at whenever something is due makes every run once, in order.
    #[test]
    fn each_run_is_made_once(id in any::<u128>(), interval in 1_u32..200, start in 0_i64..1_000_000_000_000) {
        let mut definition = threshold();
        definition.interval_minutes = interval;
        let monitor = MonitorId::from(format!("mon_{id:032x}"));
        let mut last = at(start);
        for number in 0..20 {
            let moment = next_due(&definition, &monitor, last);
            assert_eq!(due(&definition, &monitor, last, at(0), moment.minus(Duration::from_micros(1))), None);
            let found = due(&definition, &monitor, last, at(0), moment).unwrap();
            assert_eq!(found.missed, 0);
            assert_eq!(found.at.as_micros() % (i64::from(interval) * MINUTE), 0);
            let step = found.at.as_micros() - last.as_micros();
            assert!(number == 0 || step == i64::from(interval) * MINUTE);
            last = found.at;
        }
    }
}
