//! What happens to a house over time: it is closed and opened again, time goes by, and what was removed is swept.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tidegauge_catalog::Change;
use tidegauge_catalog::datasets::DatasetPatch;
use tidegauge_model::{Clock, Rng};
use tidegauge_store::{DatasetState, Store, StoreSettings};

use super::{House, engine};

impl House {
    /// Ends the store and the engines and begins anew with what is on the disk.
    pub(crate) async fn reopened(self) -> Self {
        let Self { folder, catalog, clock, rng, org, store, one_thread, threads, datasets } = self;
        store.close().await.unwrap();
        drop((store, one_thread, threads));
        let mut settings = StoreSettings::new(folder.path().to_owned());
        settings.wal_file_bytes = 1 << 20;
        let opened = loop {
            let opening = Store::open(
                Arc::clone(&catalog),
                Arc::clone(&clock) as Arc<dyn Clock>,
                Arc::clone(&rng) as Arc<dyn Rng>,
                settings.clone(),
            );
            match opening.await {
                Ok(store) => break Arc::new(store),
                // What a thread of the engine still does holds the store for a moment.
                Err(error) if error.kind() == tidegauge_model::ErrorKind::Conflict => {
                    tokio::task::yield_now().await;
                }
                Err(error) => panic!("{error}"),
            }
        };
        let one_thread = engine(&opened, folder.path(), 1);
        let threads = engine(&opened, folder.path(), 3);
        Self { folder, catalog, clock, rng, org, store: opened, one_thread, threads, datasets }
    }

    /// Lets so much time pass that what was removed has no reader any more, and deletes it.
    pub(crate) async fn sweep(&self) {
        self.clock.advance(Duration::from_secs(86_400));
        self.store.collect_garbage().await.unwrap();
    }

    /// Removes events that are older than a day, as the dataset's retention asks.
    pub(crate) async fn retain_one_day(&self, state: &DatasetState) {
        let patch =
            DatasetPatch { use_retention: Some(true), retention_days: Some(1), ..DatasetPatch::default() };
        let name = state.name();
        let (now, change) = (self.clock.now(), self.change());
        let updated = self.catalog.update_dataset(&self.org, name, patch, now, &change).await.unwrap();
        assert!(updated.is_some());
        self.clock.advance(Duration::from_secs(3 * 86_400));
        self.store.enforce_retention().await.unwrap();
    }

    /// Deletes a dataset with all its events.
    pub(crate) async fn delete_dataset(&self, state: &DatasetState) {
        let deleted =
            self.catalog.delete_dataset(&self.org, state.name(), self.clock.now(), &self.change()).await;
        self.store.remove(&deleted.unwrap().unwrap());
    }

    fn change(&self) -> Change {
        Change {
            org: Some(self.org.clone()),
            actor: "user_owner".to_owned(),
            at: self.clock.now(),
            request_id: "req".to_owned(),
        }
    }
}

/// All files in a folder and below it.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}
