//! A node: a process with a data folder of its own, which it keeps from one life to the next. All nodes have one
//! catalogue and one bucket, and a node writes while it has the lease.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tidegauge_catalog::{Catalog, Location, SealKey};
use tidegauge_model::rng::SeededRng;
use tidegauge_model::{Clock, Rng};
use tidegauge_store::{ObjectLocation, Result, Store, StoreSettings};

use super::dice::Dice;
use super::world::{Way, World};

/// How long a node may be silent before the other one can take the lease.
pub(super) const LEASE: Duration = Duration::from_secs(3600);

/// How long replaced segments stay.
pub(super) const GRACE: Duration = Duration::from_secs(3600);

#[derive(Debug)]
pub(super) struct Node {
    pub(super) number: usize,
    world: Arc<World>,
    pub(super) catalog: Arc<Catalog>,
    rng: Arc<SeededRng>,
    pub(super) store: Option<Arc<Store>>,
}

impl Node {
    pub(super) async fn new(world: &Arc<World>, number: usize, seed: u64) -> Self {
        let location = Location::Sqlite(world.folder.path().join("catalog.db"));
        let mut catalog = Catalog::open(&location, SealKey::new(&[7; 32])).await.unwrap();
        catalog.set_context(Arc::new(Way { world: Arc::clone(world), node: number }));
        let rng = Arc::new(SeededRng::new(seed.wrapping_mul(31).wrapping_add(number as u64)));
        Self { number, world: Arc::clone(world), catalog: Arc::new(catalog), rng, store: None }
    }

    pub(super) fn folder(&self) -> PathBuf {
        self.world.folder.path().join(format!("node{}", self.number))
    }

    /// Begins another life and opens the store in it.
    pub(super) fn opening(&self) -> impl Future<Output = Result<Store>> + use<> {
        let life = Arc::new(self.world.begin_life(self.number));
        let mut settings = StoreSettings::new(self.folder());
        settings.disk = Arc::clone(&life) as Arc<dyn tidegauge_store::Disk>;
        settings.objects = ObjectLocation::Handed { store: life, is_local: self.world.is_local };
        // Files of the log and segments are small, so that there are several of each.
        settings.wal_file_bytes = 6000;
        settings.flush_rows = 60;
        settings.flush_age = Duration::from_secs(3600);
        settings.segment_rows_max = 64;
        settings.grace = GRACE;
        settings.lease = LEASE;
        settings.address = format!("node{}", self.number);
        let (catalog, rng) = (Arc::clone(&self.catalog), Arc::clone(&self.rng) as Arc<dyn Rng>);
        let clock = Arc::clone(&self.world.clock) as Arc<dyn Clock>;
        Store::open(catalog, clock, rng, settings)
    }

    /// The process ends, here or before; then the power goes too, perhaps. What it had begun is not done any more.
    pub(super) fn kill(&mut self, dice: &Dice) {
        self.world.end_life(self.number);
        self.store = None;
        let how = match dice.one_in(3) {
            true => "killed",
            false => self.world.disks[self.number].lock().unwrap_or_else(PoisonError::into_inner).cut(dice),
        };
        self.world.note(format!("  node {} is down; what was not synced is left: {how}", self.number));
    }

    /// The files of its log.
    pub(super) fn log_files(&self) -> Vec<PathBuf> {
        crate::house::log_files(&self.folder())
    }

    /// Whether it was ever started.
    pub(super) fn has_log(&self) -> bool {
        !self.log_files().is_empty()
    }
}

/// A catalogue with an organisation, which histories begin with a copy of.
pub(super) async fn template(path: &Path) {
    crate::sqlite_copy::put(path, 7);
    let location = Location::Sqlite(path.to_owned());
    let catalog = Catalog::open(&location, SealKey::new(&[7; 32])).await.unwrap();
    crate::house::set_up(&catalog, tidegauge_model::Timestamp::from_micros(crate::house::START)).await;
    catalog.close().await;
}
