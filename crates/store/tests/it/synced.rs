//! A segment counts when its bytes and its name are on the disk: as long as a sync fails nothing is published, and the
//! events stay where they are. What a folder of objects is told is asked of a disk that fails where it is told to.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use tidegauge_model::{Clock, ErrorKind};
use tidegauge_store::{Disk, MachineDisk};

use crate::house::{House, START, events, files_in};

/// Which sync fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failing {
    Nothing,
    /// That of a segment's bytes.
    Segments,
    /// That of the folder with this name.
    Folder(&'static str),
}

#[derive(Debug)]
struct Doubtful(Mutex<Failing>);

impl Doubtful {
    fn fails(&self, failing: Failing) {
        *self.0.lock().unwrap() = failing;
    }

    fn answer(&self, is_meant: impl FnOnce(Failing) -> bool) -> io::Result<()> {
        match is_meant(*self.0.lock().unwrap()) {
            true => Err(io::Error::other("the sync fails")),
            false => Ok(()),
        }
    }
}

impl Disk for Doubtful {
    fn sync_all(&self, path: &Path, file: &File) -> io::Result<()> {
        let is_segment = path.extension().is_some_and(|extension| extension == "parquet");
        self.answer(|failing| failing == Failing::Segments && is_segment)?;
        MachineDisk.sync_all(path, file)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        self.answer(|failing| matches!(failing, Failing::Folder(meant) if name.starts_with(meant)))?;
        MachineDisk.sync_folder(folder)
    }
}

async fn house() -> (House, Arc<Doubtful>) {
    let disk = Arc::new(Doubtful(Mutex::new(Failing::Nothing)));
    let house = House::with(|settings| settings.disk = Arc::clone(&disk) as Arc<dyn Disk>).await;
    (house, disk)
}

#[tokio::test]
async fn a_segment_is_published_after_its_bytes_and_its_name_are_on_the_disk() {
    let (house, disk) = house().await;
    let dataset = house.dataset("logs").await;
    let id = dataset.id().clone();
    house.append(&dataset, &events(&[START * 1000])).await;
    // Its own folder, which is named after the dataset, and those above it.
    for failing in [
        Failing::Segments,
        Failing::Folder("dataset_"),
        Failing::Folder("datasets"),
        Failing::Folder("segments"),
    ] {
        disk.fails(failing);
        let refused = house.store.flush(&dataset).await;
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::Unavailable, "{failing:?}");
        assert_eq!(house.catalog.live_segments(&id).await.unwrap().len(), 0, "{failing:?}");
        assert_eq!(house.rows(&id).await.len(), 1, "{failing:?}");
    }
    disk.fails(Failing::Nothing);
    house.store.flush(&dataset).await.unwrap();
    assert_eq!(house.catalog.live_segments(&id).await.unwrap().len(), 1);
    assert_eq!(house.killed().await.rows(&id).await.len(), 1);
}

#[tokio::test]
async fn a_segment_is_forgotten_after_its_name_is_durably_gone() {
    let (house, disk) = house().await;
    let dataset = house.dataset("logs").await;
    house.append(&dataset, &events(&[START * 1000])).await;
    house.store.flush(&dataset).await.unwrap();
    house.store.trim(&dataset, house.clock.now().plus(house.settings.grace)).await.unwrap();
    house.advance(house.settings.grace * 2);
    disk.fails(Failing::Folder("dataset_"));
    let collected = house.store.collect_garbage().await;
    assert_eq!(collected.unwrap_err().kind(), ErrorKind::Unavailable);
    disk.fails(Failing::Nothing);
    house.store.collect_garbage().await.unwrap();
    assert!(files_in(&house.folder.path().join("segments"), "parquet").is_empty());
}
