//! Deletes objects that nobody needs: segments that were replaced or removed long enough ago, and objects that the
//! catalogue never named because a process ended between writing and publishing.

use std::time::Duration;

use tidegauge_model::Timestamp;

use crate::{Result, Store};

/// How many are deleted before the next look.
const BATCH: u32 = 500;

/// A writer publishes what it wrote well within this time.
const ORPHAN_AGE: Duration = Duration::from_secs(3600);

impl Store {
    /// Deletes segments that were removed before the grace time. Says how many.
    pub async fn collect_garbage(&self) -> Result<usize> {
        let grace = i64::try_from(self.settings.grace.as_micros()).unwrap_or(i64::MAX);
        let before = Timestamp::from_micros(self.now().as_micros().saturating_sub(grace));
        let mut deleted = 0;
        // Outside readers go through the list of commits; what nobody can look back to is taken off it.
        self.catalog.prune_commits(before).await?;
        loop {
            let removed = self.catalog.removed_segments(before, BATCH).await?;
            if removed.is_empty() {
                return Ok(deleted);
            }
            for segment in &removed {
                self.objects.delete(&segment.path).await?;
            }
            let ids: Vec<_> = removed.into_iter().map(|segment| segment.id).collect();
            deleted += ids.len();
            // After the objects: a crash between the two deletes them again, which is no harm.
            self.catalog.forget_segments(&ids).await?;
        }
    }

    /// Deletes objects that the catalogue does not know and that are too old to be still on their way. Says how many.
    pub async fn sweep_orphans(&self) -> Result<usize> {
        let young = i64::try_from(ORPHAN_AGE.as_micros()).unwrap_or(i64::MAX);
        let before = Timestamp::from_micros(self.now().as_micros().saturating_sub(young));
        let mut old: Vec<String> = self
            .objects
            .list()
            .await?
            .into_iter()
            .filter(|object| object.modified < before)
            .map(|object| object.path)
            .collect();
        let mut deleted = 0;
        while !old.is_empty() {
            let rest = old.split_off(old.len().min(BATCH as usize));
            let known = self.catalog.known_paths(&old).await?;
            for path in old.iter().filter(|path| !known.contains(*path)) {
                tracing::warn!(path, "deleting an object that the catalogue does not know");
                self.objects.delete(path).await?;
                deleted += 1;
            }
            old = rest;
        }
        Ok(deleted)
    }
}
