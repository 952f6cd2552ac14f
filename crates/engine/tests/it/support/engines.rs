//! Engines with settings of their own over the store of a house.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tidegauge_engine::{Answer, Dataset, Engine, EngineSettings, Options, Question};
use tidegauge_lang::{parse_query, resolve};
use tidegauge_store::DatasetState;

use super::house::{House, START};

const TIME_MAX: Duration = Duration::from_secs(3_600);

/// An engine with two threads and enough memory that keeps nothing, unless it is told otherwise.
pub(crate) fn engine(house: &House, change: impl FnOnce(&mut EngineSettings)) -> Engine {
    let mut settings = EngineSettings {
        threads: 2,
        memory_bytes: 64 << 20,
        query_memory_bytes: 64 << 20,
        cache_bytes: 0,
        groups_bytes: 0,
        groups_folder: PathBuf::new(),
        groups_disk_bytes: 0,
        groups_checked_each: 0,
        spill_folder: house.folder().join("small"),
        spill_bytes_max: 1 << 30,
        running_max: 1,
        waiting_max: 0,
    };
    change(&mut settings);
    Engine::new(Arc::clone(&house.store), settings).unwrap()
}

/// Asks an engine a query in text of the dataset `logs`.
pub(crate) async fn asked(engine: &Engine, state: &Arc<DatasetState>, text: &str) -> Answer {
    tried(engine, state, text).await.unwrap()
}

/// The same, which may fail, but not because the machine is slow.
pub(crate) async fn tried(
    engine: &Engine,
    state: &Arc<DatasetState>,
    text: &str,
) -> Result<Answer, tidegauge_engine::Error> {
    tried_with(engine, state, text, Options { time_max: TIME_MAX, ..Options::at(START) }).await
}

/// The same, in some manner.
pub(crate) async fn tried_with(
    engine: &Engine,
    state: &Arc<DatasetState>,
    text: &str,
    options: Options,
) -> Result<Answer, tidegauge_engine::Error> {
    let (program, _) = parse_query(text);
    let resolved = resolve(program, &[], &HashMap::new()).unwrap();
    let dataset = Dataset { name: "logs".to_owned(), state: Arc::clone(state), virtual_fields: Vec::new() };
    let answer = engine.run(Question {
        query: resolved.query,
        constants: resolved.constants,
        datasets: vec![dataset],
        is_strict: false,
        options,
    });
    answer.await
}
