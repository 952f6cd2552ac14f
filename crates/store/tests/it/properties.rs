//! Whatever comes in is read back the same, wherever it lies by then; and what is known of a segment without reading
//! it holds for all that is in it.

use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use tidegauge_catalog::columns::SYSTEM_COLUMNS;
use tidegauge_model::{DatasetId, FieldKind};
use tidegauge_store::{Bound, SegmentStats, StoredRow, StoredValue};

use crate::events::{Event, any_event, assert_same, columns_of, stored};
use crate::house::House;

#[derive(Clone, Debug)]
enum Step {
    Append(Vec<Event>),
    Flush,
    Compact,
    Retain,
    Collect,
    Vacuum,
    Restart,
    Kill,
    Close,
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => prop::collection::vec(any_event(), 0..12).prop_map(Step::Append),
        4 => Just(Step::Flush),
        2 => Just(Step::Compact),
        1 => Just(Step::Retain),
        1 => Just(Step::Collect),
        1 => Just(Step::Vacuum),
        1 => Just(Step::Restart),
        1 => Just(Step::Kill),
        1 => Just(Step::Close),
    ]
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
        .block_on(future)
}

async fn run(steps: Vec<Step>) -> (House, DatasetId, Vec<StoredRow>) {
    let mut house = House::with(|settings| settings.log_file_bytes = 4096).await;
    let id = house.dataset("logs").await.id().clone();
    let mut expected: Vec<StoredRow> = Vec::new();
    for (number, step) in steps.into_iter().enumerate() {
        let when = format!("after step {number}, {step:?}");
        let state = house.store.dataset(&id).unwrap();
        match step {
            Step::Append(events) => {
                let sequence = house.append(&state, &columns_of(&events)).await;
                expected.extend(stored(&events, sequence, house.receipt().arrival));
            }
            Step::Flush => house.store.flush(&state).await.unwrap(),
            Step::Compact => {
                house.advance(Duration::from_secs(86_400));
                house.compact().await;
            }
            Step::Retain => house.store.retain_step().await.unwrap(),
            Step::Collect => {
                house.advance(Duration::from_secs(7200));
                house.store.collect_garbage().await.unwrap();
                house.store.sweep_orphans().await.unwrap();
            }
            Step::Vacuum => house.store.vacuum(&state).await.unwrap(),
            Step::Restart => house = house.reopened().await,
            Step::Kill => house = house.killed().await,
            Step::Close => {
                house.store.close().await.unwrap();
                house = house.reopened().await;
            }
        }
        assert_same(&house.rows(&id).await, &expected, &when);
        check_fields(&house, &id, &expected, &when);
    }
    (house, id, expected)
}

/// Every field of an event is listed with the kind of its value.
fn check_fields(house: &House, id: &DatasetId, expected: &[StoredRow], when: &str) {
    let listed = house.store.dataset(id).unwrap().fields();
    let fields = expected.iter().flat_map(|row| &row.fields);
    for (field, value) in fields.filter(|(field, _)| !field.contains('\0')) {
        let is_listed = listed.get(&**field).is_some_and(|kinds| kinds.contains(&kind_of(value)));
        assert!(is_listed, "{field:?} {value:?} {when}");
    }
}

fn kind_of(value: &StoredValue) -> FieldKind {
    match value {
        StoredValue::Boolean(_) => FieldKind::Boolean,
        StoredValue::Integer(_) => FieldKind::Integer,
        StoredValue::Float(_) => FieldKind::Float,
        StoredValue::String(_) => FieldKind::String,
        StoredValue::Array(_) => FieldKind::Array,
        StoredValue::Map(_) => FieldKind::Map,
    }
}

/// Whether a value lies between the bounds of its column.
fn is_enclosed(value: &StoredValue, min: &Bound, max: &Bound) -> bool {
    match (value, min, max) {
        (StoredValue::Boolean(value), Bound::Boolean(min), Bound::Boolean(max)) => {
            min <= value && value <= max
        }
        (StoredValue::Integer(value), Bound::Integer(min), Bound::Integer(max)) => {
            min <= value && value <= max
        }
        (StoredValue::Float(value), Bound::Float(min), Bound::Float(max)) => min <= value && value <= max,
        (
            StoredValue::String(text) | StoredValue::Array(text) | StoredValue::Map(text),
            Bound::String(min),
            Bound::String(max),
        ) => min.as_slice() <= text.as_bytes() && text.as_bytes() <= max.as_slice(),
        _ => false,
    }
}

/// Reads each live segment by itself, by removing the others from a copy of the state: here, by its time and identity.
async fn check_bounds(house: &House, id: &DatasetId, rows: &[StoredRow]) -> Result<(), TestCaseError> {
    let columns = house.catalog.dataset_columns(id).await.unwrap();
    for segment in house.catalog.live_segments(id).await.unwrap() {
        let stats = house.catalog.segment_stats(&segment.id).await.unwrap();
        let stats = SegmentStats::decode(&stats).unwrap();
        let own = house.store.rows_of(&segment).await.unwrap();
        prop_assert_eq!(own.len() as u64, segment.rows);
        prop_assert!(own.iter().all(|row| rows.iter().any(|other| other.sequence == row.sequence)));
        for row in &own {
            prop_assert!(segment.min_time <= row.time && row.time <= segment.max_time);
            prop_assert!(segment.min_sequence <= row.sequence && row.sequence <= segment.max_sequence);
            for (field, value) in &row.fields {
                let column =
                    columns.iter().find(|column| column.field == **field && column.kind == kind_of(value));
                let of = |number: u32| {
                    stats.columns.iter().find(|stats| stats.number == number && stats.count > 0)
                };
                let Some(bounds) = column.and_then(|column| of(column.number)) else {
                    prop_assert!(stats.rest.iter().any(|rest| **rest == **field), "{} is nowhere", field);
                    continue;
                };
                if let (Some(min), Some(max)) = (&bounds.min, &bounds.max) {
                    prop_assert!(is_enclosed(value, min, max), "{field}: {value:?} not in {bounds:?}");
                }
            }
        }
        prop_assert!(stats.columns.len() >= SYSTEM_COLUMNS.len());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn events_stay_what_they_are_through_every_change_of_place(steps in prop::collection::vec(any_step(), 1..14)) {
        block_on(run(steps));
    }

    #[test]
    fn what_is_known_of_a_segment_encloses_what_is_in_it(
        batches in prop::collection::vec(prop::collection::vec(any_event(), 1..25), 1..6),
        is_compacted: bool,
    ) {
        let mut steps: Vec<Step> =
            batches.into_iter().flat_map(|events| [Step::Append(events), Step::Flush]).collect();
        if is_compacted {
            steps.push(Step::Compact);
        }
        block_on(async {
            let (house, id, rows) = run(steps).await;
            check_bounds(&house, &id, &rows).await?;
            let findings = house.store.check(true).await.unwrap();
            prop_assert_eq!(findings, Vec::new());
            Ok(())
        })?;
    }
}
