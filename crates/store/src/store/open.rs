//! How the store is opened: the folder's lock and the catalogue's lease are taken, the catalogue says what is in
//! segments, and the WAL gives back what is beyond them. What goes on after that is left to `store` and its neighbours.

use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, RwLock};

use hashbrown::HashMap;
use tidegauge_catalog::Catalog;
use tidegauge_catalog::segments::Segment;
use tidegauge_model::{Clock, DatasetId, ErrorKind, Rng, Timestamp};
use tokio::sync::Notify;

use super::{Directory, Rewritten, Store};
use crate::abandoned::Inherited;
use crate::blocks::FooterCache;
use crate::dataset::DatasetState;
use crate::disk::make_folder_on;
use crate::earlier_wal::EarlierWal;
use crate::erasures::Erasures;
use crate::eviction::{Watchers, live_objects};
use crate::intents::Intents;
use crate::lease::Lease;
use crate::objects::Objects;
use crate::orphaned_wal::OrphanedWal;
use crate::settings::StoreSettings;
use crate::trouble::LastFailure;
use crate::wal::{Recovered, Wal, WalSettings, recover};
use crate::{Error, Result};

/// The folder of what was read of a remote object store.
const OBJECT_CACHE: &str = "object-cache";

/// What the WAL held when the store was opened, and what of it is not in the datasets' buffers.
struct Recovery {
    recovered: Recovered,
    left: EarlierWal,
    orphaned: OrphanedWal,
}

impl Store {
    /// Opens the store and recovers what the WAL holds beyond the segments. Refused, and it is told by whom, while
    /// another process writes to the catalogue.
    pub async fn open(
        catalog: Arc<Catalog>,
        clock: Arc<dyn Clock>,
        rng: Arc<dyn Rng>,
        settings: StoreSettings,
    ) -> Result<Self> {
        let wal_settings = prepare(&settings)?;
        let lock = lock_folder(&settings)?;
        let lease = Lease::take(&catalog, &*clock, &*rng, &settings).await?;
        let leased = Arc::clone(&catalog);
        let opened = Self::open_with(catalog, clock, rng, settings, (lock, lease), wal_settings);
        let opened = Box::pin(opened).await;
        if opened.is_err() {
            // Others need not wait for one that does not run.
            let _ = leased.release_lease().await;
        }
        opened
    }

    async fn open_with(
        catalog: Arc<Catalog>,
        clock: Arc<dyn Clock>,
        rng: Arc<dyn Rng>,
        settings: StoreSettings,
        (lock, lease): (std::fs::File, Lease),
        wal_settings: WalSettings,
    ) -> Result<Self> {
        let objects = Objects::open(&settings.objects, &settings.disk)?;
        catalog.set_data_path(objects.data_path()).await?;
        let buffered = Arc::new(AtomicUsize::new(0));
        let directory = load(&catalog, &buffered).await?;
        let live = || live_objects(directory.by_id.values());
        let cache = settings.folder.join(OBJECT_CACHE);
        let objects = Arc::new(objects.with_cache(cache, settings.object_cache_bytes, live).await?);
        let intents = Intents::open(settings.folder.join("intents"), &settings.disk)?;
        let Recovery { recovered, left, orphaned } =
            read_wal(&wal_settings, &catalog, &lease, &directory, &intents).await?;
        let flushed = directory.by_id.values().map(|state| state.lock().flushed).max().unwrap_or(0);
        let last = recovered.last_sequence.max(flushed).max(lease.taken.sequence_floor);
        let wal = Wal::open(wal_settings, &recovered, last)?;
        let store = Self {
            catalog,
            clock,
            rng,
            objects,
            intents,
            footer_cache: Arc::new(FooterCache::new(settings.footer_cache_bytes)),
            watchers: Watchers::default(),
            erasures: Erasures::default(),
            wal,
            directory: RwLock::new(directory),
            buffered,
            flush_wanted: Notify::new(),
            admitted: AtomicUsize::new(0),
            room: Notify::new(),
            appended: AtomicU64::new(0),
            pace: Mutex::new((Timestamp::from_micros(0), 0)),
            flushes: Mutex::default(),
            flush_failure: LastFailure::default(),
            rewritten: Rewritten::default(),
            deleted_through: AtomicU64::new(0),
            damage: recovered.damage,
            orphaned,
            settings,
            lease,
            _lock: lock,
        };
        // The marks that were read say what is in segments of this log only if the lease was its own all the while.
        store.renew_lease().await?;
        // First: what the WAL vouches for, it does not any more when its events are in segments.
        store.delete_inherited().await;
        store.publish_earlier(left).await?;
        store.renew_lease().await?;
        store.release_wal();
        Ok(store)
    }
}

