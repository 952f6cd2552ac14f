//! Merges small segments inside their window of time, newest first, so that a query opens few files. The new segments
//! and the end of the old ones are one commit; readers that began before still find the old ones for a while.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use tidegauge_catalog::segments::Segment;
use tidegauge_model::{ErrorKind, Timestamp};

use crate::checksum::checksum;
use crate::dataset::DatasetState;
use crate::flush::{Writing, is_gone, merge_apart};
use crate::intents::Source;
use crate::merge_input::MergeInput;
use crate::segment::{CompactionTier, SegmentInput};
use crate::time_partitions::{DAY, HOUR, TimePartition};
use crate::{Error, Result, Store};

/// So many small segments of a window that still grows are merged.
const SMALL_SEGMENTS_MAX: usize = 4;

/// After its end, a window is given this long for events that come late.
const SETTLE: i64 = HOUR / 6;

impl Store {
    /// Merges some segments of one dataset, the newest that are worth it. Says whether there was anything to do.
    pub async fn compact_step(&self) -> Result<bool> {
        let now = self.now();
        let mut best: Option<(i64, Arc<DatasetState>, Vec<Arc<Segment>>)> = None;
        for state in self.all() {
            let Some(chosen) = self.choose(&state.mergeable(), now) else { continue };
            let newest = chosen.iter().map(|segment| segment.max_time).max().unwrap_or(i64::MIN);
            if best.as_ref().is_none_or(|(time, _, _)| newest > *time) {
                best = Some((newest, state, chosen));
            }
        }
        let Some((_, state, chosen)) = best else { return Ok(false) };
        self.compact(&state, &chosen).await?;
        Ok(true)
    }

    async fn compact(&self, state: &Arc<DatasetState>, chosen: &[Arc<Segment>]) -> Result<()> {
        let _compaction = state.compaction_lock.lock().await;
        self.refresh_from_catalog(state).await?;
        let live_now = state.snapshot().segments;
        if !chosen.iter().all(|segment| live_now.iter().any(|other| other.id == segment.id)) {
            return Ok(());
        }
        let mut inputs = Vec::with_capacity(chosen.len());
        for segment in chosen {
            inputs.push(MergeInput::Segment(Box::new(self.open_to_rewrite(state, segment).await?)));
        }
        let level = chosen.iter().map(|segment| segment.level).max().unwrap_or(0) + 1;
        self.rewrite(state, chosen, inputs, level, None).await?;
        Ok(())
    }

