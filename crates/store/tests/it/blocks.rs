//! What queries read: columns through blocks, and what is said of a block before it is read.

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use arrow_array::Array;
use proptest::prelude::*;
use tidegauge_model::{DatasetId, ErrorKind, FieldKind};
use tidegauge_store::{Block, BlockColumn, BlockId, Codes, Predicate, Scalar, Store, StoredRow, StoredValue};

use crate::events::{Event, SECOND, any_event, columns_of, stored};
use crate::house::{House, START, events};
use crate::through_blocks::{all_blocks, assert_blocks, rows_of, values};

fn at(second: i64) -> i64 {
    START * 1000 + second * SECOND
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
        .block_on(future)
}

async fn append(house: &House, id: &DatasetId, events: &[Event], expected: &mut Vec<StoredRow>) {
    let state = house.store.dataset(id).unwrap();
    let sequence = house.append(&state, &columns_of(events)).await;
    expected.extend(stored(events, sequence, house.receipt().arrival));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn whatever_comes_in_is_read_through_blocks(
        batches in prop::collection::vec(prop::collection::vec(any_event(), 1..25), 2..6),
        later in prop::collection::vec(any_event(), 1..25),
    ) {
        block_on(async {
            let house = House::new().await;
            let id = house.dataset("logs").await.id().clone();
            let mut expected = Vec::new();
            for batch in &batches {
                append(&house, &id, batch, &mut expected).await;
            }
            assert_blocks(&house.store, &id, &expected, "in the buffer").await;
            house.flush(&id).await;
            assert_blocks(&house.store, &id, &expected, "in segments").await;
            append(&house, &id, &later, &mut expected).await;
            assert_blocks(&house.store, &id, &expected, "in both").await;
            house.flush(&id).await;
            house.advance(Duration::from_secs(5 * 86_400));
            house.compact().await;
            assert_blocks(&house.store, &id, &expected, "compacted").await;
            let house = house.reopened().await;
            assert_blocks(&house.store, &id, &expected, "after a restart").await;
        });
    }
}

