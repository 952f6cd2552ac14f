//! Memory that other queries hold: who needs it is told to come again and not to ask for less, and who has no answer
//! tells what it took.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tidegauge_engine::testing::Memories;
use tidegauge_engine::{Dataset, Engine, Error, Figures, Files, Options, Question, Unanswered};
use tidegauge_lang::{parse_query, resolve};
use tidegauge_model::ErrorKind;
use tidegauge_store::DatasetState;
use tokio::sync::Notify;

use crate::support::engines::engine;
use crate::support::house::{House, Placement, SECOND, START, block_on};

/// A file that is not there before somebody opens the gate.
#[derive(Default)]
struct Gate {
    is_waiting: Notify,
    is_open: Notify,
}

impl Files for Gate {
    fn read<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Vec<u8>, String>> {
        async move {
            self.is_waiting.notify_one();
            self.is_open.notified().await;
            Ok(b"1".to_vec())
        }
        .boxed()
    }
}

/// Keeps what it is told.
#[derive(Default)]
struct Told(Mutex<Vec<Figures>>);

impl Unanswered for Told {
    fn ended(&self, figures: &Figures) {
        self.0.lock().unwrap().push(figures.clone());
    }
}

fn question(state: &Arc<DatasetState>, text: &str, options: Options) -> Question {
    let (program, diagnostics) = parse_query(text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let resolved = resolve(program, &[], &HashMap::new()).unwrap();
    let dataset = Dataset { name: "logs".to_owned(), state: Arc::clone(state), virtual_fields: Vec::new() };
    let (query, constants) = (resolved.query, resolved.constants);
    Question { query, constants, datasets: vec![dataset], is_strict: false, options }
}

async fn events(house: &House) -> Arc<DatasetState> {
    let mut lines = String::new();
    for number in 0..20_000 {
        let (time, text) = (START - SECOND * (number % 977), "x".repeat(100));
        let _ = writeln!(lines, r#"{{"_time":{time},"key":"key-{number:09}","text":"{text}"}}"#);
    }
    house.filled(&[lines], Placement::Segments).await.state
}

fn small(house: &House) -> Engine {
    engine(house, |settings| {
        settings.memory_bytes = 5 << 20;
        settings.query_memory_bytes = 5 << 20;
        settings.running_max = 2;
    })
}

const HOLDS_ROWS: &str = "logs | take 20000 | where key != ''";

#[test]
fn memory_that_others_hold_is_told_apart_from_a_share_that_is_too_small() {
    block_on(async {
        let house = House::new().await;
        let (engine, state, gate) = (small(&house), events(&house).await, Arc::new(Gate::default()));
        let counted = || question(&state, &format!("{HOLDS_ROWS} | count"), Options::at(START));
        let waiting =
            format!("{HOLDS_ROWS} | union (externaldata (id:long) ['https://x.example/a.csv']) | count");
        let options = Options { files: Some(Arc::<Gate>::clone(&gate)), ..Options::at(START) };
        let first = engine.run(question(&state, &waiting, options));
        tokio::pin!(first);
        tokio::select! {
            answer = &mut first => panic!("{answer:?}"),
            () = gate.is_waiting.notified() => {}
        }
        let crowded = engine.run(counted()).await.unwrap_err();
        assert!(matches!(crowded, Error::MemoryTaken), "{crowded}");
        assert_eq!(crowded.kind(), ErrorKind::Busy);
        gate.is_open.notify_one();
        first.await.unwrap();
        engine.run(counted()).await.unwrap();

        // What does not fit alone does not fit later either.
        let large = format!("{HOLDS_ROWS} | union (logs | take 19999 | where key != '') | count");
        let refused = engine.run(question(&state, &large, Options::at(START))).await.unwrap_err();
        assert!(matches!(refused, Error::Memory { limit: 5 }), "{refused}");
    });
}

#[test]
fn a_query_without_an_answer_tells_what_it_took() {
    block_on(async {
        let house = House::new().await;
        let (engine, state) = (small(&house), events(&house).await);
        let told = Arc::new(Told::default());
        let options = Options { unanswered: Some(Arc::<Told>::clone(&told)), ..Options::at(START) };
        engine.run(question(&state, "logs | count", options.clone())).await.unwrap();
        assert!(told.0.lock().unwrap().is_empty());

        let large = format!("{HOLDS_ROWS} | union (logs | take 19999 | where key != '') | count");
        engine.run(question(&state, &large, options.clone())).await.unwrap_err();
        let figures = told.0.lock().unwrap().pop().unwrap();
        assert!(figures.memory_peak > 1 << 20 && figures.bytes_read > 0, "{figures:?}");
        assert!(!figures.elapsed.is_zero());

        let late = Options { time_max: Duration::ZERO, ..options };
        engine.run(question(&state, "logs | count", late)).await.unwrap_err();
        assert_eq!(told.0.lock().unwrap().len(), 1);
    });
}

#[test]
fn who_has_room_again_is_not_crowded() {
    let memories = Memories::new(100, &[90, 60]);
    assert!(memories.take(0, 80));
    assert!(!memories.take(1, 50) && memories.is_crowded(1));
    memories.give_back(0, 80);
    // What fails from here on fails for another reason.
    assert!(memories.take(1, 50) && !memories.is_crowded(1));
    assert!(!memories.take(1, 50) && !memories.is_crowded(1), "its own share is too small");
}

#[test]
fn an_organisation_has_half_of_the_memory_while_another_has_queries() {
    const MIB: usize = 1 << 20;
    let share = 200 * MIB;
    let queries = [("loud", share), ("loud", share), ("loud", share), ("quiet", share), ("quiet", share)];
    let mut memories = Memories::of_orgs(256 * MIB, &queries);
    assert!(memories.take(0, 100 * MIB));
    assert!(!memories.take(1, 29 * MIB) && memories.is_crowded(1), "129 of 256 MiB are more than half");
    assert!(memories.take(1, 28 * MIB));
    assert!(!memories.take(0, 1), "not a byte more");
    // The other one has its half, but for the part that is for queries that need little.
    assert!(memories.take(3, 96 * MIB));
    assert!(!memories.take(3, MIB) && memories.is_crowded(3), "the last eighth is left");
    assert!(memories.take(4, 16 * MIB) && memories.take(2, 16 * MIB), "for these, of either");
    assert!(!memories.take(2, 1) && !memories.take(4, 1), "they hold no more than a little");

    // Alone it has all of it.
    memories.give_back(2, 16 * MIB);
    memories.end(3);
    assert!(!memories.take(0, MIB), "the other one still has a query");
    memories.end(4);
    assert!(memories.take(0, 96 * MIB));
    assert!(!memories.take(1, MIB) && memories.is_crowded(1));
}

#[test]
fn operators_leave_a_part_of_the_memory_to_expressions() {
    const MIB: usize = 1 << 20;
    for (share, left) in [(8 * MIB, MIB), (128 * MIB, 16 * MIB), (512 * MIB, 16 * MIB)] {
        let memories = Memories::new(1_024 * MIB, &[share]);
        assert!(memories.has_for_operator(0, share - left), "{share}");
        assert!(!memories.has_for_operator(0, share - left + 1), "{share}");
        assert!(memories.take(0, share) && !memories.take(0, 1), "{share}");
    }
}