    /// Writes what is to stay of some segments and puts it in their place; says whether that was done. Whoever calls
    /// this holds `compaction_lock`, and says of which times events go for good.
    pub(crate) async fn rewrite(
        &self,
        state: &Arc<DatasetState>,
        chosen: &[Arc<Segment>],
        inputs: Vec<MergeInput>,
        level: u32,
        erased: Option<RangeInclusive<i64>>,
    ) -> Result<bool> {
        let writing = Writing {
            merge: merge_apart(inputs).await?,
            level,
            flushed: state.lock().flushed,
            replaces: chosen.iter().map(|segment| segment.id.as_str().to_owned()).collect(),
            source: Source::Objects(chosen.iter().map(|segment| segment.path.clone()).collect()),
            tier: self.tier(chosen),
        };
        match self.write(state, writing).await {
            Ok(written) => {
                let is_done = self.swap(state, chosen, written, erased).await?;
                if is_done {
                    let bytes = chosen.iter().map(|segment| segment.bytes).sum();
                    self.rewritten.add(chosen.len() as u64, bytes);
                }
                Ok(is_done)
            }
            // The dataset was deleted meanwhile.
            Err(error) if is_gone(&error) => {
                self.forget_dataset(state);
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Reads a segment whole, and remembers if it is damaged.
    pub(crate) async fn open_to_rewrite(
        &self,
        state: &DatasetState,
        segment: &Segment,
    ) -> Result<SegmentInput> {
        let opened = self.open_segment(segment).await;
        if opened.as_ref().is_err_and(|error| error.kind() == ErrorKind::Corrupt) {
            // Left alone from now on, so that it does not keep the others from being merged.
            state.lock().damaged.insert(segment.id.clone());
        }
        opened
    }

    /// Reads a segment whole and proves that it is what was written.
    pub(crate) async fn open_segment(&self, segment: &Segment) -> Result<SegmentInput> {
        let bytes = self.objects.get(&segment.path).await?;
        if checksum(&bytes) != segment.checksum {
            let (id, rows) = (&segment.id, segment.rows);
            let (found, expected) = (bytes.len(), segment.bytes);
            let message = format!(
                "{id} of {} with {rows} events is damaged: {found} bytes of {expected}, or altered ones",
                segment.dataset
            );
            tracing::error!(segment = %id, dataset = %segment.dataset, "{message}");
            return Err(Error::corrupt(message));
        }
        let input = tokio::task::spawn_blocking(move || SegmentInput::open(bytes))
            .await
            .map_err(|source| Error::caused(ErrorKind::Internal, "reading was interrupted", source))??;
        if input.rows() as u64 != segment.rows {
            let (id, found, expected) = (&segment.id, input.rows(), segment.rows);
            return Err(Error::corrupt(format!("{id} has {found} events instead of {expected}")));
        }
        Ok(input)
    }

    /// What comes of segments whose day is over stays as it is.
    fn tier(&self, chosen: &[Arc<Segment>]) -> CompactionTier {
        let newest = chosen.iter().map(|segment| segment.max_time).max().unwrap_or(i64::MAX);
        let day = TimePartition::Day(newest.div_euclid(DAY));
        if is_over(day, self.now()) { CompactionTier::Settled } else { CompactionTier::Merged }
    }

    /// Which segments to merge next, if any.
    fn choose(&self, segments: &[Arc<Segment>], now: Timestamp) -> Option<Vec<Arc<Segment>>> {
        let mut groups: BTreeMap<TimePartition, Vec<Arc<Segment>>> = BTreeMap::new();
        for segment in segments.iter().filter(|segment| self.is_small(segment)) {
            let window = TimePartition::of(segment.min_time, segment.max_time);
            let day = window.day().map(TimePartition::Day).filter(|day| is_over(*day, now));
            let window = day.unwrap_or(window);
            groups.entry(window).or_default().push(Arc::clone(segment));
        }
        let mut groups: Vec<(TimePartition, Vec<Arc<Segment>>)> = groups.into_iter().collect();
        groups
            .sort_by_key(|(_, group)| std::cmp::Reverse(group.iter().map(|segment| segment.max_time).max()));
        groups.into_iter().find_map(|(window, group)| self.choose_in(window, group, now))
    }

    fn choose_in(
        &self,
        window: TimePartition,
        mut group: Vec<Arc<Segment>>,
        now: Timestamp,
    ) -> Option<Vec<Arc<Segment>>> {
        let enough = if is_over(window, now) { 2 } else { SMALL_SEGMENTS_MAX };
        group.sort_by_key(|segment| (segment.rows, segment.id.clone()));
        if window != TimePartition::Any {
            // Neighbours in time, so that the merged segments overlap little.
            group.sort_by_key(|segment| segment.min_time);
        }
        let (mut rows, mut bytes) = (0, 0);
        let fits = |segment: &Arc<Segment>| {
            rows += segment.rows;
            bytes += segment.bytes;
            rows <= self.settings.segment_rows_max as u64 && bytes <= self.settings.compact_bytes_max
        };
        let chosen: Vec<Arc<Segment>> = group.into_iter().take_while(fits).collect();
        (chosen.len() >= enough).then_some(chosen)
    }

    fn is_small(&self, segment: &Segment) -> bool {
        segment.rows * 2 <= self.settings.segment_rows_max as u64
            && segment.bytes * 2 <= self.settings.compact_bytes_max
    }
}

/// Whether a window has ended, and late events have had their time.
fn is_over(window: TimePartition, now: Timestamp) -> bool {
    now.as_nanos() > window.end().saturating_add(SETTLE)
}
