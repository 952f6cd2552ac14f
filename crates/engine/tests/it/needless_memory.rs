//! No query is charged for memory that it does not hold: neither for the combinations that its keys could have, nor for
//! one batch as often as there are stretches of it.

use std::sync::Arc;

use serde_json::json;
use tidegauge_engine::{Answer, Engine, Error};
use tidegauge_store::DatasetState;

use crate::support::engines::{asked, engine, tried};
use crate::support::house::{House, Placement, START, block_on};
use crate::support::reply::value;

/// Enough for a scan to be looked at for its number of groups.
const EVENTS: i64 = 70_000;

/// A few times what the keys and the states of all groups take.
const MEMORY_BYTES: usize = 48 << 20;

fn line(number: i64) -> String {
    let event = json!({
        "_time": START + number, "n8": number % 200, "uniq": format!("u-{number:012}-{}", number * 7),
        "hi": format!("h{:07}", number % 60_000), "opt": number % 1_000,
    });
    event.to_string() + "\n"
}

/// All events, in two requests.
fn requests() -> Vec<String> {
    let numbers: Vec<i64> = (0..EVENTS).collect();
    numbers.chunks(35_000).map(|part| part.iter().map(|number| line(*number)).collect()).collect()
}

async fn dataset(house: &House) -> Arc<DatasetState> {
    house.filled(&requests(), Placement::Segments).await.state
}

/// An engine that has so much memory for its queries.
fn engine_within(house: &House, bytes: usize) -> Engine {
    engine(house, |settings| {
        settings.memory_bytes = bytes;
        settings.query_memory_bytes = bytes;
        settings.spill_folder = house.folder().join(format!("spill-{bytes}"));
    })
}

fn number(answer: &Answer, field: &str, row: usize) -> i64 {
    let field = answer.tables[0].fields.iter().find(|found| found.name == field).unwrap();
    value(field, row).as_i64().unwrap()
}

const SUMMARIZE: &str =
    "logs | summarize zz = count(), a0 = max(opt) by n8, b = bin(n8, 10), uniq, s = substring(hi, 5, 2)";

/// Groups by many long keys, each in its bucket: as many as events.
const WIDE: &str = "logs | summarize zz = count() by _time = bin(_time, 1h), uniq, hi, n8, opt, a = strcat(uniq, 'a'), \
     b = strcat(hi, uniq), c = strcat(uniq, hi), d = strcat('d', uniq), e = strcat('e', uniq), f = strcat('f', uniq)";

/// Enough for these groups a few times; a sort that could spill took 100 MB.
const WIDE_BYTES: usize = 80 << 20;

#[test]
fn groups_by_many_keys_are_put_in_order_in_what_they_need() {
    block_on(async {
        let house = House::new().await;
        let state = dataset(&house).await;
        let engine = engine_within(&house, WIDE_BYTES);
        for wide in [WIDE, &WIDE.replace("_time = bin", "t = bin")] {
            let answer = asked(&engine, &state, &format!("{wide} | count")).await;
            assert_eq!(number(&answer, "Count", 0), EVENTS);
            let rest = "summarize first = min(uniq), last = max(f), zz = sum(zz)";
            let answer = asked(&engine, &state, &format!("{wide} | {rest}")).await;
            assert_eq!(number(&answer, "zz", 0), EVENTS);
        }
        assert_eq!(engine.memory_used().0, 0, "a query gives back what it held");
    });
}

/// From hardly anything to enough for the states of all groups at once.
const MEBIBYTES: [usize; 7] = [4, 8, 12, 16, 24, 32, 64];

/// From here on groups must be answered: those that do not fit wait on the disk.
const ENOUGH: usize = 24;

/// The groups of some events are few and are kept; then come many others. What is kept must not decide that all groups
/// are held in memory, and a question that begins anew on its way reads every event again.
#[test]
fn kept_groups_of_some_events_do_not_keep_the_others_from_the_disk() {
    block_on(async {
        let house = House::new().await;
        let few: String = (0..20_000).map(|number| line(number % 10)).collect();
        let state = house.filled(&[few], Placement::Segments).await.state;
        let engines = MEBIBYTES.map(|mebibytes| (mebibytes, engine_within(&house, mebibytes << 20)));
        let count = format!("{SUMMARIZE} | count");
        for (_, engine) in &engines {
            for _ in 0..2 {
                assert_eq!(number(&asked(engine, &state, &count).await, "Count", 0), 10);
            }
        }
        for request in requests() {
            house.ingest(&state, &request).await;
            house.flush(&state).await;
        }
        for (mebibytes, engine) in &engines {
            for (stages, field, expected) in
                [("count", "Count", EVENTS), ("summarize zz = sum(zz)", "zz", EVENTS + 20_000)]
            {
                let apl = format!("{SUMMARIZE} | {stages}");
                for _ in 0..2 {
                    match tried(engine, &state, &apl).await {
                        Ok(answer) => assert_eq!(number(&answer, field, 0), expected, "{mebibytes} MiB"),
                        // Of the one before, tasks that are about to end may still have some.
                        Err(Error::Memory { .. } | Error::MemoryTaken) if *mebibytes < ENOUGH => {}
                        Err(error) => panic!("{mebibytes} MiB: {error}"),
                    }
                }
            }
        }
    });
}

