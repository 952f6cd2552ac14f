//! Some rows of large columns, of which only the pages that hold them are read: they have what the events had, and
//! damage is noticed by who reads it and by nobody else.

use std::time::Duration;

use tidegauge_model::{DatasetId, ErrorKind, FieldKind};
use tidegauge_store::{Block, StoredValue};

use crate::events::{Event, SECOND, columns_of};
use crate::house::{House, START};
use crate::through_blocks::{all_blocks, value};

const ROWS: usize = 60_000;

const FIELDS: [(&str, FieldKind); 6] = [
    ("id", FieldKind::String),
    ("message", FieldKind::String),
    ("word", FieldKind::String),
    ("number", FieldKind::Integer),
    ("code", FieldKind::Integer),
    ("ratio", FieldKind::Float),
];

/// Numbers that look like chance.
fn mixed(row: usize) -> u64 {
    let mixed = (row as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// Ids, long texts, words and codes of a dictionary, and numbers of all sizes; some rows have none.
fn field(row: usize, field: &str) -> Option<StoredValue> {
    let rng = mixed(row);
    Some(match field {
        "id" => StoredValue::String(format!("{rng:016x}{row:016x}")),
        "message" if row.is_multiple_of(11) => return None,
        "message" => {
            StoredValue::String(format!("request {rng} of {} took {} ms; {rng:x}", row % 77, row % 1009))
        }
        "word" => StoredValue::String(format!("word {}", rng % 5000)),
        "number" if row.is_multiple_of(3) => return None,
        "number" => StoredValue::Integer(rng.cast_signed()),
        "code" => StoredValue::Integer((rng % 3000).cast_signed() * 1_000_003),
        "ratio" => StoredValue::Float(rng as f64 / 7.0),
        other => panic!("{other}"),
    })
}

async fn filled() -> (House, DatasetId) {
    let house = House::new().await;
    let dataset = house.dataset("large").await;
    let event = |row: usize| {
        let fields = FIELDS.iter().filter_map(|(name, _)| Some(((*name).to_owned(), field(row, name)?)));
        Event::new(START * 1000 + row as i64 * SECOND / 1000, fields)
    };
    for half in [0..ROWS / 2, ROWS / 2..ROWS] {
        house.append(&dataset, &columns_of(&half.map(event).collect::<Vec<_>>())).await;
        house.flush(dataset.id()).await;
    }
    let id = dataset.id().clone();
    (house, id)
}

/// The only block there is after compaction.
async fn only_block(house: &House, id: &DatasetId) -> Block {
    let mut found = all_blocks(&house.store, id).await;
    assert_eq!(found.blocks.len(), 1);
    found.blocks.remove(0)
}

async fn compacted() -> (House, DatasetId) {
    let (house, id) = filled().await;
    house.advance(Duration::from_secs(5 * 86_400));
    house.compact().await;
    (house, id)
}

/// Ends, both sides of where pages of any size may end, and rows that are far from each other.
fn picks(rows: u32) -> Vec<Vec<u32>> {
    let ends = (1..rows).filter(|row| row.is_multiple_of(4096) || row.is_multiple_of(20_000));
    let mut picks: Vec<Vec<u32>> =
        ends.flat_map(|end| [vec![end - 1], vec![end], vec![end - 1, end]]).collect();
    picks.extend([vec![0], vec![rows - 1], vec![0, rows - 1], vec![rows - 1, 0], vec![5, 5]]);
    picks.extend([(100..160).collect(), (0..rows).step_by(2500).collect(), (0..rows).step_by(100).collect()]);
    picks
}

async fn assert_picks(block: &Block, first: usize) {
    for rows in picks(block.rows() as u32) {
        for (name, kind) in FIELDS {
            let picked = block.column_at(name, kind, &rows).await.unwrap().unwrap();
            assert_eq!(picked.len(), rows.len());
            for (place, row) in rows.iter().enumerate() {
                let (found, wanted) = (value(&picked, kind, place), field(first + *row as usize, name));
                assert_eq!(found, wanted, "{name} of row {row} among {} from {first}", rows.len());
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn some_rows_have_what_their_events_had() {
    let (house, id) = filled().await;
    let found = all_blocks(&house.store, &id).await;
    let [late, early] = found.blocks.as_slice() else { panic!("{:?}", found.blocks) };
    assert_picks(early, 0).await;
    assert_picks(late, ROWS / 2).await;
    house.advance(Duration::from_secs(5 * 86_400));
    house.compact().await;
    assert_picks(&only_block(&house, &id).await, 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn damage_concerns_who_reads_the_page_that_has_it() {
    let (house, id) = compacted().await;
    let file = house.segment_files(&id).await.remove(0);
    let whole = std::fs::read(&file).unwrap();
    let block = only_block(&house, &id).await;
    let rows: Vec<u32> = (0..ROWS as u32).step_by(ROWS / 24).collect();
    let mut only_some = 0;
    for place in (4..whole.len() / 10 * 9).step_by(whole.len() / 60) {
        let mut bytes = whole.clone();
        bytes[place] ^= 0x10;
        std::fs::write(&file, bytes).unwrap();
        for (name, kind) in FIELDS {
            let is_damaged = block.column(name, kind).await.is_err();
            let mut noticed = 0;
            for row in &rows {
                match block.column_at(name, kind, &[*row]).await {
                    Ok(picked) => {
                        assert_eq!(
                            value(&picked.unwrap(), kind, 0),
                            field(*row as usize, name),
                            "{name} {row}"
                        );
                    }
                    Err(error) => {
                        assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
                        noticed += 1;
                    }
                }
            }
            assert!(is_damaged || noticed == 0, "{name} at {place}");
            only_some += usize::from(noticed > 0 && noticed < rows.len());
        }
    }
    assert!(only_some > 10, "{only_some}");
    std::fs::write(&file, whole).unwrap();
    assert_picks(&block, 0).await;
}
