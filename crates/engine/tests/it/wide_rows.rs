//! Events with very many fields: what a query reads of them at once is bounded by its memory, and the answer does not
//! depend on how much that is.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

use serde_json::Value as Json;
use tidegauge_engine::{Dataset, Engine, EngineSettings, Error, Options, Question};
use tidegauge_lang::{parse_query, resolve};
use tidegauge_store::DatasetState;

use crate::support::engines::tried;
use crate::support::house::{House, Placement, START, block_on};
use crate::support::reply;

/// Fields that every event has, and those of which each event has one in seven. More than 500 have no column of their own.
const DENSE: usize = 70;
const SPARSE: usize = 630;
const EVENTS: usize = 750;

fn engine(house: &House, query_memory_bytes: usize) -> Engine {
    let settings = EngineSettings {
        threads: 2,
        memory_bytes: 8 * query_memory_bytes,
        query_memory_bytes,
        cache_bytes: 1 << 20,
        groups_bytes: 0,
        groups_folder: std::path::PathBuf::new(),
        groups_disk_bytes: 0,
        groups_checked_each: 0,
        spill_folder: house.folder().join(format!("spill-{query_memory_bytes}")),
        spill_bytes_max: 1 << 30,
        running_max: 2,
        waiting_max: 0,
    };
    Engine::new(Arc::clone(&house.store), settings).unwrap()
}