/// A question whose states do not fit begins anew, with groups that wait on the disk. Nothing that was read the first
/// time may be missing the second time.
#[test]
fn a_question_that_begins_anew_reads_every_event_again() {
    let question = "logs | summarize l = make_list(uniq), c = count() by n8 \
        | summarize groups = count(), events = sum(c), values = sum(array_length(l))";
    let counted = "logs | summarize l = make_list(uniq), c = count() by n8, bin(_time, 1ms) \
        | summarize events = sum(c), values = sum(array_length(l))";
    block_on(async {
        let house = House::new().await;
        let state = dataset(&house).await;
        let mut answers = 0;
        for mebibytes in [2, 4, 5, 6, 7, 8, 10, 12, 16, 64] {
            let engine = engine_within(&house, mebibytes << 20);
            for apl in [question, counted] {
                let answer = match tried(&engine, &state, apl).await {
                    Ok(answer) => answer,
                    Err(Error::Memory { .. }) if mebibytes < 64 => continue,
                    Err(error) => panic!("{mebibytes} MiB: {error}"),
                };
                for field in ["events", "values"] {
                    assert_eq!(number(&answer, field, 0), EVENTS, "{mebibytes} MiB: {apl}");
                }
                assert_eq!(answer.figures.rows_matched, EVENTS as u64, "{mebibytes} MiB: {apl}");
                answers += 1;
            }
        }
        assert!(answers > 2, "{answers} were answered");
    });
}

/// Threads hand rows to each other through files where memory is short. None may wait for a file that is written on only
/// when it has read another.
#[test]
fn threads_that_hand_on_rows_by_the_disk_do_not_wait_for_each_other() {
    block_on(async {
        let house = House::new().await;
        let state = dataset(&house).await;
        let apl = "logs | extend a = strcat(uniq, strrep('x', 40)) | distinct a, hi, n8             | summarize groups = count(), last = max(a)";
        let mut answers = 0;
        for mebibytes in [12, 16, 24, 32, 48] {
            let engine = engine(&house, |settings| {
                settings.threads = 8;
                settings.memory_bytes = mebibytes << 20;
                settings.query_memory_bytes = mebibytes << 20;
                settings.spill_folder = house.folder().join(format!("spread-{mebibytes}"));
            });
            for _ in 0..4 {
                match tried(&engine, &state, apl).await {
                    Ok(answer) => {
                        assert_eq!(number(&answer, "groups", 0), EVENTS, "{mebibytes} MiB");
                        answers += 1;
                    }
                    Err(Error::Memory { .. }) => {}
                    Err(error) => panic!("{mebibytes} MiB: {error}"),
                }
            }
        }
        assert!(answers > 0, "nothing was answered");
    });
}

#[test]
fn groups_by_several_keys_fit_into_what_they_need() {
    block_on(async {
        let house = House::new().await;
        let state = dataset(&house).await;
        let engine = engine_within(&house, MEMORY_BYTES);
        let answer = asked(&engine, &state, &format!("{SUMMARIZE} | count")).await;
        assert_eq!(number(&answer, "Count", 0), EVENTS);
        let answer =
            asked(&engine, &state, &format!("{SUMMARIZE} | sort by zz desc, n8 asc | take 25")).await;
        let rows: Vec<(i64, i64)> =
            (0..25).map(|row| (number(&answer, "zz", row), number(&answer, "n8", row))).collect();
        assert_eq!(rows, [(1, 0); 25]);
        // Sorted after something else was computed, where the order is not known to who groups.
        let rest = "extend y = zz + n8 | where y > 0 | sort by y asc, uniq asc | count";
        let answer = asked(&engine, &state, &format!("{SUMMARIZE} | {rest}")).await;
        assert_eq!(number(&answer, "Count", 0), EVENTS);
        assert_eq!(engine.memory_used().0, 0, "a query gives back what it held");
    });
}
