//! Moves events from the buffer to segments: when there are enough of them, when they are old enough, and at the end.
//! Everything up to one sequence moves in one commit of the catalogue; a crash before it leaves the WAL to replay, a
//! crash after it leaves nothing to do twice.

use std::sync::Arc;
use std::time::Duration;

use tidegauge_catalog::columns::DatasetColumn;
use tidegauge_catalog::ingest_keys::IngestKey;
use tidegauge_catalog::segments::NewSegment;
use tidegauge_model::{ErrorKind, FieldKind, SegmentId};

use crate::buffered_batch::BufferedBatch;
use crate::checksum::checksum;
use crate::dataset::DatasetState;
use crate::intents::{Intent, Planned, Source};
use crate::merge::{Merge, Rows};
use crate::merge_input::MergeInput;
use crate::segment::{CompactionTier, Encoded, Job, encode, is_nameable, promoted};
use crate::written::{PendingCommit, Written};
use crate::{Error, Result, Store, time_partitions, usage};

/// What is to be written as segments, and how.
pub(crate) struct Writing {
    pub(crate) merge: Merge,
    pub(crate) level: u32,
    /// Up to which sequence the dataset's events are in segments with these.
    pub(crate) flushed: u64,
    pub(crate) replaces: Vec<String>,
    /// Where these events are until then.
    pub(crate) source: Source,
    pub(crate) tier: CompactionTier,
}

/// Events that are this part of a full buffer, or more, are written when no more have come for a while.
const OVERFLOW_SHARE: usize = 16;
const OVERFLOW_AGE: Duration = Duration::from_secs(10);

/// How many events are sorted and encoded at once; small ones would otherwise take far more memory than they came in.
pub(crate) const PORTION_ROWS: usize = 1 << 20;

impl Store {
    /// Waits until a buffer is full enough.
    pub async fn flush_wanted(&self) {
        self.flush_wanted.notified().await;
    }

    /// Flushes every dataset whose buffer is full or old enough, and the largest if memory is short. Before that, follows
    /// the catalogue where it did not answer last time.
    pub async fn flush_due(&self) -> Result<()> {
        let mut all = self.all();
        all.sort_by_key(|state| std::cmp::Reverse(state.lock().buffered_bytes));
        let mut first_error = self.refresh_stale_datasets().await.map(|_| ());
        for state in &all {
            if self.is_due(state) || self.is_full_half() {
                let flushed = self.flush(state).await;
                first_error = first_error.and(flushed);
            }
        }
        self.note_flush(&first_error);
        first_error
    }

    pub async fn flush_all(&self) -> Result<()> {
        let mut first_error = Ok(());
        for state in self.all() {
            let flushed = self.flush(&state).await;
            first_error = first_error.and(flushed);
        }
        first_error
    }

    pub(crate) fn is_due(&self, state: &DatasetState) -> bool {
        let inner = state.lock();
        let (Some(oldest), Some(newest)) = (inner.batches.first(), inner.batches.last()) else {
            return false;
        };
        let has_waited =
            |batch: &BufferedBatch, age: Duration| batch.payload.receipt().arrived().plus(age) <= self.now();
        // A good deal that has come to an end is better off in a segment than in memory and in the WAL.
        let is_at_rest = inner.buffered_bytes >= self.settings.flush_bytes / OVERFLOW_SHARE
            && has_waited(newest, OVERFLOW_AGE);
        inner.buffered_bytes >= self.settings.flush_bytes
            || inner.buffered_rows >= self.settings.flush_rows
            || is_at_rest
            || has_waited(oldest, self.settings.flush_age)
    }

    /// Moves what a dataset has in its buffer to segments.
    pub async fn flush(&self, state: &Arc<DatasetState>) -> Result<()> {
        let _compaction = state.compaction_lock.lock().await;
        let moved = self.move_buffer(state).await;
        self.room.notify_waiters();
        self.release_wal();
        moved
    }

