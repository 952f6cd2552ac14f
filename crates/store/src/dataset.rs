//! A dataset as this process sees it: the events in the buffer, the live segments, the fields and the keys of recent
//! requests. All change together under one lock, so that a reader sees each event exactly once.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::{HashMap, HashSet};
use tidegauge_catalog::datasets::Dataset;
use tidegauge_catalog::segments::Segment;
use tidegauge_model::{DatasetId, FieldKind, OrgId, SegmentId};
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

use crate::blocks::{MemtableChunk, MemtableChunks};
use crate::buffered_batch::BufferedBatch;
use crate::fields::FieldBook;
use crate::key_state::KeyState;
use crate::segment::Origin;
use crate::wal::{Accept, DatasetKey};
use crate::wal_batch::WalBatch;
use crate::written::PendingCommit;
use crate::{Result, usage};

/// The state of one dataset.
#[derive(Debug)]
pub struct DatasetState {
    id: DatasetId,
    org: OrgId,
    pub(crate) key: DatasetKey,
    pub(crate) origin: Origin,
    pub(crate) inner: Mutex<Inner>,
    /// Bytes in the buffers of all datasets.
    buffered: Arc<AtomicUsize>,
    /// Held while events move from the buffer or from segments to new segments.
    pub(crate) compaction_lock: tokio::sync::Mutex<()>,
    generation: AtomicU64,
    /// Told when events have become readable.
    appended: Notify,
}

#[derive(Debug, Default)]
pub(crate) struct Inner {
    /// In the order of their sequences.
    pub(crate) batches: Vec<Arc<BufferedBatch>>,
    pub(crate) buffered_bytes: usize,
    pub(crate) buffered_rows: usize,
    pub(crate) segments: Arc<Vec<Arc<Segment>>>,
    pub(crate) fields: FieldBook,
    pub(crate) keys: HashMap<String, KeyState>,
    /// The fields that keep objects as they are.
    pub(crate) map_fields: Arc<std::collections::HashSet<String>>,
    /// Bytes that came in and are not counted in the catalogue yet, by day.
    pub(crate) usage: BTreeMap<String, u64>,
    /// Up to which sequence events are in segments.
    pub(crate) flushed: u64,
    /// What was written from the buffer and may or may not have been published.
    pub(crate) pending_commit: Option<Arc<PendingCommit>>,
    /// Whether the catalogue may have taken a change that is not seen here yet.
    pub(crate) is_catalog_stale: bool,
    /// Segments that were found to be unreadable.
    pub(crate) damaged: HashSet<SegmentId>,
    pub(crate) is_deleted: bool,
    /// What queries have built of the buffer.
    chunks: Arc<MemtableChunks>,
}

/// What a reader sees: every event up to one moment, exactly once.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(crate) batches: Vec<Arc<BufferedBatch>>,
    pub segments: Arc<Vec<Arc<Segment>>>,
    pub(crate) chunks: Arc<MemtableChunks>,
}

impl Snapshot {
    /// The same without segments all of whose events came up to a sequence.
    #[must_use]
    pub fn after(mut self, sequence: u64) -> Self {
        let segments = self.segments.iter().filter(|segment| segment.max_sequence > sequence);
        self.segments = Arc::new(segments.cloned().collect());
        self
    }
}

/// Figures of a dataset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    pub segments: u64,
    /// Requests whose events are not in a segment yet.
    pub buffered_batches: u64,
    pub rows: u64,
    pub raw_bytes: u64,
    pub stored_bytes: u64,
    pub fields: u64,
    /// In nanoseconds since 1970.
    pub min_time: Option<i64>,
    pub max_time: Option<i64>,
}

impl DatasetState {
    pub(crate) fn new(
        dataset: &Dataset,
        segments: Vec<Arc<Segment>>,
        buffered: Arc<AtomicUsize>,
    ) -> Result<Self> {
        let key = DatasetKey::of(&dataset.id)?;
        let inner = Inner {
            chunks: Arc::new(MemtableChunks::new(key.number())),
            segments: Arc::new(segments),
            flushed: dataset.flushed,
            map_fields: Arc::new(dataset.map_fields.iter().cloned().collect()),
            ..Inner::default()
        };
        Ok(Self {
            key,
            id: dataset.id.clone(),
            org: dataset.org.clone(),
            origin: Origin::of(dataset),
            inner: Mutex::new(inner),
            buffered,
            compaction_lock: tokio::sync::Mutex::new(()),
            generation: AtomicU64::new(0),
            appended: Notify::new(),
        })
    }