pub(crate) fn prepare(settings: &StoreSettings) -> Result<WalSettings> {
    let folder = settings.folder.join("log");
    make_folder_on(&*settings.disk, &folder)
        .map_err(|source| Error::disk("make the folder of the write-ahead log", source))?;
    Ok(WalSettings {
        folder,
        quarantine: settings.folder.join("quarantine"),
        file_bytes: settings.wal_file_bytes,
        disk: Arc::clone(&settings.disk),
    })
}

/// Two processes on one log would destroy it.
pub(crate) fn lock_folder(settings: &StoreSettings) -> Result<std::fs::File> {
    let path = settings.folder.join("log").join("lock");
    let file = std::fs::File::create(&path)
        .map_err(|source| Error::disk("make the lock of the write-ahead log", source))?;
    rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive).map_err(|_| {
        let message = format!("another process uses {}: stop it first", settings.folder.display());
        Error::new(ErrorKind::Conflict, message)
    })?;
    Ok(file)
}

async fn load(catalog: &Catalog, buffered: &Arc<AtomicUsize>) -> Result<Directory> {
    let mut segments: HashMap<DatasetId, Vec<Arc<Segment>>> = HashMap::new();
    for segment in catalog.all_live_segments().await? {
        segments.entry(segment.dataset.clone()).or_default().push(Arc::new(segment));
    }
    let mut columns = catalog.all_columns().await?;
    let mut directory = Directory::default();
    for dataset in catalog.all_datasets().await? {
        let own = segments.remove(&dataset.id).unwrap_or_default();
        let state = DatasetState::new(&dataset, own, Arc::clone(buffered))?;
        for column in columns.remove(&dataset.id).unwrap_or_default() {
            state.lock().fields.add(&column.field, column.kind);
        }
        directory.insert(Arc::new(state));
    }
    Ok(directory)
}

/// Reads the WAL: events of datasets go to their buffers, and what was given up before is judged by what was seen.
async fn read_wal(
    settings: &WalSettings,
    catalog: &Catalog,
    lease: &Lease,
    directory: &Directory,
    intents: &Intents,
) -> Result<Recovery> {
    let mut inherited = Inherited::of(intents);
    let mut orphaned = OrphanedWal::default();
    let mut left = EarlierWal::of(catalog, lease).await?;
    let mut recovered = recover(settings, &mut |dataset, sequence, payload| {
        inherited.see(&dataset, sequence, &payload);
        match directory.by_id.get(&dataset) {
            Some(state) => left.sort_out(state, sequence, payload),
            None => orphaned.add(dataset, sequence, &payload),
        }
    })?;
    let flushed = |dataset: &DatasetId, sequence: u64| {
        let state = directory.by_id.get(dataset)?;
        Some(left.mark_before(dataset, sequence).unwrap_or_else(|| state.lock().flushed))
    };
    inherited.judge(intents, catalog, flushed).await?;
    let unknown: Vec<DatasetId> = orphaned.datasets.keys().cloned().collect();
    orphaned.forget(&catalog.deleted_datasets(&unknown).await?);
    orphaned.protect(&mut recovered);
    Ok(Recovery { recovered, left, orphaned })
}
