//! Retention: removes events by age, for a dataset with a retention time or on demand, and of fields that no event has any
//! more. Whole segments go; one that reaches over the border stays until all of it is old enough.

use std::ops::RangeInclusive;
use std::sync::Arc;

use hashbrown::HashSet;
use tidegauge_catalog::segments::Segment;
use tidegauge_model::{FieldKind, Timestamp};

use crate::dataset::DatasetState;
use crate::written::Written;
use crate::{Result, SegmentStats, Store};

impl Store {
    /// Removes what is older than each dataset's retention time. One that fails keeps none of the others waiting.
    pub async fn enforce_retention(&self) -> Result<()> {
        let mut first_error = Ok(());
        for dataset in self.catalog.all_datasets().await? {
            let Some(state) = self.dataset(&dataset.id).filter(|_| dataset.use_retention) else { continue };
            let before = self.now().minus_seconds(i64::from(dataset.retention_days) * 86_400);
            let removed = self.remove_before(&state, before).await;
            first_error = first_error.and(removed.map(|_| ()));
        }
        first_error
    }

    /// Removes the segments in which everything is older than a time, and says how many those were.
    pub async fn trim(&self, state: &Arc<DatasetState>, before: Timestamp) -> Result<usize> {
        // Events in the buffer count too.
        self.flush(state).await?;
        self.remove_before(state, before).await
    }

    async fn remove_before(&self, state: &Arc<DatasetState>, before: Timestamp) -> Result<usize> {
        let _compaction = state.compaction_lock.lock().await;
        self.refresh_from_catalog(state).await?;
        let before = before.as_nanos();
        let segments = state.snapshot().segments;
        let old: Vec<Arc<Segment>> =
            segments.iter().filter(|segment| segment.max_time < before).cloned().collect();
        if let Some(last) = old.iter().map(|segment| segment.max_sequence).max() {
            self.swap(state, &old, Written::default(), times_of(&old)).await?;
            self.drop_damaged(state.id(), last);
        }
        Ok(old.len())
    }

    /// Forgets the fields that no stored event has.
    pub async fn vacuum(&self, state: &Arc<DatasetState>) -> Result<()> {
        self.flush(state).await?;
        let _compaction = state.compaction_lock.lock().await;
        let (mut used, mut in_overflow) = (HashSet::new(), HashSet::new());
        for segment in state.snapshot().segments.iter() {
            let stats = SegmentStats::decode(&self.catalog.segment_stats(&segment.id).await?)?;
            used.extend(stats.columns.iter().filter(|column| column.count > 0).map(|column| column.number));
            in_overflow.extend(stats.rest);
        }
        let columns = self.catalog.dataset_columns(state.id()).await?;
        let kept = |number: u32, field: &str| used.contains(&number) || in_overflow.contains(field);
        let kept: Vec<&tidegauge_catalog::columns::DatasetColumn> =
            columns.iter().filter(|column| kept(column.number, &column.field)).collect();
        let numbers: Vec<u32> = kept.iter().map(|column| column.number).collect();
        self.catalog.forget_columns(state.id(), &numbers).await?;
        let mut inner = state.lock();
        let buffered: Vec<(String, FieldKind)> = inner
            .batches
            .iter()
            .flat_map(|batch| {
                let payload = &batch.payload;
                payload.columns().iter().map(|column| (payload.name(column).to_owned(), column.kind()))
            })
            .collect();
        inner.fields.clear();
        kept.iter().for_each(|column| inner.fields.add(&column.field, column.kind));
        buffered.iter().for_each(|(field, kind)| inner.fields.add(field, *kind));
        drop(inner);
        state.next_generation();
        Ok(())
    }
}

/// Between which times the events of segments are.
fn times_of(segments: &[Arc<Segment>]) -> Option<RangeInclusive<i64>> {
    let first = segments.iter().map(|segment| segment.min_time).min()?;
    let last = segments.iter().map(|segment| segment.max_time).max()?;
    Some(first..=last)
}
