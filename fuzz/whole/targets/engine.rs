//! Texts from the parser to the answer, over tables that stand in the query. An error of the query is an answer; a
//! fault of the engine and a query that does not end are found.

#![no_main]

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use libfuzzer_sys::fuzz_target;
use tidegauge_catalog::{Catalog, Location, SealKey};
use tidegauge_engine::{Engine, EngineSettings, Error, Options, Question};
use tidegauge_lang::{parse_query, resolve};
use tidegauge_model::rng::SeededRng;
use tidegauge_model::time::ManualClock;
use tidegauge_model::{Rng, Clock, Timestamp};
use tidegauge_store::{Store, StoreSettings};
use tokio::runtime::Runtime;

/// What is made once for all texts.
struct World {
    runtime: Runtime,
    engine: Engine,
    _folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let runtime = Runtime::new().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let store = runtime.block_on(async {
            let location = Location::Sqlite(folder.path().join("catalog.db"));
            let catalog = Arc::new(Catalog::open(&location, SealKey::new(&[7; 32])).await.unwrap());
            let clock: Arc<dyn Clock> =
                Arc::new(ManualClock::at(Timestamp::from_micros(1_800_000_000_000_000)));
            let rng: Arc<dyn Rng> = Arc::new(SeededRng::new(7));
            Store::open(catalog, clock, rng, StoreSettings::new(folder.path().to_owned())).await.unwrap()
        });
        let settings = EngineSettings {
            threads: 1,
            memory_bytes: 256 << 20,
            query_memory_bytes: 128 << 20,
            cache_bytes: 1 << 20,
            groups_bytes: 1 << 20,
            groups_folder: folder.path().join("groups"),
            groups_disk_bytes: 0,
            groups_checked_each: 0,
            spill_folder: folder.path().join("spill"),
            spill_bytes_max: 64 << 20,
            running_max: 1,
            waiting_max: 0,
        };
        let engine = Engine::new(Arc::new(store), settings).unwrap();
        Self { runtime, engine, _folder: folder }
    }
}

fuzz_target!(|text: &str| {
    static WORLD: OnceLock<World> = OnceLock::new();
    let world = WORLD.get_or_init(World::new);
    let (program, diagnostics) = parse_query(text);
    if !diagnostics.is_empty() {
        return;
    }
    let Ok(resolved) = resolve(program, &[], &HashMap::new()) else { return };
    let question = Question {
        query: resolved.query,
        constants: resolved.constants,
        datasets: Vec::new(),
        is_strict: resolved.is_strict,
        options: Options::at(1_800_000_000_000_000_000),
    };
    match world.runtime.block_on(world.engine.run(question)) {
        Ok(_) | Err(Error::Memory { .. } | Error::Spill | Error::Time { .. }) => {}
        Err(Error::Invalid(diagnostics)) => {
            for diagnostic in &diagnostics {
                assert!(
                    text.get(diagnostic.span.range()).is_some(),
                    "{diagnostic:?} is not a part of {text:?}"
                );
                diagnostic.render(text);
            }
        }
        Err(other) => panic!("{other}"),
    }
});
