//! Files that earlier versions wrote are still read: `tests/formats/store-vN` holds a log and the segments of one
//! dataset. `TIDEGAUGE_WRITE_FORMATS=folder` writes a new sample there.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tidegauge_model::Clock;
use tidegauge_store::{IdempotencyKey, Receipt, Store, StoredRow, StoredValue, rebuild};

use crate::events::{Event, HOUR, SECOND, assert_same, columns_of, stored};
use crate::house::{House, START, files_in, log_files, open};
use crate::through_blocks::assert_blocks;

fn formats() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/formats")
}

/// The version that is written now, and the first whose segments have templates of texts, checksums of pages, and
/// integers beyond 64 bits.
const CURRENT: &str = "store-v7";
const FIRST_WITH_TEXTS: &str = "store-v4";
const FIRST_WITH_PAGES: &str = "store-v5";
const FIRST_WITH_LONG_INTEGERS: &str = "store-v6";

/// One request with a value of every kind; the fourth has more fields than a segment has columns. Since there are
/// templates of texts, some texts have the same; since there are checksums of pages, there are ids of several pages.
fn request(number: i64, version: &str) -> Vec<Event> {
    let time = START * 1000 + number * HOUR;
    let every_kind = [
        ("boolean".to_owned(), StoredValue::Boolean(number % 2 == 0)),
        ("mixed".to_owned(), StoredValue::Integer(i64::MIN + number)),
        ("float".to_owned(), StoredValue::Float(-0.0)),
        ("größe".to_owned(), StoredValue::String("\u{10ffff} \"text\"\n".to_owned())),
        ("array".to_owned(), StoredValue::Array("[1,null,{\"a\":[]}]".to_owned())),
        ("map".to_owned(), StoredValue::Map("{\"a\":1.0}".to_owned())),
    ];
    let mixed = [("mixed".to_owned(), StoredValue::String(String::new()))];
    let many = (0..if number == 4 { 510 } else { 0 })
        .map(|field| (format!("field {field}"), StoredValue::Float(field as f64 + 0.5)));
    let texts = (0..if version >= FIRST_WITH_TEXTS { 3 } else { 0 }).map(|after| {
        let text =
            format!("request {number} of user usr_{:012x} took {after}.5 ms", number * 7_919_000_123 + after);
        Event::new(time + 2 * SECOND + after, [("message".to_owned(), StoredValue::String(text))])
    });
    let ids = (0..if version >= FIRST_WITH_PAGES && number == 1 { 9000 } else { 0_i64 }).map(|after| {
        let id = format!("{:016x}", (after + 1).wrapping_mul(0x1e37_79b9_7f4a_7c15));
        Event::new(time + 3 * SECOND + after, [("session".to_owned(), StoredValue::String(id))])
    });
    // The fourth request has more fields than columns, so that its own is in `_rest`.
    let long = (0..if version >= FIRST_WITH_LONG_INTEGERS { 2 } else { 0 }).map(|after| {
        let digits = if after == 0 { "18446744073709551615" } else { "-123456789012345678901234567890" };
        let digits = StoredValue::LongInteger(format!("{digits}{number}"));
        let name = if after == 0 { "mixed" } else { "zz long" };
        Event::new(time + 4 * SECOND + after, [(name.to_owned(), digits)])
    });
    let mut events =
        vec![Event::new(time, every_kind), Event::new(time - SECOND, mixed), Event::new(time + SECOND, many)];
    events.extend(texts);
    events.extend(ids);
    events.extend(long);
    events
}

fn receipt(number: i64) -> Receipt {
    let key = IdempotencyKey { key: format!("key {number}"), fingerprint: u64::MAX, answer: "{}".to_owned() };
    Receipt { arrival: (START + number) * 1000, raw_bytes: 1000, key: Some(key) }
}

/// Everything that the sample holds: requests 1 to 4 in segments, the first three compacted, and 5 to 6 in the log.
fn sample(version: &str) -> Vec<StoredRow> {
    (1..=6_u64)
        .flat_map(|number| {
            let signed = number.cast_signed();
            stored(&request(signed, version), number, receipt(signed).arrival)
        })
        .collect()
}

async fn write_sample(folder: &Path) {
    let house = House::with(|settings| settings.wal_file_bytes = 1000).await;
    let dataset = house.dataset("sample").await;
    for number in 1..=6 {
        let sequence = house
            .store
            .append(&dataset, Store::prepare(&columns_of(&request(number, CURRENT)), receipt(number)))
            .await
            .unwrap();
        assert_eq!(sequence, number.cast_unsigned());
        if number <= 4 {
            house.store.flush(&dataset).await.unwrap();
        }
        if number == 3 {
            house.advance(Duration::from_secs(30 * 86_400));
            house.compact().await;
        }
    }
    let House { folder: own, store, .. } = house;
    drop(store);
    std::fs::create_dir_all(folder.join("log")).unwrap();
    for file in log_files(own.path()) {
        std::fs::copy(&file, folder.join("log").join(file.file_name().unwrap())).unwrap();
    }
    for file in files_in(&own.path().join("segments"), "parquet") {
        let target = folder.join(file.strip_prefix(own.path()).unwrap());
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        std::fs::copy(&file, &target).unwrap();
    }
}

