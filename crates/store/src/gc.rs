//! Garbage collection: deletes objects that nobody needs: segments that were replaced or removed long enough ago, objects whose writing was
//! given up, and, much later, any that the catalogue does not know.

use std::sync::atomic::Ordering;
use std::time::Duration;

use tidegauge_model::{DatasetId, Timestamp};

use crate::eviction::live_objects;
use crate::objects::Listed;
use crate::{Result, Store};

/// How many are deleted before the next look.
const BATCH: u32 = 500;

/// A writer publishes what it wrote well within this time.
pub(crate) const UNCOMMITTED_AGE: Duration = Duration::from_secs(3600);

/// How old an object that the catalogue does not know must be to be deleted. A catalogue that was restored from a
/// backup does not know what was written since, and somebody has to have the time to notice.
const ORPHAN_AGE: Duration = Duration::from_secs(7 * 24 * 3600);

impl Store {
    /// Deletes segments that were removed before the grace time, and objects whose writing was given up. Says how many.
    pub async fn collect_garbage(&self) -> Result<usize> {
        self.hold_lease().await?;
        // Read before the datasets follow the catalogue: then it is decided what became of these.
        let given_up = self.intents.given_up();
        // A dataset here may still name what the catalogue has removed. Who reads that has until the next time.
        if self.refresh_stale_datasets().await? {
            return Ok(0);
        }
        let mut deleted = self.delete_given_up(given_up).await;
        let before = self.now().minus(self.settings.grace);
        // Outside readers go through the list of commits; what nobody can look back to is taken off it.
        self.catalog.prune_commits(before).await?;
        loop {
            let removed = self.catalog.removed_segments(before, BATCH).await?;
            if removed.is_empty() {
                break;
            }
            // Kept until it is used: if a step fails, the next time does not hear of these segments any more.
            let last = removed.iter().map(|segment| segment.max_sequence).max().unwrap_or(0);
            self.deleted_through.fetch_max(last, Ordering::AcqRel);
            let paths: Vec<&str> = removed.iter().map(|segment| segment.path.as_str()).collect();
            self.objects.delete(&paths).await?;
            // A reader that began before they were removed may have brought them back.
            self.forget(&removed.iter().collect::<Vec<_>>());
            let ids: Vec<_> = removed.into_iter().map(|segment| segment.id).collect();
            deleted += ids.len();
            // After the objects: a crash between the two deletes them again, which is no harm.
            self.catalog.forget_segments(&ids).await?;
        }
        let last_sequence = self.deleted_through.swap(0, Ordering::AcqRel);
        if last_sequence > 0 {
            // What nobody can find any more must not stay in the WAL until its file is full.
            self.drop_from_wal(last_sequence).await;
        }
        if !self.catalog.wipe_forgotten().await? {
            tracing::info!("somebody reads from the journal of the catalogue for long; it is emptied later");
        }
        Ok(deleted)
    }

    /// Deletes objects that the catalogue does not know and that are too old to be still on their way. Says how many.
    pub async fn collect_orphans(&self) -> Result<usize> {
        self.hold_lease().await?;
        self.settle_spared().await;
        // Of what another process has deleted, or what could not be removed when it was let go of.
        self.objects.cache_only(|| live_objects(self.all().iter())).await?;
        let border = self.now().minus(ORPHAN_AGE);
        let is_old = |object: &Listed| object.modified < border;
        let listed = self.objects.list().await?;
        let old: Vec<String> = listed.into_iter().filter(is_old).map(|object| object.path).collect();
        let mut deleted = self.collect_unfinished().await?;
        for batch in old.chunks(BATCH as usize) {
            let known = self.catalog.known_paths(batch).await?;
            for path in batch.iter().filter(|path| !known.contains(*path)) {
                deleted += usize::from(self.collect_orphan(path).await?);
            }
        }
        Ok(deleted)
    }

    /// Deletes what was written of objects that nobody is at work on. Says of how many.
    async fn collect_unfinished(&self) -> Result<usize> {
        let found = self.objects.unfinished(uncommitted_border(self.now())).await?;
        // Asked after the look at the folder, whose clock may be another: what is under way was noted before it began.
        let under_way = self.intents.objects();
        let left: Vec<&str> =
            found.iter().filter(|path| !under_way.contains(*path)).map(String::as_str).collect();
        self.objects.delete_unfinished(&left).await?;
        Ok(left.len())
    }

    /// Deletes an object unless it is, or may still become, a segment.
    async fn collect_orphan(&self, path: &str) -> Result<bool> {
        // If the catalogue has no such dataset, it may be the catalogue that was lost, and this the only copy.
        let Some(state) = dataset_of(path).and_then(|id| self.dataset(&id)) else { return Ok(false) };
        // The clocks may differ, here and where the object lies: nothing is on its way while this is held.
        let _compaction = state.compaction_lock.lock().await;
        let waiting = state.lock().pending_commit.clone();
        let is_waiting = waiting
            .is_some_and(|waiting| waiting.written.segments.iter().any(|segment| segment.path == path));
        if is_waiting || !self.catalog.known_paths(&[path.to_owned()]).await?.is_empty() {
            return Ok(false);
        }
        tracing::warn!(path, "deleting an object that the catalogue does not know");
        self.objects.delete(&[path]).await?;
        Ok(true)
    }
}

/// Objects from before this time are known to the catalogue, or do not belong to it.
pub(crate) fn uncommitted_border(now: Timestamp) -> Timestamp {
    now.minus(UNCOMMITTED_AGE)
}

/// The dataset in whose folder an object lies.
pub(crate) fn dataset_of(path: &str) -> Option<DatasetId> {
    let (dataset, _) = path.strip_prefix("datasets/")?.split_once('/')?;
    DatasetId::parse(dataset)
}
