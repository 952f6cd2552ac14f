//! The store: all datasets of this process with their log, their segments and the catalogue that names them. Opening
//! it recovers what was acknowledged before; appending makes events durable and readable; moving them on is left to
//! `flush`, `compact`, `delete`, `retain` and `collect_orphan`, whose steps the server calls.

mod open;
mod troubles;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use hashbrown::HashMap;
use tidegauge_catalog::Catalog;
use tidegauge_catalog::datasets::Dataset;
use tidegauge_model::{Clock, Columns, DatasetId, ErrorKind, OrgId, Rng, Timestamp};
use tokio::sync::Notify;

use crate::blocks::FooterCache;
use crate::dataset::{DatasetState, Info};
use crate::erasures::Erasures;
use crate::eviction::Watchers;
use crate::intents::Intents;
use crate::keys::Keyed;
use crate::lease::Lease;
use crate::objects::{ObjectCacheStats, Objects};
use crate::orphaned_wal::{OrphanedWal, deletion};
use crate::settings::StoreSettings;
use crate::trouble::LastFailure;
use crate::wal::{Accept, Damage, Wal};
use crate::wal_batch::{Encoder, Receipt, WalBatch};
use crate::{Error, Result};

pub(crate) use open::{lock_folder, prepare};

/// Which part of the buffer is left to organisations that have little in it.
const BUFFER_RESERVE: usize = 8;

/// The open store.
#[derive(Debug)]
pub struct Store {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) rng: Arc<dyn Rng>,
    pub(crate) settings: StoreSettings,
    pub(crate) objects: Arc<Objects>,
    pub(crate) intents: Intents,
    pub(crate) footer_cache: Arc<FooterCache>,
    pub(crate) watchers: Watchers,
    pub(crate) erasures: Erasures,
    pub(crate) wal: Wal,
    directory: RwLock<Directory>,
    buffered: Arc<AtomicUsize>,
    /// Bytes on their way to the buffer.
    admitted: AtomicUsize,
    /// Told when a buffer is full enough to be flushed.
    pub(crate) flush_wanted: Notify,
    /// Told when buffers have got smaller.
    pub(crate) room: Notify,
    /// Bytes of batches that were appended.
    appended: AtomicU64,
    /// When the pace was looked at last, and how much had been appended then.
    pace: Mutex<(Timestamp, u64)>,
    /// How many times segments were published for each organisation.
    flushes: Mutex<HashMap<OrgId, u64>>,
    pub(crate) flush_failure: LastFailure,
    pub(crate) rewritten: Rewritten,
    /// Up to which sequence the WAL has events of datasets that are gone.
    pub(crate) deleted_through: AtomicU64,
    damage: Vec<Damage>,
    pub(crate) orphaned: OrphanedWal,
    pub(crate) lease: Lease,
    _lock: std::fs::File,
}

/// The events of a request, ready to be stored.
#[derive(Debug)]
pub struct Prepared(WalBatch);

/// Events that are on their way to the buffer, until they are there or refused.
#[derive(Debug)]
struct Admitted<'a> {
    store: &'a Store,
    bytes: usize,
}

impl Drop for Admitted<'_> {
    fn drop(&mut self) {
        self.store.admitted.fetch_sub(self.bytes, Ordering::AcqRel);
        self.store.room.notify_waiters();
    }
}

/// The datasets by id and by name.
#[derive(Debug, Default)]
struct Directory {
    /// In the order of their ids, which is that in which they are worked on.
    by_id: BTreeMap<DatasetId, Arc<DatasetState>>,
    by_name: HashMap<OrgId, HashMap<String, Arc<DatasetState>>>,
}

impl Directory {
    fn insert(&mut self, state: Arc<DatasetState>) {
        let names = self.by_name.entry(state.org().clone()).or_default();
        names.insert(state.name().to_owned(), Arc::clone(&state));
        self.by_id.insert(state.id().clone(), state);
    }

    fn remove(&mut self, id: &DatasetId) -> Option<Arc<DatasetState>> {
        let state = self.by_id.remove(id)?;
        if let Some(names) = self.by_name.get_mut(state.org())
            && names.get(state.name()).is_some_and(|named| named.id() == id)
        {
            names.remove(state.name());
        }
        Some(state)
    }
}

/// Figures of the whole store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreStats {
    pub datasets: u64,
    pub buffered_bytes: u64,
    pub wal_bytes: u64,
    pub last_sequence: u64,
    /// Memory that the footers of segments take.
    pub footer_bytes: u64,
    pub object_cache: ObjectCacheStats,
    /// Since the start: how often the log was synced for requests.
    pub wal_syncs: u64,
    /// Since the start: segments that were merged or written without what was deleted, and their bytes.
    pub rewritten_segments: u64,
    pub rewritten_bytes: u64,
}

/// What was written anew of segments since the start.
#[derive(Debug, Default)]
pub(crate) struct Rewritten {
    segments: AtomicU64,
    bytes: AtomicU64,
}