/// Puts a sample into a new folder and rebuilds the catalogue from it.
async fn read_sample(version: &str) -> House {
    let sample_folder = formats().join(version);
    let House { folder, catalog, clock, org, rng, settings, store } = House::new().await;
    drop(store);
    log_files(folder.path()).iter().for_each(|path| std::fs::remove_file(path).unwrap());
    for extension in ["log", "parquet"] {
        for file in files_in(&sample_folder, extension) {
            let target = folder.path().join(file.strip_prefix(&sample_folder).unwrap());
            std::fs::create_dir_all(target.parent().unwrap()).unwrap();
            std::fs::copy(&file, &target).unwrap();
        }
    }
    let change = tidegauge_catalog::Change {
        org: None,
        actor: "user_owner".to_owned(),
        at: clock.now(),
        request_id: String::new(),
    };
    let done = rebuild(&catalog, &settings, None, clock.now(), &change).await.unwrap();
    assert_eq!((done.datasets, done.skipped), (1, Vec::new()));
    let store = open(&catalog, &clock, &rng, &settings).await.unwrap();
    assert_eq!(store.damage(), []);
    let dataset = catalog.all_datasets().await.unwrap().remove(0);
    let state = store.dataset(&dataset.id).unwrap();
    assert_eq!(state.info().buffered_batches, 2, "two requests come from the log");
    assert_same(&store.rows(&state).await.unwrap(), &sample(version), version);
    assert_blocks(&store, &dataset.id, &sample(version), version).await;
    let repeated = store.claim(&state, "key 6", clock.now()).await.unwrap();
    assert!(matches!(repeated, tidegauge_store::Claim::Repeated(found) if found.sequence == 6));
    House { folder, catalog, clock, org, store, settings, rng }
}

/// Damage anywhere in a file whose parts have no checksums is noticed when it is opened.
#[tokio::test]
async fn a_damaged_segment_of_version_1_is_noticed() {
    let house = read_sample("store-v1").await;
    let id = house.catalog.all_datasets().await.unwrap().remove(0).id;
    let files = house.segment_files(&id).await;
    let house = house.reopened_after(|| {
        let mut bytes = std::fs::read(&files[0]).unwrap();
        bytes[100] ^= 1;
        std::fs::write(&files[0], bytes).unwrap();
    });
    let house = house.await;
    let snapshot = house.store.dataset(&id).unwrap().snapshot();
    let error = house.store.blocks(&snapshot, i64::MIN, i64::MAX).await.unwrap_err();
    assert_eq!(error.kind(), tidegauge_model::ErrorKind::Corrupt, "{error}");
}

#[tokio::test]
async fn version_1_is_still_read() {
    read_sample("store-v1").await;
}

/// Segments have checksums of their footers and columns since then.
#[tokio::test]
async fn version_2_is_still_read() {
    read_sample("store-v2").await;
}

/// Segments say up to which sequence the log had been written as segments since then.
#[tokio::test]
async fn version_3_is_still_read() {
    read_sample("store-v3").await;
}

/// Segments have the templates of their texts since then.
#[tokio::test]
async fn version_4_is_still_read() {
    let house = read_sample("store-v4").await;
    let id = house.catalog.all_datasets().await.unwrap().remove(0).id;
    let snapshot = house.store.dataset(&id).unwrap().snapshot();
    let mut rows = 0;
    for block in house.store.blocks(&snapshot, i64::MIN, i64::MAX).await.unwrap().blocks {
        let Some(templates) = block.templates("message").await.unwrap() else { continue };
        assert_eq!(templates.len(), 1);
        assert_eq!(templates.template(0), b"request \xff of user usr_\xff took \xff.\xff ms");
        assert!(!templates.may_hold("0123456789ab"));
        rows += (0..block.rows()).filter(|row| templates.codes().at(*row) == 0).count();
    }
    assert_eq!(rows, 12, "four requests are in segments");
}

/// Segments have checksums of the pages of large columns since then.
#[tokio::test]
async fn version_5_is_still_read() {
    let house = read_sample("store-v5").await;
    let id = house.catalog.all_datasets().await.unwrap().remove(0).id;
    let files: Vec<Vec<u8>> =
        house.segment_files(&id).await.iter().map(|file| std::fs::read(file).unwrap()).collect();
    let mark = b"\"pages\":[[".as_slice();
    assert!(files.iter().any(|bytes| bytes.windows(mark.len()).any(|window| window == mark)));
}

/// Events have integers beyond 64 bits since then, in columns, in `_rest` and in the log.
#[tokio::test]
async fn version_6_is_still_read() {
    read_sample("store-v6").await;
}

/// Files of the log have a checksum of their head since then.
#[tokio::test]
async fn version_7_is_still_read() {
    let house = read_sample("store-v7").await;
    for file in log_files(&formats().join("store-v7")) {
        assert!(std::fs::read(&file).unwrap().starts_with(b"TGL2"), "{}", file.display());
    }
    drop(house);
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "asked for by who adds a sample")]
async fn a_new_sample_is_written_on_demand() {
    let asked = std::env::var_os("TIDEGAUGE_WRITE_FORMATS");
    let temporary = tempfile::tempdir().unwrap();
    let folder = asked.map_or_else(|| temporary.path().join("sample"), PathBuf::from);
    write_sample(&folder).await;
    assert!(log_files(&folder).len() >= 2);
    assert!(files_in(&folder, "parquet").len() >= 2);
}
