//! How the store is opened: the folder's lock and the catalogue's lease are taken, the catalogue says what is in
//! segments, and the log gives back what is beyond them. What goes on after that is left to `store` and its neighbours.

use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, RwLock};

use hashbrown::HashMap;
use tidegauge_catalog::Catalog;
use tidegauge_catalog::segments::Segment;
use tidegauge_model::{Chance, Clock, DatasetId, ErrorKind, Timestamp};
use tokio::sync::Notify;

use super::{Directory, Store};
use crate::blocks::Footers;
use crate::dataset::DatasetState;
use crate::disk::make_folder_on;
use crate::given_up::Inherited;
use crate::gone::Watchers;
use crate::intents::Intents;
use crate::lease::Lease;
use crate::left::Left;
use crate::log::{Log, LogSettings, Recovered, recover};
use crate::objects::Objects;
use crate::settings::StoreSettings;
use crate::trouble::LastFailure;
use crate::unclaimed::Unclaimed;
use crate::{Error, Result};

/// What the log held when the store was opened, and what of it is not in the datasets' buffers.
struct Recovery {
    recovered: Recovered,
    left: Left,
    unclaimed: Unclaimed,
}

impl Store {
    /// Opens the store and recovers what the log holds beyond the segments. Refused, and it is told by whom, while
    /// another process writes to the catalogue.
    pub async fn open(
        catalog: Arc<Catalog>,
        clock: Arc<dyn Clock>,
        chance: Arc<dyn Chance>,
        settings: StoreSettings,
    ) -> Result<Self> {
        let log_settings = prepare(&settings)?;
        let lock = lock_folder(&settings)?;
        let lease = Lease::take(&catalog, &*clock, &*chance, &settings).await?;
        let leased = Arc::clone(&catalog);
        let opened = Self::open_with(catalog, clock, chance, settings, (lock, lease), log_settings);
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
        chance: Arc<dyn Chance>,
        settings: StoreSettings,
        (lock, lease): (std::fs::File, Lease),
        log_settings: LogSettings,
    ) -> Result<Self> {
        let objects = Arc::new(Objects::open(&settings.objects, &settings.disk)?);
        catalog.set_data_path(objects.data_path()).await?;
        let buffered = Arc::new(AtomicUsize::new(0));
        let directory = load(&catalog, &buffered).await?;
        let intents = Intents::open(settings.folder.join("intents"), &settings.disk)?;
        let Recovery { recovered, left, unclaimed } =
            read_log(&log_settings, &catalog, &lease, &directory, &intents).await?;
        let flushed = directory.by_id.values().map(|state| state.lock().flushed).max().unwrap_or(0);
        let last = recovered.last_sequence.max(flushed).max(lease.taken.sequence_floor);
        let log = Log::open(log_settings, &recovered, last)?;
        let store = Self {
            catalog,
            clock,
            chance,
            objects,
            intents,
            footers: Arc::new(Footers::new(settings.footer_cache_bytes)),
            watchers: Watchers::default(),
            log,
            directory: RwLock::new(directory),
            buffered,
            flush_wanted: Notify::new(),
            admitted: AtomicUsize::new(0),
            room: Notify::new(),
            appended: AtomicU64::new(0),
            pace: Mutex::new((Timestamp::from_micros(0), 0)),
            flushes: Mutex::default(),
            flush_failure: LastFailure::default(),
            doomed: AtomicU64::new(0),
            damage: recovered.damage,
            unclaimed,
            settings,
            lease,
            _lock: lock,
        };
        // The marks that were read say what is in segments of this log only if the lease was its own all the while.
        store.renew_lease().await?;
        // First: what the log vouches for, it does not any more when its events are in segments.
        store.delete_inherited().await;
        store.publish_left(left).await?;
        store.renew_lease().await?;
        store.release_log();
        Ok(store)
    }
}

pub(crate) fn prepare(settings: &StoreSettings) -> Result<LogSettings> {
    let folder = settings.folder.join("log");
    make_folder_on(&*settings.disk, &folder)
        .map_err(|source| Error::disk("make the folder of the log", source))?;
    Ok(LogSettings {
        folder,
        quarantine: settings.folder.join("quarantine"),
        file_bytes: settings.log_file_bytes,
        disk: Arc::clone(&settings.disk),
    })
}

/// Two processes on one log would destroy it.
pub(crate) fn lock_folder(settings: &StoreSettings) -> Result<std::fs::File> {
    let path = settings.folder.join("log").join("lock");
    let file =
        std::fs::File::create(&path).map_err(|source| Error::disk("make the lock of the log", source))?;
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

/// Reads the log: events of datasets go to their buffers, and what was given up before is judged by what was seen.
async fn read_log(
    settings: &LogSettings,
    catalog: &Catalog,
    lease: &Lease,
    directory: &Directory,
    intents: &Intents,
) -> Result<Recovery> {
    let mut inherited = Inherited::of(intents);
    let mut unclaimed = Unclaimed::default();
    let mut left = Left::of(catalog, lease).await?;
    let mut recovered = recover(settings, &mut |dataset, sequence, frame| {
        inherited.see(&dataset, sequence, &frame);
        match directory.by_id.get(&dataset) {
            Some(state) => left.sort_out(state, sequence, frame),
            None => unclaimed.add(dataset, sequence, &frame),
        }
    })?;
    let flushed = |dataset: &DatasetId, sequence: u64| {
        let state = directory.by_id.get(dataset)?;
        Some(left.mark_before(dataset, sequence).unwrap_or_else(|| state.lock().flushed))
    };
    inherited.judge(intents, catalog, flushed).await?;
    unclaimed.protect(&mut recovered);
    Ok(Recovery { recovered, left, unclaimed })
}