/// Events with more fields than a segment has columns. Texts and maps hold the names of other fields.
fn wide(from: i64, count: i64) -> Vec<Event> {
    let value = |field: i64, row: i64| match field % 6 {
        0 => StoredValue::Integer(if row == 0 { i64::MIN } else { row * 1000 + field }),
        1 => StoredValue::Float(row as f64 + 0.1),
        2 => StoredValue::String(format!("text \"field {}\":{row} of\n{field}", field + 1)),
        3 => StoredValue::Boolean(row % 2 == 0),
        4 => StoredValue::Array(format!("[{row}, \"{field}\"]")),
        _ => StoredValue::Map(format!("{{\"field {}\":{row}}}", field + 1)),
    };
    let event = |row: i64| {
        let fields = (0..count).filter(|field| (field + row) % 5 == 0 || field % 7 == 0);
        Event::new(at(from + row), fields.map(|field| (format!("field {field}"), value(field, row))))
    };
    (0..20).map(event).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fields_without_a_column_of_their_own_are_read_the_same_way() {
    let house = House::new().await;
    let id = house.dataset("wide").await.id().clone();
    let mut expected = Vec::new();
    for part in 0..5 {
        append(&house, &id, &wide(part * 20, 700), &mut expected).await;
        house.flush(&id).await;
    }
    assert_blocks(&house.store, &id, &expected, "flushed").await;
    assert!(house.store.stats().footer_bytes > 0);
    house.advance(Duration::from_secs(3 * 86_400));
    house.compact().await;
    assert_blocks(&house.store, &id, &expected, "compacted").await;
    // The rarest fields are in the shared column, whose size is what they cost.
    let block = &all_blocks(&house.store, &id).await.blocks[0];
    let mut sizes = HashSet::new();
    block.fields(&mut |field, kinds| {
        sizes.extend(kinds.iter().map(|kind| (block.column_bytes(field, kind), field.to_owned())));
    });
    let largest = sizes.iter().map(|(bytes, _)| *bytes).max().unwrap();
    assert!(sizes.iter().filter(|(bytes, _)| *bytes == largest).count() > 100);
}

#[tokio::test]
async fn little_room_for_footers_changes_nothing_but_the_work() {
    let house = House::with(|settings| settings.footer_cache_bytes = 200_000).await;
    let id = house.dataset("wide").await.id().clone();
    let mut expected = Vec::new();
    for part in 0..4 {
        append(&house, &id, &wide(part * 20, 510), &mut expected).await;
        house.flush(&id).await;
    }
    assert_blocks(&house.store, &id, &expected, "with little room").await;
    assert!(house.store.stats().footer_bytes <= 200_000);
    house.advance(Duration::from_secs(3 * 86_400));
    house.compact().await;
    assert_eq!(house.store.stats().footer_bytes, 0, "replaced segments are forgotten");
}

/// So many events, one in a microsecond, with ids, words of few kinds, and numbers that grow.
fn many(rows: i64) -> Vec<Event> {
    let event = |row: i64| {
        let mut fields = vec![
            ("id".to_owned(), StoredValue::String(format!("{:032x}", row as u128 * 0x9e37_79b9_7f4a_7c15))),
            ("word".to_owned(), StoredValue::String(format!("word {}", row % 300))),
            ("number".to_owned(), StoredValue::Integer(row)),
        ];
        if row % 3 == 0 {
            fields.push((
                "few".to_owned(),
                StoredValue::String(["", "größe", "c"][row as usize % 9 / 3].to_owned()),
            ));
        }
        // In the first pages of the first row group there is none.
        if row > 100_000 {
            fields.push(("late".to_owned(), StoredValue::String(format!("late {}", row % 5))));
        }
        Event::new(at(0) + row * 1000, fields)
    };
    (0..rows).map(event).collect()
}

async fn is_possible(block: &Block, field: &str, kind: FieldKind, test: Predicate<'_>) -> bool {
    block.may_pass(field, kind, &test).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn row_groups_are_left_out_by_time_by_bounds_and_by_filters() {
    const ROWS: i64 = 140_000;
    let house = House::new().await;
    let id = house.dataset("many").await.id().clone();
    let mut expected = Vec::new();
    append(&house, &id, &many(ROWS), &mut expected).await;
    let snapshot = house.store.dataset(&id).unwrap().snapshot();
    house.flush(&id).await;
    // What began before the flush still reads the buffer.
    let before = house.store.blocks(&snapshot, i64::MIN, i64::MAX).await.unwrap();
    assert!(before.blocks.iter().all(Block::is_buffered));
    assert_eq!(before.blocks.iter().map(Block::rows).sum::<usize>(), ROWS as usize);

    let found = all_blocks(&house.store, &id).await;
    let [late, early] = found.blocks.as_slice() else { panic!("{:?}", found.blocks) };
    assert_eq!((early.rows(), late.rows()), (131_072, 8928));
    assert!(late.min_time() > early.max_time() && found.segment_bytes > late.stored_bytes());
    let snapshot = house.store.dataset(&id).unwrap().snapshot();
    let between = async |start, end| {
        let found = house.store.blocks(&snapshot, start, end).await.unwrap();
        (found.blocks.len(), found.skipped)
    };
    assert_eq!(between(late.min_time(), i64::MAX).await, (1, 1));
    assert_eq!(between(early.max_time(), late.min_time()).await, (1, 1));
    assert_eq!(between(i64::MIN, early.min_time()).await, (0, 2));
    assert_eq!(between(early.min_time(), early.min_time()).await, (0, 2));

    let (text, number) = (FieldKind::String, FieldKind::Integer);
    let limit = Scalar::Integer(131_072);
    assert!(is_possible(late, "number", number, Predicate::Equal(limit)).await);
    for test in
        [Predicate::Equal(limit), Predicate::AtLeast(limit), Predicate::Above(Scalar::Integer(131_071))]
    {
        assert!(!is_possible(early, "number", number, test).await, "{test:?}");
    }
    assert!(!is_possible(late, "number", number, Predicate::Below(limit)).await);
    assert!(!is_possible(late, "number", text, Predicate::IsPresent).await);
    assert!(!is_possible(late, "nothing", text, Predicate::IsPresent).await);
    assert!(!is_possible(late, "word", text, Predicate::StartsWith("x")).await);
    let mut wrong = 0;
    for (row, block, other) in [(0, early, late), (ROWS - 1, late, early)] {
        let own = expected[row as usize].fields.iter().find(|(field, _)| **field == *"id");
        let Some((_, StoredValue::String(own))) = own else { panic!() };
        let test = Predicate::Equal(Scalar::String(own));
        assert!(is_possible(block, "id", text, test).await);
        wrong += u32::from(is_possible(other, "id", text, test).await);
    }
    for absent in 0..200_u128 {
        let absent = format!("{:032x}", absent * 0x1234_5678_9abc_def1 + 7);
        wrong += u32::from(is_possible(early, "id", text, Predicate::Equal(Scalar::String(&absent))).await);
    }
    assert!(wrong < 40, "{wrong} of 202 ids that are not there were thought to be");
    check_codes(late, &expected[131_072..]).await;
    check_codes(early, &expected[..131_072]).await;
    assert_eq!(rows_of(late, false).await, expected[131_072..]);
    assert_eq!(rows_of(early, false).await, expected[..131_072]);
}

/// Texts of which few are different come as small codes, with nulls where there are none.
async fn check_codes(block: &Block, rows: &[StoredRow]) {
    for (field, width) in [("word", 2), ("few", 1), ("late", 1)] {
        let column = block.column(field, FieldKind::String).await.unwrap().unwrap();
        let BlockColumn::Coded { codes, values: table, nulls } = &column else {
            panic!("{field} is not coded")
        };
        let is_right = match codes {
            Codes::U8(_) => width == 1,
            Codes::U16(_) => width == 2,
            Codes::U32(_) => false,
        };
        assert!(is_right && table.len() < 400, "{field}");
        let has_all = rows.iter().all(|row| row.fields.iter().any(|(name, _)| **name == *field));
        assert_eq!(nulls.is_none(), has_all, "{field}");
        for (found, row) in values(&column, FieldKind::String).iter().zip(rows) {
            let own = row.fields.iter().find(|(name, _)| **name == *field).map(|(_, value)| value.clone());
            assert_eq!(*found, own);
        }
    }
    let ids = block.column("id", FieldKind::String).await.unwrap().unwrap();
    assert!(matches!(ids, BlockColumn::Plain(_)));
}

#[tokio::test]
async fn a_dictionary_that_grew_too_large_is_read_as_plain_texts() {
    let house = House::new().await;
    let id = house.dataset("long").await.id().clone();
    // As many different ones in both, but the long ones do not fit into a dictionary.
    let long = |row: i64| StoredValue::String(format!("{:0>600}", row * 7919 % 4000));
    let short = |row: i64| StoredValue::String(format!("{}", row * 7919 % 4000));
    let event = |row: i64| {
        Event::new(at(0) + row, [("long".to_owned(), long(row)), ("short".to_owned(), short(row))])
    };
    let events: Vec<Event> = (0..16_000).map(event).collect();
    append(&house, &id, &events, &mut Vec::new()).await;
    house.flush(&id).await;
    let block = all_blocks(&house.store, &id).await.blocks.remove(0);
    let column = async |field| block.column(field, FieldKind::String).await.unwrap().unwrap();
    let (found_long, found_short) = (column("long").await, column("short").await);
    assert!(matches!(found_long, BlockColumn::Plain(_)));
    assert!(matches!(found_short, BlockColumn::Coded { codes: Codes::U16(_), .. }));
    let all =
        |value: &dyn Fn(i64) -> StoredValue| (0..16_000).map(|row| Some(value(row))).collect::<Vec<_>>();
    assert!(values(&found_long, FieldKind::String) == all(&long));
    assert!(values(&found_short, FieldKind::String) == all(&short));
}

#[tokio::test]
async fn many_small_requests_are_cut_where_they_stay_cut() {
    let house = House::with(|settings| settings.flush_rows = usize::MAX).await;
    let dataset = house.dataset("small").await;
    let id = dataset.id().clone();
    let ids = async || -> Vec<BlockId> {
        let mut ids: Vec<_> = all_blocks(&house.store, &id).await.blocks.iter().map(Block::id).collect();
        ids.sort();
        ids
    };
    let mut before = ids().await;
    assert!(before.is_empty());
    for part in 0..6 {
        // Each request is older than the one before: the order of time is not that of arrival.
        let times: Vec<i64> = (0..5000).map(|row| at(-part * 5000 + row)).collect();
        house.append(&dataset, &events(&times)).await;
        let now = ids().await;
        let kept = before.iter().filter(|id| now.contains(id)).count();
        assert!(kept + 1 >= before.len(), "only the last stretch grows");
        before = now;
    }
    assert_eq!(before.len(), 2);
    assert_blocks_match(&house, &id).await;
    house.flush(&id).await;
    let after = ids().await;
    assert!(after.iter().all(|id| !before.contains(id)));
    assert_blocks_match(&house, &id).await;
}

async fn assert_blocks_match(house: &House, id: &DatasetId) {
    let mut found = Vec::new();
    for block in &all_blocks(&house.store, id).await.blocks {
        found.extend(rows_of(block, false).await);
    }
    found.sort_by_key(|row| (row.time, row.sequence, row.index));
    assert_eq!(found, house.rows(id).await);
}

fn flip(path: &Path, at: usize) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[at] ^= 0x10;
    std::fs::write(path, bytes).unwrap();
}

/// Reads every column and says which of them are damaged.
async fn damaged_columns(house: &House, id: &DatasetId) -> Result<Vec<String>, tidegauge_store::Error> {
    let snapshot = house.store.dataset(id).unwrap().snapshot();
    let found = house.store.blocks(&snapshot, i64::MIN, i64::MAX).await?;
    let mut damaged = Vec::new();
    for block in &found.blocks {
        let mut results = vec![block.times().await.err(), block.arrivals().await.err()];
        results.extend([block.sequences().await.err(), block.indexes().await.err()]);
        for (field, kind) in [("n", FieldKind::Integer), ("n", FieldKind::Float), ("name", FieldKind::String)]
        {
            results.push(block.column(field, kind).await.err());
            let absent = Predicate::Equal(Scalar::String("event at 1"));
            results.push(block.may_pass(field, kind, &absent).await.err());
        }
        for error in results.into_iter().flatten() {
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
            damaged.push(error.to_string());
        }
    }
    Ok(damaged)
}

#[tokio::test]
async fn each_flipped_byte_is_noticed_by_who_reads_it() {
    let house = House::new().await;
    let dataset = house.dataset("logs").await;
    let id = dataset.id().clone();
    house.append(&dataset, &events(&(0..40).map(at).collect::<Vec<_>>())).await;
    house.store.flush(&dataset).await.unwrap();
    let segment = house.catalog.live_segments(&id).await.unwrap().remove(0);
    let file = house.segment_files(&id).await.remove(0);
    let whole = std::fs::read(&file).unwrap();
    assert!(damaged_columns(&house, &id).await.unwrap().is_empty());
    let footer = whole.len() - segment.footer_bytes as usize - 8;
    // The checksum of the whole file is no part of what the footer's own covers; queries do without it.
    let mark = b"tidegauge.checksum".as_slice();
    let sum = whole.windows(mark.len()).rposition(|window| window == mark).unwrap() + mark.len() + 2;
    let mut house = house;
    let (mut in_columns, mut unread) = (0, 0);
    for place in (4..whole.len()).step_by(37) {
        flip(&file, place);
        house = house.reopened().await;
        match damaged_columns(&house, &id).await {
            Ok(damaged) if place < footer => {
                // What no query reads: the shared column without a field in it, and the indexes of pages.
                unread += usize::from(damaged.is_empty());
                in_columns += usize::from(damaged.len() == 1);
                assert!(damaged.len() <= 1, "{damaged:?}");
                assert!(damaged.iter().all(|message| message.contains(segment.id.as_str())));
            }
            Ok(damaged) => assert!((sum..sum + 16).contains(&place), "{place} is in the footer: {damaged:?}"),
            Err(error) => {
                assert!(place >= footer, "{place}: {error}");
                assert_eq!(error.kind(), ErrorKind::Corrupt);
                assert!(error.to_string().contains(segment.id.as_str()), "{error}");
            }
        }
        std::fs::write(&file, &whole).unwrap();
    }
    assert!(in_columns > 10 && unread < in_columns, "{in_columns} {unread}");
}

#[tokio::test]
async fn a_segment_that_is_cut_off_or_gone_is_named() {
    let house = House::new().await;
    let dataset = house.dataset("logs").await;
    let id = dataset.id().clone();
    house.append(&dataset, &events(&(0..40).map(at).collect::<Vec<_>>())).await;
    house.store.flush(&dataset).await.unwrap();
    let segment = house.catalog.live_segments(&id).await.unwrap().remove(0);
    let file = house.segment_files(&id).await.remove(0);
    let block = all_blocks(&house.store, &id).await.blocks.remove(0);
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, &whole[..50]).unwrap();
    let check = |error: tidegauge_store::Error| {
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
        assert!(error.to_string().contains(segment.id.as_str()), "{error}");
    };
    check(block.column("name", FieldKind::String).await.unwrap_err());
    std::fs::remove_file(&file).unwrap();
    check(block.column("name", FieldKind::String).await.unwrap_err());
    let house = house.reopened().await;
    let snapshot = house.store.dataset(&id).unwrap().snapshot();
    check(house.store.blocks(&snapshot, i64::MIN, i64::MAX).await.unwrap_err());
}

