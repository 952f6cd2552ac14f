//! Whatever comes in is read back the same, wherever it lies by then; and what is known of a segment without reading
//! it holds for all that is in it.

use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use tidegauge_catalog::columns::SYSTEM_COLUMNS;
use tidegauge_model::{DatasetId, FieldKind, RowId};
use tidegauge_store::{Bound, SegmentStats, StoredRow, StoredValue};

use crate::deletion::{chosen, id_of};
use crate::events::{Event, any_event, assert_same, columns_of, stored};
use crate::house::{House, START, files_in};
use crate::rebuild::rebuilt;
use crate::through_blocks::assert_blocks;

#[derive(Clone, Debug)]
enum Step {
    Append(Vec<Event>),
    Flush,
    Compact,
    Retain,
    Collect,
    Vacuum,
    /// Which events go, again and again over all of them.
    Delete(Vec<bool>),
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
        2 => prop::collection::vec(any::<bool>(), 1..9).prop_map(Step::Delete),
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

/// A store after some steps, with what must be in it and what was deleted from it.
struct Outcome {
    house: House,
    id: DatasetId,
    expected: Vec<StoredRow>,
    deleted: Vec<RowId>,
}

async fn run(steps: Vec<Step>) -> Outcome {
    let mut house = House::with(|settings| settings.wal_file_bytes = 4096).await;
    let id = house.dataset("logs").await.id().clone();
    let mut expected: Vec<StoredRow> = Vec::new();
    let mut deleted: Vec<RowId> = Vec::new();
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
            Step::Retain => house.store.enforce_retention().await.unwrap(),
            Step::Collect => {
                house.advance(Duration::from_secs(7200));
                house.store.collect_garbage().await.unwrap();
                house.store.collect_orphans().await.unwrap();
            }
            Step::Vacuum => house.store.vacuum(&state).await.unwrap(),
            Step::Delete(is_doomed) => {
                let (doomed, left) = chosen(&expected, |at| is_doomed[at % is_doomed.len()]);
                let done = house.store.delete_rows(&state, doomed.clone()).await.unwrap();
                assert_eq!(done.rows, doomed.len() as u64, "{when}");
                expected = left;
                deleted.extend(doomed);
            }
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
    Outcome { house, id, expected, deleted }
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
        StoredValue::LongInteger(_) => FieldKind::LongInteger,
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
            StoredValue::String(text)
            | StoredValue::Array(text)
            | StoredValue::Map(text)
            | StoredValue::LongInteger(text),
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

/// Loses the catalogue, and with it nothing. What was deleted from it a short time ago may come back.
async fn rebuild_and_go_on(outcome: Outcome) {
    let Outcome { house, id, mut expected, deleted } = outcome;
    let id = &id;
    if files_in(&house.folder.path().join("segments"), "parquet").is_empty() {
        return;
    }
    let (house, done) = rebuilt(house).await;
    let when = format!("rebuilt: {done:?}");
    let Some(state) = house.store.dataset(id) else {
        assert!(expected.is_empty(), "{when}");
        return;
    };
    let found = house.rows(id).await;
    let again: Vec<RowId> = found.iter().map(id_of).filter(|row| deleted.contains(row)).collect();
    let done = house.store.delete_rows(&state, deleted).await.unwrap();
    assert_eq!(done.rows, again.len() as u64, "{when}");
    assert_same(&house.rows(id).await, &expected, &when);
    check_fields(&house, id, &expected, &when);
    let events = [Event::new(START * 1000, [("a".to_owned(), StoredValue::Boolean(true))])];
    let sequence = house.append(&state, &columns_of(&events)).await;
    expected.extend(stored(&events, sequence, house.receipt().arrival));
    house.store.flush(&state).await.unwrap();
    house.advance(Duration::from_secs(5 * 86_400));
    house.compact().await;
    assert_same(&house.rows(id).await, &expected, "compacted after it was rebuilt");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn events_stay_what_they_are_through_every_change_of_place(steps in prop::collection::vec(any_step(), 1..14)) {
        block_on(async {
            rebuild_and_go_on(run(steps).await).await;
        });
    }

    #[test]
    fn what_is_known_of_a_segment_encloses_what_is_in_it(
        batches in prop::collection::vec(prop::collection::vec(any_event(), 1..25), 1..6),
        is_compacted: bool,
        is_doomed in prop::option::of(prop::collection::vec(any::<bool>(), 1..9)),
    ) {
        let mut steps: Vec<Step> =
            batches.into_iter().flat_map(|events| [Step::Append(events), Step::Flush]).collect();
        if is_compacted {
            steps.push(Step::Compact);
        }
        let is_deleted = is_doomed.is_some();
        steps.extend(is_doomed.map(Step::Delete));
        block_on(async {
            let Outcome { house, id, expected, .. } = run(steps).await;
            check_bounds(&house, &id, &expected).await?;
            if is_deleted {
                assert_blocks(&house.store, &id, &expected, "deleted").await;
            }
            let findings = house.store.check(true).await.unwrap();
            prop_assert_eq!(findings, Vec::new());
            Ok(())
        })?;
    }
}
