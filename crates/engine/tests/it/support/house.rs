//! A store in a temporary folder with engines over it. Events come in as NDJSON through the reader of requests, and
//! the test decides where they lie when they are asked for.

mod again;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tempfile::TempDir;
use tidegauge_catalog::datasets::Dataset as CatalogDataset;
use tidegauge_catalog::tokens::Token;
use tidegauge_catalog::users::Person;
use tidegauge_catalog::{Catalog, Change, Location, SealKey};
use tidegauge_engine::{Answer, Dataset, Engine, EngineSettings, Error, Files, Options, Question};
use tidegauge_ingest::{FieldGate, Limits, Reader};
use tidegauge_lang::dataset_query::{Refused, Surroundings, translate};
use tidegauge_lang::{Diagnostic, Resolved, Span, parse_query, resolve};
use tidegauge_model::rng::SeededRng;
use tidegauge_model::time::ManualClock;
use tidegauge_model::{Capabilities, Clock, DatasetId, DatasetName, Org, OrgId, Rng, RowId, Timestamp};
use tidegauge_store::{DatasetState, Receipt, Store, StoreSettings};

use super::body;
use super::reply::Reply;
use crate::waiting::WAIT_MAX;

pub(crate) use again::files_below;

/// When the clock of a house starts: 2027-01-15T08:00:00Z, in nanoseconds.
pub(crate) const START: i64 = 1_800_000_000_000_000_000;
pub(crate) const SECOND: i64 = 1_000_000_000;
pub(crate) const HOUR: i64 = 3600 * SECOND;

/// Where the events of a dataset lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    /// In no segment yet.
    Buffer,
    /// Each request in segments of its own.
    Segments,
    /// The first half of the requests in segments, the others not.
    Both,
    /// In segments that were merged.
    Merged,
}

impl Placement {
    pub(crate) const ALL: [Self; 4] = [Self::Buffer, Self::Segments, Self::Both, Self::Merged];
}

/// How a query is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// On one thread, keeping columns and using those that were kept.
    Cached,
    /// On one thread, reading everything anew.
    Uncached,
    /// On several threads.
    Threads,
}

impl Way {
    /// The cached way stands here three times: the first fills the cache of columns, the second that of groups, and the
    /// third uses both. The buffer is not cached.
    pub(crate) fn all(placement: Placement) -> &'static [Self] {
        match placement {
            Placement::Buffer => &[Self::Uncached, Self::Threads],
            _ => &[Self::Uncached, Self::Cached, Self::Cached, Self::Cached, Self::Threads],
        }
    }
}

pub(crate) struct House {
    folder: TempDir,
    catalog: Arc<Catalog>,
    clock: Arc<ManualClock>,
    rng: Arc<SeededRng>,
    org: OrgId,
    pub(crate) store: Arc<Store>,
    one_thread: Engine,
    threads: Engine,
    datasets: AtomicU64,
}

/// A dataset and the identities of its events, in the order in which they came in.
pub(crate) struct Filled {
    pub(crate) state: Arc<DatasetState>,
    pub(crate) ids: Vec<RowId>,
}

struct AnyField;

impl FieldGate for AnyField {
    fn admit(&self, _: &str) -> bool {
        true
    }
}

impl House {
    pub(crate) async fn new() -> Self {
        let folder = temporary_folder();
        let path = folder.path().join("catalog.db");
        crate::sqlite_copy::put(&path, 7);
        let location = Location::Sqlite(path);
        let catalog =
            Arc::new(Catalog::open_waiting(&location, SealKey::new(&[7; 32]), WAIT_MAX).await.unwrap());
        let now = Timestamp::from_micros(START / 1000);
        let org = set_up(&catalog, now).await;
        let clock = Arc::new(ManualClock::at(now));
        let rng = Arc::new(SeededRng::new(7));
        let mut settings = StoreSettings::new(folder.path().to_owned());
        settings.wal_file_bytes = 1 << 20;
        let store = Store::open(
            Arc::clone(&catalog),
            Arc::clone(&clock) as Arc<dyn Clock>,
            Arc::clone(&rng) as Arc<dyn Rng>,
            settings,
        );
        let store = Arc::new(store.await.unwrap());
        let one_thread = engine(&store, folder.path(), 1);
        let threads = engine(&store, folder.path(), 3);
        Self { folder, catalog, clock, rng, org, store, one_thread, threads, datasets: AtomicU64::new(0) }
    }

    /// Begins with engines that have kept nothing but what is on the disk.
    pub(crate) fn restart_engines(&mut self, change: impl Fn(EngineSettings) -> EngineSettings) {
        let engine =
            |threads| Engine::new(Arc::clone(&self.store), change(settings(self.folder.path(), threads)));
        self.one_thread = engine(1).unwrap();
        self.threads = engine(3).unwrap();
    }

