//! A store in a temporary folder with one organisation, on a clock that the test moves.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use tidegauge_catalog::datasets::Dataset;
use tidegauge_catalog::people::Person;
use tidegauge_catalog::tokens::Token;
use tidegauge_catalog::{Catalog, Change, Location, SealKey};
use tidegauge_model::chance::SeededChance;
use tidegauge_model::time::ManualClock;
use tidegauge_model::{
    Capabilities, Clock, Column, Columns, DatasetId, DatasetName, FieldKind, Org, OrgId, Timestamp, Values,
};
use tidegauge_store::{DatasetState, Receipt, Store, StoreSettings, StoredRow};

pub(crate) const START: i64 = 1_800_000_000_000_000;

pub(crate) struct House {
    pub(crate) folder: TempDir,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) org: OrgId,
    pub(crate) store: Store,
    chance: Arc<SeededChance>,
}

impl House {
    pub(crate) async fn new() -> Self {
        Self::with(|_| ()).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut StoreSettings)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let catalog = open_catalog(folder.path()).await;
        let now = Timestamp::from_micros(START);
        let org = Org::self_hosted("org_house".into(), "House".to_owned(), "a@example.com".to_owned(), now);
        set_up(&catalog, &org, now).await;
        let clock = Arc::new(ManualClock::at(now));
        let chance = Arc::new(SeededChance::new(7));
        let mut settings = StoreSettings::new(folder.path().to_owned());
        change(&mut settings);
        let store =
            Store::open(Arc::clone(&catalog), Arc::clone(&clock) as Arc<dyn Clock>, chance.clone(), settings)
                .await
                .unwrap();
        Self { folder, catalog, clock, org: org.id, store, chance }
    }

    /// Opens the folder again as after a stop; without `close` the store has ended as if killed.
    pub(crate) async fn reopened(self) -> Self {
        self.reopened_with(|_| ()).await
    }

    pub(crate) async fn reopened_with(self, change: impl FnOnce(&mut StoreSettings)) -> Self {
        let Self { folder, catalog, clock, org, store, chance } = self;
        drop(store);
        let mut settings = StoreSettings::new(folder.path().to_owned());
        change(&mut settings);
        let store =
            Store::open(Arc::clone(&catalog), Arc::clone(&clock) as Arc<dyn Clock>, chance.clone(), settings)
                .await
                .unwrap();
        Self { folder, catalog, clock, org, store, chance }
    }

    pub(crate) async fn dataset(&self, name: &str) -> Arc<DatasetState> {
        let now = self.clock.now();
        let dataset = Dataset {
            id: DatasetId::generate(now, &*self.chance),
            number: 0,
            org: self.org.clone(),
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
        };
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
        let state = self.store.dataset(dataset).expect("the dataset is there");
        self.store.rows(&state).await.unwrap()
    }

    pub(crate) fn advance(&self, by: Duration) {
        self.clock.advance(by);
    }
}

pub(crate) async fn open_catalog(folder: &Path) -> Arc<Catalog> {
    let location = Location::Sqlite(folder.join("catalog.db"));
    Arc::new(Catalog::open(&location, SealKey::new(&[7; 32])).await.unwrap())
}

async fn set_up(catalog: &Catalog, org: &Org, now: Timestamp) {
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
    };
    let change = Change { org: None, actor: "test".to_owned(), at: now, request_id: String::new() };
    assert!(catalog.set_up(org, &owner, &token, "digest", &change).await.unwrap());
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
