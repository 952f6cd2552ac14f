//! A store in a temporary folder with one organisation, on a clock that the test moves.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use tidegauge_catalog::datasets::Dataset;
use tidegauge_catalog::tokens::Token;
use tidegauge_catalog::users::Person;
use tidegauge_catalog::{Catalog, Change, Location, SealKey};
use tidegauge_model::rng::SeededRng;
use tidegauge_model::time::ManualClock;
use tidegauge_model::{
    Capabilities, Clock, Column, Columns, DatasetId, DatasetName, FieldKind, Org, OrgId, Rng, Timestamp,
    Values,
};
use tidegauge_store::{DatasetState, Receipt, Result, Store, StoreSettings, StoredRow};

use crate::waiting::WAIT_MAX;

pub(crate) const START: i64 = 1_800_000_000_000_000;

pub(crate) struct House {
    pub(crate) folder: TempDir,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) org: OrgId,
    pub(crate) store: Store,
    pub(crate) settings: StoreSettings,
    pub(crate) rng: Arc<SeededRng>,
}

impl House {
    pub(crate) async fn new() -> Self {
        Self::with(|_| ()).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut StoreSettings)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let location = sqlite(folder.path());
        Self::at(folder, &location, change).await
    }

    pub(crate) async fn at(
        folder: TempDir,
        location: &Location,
        change: impl FnOnce(&mut StoreSettings),
    ) -> Self {
        let catalog = open_catalog(location).await;
        let now = Timestamp::from_micros(START);
        let org = set_up(&catalog, now).await;
        let clock = Arc::new(ManualClock::at(now));
        let rng = Arc::new(SeededRng::new(7));
        let mut settings = StoreSettings::new(folder.path().to_owned());
        settings.wal_file_bytes = 1 << 20;
        change(&mut settings);
        let store = open(&catalog, &clock, &rng, &settings).await.unwrap();
        Self { folder, catalog, clock, org, store, settings, rng }
    }

    /// Opens the folder again as after a stop without `close`.
    pub(crate) async fn reopened(self) -> Self {
        self.reopened_with(|_| ()).await
    }

    pub(crate) async fn reopened_with(self, change: impl FnOnce(&mut StoreSettings)) -> Self {
        let Self { folder, catalog, clock, org, store, mut settings, rng } = self;
        drop(store);
        change(&mut settings);
        let store = open(&catalog, &clock, &rng, &settings).await.unwrap();
        Self { folder, catalog, clock, org, store, settings, rng }
    }

    /// Opens the folder again after something has happened to it.
    pub(crate) async fn reopened_after(self, happens: impl FnOnce()) -> Self {
        let Self { folder, catalog, clock, org, store, settings, rng } = self;
        drop(store);
        happens();
        let store = open(&catalog, &clock, &rng, &settings).await.unwrap();
        Self { folder, catalog, clock, org, store, settings, rng }
    }

    /// Opens the folder again as after a kill: what the store does when it is dropped has not happened.
    pub(crate) async fn killed(self) -> Self {
        let Self { folder, catalog, clock, org, store, settings, rng } = self;
        let log: Vec<(PathBuf, Vec<u8>)> = log_files(folder.path())
            .into_iter()
            .map(|path| (path.clone(), std::fs::read(path).unwrap()))
            .collect();
        drop(store);
        log_files(folder.path()).iter().for_each(|path| std::fs::remove_file(path).unwrap());
        log.iter().for_each(|(path, bytes)| std::fs::write(path, bytes).unwrap());
        let store = open(&catalog, &clock, &rng, &settings).await.unwrap();
        Self { folder, catalog, clock, org, store, settings, rng }
    }

    /// Ends the store and opens its folder with another catalogue.
    pub(crate) async fn with_catalog(self, catalog: Arc<Catalog>) -> Self {
        let Self { folder, clock, org, store, settings, rng, .. } = self;
        drop(store);
        let store = open(&catalog, &clock, &rng, &settings).await.unwrap();
        Self { folder, catalog, clock, org, store, settings, rng }
    }

    pub(crate) async fn dataset(&self, name: &str) -> Arc<DatasetState> {
        let now = self.clock.now();
        let id = DatasetId::generate(now, &*self.rng);
        let dataset = new_dataset(id, &self.org, name, now);
        let stored = self.catalog.insert_dataset(&self.org, &dataset, 1000, &self.change()).await.unwrap();
        self.store.add(&stored).unwrap()
    }

    pub(crate) fn change(&self) -> Change {
        Change {
            org: Some(self.org.clone()),
            actor: "user_owner".to_owned(),
            at: self.clock.now(),
            request_id: "req".to_owned(),
        }
    }

    pub(crate) fn receipt(&self) -> Receipt {
        Receipt { arrival: self.clock.now().as_micros() * 1000, raw_bytes: 100, key: None }
    }

    pub(crate) async fn append(&self, dataset: &Arc<DatasetState>, columns: &Columns) -> u64 {
        self.store.append(dataset, Store::prepare(columns, self.receipt())).await.unwrap()
    }

    pub(crate) async fn rows(&self, dataset: &DatasetId) -> Vec<StoredRow> {
        let state = self.store.dataset(dataset).unwrap();
        self.store.rows(&state).await.unwrap()
    }

    pub(crate) async fn flush(&self, dataset: &DatasetId) {
        self.store.flush(&self.store.dataset(dataset).unwrap()).await.unwrap();
    }

    pub(crate) async fn compact(&self) {
        while self.store.compact_step().await.unwrap() {}
    }

    /// The files of live segments.
    pub(crate) async fn segment_files(&self, dataset: &DatasetId) -> Vec<PathBuf> {
        let live = self.catalog.live_segments(dataset).await.unwrap();
        live.iter().map(|segment| self.folder.path().join("segments").join(&segment.path)).collect()
    }

    pub(crate) async fn delete_dataset(&self, name: &str) -> DatasetId {
        let now = self.clock.now();
        self.catalog.delete_dataset(&self.org, name, now, &self.change()).await.unwrap().unwrap()
    }

    /// Segments are as old as the house by its own clock, not by the clock of the disk, whatever today's date is.
    pub(crate) fn date_segments(&self) {
        for file in files_in(&self.folder.path().join("segments"), "parquet") {
            set_modified(&file, Duration::ZERO);
        }
    }

    pub(crate) fn advance(&self, by: Duration) {
        self.clock.advance(by);
    }
}