    pub(crate) fn engine(&self, way: Way) -> &Engine {
        if way == Way::Threads { &self.threads } else { &self.one_thread }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) async fn dataset(&self) -> Arc<DatasetState> {
        self.dataset_with_maps(&[]).await
    }

    /// A dataset in which these fields keep objects as they are.
    pub(crate) async fn dataset_with_maps(&self, map_fields: &[&str]) -> Arc<DatasetState> {
        let now = self.clock.now();
        let number = self.datasets.fetch_add(1, Ordering::Relaxed);
        let dataset = CatalogDataset {
            id: DatasetId::generate(now, &*self.rng),
            number: 0,
            org: self.org.clone(),
            name: DatasetName::parse(&format!("logs-{number}")).unwrap(),
            description: String::new(),
            kind: "axiom:events:v1".to_owned(),
            created: now,
            created_by: "user_owner".into(),
            modified: now,
            use_retention: false,
            retention_days: 0,
            map_fields: map_fields.iter().map(|field| (*field).to_owned()).collect(),
            flushed: 0,
            vacuumed: None,
            region: String::new(),
            edge_deployment: String::new(),
        };
        let change = Change {
            org: Some(self.org.clone()),
            actor: "user_owner".to_owned(),
            at: now,
            request_id: "req".to_owned(),
        };
        let stored = self.catalog.insert_dataset(&self.org, &dataset, 1_000_000, &change).await.unwrap();
        self.store.add(&stored).unwrap()
    }

    /// Takes the events of one request in and gives their identities.
    pub(crate) async fn ingest(&self, state: &Arc<DatasetState>, ndjson: &str) -> Vec<RowId> {
        let arrival = self.clock.now().as_micros() * 1000;
        let mut reader = Reader::new(Limits::default());
        let options = tidegauge_ingest::Options { map_fields: state.map_fields(), ..Default::default() };
        reader.begin(options, arrival);
        reader.feed(ndjson.as_bytes(), &AnyField).unwrap();
        let outcome = reader.finish(&AnyField).unwrap();
        assert_eq!(outcome.failures, Vec::new());
        let receipt = Receipt { arrival, raw_bytes: ndjson.len() as u64, key: None };
        let prepared = Store::prepare(reader.columns(), receipt);
        let sequence = self.store.append(state, prepared).await.unwrap();
        let times = reader.columns().times.iter();
        (0..).zip(times).map(|(index, time)| RowId { time: *time, sequence, index }).collect()
    }

    pub(crate) async fn flush(&self, state: &Arc<DatasetState>) {
        self.store.flush(state).await.unwrap();
    }

    /// Merges all segments that can be.
    pub(crate) async fn compact(&self) {
        self.clock.advance(Duration::from_secs(86_400));
        while self.store.compact_step().await.unwrap() {}
    }

    /// A dataset with the events of these requests in a place.
    pub(crate) async fn filled(&self, requests: &[String], placement: Placement) -> Filled {
        self.filled_with_maps(requests, placement, &[]).await
    }

    pub(crate) async fn filled_with_maps(
        &self,
        requests: &[String],
        placement: Placement,
        map_fields: &[&str],
    ) -> Filled {
        let state = self.dataset_with_maps(map_fields).await;
        let mut ids = Vec::new();
        for (number, request) in requests.iter().enumerate() {
            ids.extend(self.ingest(&state, request).await);
            let is_flushed = match placement {
                Placement::Buffer => false,
                Placement::Segments | Placement::Merged => true,
                Placement::Both => number < requests.len().div_ceil(2),
            };
            if is_flushed {
                self.flush(&state).await;
            }
        }
        if placement == Placement::Merged {
            self.compact().await;
        }
        Filled { state, ids }
    }

    pub(crate) fn forget(&self, filled: &Filled) {
        self.store.remove(filled.state.id());
    }

    pub(crate) async fn ask(
        &self,
        state: &Arc<DatasetState>,
        body: &serde_json::Value,
        way: Way,
    ) -> Result<Reply, String> {
        let query = body::read(body);
        let around = Surroundings { now: START, data: None, window_seconds_max: 0 };
        let translated = translate("logs", &query, around).map_err(|refused| match refused {
            Refused::Violation(violation) => violation.to_string(),
            Refused::Expression { diagnostics, .. } => {
                diagnostics.first().map(|first| first.message.clone()).unwrap_or_default()
            }
        })?;
        let options = Options { bypasses_cache: way == Way::Uncached, ..Options::at(START) };
        let question = Question::of_dataset(translated.query, Arc::clone(state), options);
        let answer = self.engine(way).run(question).await.map_err(|error| error.to_string())?;
        Ok(Reply::new(&answer, &query.aggregations.is_empty()))
    }

