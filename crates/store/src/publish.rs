//! Tells the catalogue of new segments, and follows it where the answer was lost: what it took is then read back, so
//! that no event is published twice and none is kept in the buffer that is in a segment.

use std::ops::RangeInclusive;
use std::sync::Arc;

use hashbrown::HashSet;
use tidegauge_catalog::segments::{NewSegment, Segment};
use tidegauge_model::{ErrorKind, SegmentId};

use crate::dataset::DatasetState;
use crate::erasures::Erasing;
use crate::written::{PendingCommit, Written};
use crate::{Result, Store};

impl Store {
    /// Publishes what was written from the buffer. After an error the same is tried again, and nothing is written
    /// anew: the catalogue may have taken it although the answer did not arrive.
    pub(crate) async fn publish(&self, state: &Arc<DatasetState>, moved: &Arc<PendingCommit>) -> Result<()> {
        state.lock().pending_commit = Some(Arc::clone(moved));
        let PendingCommit { written, flushed, keys, usage } = &**moved;
        let segments = &written.segments;
        match self.catalog.publish_flush(state.id(), segments, *flushed, keys, usage, self.now()).await {
            Ok(commit) => {
                let added = segments.iter().map(|segment| Arc::new(live(state, segment, commit))).collect();
                state.move_to_segments(*flushed, added);
                written.settle();
            }
            Err(error) if error.kind() == ErrorKind::Conflict => {
                state.lock().is_catalog_stale = true;
                self.refresh_from_catalog(state).await?;
            }
            // The dataset was deleted meanwhile: its events have nowhere to go, and nobody to miss them.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.forget_dataset(state);
                self.discard(written).await;
            }
            Err(error) => return Err(error.into()),
        }
        state.lock().pending_commit = None;
        self.count_flush(state.org());
        Ok(())
    }

    /// Puts new segments in the place of others, in the catalogue and for readers. It is no fault if somebody else
    /// removed them first; says whether this did. Where events of some times go for good, what the catalogue keeps of
    /// them goes in the same moment.
    pub(crate) async fn swap(
        &self,
        state: &Arc<DatasetState>,
        removed: &[Arc<Segment>],
        written: Written,
        erased: Option<RangeInclusive<i64>>,
    ) -> Result<bool> {
        let added = &written.segments;
        let ids: Vec<SegmentId> = removed.iter().map(|segment| segment.id.clone()).collect();
        let erasing = match &erased {
            Some(_) => Some(self.erasures.begin(state.org(), state.name()).await),
            None => None,
        };
        // Until the answer is here, and after none came.
        state.lock().is_catalog_stale = true;
        let swapped = match &erased {
            Some(times) => self.catalog.erase_events(state.id(), &ids, added, times, self.now()).await,
            None => self.catalog.replace_segments(state.id(), &ids, added, self.now()).await,
        };
        match swapped {
            Ok(commit) => {
                let added = added.iter().map(|segment| Arc::new(live(state, segment, commit))).collect();
                let mut inner = state.lock();
                inner.replace_segments(&ids, added);
                inner.is_catalog_stale = false;
                drop(inner);
                erasing.into_iter().for_each(Erasing::done);
                written.settle();
                self.forget_replaced(removed);
                Ok(true)
            }
            Err(error) if matches!(error.kind(), ErrorKind::Conflict | ErrorKind::NotFound) => {
                // Settled when readers have followed.
                drop(erasing);
                self.discard(&written).await;
                self.refresh_from_catalog(state).await?;
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Follows the catalogue where an answer of it was lost, so that nobody goes on reading segments that were replaced.
    /// What is at work on a dataset follows by itself. Says whether there was anything to follow.
    pub(crate) async fn refresh_stale_datasets(&self) -> Result<bool> {
        let mut first_error = Ok(());
        let mut was_stale = false;
        for state in self.all() {
            if !state.lock().is_catalog_stale {
                continue;
            }
            was_stale = true;
            let Ok(_compaction) = state.compaction_lock.try_lock() else { continue };
            let refreshed = self.refresh_from_catalog(&state).await;
            first_error = first_error.and(refreshed);
        }
        first_error.map(|()| was_stale)
    }

    /// Reads what the catalogue holds of a dataset, if it may have taken what is not seen here. Whoever calls this
    /// holds `compaction_lock`.
    pub(crate) async fn refresh_from_catalog(&self, state: &Arc<DatasetState>) -> Result<()> {
        if !state.lock().is_catalog_stale {
            return Ok(());
        }
        // Asked before reading too: what is still being committed for a caller who went away holds what a renewal needs,
        // so that the state from before it is not taken for the one after.
        self.renew_lease().await?;
        let mut datasets = self.catalog.all_datasets().await?.into_iter();
        let dataset = datasets.find(|dataset| dataset.id == *state.id());
        let segments = self.catalog.live_segments(state.id()).await?;
        // Asked after reading: what was read is of this process alone, and the mark says what is in segments of its log.
        self.renew_lease().await?;
        let Some(dataset) = dataset else {
            self.forget_dataset(state);
            self.erasures.settle(state.org(), state.name());
            return Ok(());
        };
        let live: HashSet<SegmentId> = segments.iter().map(|segment| segment.id.clone()).collect();
        let before = state.snapshot().segments;
        state.follow(dataset.flushed, segments.into_iter().map(Arc::new).collect());
        self.erasures.settle(state.org(), state.name());
        let gone = before.iter().filter(|segment| !live.contains(&segment.id));
        self.forget_replaced(&gone.cloned().collect::<Vec<_>>());
        Ok(())
    }

    /// Deletes objects that were written and are known not to be published. What cannot be deleted now is, when garbage
    /// is collected.
    pub(crate) async fn discard(&self, written: &Written) {
        let paths: Vec<&str> = written.segments.iter().map(|segment| segment.path.as_str()).collect();
        match self.objects.delete(&paths).await {
            Ok(()) => written.settle(),
            Err(error) => tracing::warn!(?paths, %error, "cannot delete objects that are not needed"),
        }
    }
}

/// A segment as readers know it.
pub(crate) fn live(state: &DatasetState, segment: &NewSegment, commit: u64) -> Segment {
    let segment = segment.clone();
    Segment {
        id: segment.id,
        dataset: state.id().clone(),
        path: segment.path,
        rows: segment.rows,
        bytes: segment.bytes,
        raw_bytes: segment.raw_bytes,
        footer_bytes: segment.footer_bytes,
        min_time: segment.min_time,
        max_time: segment.max_time,
        min_sequence: segment.min_sequence,
        max_sequence: segment.max_sequence,
        level: segment.level,
        checksum: segment.checksum,
        sidecar: segment.sidecar,
        added: commit,
        removed: None,
    }
}