impl Rewritten {
    pub(crate) fn add(&self, segments: u64, bytes: u64) {
        self.segments.fetch_add(segments, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

impl Store {
    /// Parts of the WAL that could not be read when the store was opened.
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// Which datasets have lost events, for who keeps what was read of them.
    pub fn erasures(&self) -> &Erasures {
        &self.erasures
    }

    pub fn dataset(&self, id: &DatasetId) -> Option<Arc<DatasetState>> {
        self.directory().by_id.get(id).cloned()
    }

    /// The dataset of an organisation by its name.
    pub fn find(&self, org: &OrgId, name: &str) -> Option<Arc<DatasetState>> {
        self.directory().by_name.get(org)?.get(name).cloned()
    }

    pub(crate) fn all(&self) -> Vec<Arc<DatasetState>> {
        self.directory().by_id.values().cloned().collect()
    }

    fn directory(&self) -> std::sync::RwLockReadGuard<'_, Directory> {
        self.directory.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to keep events of a dataset that is in the catalogue.
    pub fn add(&self, dataset: &Dataset) -> Result<Arc<DatasetState>> {
        let mut directory = self.directory.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(state) = directory.by_id.get(&dataset.id) {
            return Ok(Arc::clone(state));
        }
        let state = Arc::new(DatasetState::new(dataset, Vec::new(), Arc::clone(&self.buffered))?);
        directory.insert(Arc::clone(&state));
        Ok(state)
    }

    /// Forgets a dataset that was deleted from the catalogue. Its segments are collected later.
    pub fn remove(&self, id: &DatasetId) {
        let removed = self.directory.write().unwrap_or_else(PoisonError::into_inner).remove(id);
        if let Some(state) = removed {
            self.forget_dataset(&state);
            self.drop_damaged(id, u64::MAX);
            self.deleted_through.fetch_max(self.wal.last_sequence(), Ordering::AcqRel);
            // Durable with the next sync; if it is lost, the events are put aside once and somebody has to look.
            if let Err(error) = self.wal.append(state.key, deletion(), state as Arc<dyn Accept>) {
                tracing::warn!(%error, "cannot log that a dataset is deleted");
            }
            self.room.notify_waiters();
        }
    }

    /// Encodes the events of a request. The columns are free for the next request afterwards.
    pub fn prepare(columns: &Columns, receipt: Receipt) -> Prepared {
        Prepared(Encoder::encode(columns, receipt))
    }

    /// Makes the events of a request durable and readable, and returns their sequence.
    pub async fn append(&self, dataset: &Arc<DatasetState>, prepared: Prepared) -> Result<u64> {
        self.append_within(dataset, prepared, self.settings.buffer_wait).await
    }

    /// The same for a request that may not wait for room as long as the settings say, but only so long.
    pub async fn append_within(
        &self,
        dataset: &Arc<DatasetState>,
        prepared: Prepared,
        wait_max: Duration,
    ) -> Result<u64> {
        self.hold_lease().await?;
        let Prepared(payload) = prepared;
        let wait_max = wait_max.min(self.settings.buffer_wait);
        let _admitted = self.wait_for_room(dataset.org(), payload.bytes(), wait_max).await?;
        let key = payload.receipt().key.as_ref().map(|key| Keyed::new(dataset, &key.key));
        let accept = match key {
            Some(keyed) => Arc::new(keyed) as Arc<dyn Accept>,
            None => Arc::clone(dataset) as Arc<dyn Accept>,
        };
        self.appended.fetch_add(payload.bytes() as u64, Ordering::AcqRel);
        let answer = self.wal.append(dataset.key, payload, accept)?;
        let stopped = |_| Error::new(ErrorKind::Unavailable, "the write-ahead log stopped: try again");
        let sequence = answer.await.map_err(stopped)??;
        // The process may have stood still meanwhile: then it must not say that the events are where others look.
        self.hold_lease().await?;
        if self.is_due(dataset) || self.is_full_half() {
            self.flush_wanted.notify_one();
        }
        Ok(sequence)
    }

    /// Waits until the buffers have room, and gives up when the disk does not follow.
    async fn wait_for_room(&self, org: &OrgId, bytes: usize, wait_max: Duration) -> Result<Admitted<'_>> {
        let wait = async {
            loop {
                let told = self.room.notified();
                if self.has_room_for(org) {
                    self.admitted.fetch_add(bytes, Ordering::AcqRel);
                    return Admitted { store: self, bytes };
                }
                self.flush_wanted.notify_one();
                told.await;
            }
        };
        let busy = |_| {
            Error::new(ErrorKind::Unavailable, "events come in faster than they can be stored: try again")
        };
        tokio::time::timeout(wait_max, wait).await.map_err(busy)
    }

    /// Whether events of an organisation may be buffered. The last part of the buffer is for those who have little in it:
    /// who fills it waits, and others do not wait with them.
    fn has_room_for(&self, org: &OrgId) -> bool {
        let (buffered, most) = (self.buffered_bytes(), self.settings.buffer_bytes_max);
        let buffered = buffered + self.admitted.load(Ordering::Acquire);
        let reserve = most / BUFFER_RESERVE;
        buffered < most - reserve || (buffered < most && self.buffered_of(org) <= reserve / 2)
    }

    fn buffered_of(&self, org: &OrgId) -> usize {
        let of = |state: &Arc<DatasetState>| state.lock().buffered_bytes;
        self.directory().by_name.get(org).map_or(0, |datasets| datasets.values().map(of).sum())
    }

    /// Whether events come in so fast that other work should wait. Asked every few seconds.
    pub fn is_pressed(&self) -> bool {
        const BYTES_PER_SECOND: u64 = 16 << 20;
        let (now, appended) = (self.now(), self.appended.load(Ordering::Acquire));
        let mut last = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        let (before, bytes) = *last;
        let micros = u64::try_from(now.as_micros() - before.as_micros()).unwrap_or(0);
        *last = (now, appended);
        let allowed = u128::from(BYTES_PER_SECOND) * u128::from(micros) / 1_000_000;
        // A buffer that is about to be flushed comes first: the two together would take too much memory.
        let is_filling = self.buffered_bytes() * 2 > self.settings.flush_bytes;
        u128::from(appended - bytes) > allowed.max(1) || is_filling
    }

    pub(crate) fn is_full_half(&self) -> bool {
        self.buffered.load(Ordering::Acquire) * 2 > self.settings.buffer_bytes_max
    }

    pub(crate) fn buffered_bytes(&self) -> usize {
        self.buffered.load(Ordering::Acquire)
    }

    /// Bytes that came in for an organisation in a month and are not in the catalogue's count yet.
    pub fn uncounted_usage(&self, org: &OrgId, month: &str) -> u64 {
        // Asked with every request: only the organisation's own datasets are looked at.
        let of = |state: &Arc<DatasetState>| {
            let inner = state.lock();
            let days = inner.usage.iter().filter(|(day, _)| day.starts_with(month));
            days.map(|(_, bytes)| bytes).sum::<u64>()
        };
        self.directory().by_name.get(org).map_or(0, |datasets| datasets.values().map(of).sum())
    }

    /// The same by dataset and day.
    pub fn uncounted_by_day(&self, org: &OrgId) -> Vec<(String, String, u64)> {
        let directory = self.directory();
        let datasets = directory.by_name.get(org).into_iter().flatten();
        let of = |(name, state): (&String, &Arc<DatasetState>)| {
            let inner = state.lock();
            let days = inner.usage.iter().map(|(day, bytes)| (name.clone(), day.clone(), *bytes));
            days.collect::<Vec<_>>()
        };
        datasets.flat_map(of).collect()
    }

    /// The bytes and the events that an organisation has now, by dataset.
    pub fn stored_by_dataset(&self, org: &OrgId) -> Vec<(String, Info)> {
        let states: Vec<(String, Arc<DatasetState>)> = {
            let directory = self.directory();
            let datasets = directory.by_name.get(org).into_iter().flatten();
            datasets.map(|(name, state)| (name.clone(), Arc::clone(state))).collect()
        };
        states.into_iter().map(|(name, state)| (name, state.info())).collect()
    }

    /// Grows whenever the catalogue's counts of an organisation have changed.
    pub fn flushes(&self, org: &OrgId) -> u64 {
        let flushes = self.flushes.lock().unwrap_or_else(PoisonError::into_inner);
        flushes.get(org).copied().unwrap_or_default()
    }

    pub(crate) fn count_flush(&self, org: &OrgId) {
        let mut flushes = self.flushes.lock().unwrap_or_else(PoisonError::into_inner);
        *flushes.entry(org.clone()).or_default() += 1;
    }

    pub fn stats(&self) -> StoreStats {
        StoreStats {
            datasets: self.directory().by_id.len() as u64,
            buffered_bytes: self.buffered_bytes() as u64,
            wal_bytes: self.wal.bytes(),
            last_sequence: self.wal.last_sequence(),
            footer_bytes: self.footer_cache.bytes() as u64,
            object_cache: self.objects.cache_stats(),
            wal_syncs: self.wal.syncs(),
            rewritten_segments: self.rewritten.segments.load(Ordering::Relaxed),
            rewritten_bytes: self.rewritten.bytes.load(Ordering::Relaxed),
        }
    }

    /// Lets the WAL drop what is in segments.
    pub(crate) fn release_wal(&self) {
        if self.catalog.is_lease_lost() {
            // Somebody else moves the marks now: what this log holds is sorted out at the next start.
            return;
        }
        // Read first: everything up to here is in a buffer or in segments.
        let last = self.wal.last_sequence();
        let oldest = self.all().iter().filter_map(|state| Some(state.lock().batches.first()?.sequence)).min();
        let oldest = oldest.into_iter().chain(self.intents.first_in_wal()).min();
        self.wal.release(oldest.unwrap_or(u64::MAX).min(last + 1));
    }

    /// Writes everything as segments, ends the WAL and lets others write. Nothing can be appended afterwards.
    pub async fn close(&self) -> Result<()> {
        let flushed = self.keep_lease_during(self.flush_all()).await;
        self.wal.close();
        self.release_lease().await;
        flushed
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }
}
