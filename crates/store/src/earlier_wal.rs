//! Events that this node had written to its WAL before another one took the lease. The mark of a dataset is the other's then, so it
//! says nothing of them; the catalogue has kept the marks that this node had. What is beyond these becomes segments when
//! the store is opened, before anything else does, and keeps the identities that it was acknowledged with: sequences of
//! nodes are far apart.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use tidegauge_catalog::ingest_keys::IngestKey;
use tidegauge_catalog::segments::Flushed;
use tidegauge_model::DatasetId;

use crate::buffered_batch::BufferedBatch;
use crate::dataset::DatasetState;
use crate::flush::{PORTION_ROWS, Writing, keys_of, merge_apart};
use crate::intents::Source;
use crate::lease::Lease;
use crate::merge_input::MergeInput;
use crate::publish::live;
use crate::segment::CompactionTier;
use crate::wal_batch::WalBatch;
use crate::{Result, Store, usage};

/// What the WAL holds from before.
#[derive(Debug)]
pub(crate) struct EarlierWal {
    floor: u64,
    marks: HashMap<DatasetId, u64>,
    batches: BTreeMap<DatasetId, Vec<Arc<BufferedBatch>>>,
}

impl EarlierWal {
    pub(crate) async fn of(catalog: &tidegauge_catalog::Catalog, lease: &Lease) -> Result<Self> {
        let floor = lease.taken.sequence_floor;
        let marks = if floor > 0 { catalog.flush_marks(&lease.node).await? } else { HashMap::new() };
        Ok(Self { floor, marks, batches: BTreeMap::new() })
    }

    /// Up to where this node's events were in segments when it lost the lease, if that was after a sequence of its log.
    pub(crate) fn mark_before(&self, dataset: &DatasetId, sequence: u64) -> Option<u64> {
        (sequence <= self.floor).then(|| self.marks.get(dataset).copied().unwrap_or(0))
    }

    /// Hands events on that were written to the WAL since the lease was taken, and keeps those from before that are in no segment.
    pub(crate) fn sort_out(&mut self, state: &DatasetState, sequence: u64, payload: WalBatch) {
        if sequence > self.floor {
            crate::wal::Accept::accept(state, sequence, payload);
            return;
        }
        let is_empty = payload.rows() == 0 && payload.receipt().key.is_none();
        if !is_empty && self.mark_before(state.id(), sequence).is_some_and(|mark| sequence > mark) {
            self.batches
                .entry(state.id().clone())
                .or_default()
                .push(Arc::new(BufferedBatch { sequence, payload }));
        }
    }
}

impl Store {
    /// Publishes what was written to the WAL before another node had the lease. An error leaves it in the WAL.
    pub(crate) async fn publish_earlier(&self, left: EarlierWal) -> Result<()> {
        for (dataset, batches) in left.batches {
            let Some(state) = self.dataset(&dataset) else { continue };
            let requests = batches.len();
            let mut rest = &batches[..];
            while !rest.is_empty() {
                let mut rows = 0;
                let fits = |batch: &&Arc<BufferedBatch>| {
                    rows += batch.payload.rows();
                    rows <= PORTION_ROWS
                };
                let count = rest.iter().take_while(fits).count().max(1);
                self.publish_portion(&state, &rest[..count]).await?;
                rest = &rest[count..];
            }
            tracing::warn!(%dataset, requests, "stored what was logged before another node wrote to the catalogue");
        }
        Ok(())
    }

    async fn publish_portion(&self, state: &Arc<DatasetState>, batches: &[Arc<BufferedBatch>]) -> Result<()> {
        let Some(last) = batches.last() else { return Ok(()) };
        let source = Source::of_wal(batches);
        let batches = self.without_repeated(state, batches).await?;
        let inputs =
            batches.iter().filter(|batch| batch.payload.rows() > 0).cloned().map(MergeInput::Buffered);
        let writing = Writing {
            merge: merge_apart(inputs.collect()).await?,
            level: 0,
            flushed: state.lock().flushed,
            replaces: Vec::new(),
            source,
            tier: CompactionTier::Fresh,
        };
        let written = self.write(state, writing).await?;
        let segments = &written.segments;
        let (keys, usage) = (keys_of(&batches), usage::by_day(&batches));
        let (node, flushed) = (self.lease.node.as_str(), last.sequence);
        let moved = Flushed { node, segments, flushed, keys: &keys, usage: &usage };
        let commit = self.catalog.publish_left(state.id(), moved, self.now()).await?;
        written.settle();
        let mut inner = state.lock();
        for batch in &batches {
            for column in batch.payload.columns() {
                inner.fields.add(batch.payload.name(column), column.kind());
            }
        }
        let added = segments.iter().map(|segment| Arc::new(live(state, segment, commit))).collect();
        inner.replace_segments(&[], added);
        Ok(())
    }

    /// Leaves out the requests that were sent again with their key to the other node, and that it has stored: they are
    /// there already, under a sequence of that node. As everywhere, a key means the same request for a while only.
    async fn without_repeated(
        &self,
        state: &DatasetState,
        batches: &[Arc<BufferedBatch>],
    ) -> Result<Vec<Arc<BufferedBatch>>> {
        let keys = keys_of(batches);
        let names: Vec<&str> = keys.iter().map(|key| key.key.as_str()).collect();
        let found = self.catalog.find_ingest_keys(state.id(), &names).await?;
        let stored: HashMap<&str, &IngestKey> = found.iter().map(|key| (key.key.as_str(), key)).collect();
        let age = self.settings.key_age;
        let is_repeated = |key: &&IngestKey| {
            stored.get(key.key.as_str()).is_some_and(|stored| {
                stored.sequence != key.sequence
                    && stored.fingerprint == key.fingerprint
                    && stored.at <= key.at.plus(age)
                    && key.at <= stored.at.plus(age)
            })
        };
        let repeated: HashSet<u64> = keys.iter().filter(is_repeated).map(|key| key.sequence).collect();
        Ok(batches.iter().filter(|batch| !repeated.contains(&batch.sequence)).cloned().collect())
    }
}
