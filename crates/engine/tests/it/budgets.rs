//! What a query may cost: answers that are cut go on exactly where they ended, memory that is used up fails one query
//! and no other, and a lane that is full says so.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use futures_util::poll;
use tidegauge_engine::{Answer, Engine, EngineSettings, Error, Lane, Options, Question};
use tidegauge_lang::Span;
use tidegauge_lang::tree::{
    AggregateCall, AggregateFunction, Bucket, Cursor, Expr, ExprKind, Named, NamedAggregate, Query, SortKey,
    Source, Stage, Summarize, TimeRange,
};
use tidegauge_model::RowId;
use tidegauge_store::DatasetState;

use crate::support::house::{Filled, House, Placement, SECOND, START, block_on};

const EVENTS: usize = 4_000;

/// Requests of events with a text and a key that no other has.
fn requests(count: usize, of_each: usize) -> Vec<String> {
    let mut number = 0;
    let request = |_| {
        let mut lines = String::new();
        for _ in 0..of_each {
            let time = START - SECOND * (number % 977);
            let text = "x".repeat(100);
            let _ = writeln!(lines, r#"{{"_time":{time},"key":"key-{number:09}","text":"{text}"}}"#);
            number += 1;
        }
        lines
    };
    (0..count).map(request).collect()
}

fn settings(house: &House, name: &str) -> EngineSettings {
    EngineSettings {
        threads: 2,
        memory_bytes: 256 << 20,
        query_memory_bytes: 128 << 20,
        cache_bytes: 14 << 20,
        groups_bytes: 2 << 20,
        groups_folder: std::path::PathBuf::new(),
        groups_disk_bytes: 0,
        groups_checked_each: 0,
        spill_folder: house.folder().join(name),
        spill_bytes_max: 1 << 30,
        running_max: 1,
        waiting_max: 0,
    }
}

fn options() -> Options {
    Options::at(START)
}

fn question(state: &Arc<DatasetState>, stages: Vec<Stage>, options: Options) -> Question {
    let source =
        Source::Dataset { name: state.name().to_owned(), range: TimeRange::ALL, span: Span::default() };
    Question::of_dataset(Query { source, stages }, Arc::clone(state), options)
}

fn by_time(is_descending: bool, after: Option<RowId>) -> Vec<Stage> {
    let mut stages =
        vec![Stage::Sort(vec![SortKey { field: "_time".to_owned(), is_descending, ..SortKey::default() }])];
    stages.extend(after.map(|row| Stage::After(Cursor { row, is_included: false })));
    stages.push(Stage::Limit(50_000));
    stages
}

fn count_by_key(groups: u64) -> Vec<Stage> {
    let key = Expr::new(ExprKind::Field("key".to_owned()), Span::default());
    let count = AggregateCall { function: AggregateFunction::Count, of: None, span: Span::default() };
    let summarize = Summarize {
        aggregates: vec![NamedAggregate { name: "n".to_owned(), call: count }],
        keys: vec![Named { name: "key".to_owned(), expr: key }],
        bucket: Some(Bucket { step: 60 * SECOND }),
    };
    let sort = SortKey { field: "key".to_owned(), is_descending: false, ..SortKey::default() };
    vec![Stage::Summarize(summarize), Stage::Sort(vec![sort]), Stage::Limit(groups)]
}

/// Follows an answer that is cut until it is whole. What to try again with is told by `retried`.
async fn whole(
    engine: &Engine,
    state: &Arc<DatasetState>,
    is_descending: bool,
    mut options: Options,
    retried: fn(&mut Options),
) -> (Vec<RowId>, usize) {
    let (mut ids, mut after, mut cuts) = (Vec::new(), None, 0);
    loop {
        let asked = question(state, by_time(is_descending, after), options.clone());
        match engine.run(asked).await {
            Ok(answer) => {
                ids.extend_from_slice(&answer.tables[0].row_ids);
                let Some(next) = answer.continues_at else { return (ids, cuts) };
                after = Some(next.after);
                cuts += 1;
            }
            Err(Error::Time { .. }) => retried(&mut options),
            Err(other) => panic!("{other}"),
        }
    }
}

fn in_order(filled: &Filled, is_descending: bool) -> Vec<RowId> {
    let mut ids = filled.ids.clone();
    ids.sort_unstable_by(|one, other| one.order_by_time(other, is_descending));
    ids
}

#[test]
fn an_answer_cut_by_its_size_goes_on_where_it_ended() {
    block_on(async {
        let house = House::new().await;
        let engine = Engine::new(Arc::clone(&house.store), settings(&house, "size")).unwrap();
        for placement in Placement::ALL {
            let filled = house.filled(&requests(8, EVENTS / 8), placement).await;
            for is_descending in [true, false] {
                let options = Options { answer_bytes_max: 50_000, ..options() };
                let (ids, cuts) = whole(&engine, &filled.state, is_descending, options, |_| ()).await;
                assert!(cuts > 5, "{cuts}");
                assert_eq!(ids, in_order(&filled, is_descending), "{placement:?}");
            }
        }
    });
}

#[test]
fn an_answer_cut_by_its_time_goes_on_where_it_ended() {
    block_on(async {
        let house = House::new().await;
        let engine = Engine::new(Arc::clone(&house.store), settings(&house, "time")).unwrap();
        let filled = house.filled(&requests(40, EVENTS / 40), Placement::Segments).await;
        for is_descending in [true, false] {
            // However far each try comes, nothing is missing and nothing comes twice.
            let options = Options { time_max: Duration::from_micros(200), bypasses_cache: true, ..options() };
            let longer: fn(&mut Options) = |options| options.time_max *= 2;
            let (ids, _) = whole(&engine, &filled.state, is_descending, options, longer).await;
            assert_eq!(ids, in_order(&filled, is_descending));
        }
    });
}

#[test]
fn a_query_without_time_fails_and_the_next_is_answered() {
    block_on(async {
        let house = House::new().await;
        let engine = Engine::new(Arc::clone(&house.store), settings(&house, "none")).unwrap();
        let filled = house.filled(&requests(2, 100), Placement::Both).await;
        for stages in [by_time(true, None), count_by_key(5)] {
            let options = Options { time_max: Duration::ZERO, ..options() };
            let answer = engine.run(question(&filled.state, stages, options)).await;
            assert!(matches!(answer, Err(Error::Time { .. })), "{answer:?}");
        }
        let answer = engine.run(question(&filled.state, by_time(true, None), options())).await.unwrap();
        assert_eq!(answer.tables[0].rows, 200);
    });
}

#[test]
fn a_query_that_needs_too_much_memory_fails_alone() {
    block_on(async {
        let house = House::new().await;
        let filled = house.filled(&requests(10, 5_000), Placement::Segments).await;
        let mut outcomes = Vec::new();
        for mebibytes in [1, 2, 4, 8, 64] {
            let small = EngineSettings {
                query_memory_bytes: mebibytes << 20,
                ..settings(&house, &format!("memory-{mebibytes}"))
            };
            let engine = Engine::new(Arc::clone(&house.store), small).unwrap();
            // Groups that are not shown can wait on the disk; those of the answer need room.
            let answer = engine.run(question(&filled.state, count_by_key(50_000), options())).await;
            outcomes.push(match &answer {
                Ok(answer) => {
                    assert_eq!(
                        (answer.figures.groups, first_key(answer)),
                        (50_000, "key-000000000".to_owned())
                    );
                    true
                }
                Err(Error::Memory { limit }) => {
                    assert_eq!(*limit, mebibytes as u64);
                    false
                }
                Err(other) => panic!("{other}"),
            });
            let few = Options { rows_max: 1_000, ..options() };
            let after = engine.run(question(&filled.state, by_time(true, None), few)).await.unwrap();
            assert_eq!(after.tables[0].rows, 1_000);
            // A query gives back what it held, one that failed as soon as its threads have noticed.
            while engine.memory_used().0 > 0 {
                tokio::task::yield_now().await;
            }
        }
        assert!(!outcomes[0] && outcomes[4], "{outcomes:?}");
    });
}

fn first_key(answer: &Answer) -> String {
    use arrow_array::cast::AsArray;
    let totals = answer.tables.iter().find(|table| table.name == "_totals").unwrap();
    totals.fields[0].values[0].1.as_string_view().value(0).to_owned()
}

#[test]
fn a_full_lane_says_so_and_a_query_that_is_dropped_makes_room() {
    block_on(async {
        let house = House::new().await;
        let engine = Engine::new(Arc::clone(&house.store), settings(&house, "lanes")).unwrap();
        let filled = house.filled(&requests(4, 1_000), Placement::Segments).await;
        let ask = |lane| {
            let options = Options { lane, ..options() };
            engine.run(question(&filled.state, count_by_key(5), options))
        };
        let mut first = Box::pin(ask(Lane::Interactive));
        // It has its place from the first time it is asked until it is done or dropped.
        if poll!(&mut first).is_pending() {
            let second = ask(Lane::Interactive).await;
            assert!(matches!(second, Err(Error::Busy)), "{second:?}");
            assert!(ask(Lane::Monitor).await.is_ok(), "lanes do not share places");
        }
        drop(first);
        assert!(ask(Lane::Interactive).await.is_ok());
    });
}

#[test]
fn a_query_has_its_place_and_its_memory_until_its_answer_is_written() {
    block_on(async {
        let house = House::new().await;
        let engine = Engine::new(Arc::clone(&house.store), settings(&house, "written")).unwrap();
        let filled = house.filled(&requests(4, 1_000), Placement::Segments).await;
        let ask = || question(&filled.state, count_by_key(5), options());
        let answer = engine.run_to_write(ask()).await.unwrap();
        assert!(engine.memory_used().0 > 0);
        let second = engine.run(ask()).await;
        assert!(matches!(second, Err(Error::Busy)), "{second:?}");
        drop(answer);
        assert_eq!(engine.memory_used().0, 0);
        let answer = engine.run(ask()).await.unwrap();
        assert!(engine.run(ask()).await.is_ok(), "nobody writes the first one");
        assert_eq!(engine.memory_used().0, 0);
        drop(answer);
    });
}