/// A dataset that the catalogue does not know yet.
pub(crate) fn new_dataset(id: DatasetId, org: &OrgId, name: &str, now: Timestamp) -> Dataset {
    Dataset {
        id,
        number: 0,
        org: org.clone(),
        name: DatasetName::parse(name).unwrap(),
        description: String::new(),
        kind: "axiom:events:v1".to_owned(),
        created: now,
        created_by: "user_owner".into(),
        modified: now,
        use_retention: false,
        retention_days: 0,
        map_fields: Vec::new(),
        flushed: 0,
        vacuumed: None,
        region: String::new(),
        edge_deployment: String::new(),
    }
}

pub(crate) async fn open(
    catalog: &Arc<Catalog>,
    clock: &Arc<ManualClock>,
    rng: &Arc<SeededRng>,
    settings: &StoreSettings,
) -> Result<Store> {
    let clock = Arc::clone(clock) as Arc<dyn Clock>;
    Store::open(Arc::clone(catalog), clock, Arc::clone(rng) as Arc<dyn Rng>, settings.clone()).await
}

pub(crate) fn sqlite(folder: &Path) -> Location {
    Location::Sqlite(folder.join("catalog.db"))
}

/// The catalogue that is there, or a new one.
pub(crate) async fn open_catalog(location: &Location) -> Arc<Catalog> {
    if let Location::Sqlite(path) = location
        && !path.try_exists().unwrap()
    {
        crate::sqlite_copy::put(path, 7);
    }
    Arc::new(Catalog::open_waiting(location, SealKey::new(&[7; 32]), WAIT_MAX).await.unwrap())
}

pub(crate) fn log_files(folder: &Path) -> Vec<PathBuf> {
    files_in(&folder.join("log"), "log")
}

/// All files with an extension below a folder, by name.
pub(crate) fn files_in(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        match path.is_dir() {
            true => found.extend(files_in(&path, extension)),
            false if path.extension().is_some_and(|own| own == extension) => found.push(path),
            false => {}
        }
    }
    found.sort();
    found
}

/// As a file that was written so long before the house was built, by its own clock.
pub(crate) fn set_modified(file: &Path, before: Duration) {
    let at = std::time::UNIX_EPOCH + Duration::from_micros(START as u64) - before;
    std::fs::File::options().write(true).open(file).unwrap().set_modified(at).unwrap();
}

/// Polls something so many times and then gives it up, as a task that is aborted does. Says whether it had ended.
pub(crate) async fn give_up_after<T>(polls: usize, work: impl Future<Output = T>) -> bool {
    tokio::pin!(work);
    for _ in 0..polls {
        if futures_util::poll!(&mut work).is_ready() {
            return true;
        }
        tokio::task::yield_now().await;
    }
    false
}

/// Gives the catalogue an organisation.
pub(crate) async fn set_up(catalog: &Catalog, now: Timestamp) -> OrgId {
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

/// Events at these times (nanoseconds) with an integer `n`, a text `name`, and in every third a float `n`.
pub(crate) fn events(times: &[i64]) -> Columns {
    let mut integers = Column::new("n".into(), FieldKind::Integer);
    let mut floats = Column::new("n".into(), FieldKind::Float);
    let mut names = Column::new("name".into(), FieldKind::String);
    for (row, time) in (0_u32..).zip(times) {
        match &mut floats.values {
            Values::Float(values) if row % 3 == 2 => {
                floats.rows.push(row);
                values.push(*time as f64 + 0.5);
            }
            _ => {
                integers.rows.push(row);
                if let Values::Integer(values) = &mut integers.values {
                    values.push(*time);
                }
            }
        }
        names.rows.push(row);
        if let Values::String(texts) = &mut names.values {
            texts.push(format!("event at {time}").as_bytes());
        }
    }
    Columns { times: times.to_vec(), columns: vec![integers, floats, names] }
}
