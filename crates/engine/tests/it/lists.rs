//! Lists of long events stay within the memory of their query: they are cut and go on where they ended, or fail where
//! all of the events are needed, and what is short is not affected.

use std::fmt::Write;
use std::sync::Arc;

use arrow_array::Array;
use tidegauge_engine::testing::length_factor;
use tidegauge_engine::{Answer, Dataset, Engine, EngineSettings, Error, Message, Options, Question, Table};
use tidegauge_lang::tree::{Cursor, Stage};
use tidegauge_lang::{parse_query, resolve};
use tidegauge_model::RowId;

use crate::support::house::{Filled, House, Placement, SECOND, START, block_on};
use crate::support::reply::value;

const MEMORY: usize = 8 << 20;

/// More than the memory of a query, in so many events with two such texts.
const EVENTS: usize = 45;
const TEXT_BYTES: usize = 150_000;

fn request(numbers: std::ops::Range<usize>) -> String {
    let mut lines = String::new();
    for number in numbers {
        let time = START - SECOND * (number as i64 * 7 % 41);
        let text = format!("text {number} ").repeat(TEXT_BYTES / 7 + 1);
        let text = &text[..TEXT_BYTES];
        let _ = writeln!(lines, r#"{{"_time":{time},"n":{number},"text":"{text}","more":"{text}"}}"#);
    }
    lines
}

fn engine(house: &House) -> Engine {
    let settings = EngineSettings {
        threads: 2,
        memory_bytes: 2 * MEMORY,
        query_memory_bytes: MEMORY,
        cache_bytes: 1 << 18,
        groups_bytes: 0,
        groups_folder: std::path::PathBuf::new(),
        groups_disk_bytes: 0,
        groups_checked_each: 0,
        spill_folder: house.folder().join("spill-lists"),
        spill_bytes_max: 1 << 30,
        running_max: 1,
        waiting_max: 0,
    };
    Engine::new(Arc::clone(&house.store), settings).unwrap()
}

async fn ask(engine: &Engine, filled: &Filled, text: &str) -> Result<Answer, Error> {
    ask_after(engine, filled, text, None).await
}

async fn ask_after(
    engine: &Engine,
    filled: &Filled,
    text: &str,
    after: Option<RowId>,
) -> Result<Answer, Error> {
    let (program, diagnostics) = parse_query(text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let mut resolved = resolve(program, &[], &std::collections::HashMap::new()).unwrap();
    resolved.query.stages.extend(after.map(|row| Stage::After(Cursor { row, is_included: false })));
    let state = Arc::clone(&filled.state);
    let question = Question {
        query: resolved.query,
        constants: resolved.constants,
        datasets: vec![Dataset { name: "logs".to_owned(), state, virtual_fields: Vec::new() }],
        is_strict: false,
        options: Options::at(START),
    };
    let answer = engine.run(question).await;
    // It gives back what it held, and where it failed as soon as its threads have noticed.
    while engine.memory_used().0 > 0 {
        tokio::task::yield_now().await;
    }
    answer
}

/// The bytes that a table really holds.
fn held_bytes(table: &Table) -> usize {
    let arrays = table.fields.iter().flat_map(|field| &field.values);
    arrays.map(|(_, array)| array.get_array_memory_size()).sum()
}

fn assert_within(answer: &Answer, when: &str) {
    let peak = answer.figures.memory_peak as usize;
    assert!(peak <= MEMORY, "{when}: {peak} bytes were taken");
    let held = held_bytes(&answer.tables[0]);
    // Views may share texts with rows beside them, up to as many bytes as they need themselves.
    assert!(held <= 2 * peak + (1 << 20), "{when}: {held} bytes are held, {peak} were taken");
}

fn numbers(table: &Table) -> Vec<u64> {
    let field = table.fields.iter().find(|field| field.name == "n").unwrap();
    (0..table.rows).map(|row| value(field, row).as_u64().unwrap()).collect()
}

async fn check_pages(engine: &Engine, filled: &Filled, direction: &str) {
    let mut wanted = filled.ids.clone();
    wanted.sort_unstable_by(|one, other| one.order_by_time(other, direction == "desc"));
    let text = format!("logs | sort by _time {direction}");
    let (mut ids, mut pages) = (Vec::<RowId>::new(), 0);
    loop {
        let answer = ask_after(engine, filled, &text, ids.last().copied()).await.unwrap();
        assert_within(&answer, &text);
        assert!(answer.tables[0].rows > 0);
        ids.extend_from_slice(&answer.tables[0].row_ids);
        pages += 1;
        let Some(next) = answer.continues_at else { break };
        assert_eq!(Some(&next.after), ids.last());
    }
    assert!(pages > 1, "all of {EVENTS} long events came at once");
    assert_eq!(ids, wanted, "{direction}");
}

async fn check(engine: &Engine, filled: &Filled) {
    check_pages(engine, filled, "desc").await;
    check_pages(engine, filled, "asc").await;

    // An order without a place to go on from: the cut is told.
    let answer = ask(engine, filled, "logs | sort by n asc").await.unwrap();
    assert_within(&answer, "sorted");
    let rows = answer.tables[0].rows;
    assert!(rows > 1 && rows < EVENTS, "{rows}");
    assert_eq!(numbers(&answer.tables[0]), (0..rows as u64).collect::<Vec<u64>>());
    assert!(answer.messages.contains(&Message::RowsCut(rows as u64)), "{:?}", answer.messages);

    // By the long texts themselves.
    let answer = ask(engine, filled, "logs | sort by text desc | take 3 | project n").await.unwrap();
    assert_eq!(numbers(&answer.tables[0]), [9, 8, 7]);
    assert_within(&answer, "sorted by texts");

    // Where all events are needed the query fails, and says why.
    for text in [
        "logs | sort by n asc | take 40 | extend t = text | where t != ''",
        "logs | take 44 | sort by text asc",
    ] {
        match ask(engine, filled, text).await {
            Err(Error::Memory { limit }) => assert_eq!(limit, MEMORY as u64 >> 20, "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }

    // What is short comes whole.
    let answer = ask(engine, filled, "logs | sort by n asc | project n").await.unwrap();
    assert_eq!((answer.tables[0].rows, answer.messages.len()), (EVENTS, 0));
    let answer = ask(engine, filled, "logs | where text contains 'text 17 ' | take 5").await.unwrap();
    assert_eq!(numbers(&answer.tables[0]), [17]);
    assert!(answer.continues_at.is_none());
}

#[test]
fn long_events_stay_within_the_memory_of_their_query() {
    block_on(async {
        let house = House::new().await;
        let engine = engine(&house);
        let requests = [request(0..20), request(20..EVENTS)];
        let filled = house.filled(&requests, Placement::Both).await;
        check(&engine, &filled).await;
        house.flush(&filled.state).await;
        check(&engine, &filled).await;
    });
}

#[test]
fn columns_that_are_decoded_for_some_of_their_rows_are_counted() {
    const ROWS: usize = 3_000;
    block_on(async {
        let house = House::new().await;
        let engine = engine(&house);
        let mut lines = String::new();
        for number in 0..ROWS {
            let text = format!("{number:08}").repeat(125);
            let _ = writeln!(lines, r#"{{"_time":{},"n":{number},"text":"{text}"}}"#, START - SECOND);
        }
        let filled = house.filled(&[lines], Placement::Segments).await;
        let answer = ask(&engine, &filled, "logs | where n % 8 == 0 | project n, text").await.unwrap();
        assert_eq!(answer.tables[0].rows, ROWS / 8);
        let (peak, held) = (answer.figures.memory_peak as usize, held_bytes(&answer.tables[0]));
        assert!(peak > ROWS * 1_000 / 2 && held < ROWS * 1_000 / 3, "{peak} were taken, {held} are held");

        // Where they do not fit, the rows are decoded alone: eight such columns take three times the memory.
        let mut lines = String::new();
        for number in 0..ROWS {
            let text = format!("{number:08}").repeat(125);
            let texts: String = (0..8).map(|place| format!(r#","text{place}":"{place}{text}""#)).collect();
            let _ = writeln!(lines, r#"{{"_time":{},"n":{number}{texts}}}"#, START - SECOND);
        }
        let filled = house.filled(&[lines], Placement::Segments).await;
        let answer = ask(&engine, &filled, "logs | where n % 24 == 0").await.unwrap();
        assert_eq!(answer.tables[0].rows, ROWS / 24);
        assert_within(&answer, "some of the rows");
    });
}

#[test]
fn what_is_expected_of_rows_follows_what_they_turn_out_to_be() {
    assert_eq!(length_factor(1.0, 100, 800), 8.0);
    assert_eq!(length_factor(8.0, 800, 1_600), 16.0);
    // Rows on average again: by half with each slice, down to what the block says.
    assert_eq!(length_factor(8.0, 800, 100), 4.0);
    assert_eq!(length_factor(1.5, 150, 100), 1.0);
    assert_eq!(length_factor(1.0, 100, 10), 1.0);
    assert_eq!(length_factor(1.0, 0, 0), 1.0);
}
