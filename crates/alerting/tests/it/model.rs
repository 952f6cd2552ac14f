//! The machine against a naive one, which keeps every run of every group for ever and looks at all of them each time.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{ProptestConfig, Strategy, any, proptest};
use tidegauge_alerting::{NotificationKind, Point, Samples, Series};
use tidegauge_model::monitor::Definition;

use crate::support::{Machine, key, threshold};

const HOSTS: [&str; 4] = ["a", "b", "c", "d"];

/// For each run the value of each host, if it has one.
type Runs = Vec<[Option<i8>; HOSTS.len()]>;

fn runs() -> impl Strategy<Value = Runs> {
    vec(proptest::array::uniform4(option::weighted(0.7, 0_i8..10)), 1..40)
}

fn definition(bits: u8, after: u32, of: u32) -> Definition {
    let mut definition = threshold();
    definition.alerts_on_no_data = bits & 1 > 0;
    definition.notifies_by_group = bits & 2 > 0;
    definition.notifies_every_run = bits & 4 > 0;
    definition.skips_resolved = bits & 8 > 0;
    (definition.after_positives, definition.of_runs) = (after, of.max(after));
    definition
}

fn samples(run: &[Option<i8>; HOSTS.len()]) -> Samples {
    let series = |(host, value): (&&str, &Option<i8>)| {
        let points = vec![Point::of(f64::from((*value)?))];
        Some(Series { key: key(host), points, earlier: Vec::new() })
    };
    Samples::Series(HOSTS.iter().zip(run).filter_map(series).collect())
}

/// Whether each group is open after each run. The group without a name is the whole.
fn open_groups(definition: &Definition, runs: &Runs) -> Vec<BTreeSet<String>> {
    let mut positives: BTreeMap<String, Vec<bool>> = BTreeMap::new();
    let mut open = Vec::new();
    for run in runs {
        let is_empty = run.iter().all(Option::is_none);
        let is_out = |value: &Option<i8>| value.is_some_and(|value| value > 5);
        let mut found: BTreeMap<String, Option<bool>> = BTreeMap::new();
        let tells_nothing = is_empty && definition.alerts_on_no_data;
        if definition.notifies_by_group {
            for (host, value) in HOSTS.iter().zip(run) {
                found.insert((*host).to_owned(), (!tells_nothing).then(|| is_out(value)));
            }
            found.insert(String::new(), Some(tells_nothing));
        } else {
            found.insert(String::new(), Some(tells_nothing || run.iter().any(is_out)));
        }
        for (group, is_positive) in found {
            positives.entry(group).or_default().extend(is_positive);
        }
        let is_open = |runs: &Vec<bool>| {
            let last = runs.iter().rev().take(definition.of_runs as usize);
            last.filter(|is_positive| **is_positive).count() >= definition.after_positives as usize
        };
        open.push(
            positives.iter().filter(|(_, runs)| is_open(runs)).map(|(group, _)| group.clone()).collect(),
        );
    }
    open
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn opens_and_closes_as_the_naive_one(runs in runs(), bits in any::<u8>(), after in 1_u32..4, of in 1_u32..6) {
        let definition = definition(bits, after, of);
        let expected = open_groups(&definition, &runs);
        let mut machine = Machine::new(definition.clone());
        let mut was_open: BTreeSet<String> = BTreeSet::new();
        let mut incidents: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (run, expected) in runs.iter().zip(expected) {
            let outcome = machine.next(&samples(run));
            let host = |key: &tidegauge_alerting::GroupKey| key.first().map_or(String::new(), |(_, host)| host.clone());
            let open: BTreeSet<String> = outcome.state.open_groups().map(|(key, _)| host(key)).collect();
            assert_eq!(open, expected);

            let opened: BTreeSet<String> = open.difference(&was_open).cloned().collect();
            let of = |kind| outcome.notifications.iter().filter(move |notification| notification.kind == kind);
            assert_eq!(of(NotificationKind::Opened).count(), usize::from(!opened.is_empty()));
            for notification in of(NotificationKind::Opened) {
                assert!(opened.contains(&host(&notification.group)));
                assert_eq!(notification.others + 1, opened.len());
                incidents.insert(notification.incident.clone(), opened.clone());
            }
            incidents.values_mut().for_each(|groups| groups.retain(|group| open.contains(group)));
            let mut ended: Vec<&String> = incidents.iter().filter(|(_, groups)| groups.is_empty()).map(|(id, _)| id).collect();
            if definition.skips_resolved {
                ended.clear();
            }
            let closed: Vec<&String> = of(NotificationKind::Closed).map(|notification| &notification.incident).collect();
            let sorted: BTreeSet<&String> = closed.iter().copied().collect();
            assert_eq!(sorted, ended.into_iter().collect());
            assert_eq!(sorted.len(), closed.len());
            incidents.retain(|_, groups| !groups.is_empty());
            let still = open.intersection(&was_open).count();
            let says_again = definition.notifies_every_run && opened.is_empty() && still > 0;
            let is_seen = run.iter().any(Option::is_some) || !definition.alerts_on_no_data;
            // Where nothing comes at all, only what is open for that reason is told again.
            if is_seen {
                assert_eq!(of(NotificationKind::Repeated).count(), usize::from(says_again));
            }
            assert_eq!(outcome.checks[0].is_change, open.is_empty() != was_open.is_empty());
            was_open = open;
        }
    }
}