    pub fn id(&self) -> &DatasetId {
        &self.id
    }

    pub fn org(&self) -> &OrgId {
        &self.org
    }

    pub fn name(&self) -> &str {
        &self.origin.name
    }

    /// The fields that keep objects as they are.
    pub fn map_fields(&self) -> Arc<std::collections::HashSet<String>> {
        Arc::clone(&self.lock().map_fields)
    }

    /// Follows a change in the catalogue. Events that are stored keep their form.
    pub fn set_map_fields(&self, names: &[String]) {
        self.lock().map_fields = Arc::new(names.iter().cloned().collect());
    }

    /// Grows when fields are forgotten: what others remember of them is out of date then.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    pub(crate) fn next_generation(&self) {
        self.generation.fetch_add(1, Ordering::AcqRel);
    }

    /// Waits for the next events, from the moment of this call on.
    pub fn appended(&self) -> Notified<'_> {
        self.appended.notified()
    }

    /// The sequence of the request whose events became readable last.
    pub fn last_sequence(&self) -> u64 {
        let inner = self.lock();
        inner.batches.last().map_or(inner.flushed, |last| last.sequence.max(inner.flushed))
    }

    /// Whether a stored event has had this field.
    pub fn has_field(&self, field: &str) -> bool {
        self.lock().fields.contains(field)
    }

    /// The kinds of value that a field has had; none for a field that no event has had.
    pub fn kinds(&self, field: &str) -> Vec<FieldKind> {
        self.lock().fields.kinds(field)
    }

    pub fn field_count(&self) -> usize {
        self.lock().fields.len()
    }

    /// Every field that occurs, with the kinds of its values.
    pub fn fields(&self) -> BTreeMap<String, Vec<FieldKind>> {
        self.lock().fields.list()
    }

    pub fn snapshot(&self) -> Snapshot {
        let inner = self.lock();
        Snapshot {
            batches: inner.batches.clone(),
            segments: Arc::clone(&inner.segments),
            chunks: Arc::clone(&inner.chunks),
        }
    }

    /// The segments that can be merged with others.
    pub(crate) fn mergeable(&self) -> Vec<Arc<Segment>> {
        let inner = self.lock();
        inner.segments.iter().filter(|segment| !inner.damaged.contains(&segment.id)).cloned().collect()
    }

    /// How many requests are in the buffer.
    pub fn buffered_batches(&self) -> usize {
        self.lock().batches.len()
    }

    pub fn info(&self) -> Info {
        let inner = self.lock();
        let mut info = Info {
            segments: inner.segments.len() as u64,
            buffered_batches: inner.batches.len() as u64,
            fields: inner.fields.len() as u64,
            ..Info::default()
        };
        for segment in inner.segments.iter() {
            info.rows += segment.rows;
            info.raw_bytes += segment.raw_bytes;
            info.stored_bytes += segment.bytes;
            info.widen(segment.min_time);
            info.widen(segment.max_time);
        }
        for batch in &inner.batches {
            info.rows += batch.payload.rows() as u64;
            info.raw_bytes += batch.payload.receipt().raw_bytes;
            let times = batch.payload.times();
            times.iter().min().into_iter().chain(times.iter().max()).for_each(|time| info.widen(*time));
        }
        info
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Inner> {
        // Every change under the lock is whole before anything in it can panic.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes over events that are durable. Called in the order of sequences.
    fn take(&self, sequence: u64, payload: WalBatch) {
        let mut inner = self.lock();
        let is_empty = payload.rows() == 0 && payload.receipt().key.is_none();
        if sequence <= inner.flushed || inner.is_deleted || is_empty {
            return;
        }
        for column in payload.columns() {
            inner.fields.add(payload.name(column), column.kind());
        }
        let receipt = Arc::clone(payload.receipt());
        *inner.usage.entry(usage::day_of(receipt.arrival)).or_default() += receipt.raw_bytes;
        if let Some(key) = &receipt.key {
            inner.keys.insert(key.key.clone(), KeyState::done(key, sequence, receipt.arrived()));
        }
        inner.buffered_rows += payload.rows();
        inner.buffered_bytes += payload.bytes();
        self.buffered.fetch_add(payload.bytes(), Ordering::AcqRel);
        inner.batches.push(Arc::new(BufferedBatch { sequence, payload }));
        drop(inner);
        self.appended.notify_waiters();
    }

    /// Lets go of events that are in segments now, which readers see in the same moment.
    pub(crate) fn move_to_segments(&self, flushed: u64, added: Vec<Arc<Segment>>) {
        let mut inner = self.lock();
        inner.replace_segments(&[], added);
        let gone = inner.evict(flushed);
        drop(inner);
        self.buffered.fetch_sub(gone.bytes, Ordering::AcqRel);
    }

    /// Takes over what the catalogue says.
    pub(crate) fn follow(&self, flushed: u64, segments: Vec<Arc<Segment>>) {
        let mut inner = self.lock();
        inner.segments = Arc::new(segments);
        inner.is_catalog_stale = false;
        let gone = if flushed > inner.flushed { inner.evict(flushed) } else { Evicted::default() };
        drop(inner);
        self.buffered.fetch_sub(gone.bytes, Ordering::AcqRel);
    }

    /// Forgets everything: the dataset is gone.
    pub(crate) fn delete(&self) {
        let mut inner = self.lock();
        inner.is_deleted = true;
        let gone = Evicted {
            bytes: std::mem::take(&mut inner.buffered_bytes),
            _batches: std::mem::take(&mut inner.batches),
            _chunks: inner.chunks.evict(u64::MAX),
        };
        inner.buffered_rows = 0;
        inner.usage.clear();
        inner.pending_commit = None;
        inner.segments = Arc::default();
        drop(inner);
        self.buffered.fetch_sub(gone.bytes, Ordering::AcqRel);
    }
}

/// What has left the buffer. To be dropped when the lock is free again: giving much memory back takes a while on a thread
/// of a low priority, and the thread of the WAL, for which everybody waits who sends events, would wait for the lock.
#[derive(Default)]
struct Evicted {
    bytes: usize,
    _batches: Vec<Arc<BufferedBatch>>,
    _chunks: Vec<Arc<MemtableChunk>>,
}

impl Inner {
    /// Forgets the events up to a sequence.
    fn evict(&mut self, flushed: u64) -> Evicted {
        let kept = self.batches.partition_point(|batch| batch.sequence <= flushed);
        let gone: Vec<Arc<BufferedBatch>> = self.batches.drain(..kept).collect();
        let bytes: usize = gone.iter().map(|batch| batch.payload.bytes()).sum();
        self.buffered_bytes -= bytes;
        self.buffered_rows -= gone.iter().map(|batch| batch.payload.rows()).sum::<usize>();
        for (day, counted) in usage::by_day(&gone) {
            if let Some(bytes) = self.usage.get_mut(&day) {
                *bytes -= counted;
            }
        }
        self.usage.retain(|_, bytes| *bytes > 0);
        self.flushed = flushed;
        self.keys.retain(|_, key| !key.is_done_by(flushed));
        Evicted { bytes, _batches: gone, _chunks: self.chunks.evict(flushed) }
    }

    pub(crate) fn replace_segments(&mut self, removed: &[SegmentId], added: Vec<Arc<Segment>>) {
        let kept = self.segments.iter().filter(|segment| !removed.contains(&segment.id)).cloned();
        self.segments = Arc::new(kept.chain(added).collect());
    }
}

impl Accept for DatasetState {
    fn accept(&self, sequence: u64, payload: WalBatch) {
        self.take(sequence, payload);
    }
}

impl Info {
    fn widen(&mut self, time: i64) {
        self.min_time = Some(self.min_time.map_or(time, |min| min.min(time)));
        self.max_time = Some(self.max_time.map_or(time, |max| max.max(time)));
    }
}
