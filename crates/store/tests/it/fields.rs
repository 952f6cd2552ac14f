//! Datasets with very many fields, and events of wild times.

use std::time::Duration;

use tidegauge_store::{StoredRow, StoredValue};

use crate::events::{Event, HOUR, SECOND, assert_same, columns_of, stored};
use crate::house::{House, START};

const FIELDS: usize = 5000;

/// A value whose kind and value follow from the field's number.
fn value(field: usize, row: i64) -> StoredValue {
    match field % 6 {
        0 => StoredValue::Integer(row * 1000 + field as i64),
        1 => StoredValue::Float(row as f64 + 0.1),
        2 => StoredValue::String(format!("text \"{row}\" of\n{field}")),
        3 => StoredValue::Boolean(row % 2 == 0),
        4 => StoredValue::Array(format!("[{row}, \"{field}\"]")),
        _ => StoredValue::Map(format!("{{\"row\": {row}}}")),
    }
}

/// Events that have each of these fields once, and a common one that changes its kind.
fn wide(fields: std::ops::Range<usize>, from: i64) -> Vec<Event> {
    let fields: Vec<usize> = fields.collect();
    let event = |(row, own): (i64, &[usize])| {
        let common = if row % 2 == 0 { StoredValue::Float(-0.0) } else { StoredValue::Integer(row) };
        let own = own.iter().map(|field| (format!("field.{field}"), value(*field, row)));
        Event::new(START * 1000 + row * SECOND, own.chain([("common".to_owned(), common)]))
    };
    (from..).zip(fields.chunks(50)).map(event).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_thousand_fields_keep_kind_and_value_wherever_they_are() {
    let mut house = House::new().await;
    let id = house.dataset("wide").await.id().clone();
    let mut expected: Vec<StoredRow> = Vec::new();
    // Each segment has other fields in columns of their own: those that most of its rows have.
    for (round, fields) in [0..FIELDS, 0..600, 4000..FIELDS, 300..900].into_iter().enumerate() {
        let dataset = house.store.dataset(&id).unwrap();
        for repeat in 0..1 + round as i64 {
            let events = wide(fields.clone(), round as i64 * 1000 + repeat * 200);
            let sequence = house.append(&dataset, &columns_of(&events)).await;
            expected.extend(stored(&events, sequence, house.receipt().arrival));
        }
        assert_same(&house.rows(&id).await, &expected, "in the buffer");
        house.store.flush(&dataset).await.unwrap();
        assert_same(&house.rows(&id).await, &expected, "flushed");
        house = house.killed().await;
        assert_same(&house.rows(&id).await, &expected, "after a restart");
    }
    assert_eq!(house.store.dataset(&id).unwrap().fields().len(), FIELDS + 1);
    let before = house.store.dataset(&id).unwrap().info().segments;
    house.advance(Duration::from_secs(3 * 86_400));
    house.compact().await;
    assert!(house.store.dataset(&id).unwrap().info().segments < before);
    assert_same(&house.rows(&id).await, &expected, "compacted");
    let dataset = house.store.dataset(&id).unwrap();
    house.store.vacuum(&dataset).await.unwrap();
    let house = house.reopened().await;
    assert_eq!(house.store.dataset(&id).unwrap().fields().len(), FIELDS + 1);
    assert_eq!(house.store.dataset(&id).unwrap().fields()["common"].len(), 2);
    assert_eq!(house.store.check(true).await.unwrap(), Vec::new());
}

#[tokio::test]
async fn fields_that_no_event_has_any_more_are_forgotten_and_may_come_again() {
    let house = House::new().await;
    let dataset = house.dataset("logs").await;
    let old = [Event::new(0, [("gone".to_owned(), StoredValue::Integer(1))])];
    let new = [Event::new(START * 1000, [("kept".to_owned(), StoredValue::Integer(1))])];
    house.append(&dataset, &columns_of(&old)).await;
    house.store.flush(&dataset).await.unwrap();
    house.append(&dataset, &columns_of(&new)).await;
    house.store.flush(&dataset).await.unwrap();
    let removed = house.store.trim(&dataset, tidegauge_model::Timestamp::from_micros(1)).await.unwrap();
    assert_eq!(removed, 1);
    let generation = dataset.generation();
    house.store.vacuum(&dataset).await.unwrap();
    assert!(dataset.generation() > generation);
    assert_eq!(dataset.fields().into_keys().collect::<Vec<_>>(), ["kept"]);
    assert_eq!(house.catalog.dataset_columns(dataset.id()).await.unwrap().len(), 1);
    house.append(&dataset, &columns_of(&old)).await;
    house.store.flush(&dataset).await.unwrap();
    let id = dataset.id().clone();
    let house = house.reopened().await;
    assert_eq!(house.store.dataset(&id).unwrap().fields().len(), 2);
    assert_eq!(house.rows(&id).await.len(), 2);
}

#[tokio::test]
async fn wild_times_do_not_widen_the_segments_of_normal_ones() {
    let year = 365 * 24 * HOUR + 6 * HOUR;
    let house = House::new().await;
    let dataset = house.dataset("wild").await;
    let hour = START * 1000 / HOUR * HOUR;
    let mut times: Vec<i64> = (0..1800).map(|second| hour + second * 2 * SECOND).collect();
    // From 1700 to 2260, one for each ten years or so.
    times.extend((-270..=290).step_by(10).map(|years| years * year));
    times.extend([i64::MIN, i64::MAX]);
    let events: Vec<Event> =
        times.iter().map(|time| Event::new(*time, [("n".to_owned(), StoredValue::Integer(*time))])).collect();
    let sequence = house.append(&dataset, &columns_of(&events)).await;
    let expected = stored(&events, sequence, house.receipt().arrival);
    let check = async |when: &str| {
        assert_same(&house.rows(dataset.id()).await, &expected, when);
        let segments = house.catalog.live_segments(dataset.id()).await.unwrap();
        let normal: Vec<_> = segments.iter().filter(|segment| segment.rows >= 1800).collect();
        assert_eq!(normal.len(), 1, "{when}: {segments:?}");
        assert!(normal[0].min_time >= hour && normal[0].max_time < hour + HOUR, "{when}: {normal:?}");
    };
    house.store.flush(&dataset).await.unwrap();
    check("flushed").await;
    house.advance(Duration::from_secs(3 * 86_400));
    house.compact().await;
    check("compacted").await;
}
