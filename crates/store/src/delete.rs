//! Deletes single events. A segment that holds some of them is written anew without them and takes the place of the
//! old one in one commit; one with no other events is only removed. Segments go one after the other, so that flushes
//! have their turn between them; a crash leaves each as it was or done, and the same call again does the rest. Which
//! events are to go is decided by the caller.

use std::ops::RangeInclusive;
use std::sync::Arc;

use hashbrown::HashSet;
use tidegauge_catalog::segments::Segment;
use tidegauge_model::{ErrorKind, RowId, SegmentId};

use crate::dataset::DatasetState;
use crate::identities::Identities;
use crate::merge_input::MergeInput;
use crate::segment::SegmentInput;
use crate::written::Written;
use crate::{Error, Result, Store};

/// What a deletion did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deleted {
    /// Events that this call removed. Those that were gone before do not count.
    pub rows: u64,
    /// Segments that were written anew or removed for it.
    pub segments: u64,
}

impl Store {
    /// Deletes the events with these identities, in any order; those that are not there are passed over. All other
    /// events keep their identities. Readers that began before may see the events until they end. An error leaves
    /// some of the events deleted; the same call again does the rest.
    pub async fn delete_rows(&self, state: &Arc<DatasetState>, delete_set: Vec<RowId>) -> Result<Deleted> {
        let delete_set = Arc::new(DeleteSet::new(delete_set));
        if delete_set.ids.is_empty() {
            return Ok(Deleted::default());
        }
        if state.lock().flushed < delete_set.last_sequence {
            self.flush(state).await?;
        }
        let mut deleted = Deleted::default();
        let mut damage = None;
        let mut looked_at: HashSet<SegmentId> = HashSet::new();
        // Merges may put new segments in the place of those that were looked at: these are looked at again.
        while let Some(segment) = next(state, &delete_set, &mut looked_at) {
            match self.delete_from(state, &segment, &delete_set).await {
                Ok(0) => {}
                Ok(rows) => {
                    deleted.rows += rows;
                    deleted.segments += 1;
                }
                // What cannot be read cannot be deleted from, and is no reason to keep the others.
                Err(error) if error.kind() == ErrorKind::Corrupt => {
                    damage.get_or_insert(error);
                }
                Err(error) => return Err(error),
            }
        }
        if deleted.rows > 0 {
            // Also later ones: nobody has seen whether they would have been chosen.
            self.drop_damaged(state.id(), u64::MAX);
            self.drop_from_wal(delete_set.last_sequence).await;
        }
        damage.map_or(Ok(deleted), Err)
    }

    /// Deletes events from one segment and says how many.
    async fn delete_from(
        &self,
        state: &Arc<DatasetState>,
        segment: &Arc<Segment>,
        delete_set: &Arc<DeleteSet>,
    ) -> Result<u64> {
        let _compaction = state.compaction_lock.lock().await;
        self.refresh_from_catalog(state).await?;
        if !state.snapshot().segments.iter().any(|live| live.id == segment.id) {
            return Ok(0);
        }
        let input = self.open_to_rewrite(state, segment).await?;
        let chosen = std::slice::from_ref(segment);
        let erased = delete_set.times_in(segment);
        let (is_done, left) = match survivors_apart(input, Arc::clone(delete_set)).await? {
            Survivors::All => return Ok(0),
            Survivors::None => (self.swap(state, chosen, Written::default(), erased).await?, 0),
            Survivors::Some(input) => {
                let left = input.rows() as u64;
                let inputs = vec![MergeInput::Segment(input)];
                (self.rewrite(state, chosen, inputs, segment.level, erased).await?, left)
            }
        };
        Ok(if is_done { segment.rows - left } else { 0 })
    }

    /// Sees to it that the WAL does not keep a copy of deleted events for longer than other events need it.
    pub(crate) async fn drop_from_wal(&self, last_sequence: u64) {
        if let Err(error) = self.wal.end_file_of(last_sequence).await {
            // The next append begins a file, or says why it cannot.
            tracing::warn!(%error, "cannot begin a new file of the write-ahead log");
        }
        self.release_wal();
    }
}

/// The events that are to go.
#[derive(Debug)]
struct DeleteSet {
    /// Ascending, each once.
    ids: Vec<RowId>,
    last_sequence: u64,
}

/// What a deletion leaves of a segment.
enum Survivors {
    All,
    Some(Box<SegmentInput>),
    None,
}

impl DeleteSet {
    fn new(mut ids: Vec<RowId>) -> Self {
        ids.sort_unstable();
        ids.dedup();
        let last_sequence = ids.iter().map(|id| id.sequence).max().unwrap_or(0);
        Self { ids, last_sequence }
    }

    /// Those whose times lie between two, both included.
    fn between(&self, min_time: i64, max_time: i64) -> &[RowId] {
        let start = self.ids.partition_point(|id| id.time < min_time);
        let end = self.ids.partition_point(|id| id.time <= max_time);
        &self.ids[start..end]
    }

    /// Whether a segment can hold one of them, by what the catalogue knows of it.
    fn may_be_in(&self, segment: &Segment) -> bool {
        let sequences = segment.min_sequence..=segment.max_sequence;
        self.between(segment.min_time, segment.max_time).iter().any(|id| sequences.contains(&id.sequence))
    }

    /// Between which times those are that a segment can hold.
    fn times_in(&self, segment: &Segment) -> Option<RangeInclusive<i64>> {
        let near = self.between(segment.min_time, segment.max_time);
        Some(near.first()?.time..=near.last()?.time)
    }

    /// The numbers of the rows that are not to go.
    fn survivors_of(&self, rows: &Identities) -> Vec<u32> {
        let (min, max) = (rows.times.iter().min(), rows.times.iter().max());
        let near = self.between(min.copied().unwrap_or(i64::MAX), max.copied().unwrap_or(i64::MIN));
        let ids = rows.times.iter().zip(&rows.sequences).zip(&rows.indexes);
        (0_u32..)
            .zip(ids)
            .map(|(row, ((time, sequence), index))| {
                (row, RowId { time: *time, sequence: *sequence, index: *index })
            })
            .filter(|(_, id)| near.binary_search(id).is_err())
            .map(|(row, _)| row)
            .collect()
    }

    fn keep_survivors(&self, input: SegmentInput) -> Result<Survivors> {
        let survivors = self.survivors_of(input.identities());
        if survivors.len() == input.rows() {
            return Ok(Survivors::All);
        }
        if survivors.is_empty() {
            return Ok(Survivors::None);
        }
        Ok(Survivors::Some(Box::new(input.keep(survivors)?)))
    }
}

/// A live segment that may hold some of the doomed and has not been looked at.
fn next(
    state: &DatasetState,
    delete_set: &DeleteSet,
    looked_at: &mut HashSet<SegmentId>,
) -> Option<Arc<Segment>> {
    let segments = state.snapshot().segments;
    let is_new = |segment: &Segment, looked_at: &mut HashSet<SegmentId>| {
        !looked_at.contains(&segment.id) && looked_at.insert(segment.id.clone())
    };
    segments.iter().find(|segment| is_new(segment, looked_at) && delete_set.may_be_in(segment)).cloned()
}

/// Decoding is work for a processor: it runs apart from what answers requests.
async fn survivors_apart(input: SegmentInput, delete_set: Arc<DeleteSet>) -> Result<Survivors> {
    tokio::task::spawn_blocking(move || delete_set.keep_survivors(input))
        .await
        .map_err(|source| Error::caused(ErrorKind::Internal, "the deletion was interrupted", source))?
}