#[tokio::test]
async fn another_file_in_the_place_of_a_segment_is_noticed() {
    let house = House::new().await;
    let dataset = house.dataset("logs").await;
    let id = dataset.id().clone();
    for part in 0..2 {
        house.append(&dataset, &events(&(0..40).map(|row| at(part * 40 + row)).collect::<Vec<_>>())).await;
        house.store.flush(&dataset).await.unwrap();
    }
    let files = house.segment_files(&id).await;
    let lengths = files.iter().map(|file| std::fs::metadata(file).unwrap().len()).collect::<HashSet<_>>();
    std::fs::copy(&files[0], &files[1]).unwrap();
    let snapshot = dataset.snapshot();
    let error = house.store.blocks(&snapshot, i64::MIN, i64::MAX).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error} {lengths:?}");
}

/// The engine moves such work between threads.
#[tokio::test]
async fn reading_can_be_moved_to_another_thread() {
    fn can_move<T: Send>(value: T) -> T {
        value
    }
    let house = House::new().await;
    let dataset = house.dataset("logs").await;
    house.append(&dataset, &events(&[at(0)])).await;
    let store: &Store = &house.store;
    let snapshot = dataset.snapshot();
    let found = can_move(store.blocks(&snapshot, i64::MIN, i64::MAX)).await.unwrap();
    let block = &found.blocks[0];
    assert!(can_move(block.column("n", FieldKind::Integer)).await.unwrap().is_some());
    assert!(can_move(block.column_at("n", FieldKind::Integer, &[0])).await.unwrap().is_some());
    assert!(can_move(block.may_pass("n", FieldKind::Integer, &Predicate::IsPresent)).await.unwrap());
    assert_eq!(can_move(block.times()).await.unwrap().to_vec(), [at(0)]);
    // A row that is not there is an error, and no panic.
    assert_eq!(block.times_at(&[1]).await.unwrap_err().kind(), ErrorKind::Internal);
    house.store.flush(&dataset).await.unwrap();
    let block = &store.blocks(&dataset.snapshot(), i64::MIN, i64::MAX).await.unwrap().blocks[0];
    assert_eq!(block.times_at(&[1]).await.unwrap_err().kind(), ErrorKind::Internal);
}