fn events() -> Vec<String> {
    let event = |number: usize| {
        let mut text = format!(r#"{{"_time":{},"n":{number}"#, START / 1_000_000 + number as i64);
        for field in 0..DENSE {
            let _ = write!(text, r#","dense_{field}":"{}""#, (number * 31 + field) % 97);
        }
        for field in (number % 7..SPARSE).step_by(7) {
            let _ = write!(text, r#","sparse_{field}":"value {number} of {field}""#);
        }
        text.push_str("}\n");
        text
    };
    (0..EVENTS).step_by(250).map(|first| (first..first + 250).map(event).collect()).collect()
}

async fn ask(engine: &Engine, state: &Arc<DatasetState>, text: &str) -> Vec<Vec<Json>> {
    let (program, diagnostics) = parse_query(text);
    assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
    let resolved = resolve(program, &[], &HashMap::new()).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    let dataset = Dataset { name: "logs".to_owned(), state: Arc::clone(state), virtual_fields: Vec::new() };
    let answer = engine.run(Question {
        query: resolved.query,
        constants: resolved.constants,
        datasets: vec![dataset],
        is_strict: resolved.is_strict,
        options: Options { answer_bytes_max: 16 << 20, ..Options::at(START) },
    });
    let answer = answer.await.unwrap_or_else(|error| panic!("{text}: {error}"));
    let table = &answer.tables[0];
    let row = |row: usize| table.fields.iter().map(|field| reply::value(field, row)).collect();
    (0..table.rows).map(row).collect()
}

#[test]
fn very_many_columns_are_read_in_portions() {
    block_on(async {
        let house = House::new().await;
        // Of a block of all events, 700 columns take 10 MB: of the one memory that is too much at once, not of the other.
        let (tight, roomy) = (engine(&house, 64 << 20), engine(&house, 1 << 30));
        // Groups of so many columns count seventeen times their keys, as if all that is absent were handed out.
        let grouping = engine(&house, 512 << 20);
        let requests = events();
        for placement in [Placement::Buffer, Placement::Segments, Placement::Merged, Placement::Both] {
            let state = house.filled(&requests, placement).await.state;
            for (text, first) in [
                ("search 'value 700 of' | count", Some(1_usize)),
                ("search 'sparse' | count", Some(0)),
                ("logs | distinct * | count", Some(EVENTS)),
                ("logs | where * has '749' | project n, sparse_1, dense_3", Some(749)),
                (
                    "logs | sort by sparse_3 asc, n desc | where n > 500 | project n, sparse_3, sparse_400 | take 40",
                    None,
                ),
                (
                    "logs | union logs | sort by sparse_600 desc, n asc | project n, sparse_600, dense_69 | take 40",
                    None,
                ),
                (
                    "logs | extend p = tostring(pack(*)) | summarize sum(strlen(p)), dcount(p) by m = n % 3 | sort by m asc",
                    None,
                ),
                ("logs | summarize arg_max(n, *) by dense_1 | summarize sum(strlen(sparse_5)), sum(n)", None),
                (
                    "logs | extend p = strlen(tostring(pack(*))) | sort by p asc, n asc | project n, p | take 30",
                    None,
                ),
                // What is computed of very much is computed at once, and what stages behind it read goes along.
                (
                    "logs | extend p = strlen(tostring(pack(*))), q = n + 1 | where dense_3 != '' and p > 0 \
                     | extend r = q + n | join kind=inner (logs | project n, s = dense_5) on n \
                     | summarize countif(r == 2 * n + 1 and isnotempty(s) and p > 0)",
                    Some(EVENTS),
                ),
                (
                    "logs | extend p = strlen(tostring(pack(*))) | summarize arg_max(n, *) \
                     | project n, sparse_1, dense_3, q = iff(p > 0, 'some', '')",
                    Some(749),
                ),
            ] {
                // Packing so much takes long: once is enough.
                if text.contains("pack(*)") && placement != Placement::Both {
                    continue;
                }
                let few = if text.contains("distinct *") { &grouping } else { &tight };
                let (few, all) = (ask(few, &state, text).await, ask(&roomy, &state, text).await);
                assert_eq!(few, all, "{placement:?}: {text}");
                if let Some(first) = first {
                    assert_eq!(few[0][0], Json::from(first), "{placement:?}: {text}");
                }
            }
        }
    });
}

#[test]
fn a_union_with_too_many_fields_is_told_at_one_of_its_tables() {
    block_on(async {
        let house = House::new().await;
        let engine = engine(&house, 512 << 20);
        let event = |first: usize| {
            let fields: Vec<String> =
                (first..first + 5_001).map(|field| format!(r#""f_{field}":1"#)).collect();
            format!("{{\"_time\":{},{}}}\n", START / 1_000_000, fields.join(","))
        };
        let filled = house.filled(&[event(0) + &event(5_001)], Placement::Buffer).await;
        for (text, place) in [
            ("logs | union logs", 13..17),
            ("union log*, (logs | take 1)", 6..10),
            ("union (logs), logs", 7..11),
        ] {
            let Err(Error::Invalid(problems)) = tried(&engine, &filled.state, text).await else {
                panic!("{text} was not refused");
            };
            assert!(problems[0].message.contains("more than 10000 fields"), "{problems:?}");
            assert_eq!(problems[0].span.range(), place, "{text}");
        }
    });
}

#[test]
fn rows_of_too_many_fields_are_not_compared_as_wholes() {
    block_on(async {
        let house = House::new().await;
        let engine = engine(&house, 512 << 20);
        // Beside the two times that every event has.
        for (fields, is_answered) in [(9_998, true), (9_999, false)] {
            let fields: Vec<String> = (0..fields).map(|field| format!(r#""f_{field}":1"#)).collect();
            let event = format!("{{\"_time\":{},{}}}\n", START / 1_000_000, fields.join(","));
            let filled = house.filled(&[event.clone() + &event], Placement::Buffer).await;
            match tried(&engine, &filled.state, "logs | distinct *").await {
                Ok(answer) => assert!(is_answered && answer.tables[0].rows == 1, "{}", fields.len()),
                Err(Error::Invalid(problems)) => {
                    assert!(!is_answered, "{problems:?}");
                    assert!(problems[0].message.contains("have 10001 fields"), "{problems:?}");
                    assert!(problems[0].hint.as_deref().is_some_and(|hint| hint.contains("project")));
                    let named = tried(&engine, &filled.state, "logs | project f_1, f_2 | distinct *").await;
                    assert_eq!(named.unwrap().tables[0].rows, 1);
                }
                Err(error) => panic!("{} fields: {error}", fields.len()),
            }
        }
    });
}