    /// Asks a query in text of some datasets.
    pub(crate) async fn ask_text(
        &self,
        datasets: &[(&str, &Arc<DatasetState>)],
        text: &str,
        way: Way,
    ) -> Result<Answer, Vec<Diagnostic>> {
        let options = Options { bypasses_cache: way == Way::Uncached, ..Options::at(START) };
        self.ask_with(datasets, text, way, options).await
    }

    /// Asks a query in text that may read these files.
    pub(crate) async fn ask_files(
        &self,
        text: &str,
        files: Arc<dyn Files>,
    ) -> Result<Answer, Vec<Diagnostic>> {
        let options = Options { files: Some(files), ..Options::at(START) };
        self.ask_with(&[], text, Way::Threads, options).await
    }

    /// Asks a query in text that is run as the options say.
    pub(crate) async fn ask_with(
        &self,
        datasets: &[(&str, &Arc<DatasetState>)],
        text: &str,
        way: Way,
        options: Options,
    ) -> Result<Answer, Vec<Diagnostic>> {
        let (program, diagnostics) = parse_query(text);
        if !diagnostics.is_empty() {
            return Err(diagnostics);
        }
        let resolved = resolve(program, &[], &std::collections::HashMap::new())?;
        self.ask_resolved(datasets, resolved, way, options).await
    }

    /// How a query is run this way.
    pub(crate) fn options(way: Way) -> Options {
        Options { bypasses_cache: way == Way::Uncached, ..Options::at(START) }
    }

    /// Asks a query whose names are settled.
    pub(crate) async fn ask_resolved(
        &self,
        datasets: &[(&str, &Arc<DatasetState>)],
        resolved: Resolved,
        way: Way,
        options: Options,
    ) -> Result<Answer, Vec<Diagnostic>> {
        let dataset = |(name, state): &(&str, &Arc<DatasetState>)| ((*name).to_owned(), Arc::clone(state));
        let datasets = datasets.iter().map(dataset).collect();
        self.run_resolved(datasets, resolved, way, options).await.map_err(|error| match error {
            Error::Invalid(diagnostics) => diagnostics,
            other => vec![Diagnostic::new(other.to_string(), Span::default())],
        })
    }

    /// As [`Self::ask_resolved`], with the error as it is.
    pub(crate) async fn run_resolved(
        &self,
        datasets: Vec<(String, Arc<DatasetState>)>,
        resolved: Resolved,
        way: Way,
        options: Options,
    ) -> Result<Answer, Error> {
        let dataset = |(name, state)| Dataset { name, state, virtual_fields: Vec::new() };
        let question = Question {
            query: resolved.query,
            constants: resolved.constants,
            datasets: datasets.into_iter().map(dataset).collect(),
            is_strict: resolved.is_strict,
            options,
        };
        self.engine(way).run(question).await
    }
}

/// In memory where the system has such a folder: these tests write often, and what survives a crash is tested
/// elsewhere.
fn temporary_folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

fn engine(store: &Arc<Store>, folder: &Path, threads: usize) -> Engine {
    Engine::new(Arc::clone(store), settings(folder, threads)).unwrap()
}

fn settings(folder: &Path, threads: usize) -> EngineSettings {
    EngineSettings {
        threads,
        memory_bytes: 1 << 30,
        query_memory_bytes: 1 << 29,
        cache_bytes: 56 << 20,
        groups_bytes: 8 << 20,
        groups_folder: folder.join(format!("groups-{threads}")),
        groups_disk_bytes: 64 << 20,
        groups_checked_each: 1,
        spill_folder: folder.join(format!("spill-{threads}")),
        spill_bytes_max: 1 << 30,
        running_max: 4,
        waiting_max: 16,
    }
}

async fn set_up(catalog: &Catalog, now: Timestamp) -> OrgId {
    let org = Org::self_hosted("org_house".into(), "House".to_owned(), "a@example.com".to_owned(), now);
    let owner = Person {
        id: "user_owner".into(),
        email: "a@example.com".to_owned(),
        name: "A".to_owned(),
        created: now,
    };
    let token = Token {
        id: "token_1".into(),
        org: None,
        person: owner.id.clone(),
        name: "first".to_owned(),
        description: String::new(),
        capabilities: Capabilities::default(),
        created: now,
        expires_at: None,
        last_used_at: None,
        ends_with_membership: false,
    };
    let change = Change { org: None, actor: "test".to_owned(), at: now, request_id: String::new() };
    assert!(catalog.set_up(&org, &owner, &token, "digest", &change).await.unwrap());
    org.id
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap()
        .block_on(future)
}