    async fn move_buffer(&self, state: &Arc<DatasetState>) -> Result<()> {
        self.refresh_from_catalog(state).await?;
        let waiting = state.lock().pending_commit.clone();
        if let Some(waiting) = waiting {
            self.publish(state, &waiting).await?;
        }
        let Some(until) = state.lock().batches.last().map(|batch| batch.sequence) else { return Ok(()) };
        loop {
            match self.write_buffer(state, until).await {
                Ok(None) => return Ok(()),
                Ok(Some(written)) => self.publish(state, &Arc::new(written)).await?,
                Err(error) if is_gone(&error) => {
                    self.forget_dataset(state);
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Writes the oldest events in the buffer, up to a sequence and as many as fit in memory twice, as segments that
    /// are not published yet.
    async fn write_buffer(&self, state: &Arc<DatasetState>, until: u64) -> Result<Option<PendingCommit>> {
        let mut rows = 0;
        let is_wanted = |batch: &&Arc<BufferedBatch>| {
            let is_first = rows == 0;
            rows += batch.payload.rows();
            batch.sequence <= until && (is_first || rows <= PORTION_ROWS)
        };
        let batches: Vec<Arc<BufferedBatch>> =
            state.lock().batches.iter().take_while(is_wanted).cloned().collect();
        let Some(last) = batches.last() else { return Ok(None) };
        let (flushed, keys, usage) = (last.sequence, keys_of(&batches), usage::by_day(&batches));
        let source = Source::of_wal(&batches);
        let inputs =
            batches.into_iter().filter(|batch| batch.payload.rows() > 0).map(MergeInput::Buffered).collect();
        let writing = Writing {
            merge: merge_apart(inputs).await?,
            level: 0,
            flushed,
            replaces: Vec::new(),
            source,
            tier: CompactionTier::Fresh,
        };
        let written = self.write(state, writing).await?;
        Ok(Some(PendingCommit { written, flushed, keys, usage }))
    }

    /// Writes the rows of a merge as segments in the object store. They count once the catalogue names them.
    pub(crate) async fn write(&self, state: &Arc<DatasetState>, writing: Writing) -> Result<Written> {
        if writing.merge.rows() == 0 {
            return Ok(Written::default());
        }
        let columns = self.columns_for(state, &writing.merge).await?;
        let now = self.now();
        let ids = || SegmentId::generate(now, &*self.rng);
        let is_merged = writing.tier != CompactionTier::Fresh;
        let merge = &writing.merge;
        let places = time_partitions::split(
            merge.rows(),
            |at| merge.time_at(at),
            self.settings.segment_rows_max,
            is_merged,
        );
        let groups: Vec<(SegmentId, Rows)> =
            places.iter().map(|places| (ids(), merge.rows_at(places))).collect();
        let objects = groups.iter().map(|(id, _)| path_of(state, id)).collect();
        let commit = self.catalog.commit_sequence().await?;
        let planned = Planned { objects, source: writing.source.clone(), commit, declared: now.as_micros() };
        let encoded = encode_apart(state, writing, groups, columns).await?;
        let intent = self.declare(planned).await?;
        let mut written = Written { segments: Vec::with_capacity(encoded.len()), intent };
        for segment in encoded {
            let path = path_of(state, &segment.id);
            match self.put(state, segment, written.intent.clone()).await {
                Ok(segment) => written.segments.push(segment),
                Err(error) => {
                    // The next attempt writes all of them anew, and there may be many attempts. The intent stays: the
                    // object that failed may be there all the same, or get there later.
                    match written.intent.take() {
                        Some(intent) => intent.abandon().await,
                        // Nobody would look for it before it is an orphan of some days, and each attempt leaves one.
                        None => self.delete_failed(&path).await,
                    }
                    self.discard(&written).await;
                    return Err(error);
                }
            }
        }
        Ok(written)
    }

    async fn declare(&self, planned: Planned) -> Result<Option<Arc<Intent>>> {
        match self.intents.declare(planned).await {
            Ok(intent) => Ok(Some(Arc::new(intent))),
            // What is written to another disk makes room on this one, so it must not wait for it.
            Err(error) if error.kind() == ErrorKind::StorageFull => {
                tracing::warn!(%error, "writing segments without noting which");
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// The columns that a segment of these rows has. The catalogue hears of the fields without one too, so that it
    /// knows every field of a dataset.
    async fn columns_for(&self, state: &Arc<DatasetState>, merge: &Merge) -> Result<Vec<DatasetColumn>> {
        let (own, rest) = promoted(merge);
        let wanted: Vec<(String, FieldKind)> = own
            .iter()
            .chain(&rest)
            .filter(|((field, _), _)| is_nameable(field))
            .map(|((field, kind), _)| (field.as_ref().to_owned(), *kind))
            .collect();
        let mut columns = self.catalog.ensure_columns(state.id(), &wanted).await?;
        columns.truncate(own.len());
        Ok(columns)
    }

    /// Goes on when the caller is not waited for any more, and keeps the intent until it has ended.
    async fn put(
        &self,
        state: &DatasetState,
        encoded: Encoded,
        intent: Option<Arc<Intent>>,
    ) -> Result<NewSegment> {
        let path = path_of(state, &encoded.id);
        let segment = NewSegment {
            checksum: checksum(&encoded.bytes),
            bytes: encoded.bytes.len() as u64,
            stats: encoded.stats.encode()?,
            path: path.clone(),
            id: encoded.id,
            rows: encoded.rows,
            raw_bytes: encoded.raw_bytes,
            footer_bytes: encoded.footer_bytes,
            min_time: encoded.min_time,
            max_time: encoded.max_time,
            min_sequence: encoded.min_sequence,
            max_sequence: encoded.max_sequence,
            level: encoded.level,
            sidecar: None,
        };
        let objects = Arc::clone(&self.objects);
        let put = async move {
            let put = objects.put(&path, encoded.bytes).await;
            drop(intent);
            put
        };
        spawned(put).await?;
        Ok(segment)
    }
}

#[expect(clippy::disallowed_methods, reason = "it is waited for; when it is not, it ends by itself")]
async fn spawned(put: impl Future<Output = Result<()>> + Send + 'static) -> Result<()> {
    tokio::spawn(put).await.map_err(interrupted)?
}

fn path_of(state: &DatasetState, segment: &SegmentId) -> String {
    format!("datasets/{}/{segment}.parquet", state.id())
}

pub(crate) fn is_gone(error: &Error) -> bool {
    error.kind() == ErrorKind::NotFound
}

/// Sorting and encoding are work for a processor: they run apart from what answers requests.
pub(crate) async fn merge_apart(inputs: Vec<MergeInput>) -> Result<Merge> {
    tokio::task::spawn_blocking(move || Merge::new(inputs)).await.map_err(interrupted)?
}

async fn encode_apart(
    state: &DatasetState,
    writing: Writing,
    groups: Vec<(SegmentId, Rows)>,
    columns: Vec<DatasetColumn>,
) -> Result<Vec<Encoded>> {
    let origin = state.origin.clone();
    let work = move || {
        encode(&Job {
            merge: &writing.merge,
            groups: &groups,
            columns: &columns,
            origin: &origin,
            level: writing.level,
            flushed: writing.flushed,
            replaces: writing.replaces,
            tier: writing.tier,
        })
    };
    tokio::task::spawn_blocking(work).await.map_err(interrupted)?
}

fn interrupted(source: tokio::task::JoinError) -> Error {
    Error::caused(ErrorKind::Internal, "the writing of a segment was interrupted", source)
}

pub(crate) fn keys_of(batches: &[Arc<BufferedBatch>]) -> Vec<IngestKey> {
    let of = |batch: &Arc<BufferedBatch>| {
        let receipt = batch.payload.receipt();
        let key = receipt.key.as_ref()?;
        Some(IngestKey {
            key: key.key.clone(),
            fingerprint: key.fingerprint,
            answer: key.answer.clone(),
            sequence: batch.sequence,
            at: receipt.arrived(),
        })
    };
    batches.iter().filter_map(of).collect()
}
