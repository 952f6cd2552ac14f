//! What the store says of itself while something that it depends on fails, until that works again.

use std::fs::File;
use std::io::{self, IoSlice};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tidegauge_catalog::context::{CatalogContext, Point};
use tidegauge_catalog::{Catalog, SealKey};
use tidegauge_model::{Columns, ErrorKind, Timestamp};
use tidegauge_store::{DatasetState, Disk, MachineDisk, Result, Store, Work};

use crate::house::{House, START, events, log_files, sqlite};
use crate::waiting::WAIT_MAX;

/// A disk whose syncs fail, or that has no room.
#[derive(Debug, Default)]
struct Sick {
    is_failing: AtomicBool,
    is_full: AtomicBool,
}

impl Sick {
    fn fail(&self, is_failing: bool) {
        self.is_failing.store(is_failing, Ordering::SeqCst);
    }

    fn fill(&self, is_full: bool) {
        self.is_full.store(is_full, Ordering::SeqCst);
    }

    fn take_space(&self) -> io::Result<()> {
        match self.is_full.load(Ordering::SeqCst) {
            true => Err(io::ErrorKind::StorageFull.into()),
            false => Ok(()),
        }
    }

    fn sync(&self) -> io::Result<()> {
        match self.is_failing.load(Ordering::SeqCst) {
            true => Err(io::Error::other("the sync of /a/secret/path fails")),
            false => Ok(()),
        }
    }
}

impl Disk for Sick {
    fn create(&self, path: &Path, space: u64) -> io::Result<File> {
        self.take_space()?;
        MachineDisk.create(path, space)
    }

    fn write_at(&self, path: &Path, file: &File, slices: &mut [IoSlice<'_>], offset: u64) -> io::Result<()> {
        self.take_space()?;
        MachineDisk.write_at(path, file, slices, offset)
    }

    fn sync_data(&self, path: &Path, file: &File) -> io::Result<()> {
        self.sync()?;
        MachineDisk.sync_data(path, file)
    }

    fn sync_all(&self, path: &Path, file: &File) -> io::Result<()> {
        self.sync()?;
        MachineDisk.sync_all(path, file)
    }
}

async fn house() -> (House, Arc<Sick>) {
    let disk = Arc::new(Sick::default());
    let house = House::with(|settings| settings.disk = Arc::clone(&disk) as Arc<dyn Disk>).await;
    (house, disk)
}

fn event(number: i64) -> Columns {
    events(&[START * 1000 + number])
}

async fn try_append(house: &House, dataset: &Arc<DatasetState>, number: i64) -> Result<u64> {
    house.store.append(dataset, Store::prepare(&event(number), house.receipt())).await
}

fn told(house: &House) -> Vec<(Work, String)> {
    house.store.troubles().into_iter().map(|trouble| (trouble.work, trouble.message)).collect()
}

fn log(message: &str) -> Vec<(Work, String)> {
    vec![(Work::Log, message.to_owned())]
}

#[tokio::test]
async fn a_log_that_cannot_be_synced_is_told_until_it_can() {
    let (house, disk) = house().await;
    let dataset = house.dataset("logs").await;
    house.append(&dataset, &event(1)).await;
    assert_eq!(told(&house), Vec::new());
    disk.fail(true);
    assert_eq!(try_append(&house, &dataset, 2).await.unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(told(&house), log("cannot sync the write-ahead log"));
    assert_eq!(house.store.mend_wal().await.unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(told(&house), log("cannot make a file of the write-ahead log"));
    disk.fail(false);
    assert_eq!(told(&house), log("cannot make a file of the write-ahead log"), "nobody has tried");
    house.store.mend_wal().await.unwrap();
    assert_eq!(told(&house), Vec::new());
    // A request that succeeds tells as much.
    disk.fail(true);
    assert!(try_append(&house, &dataset, 3).await.is_err());
    assert_eq!(told(&house), log("cannot sync the write-ahead log"));
    disk.fail(false);
    house.append(&dataset, &event(4)).await;
    assert_eq!(told(&house), Vec::new());
    let id = dataset.id().clone();
    let house = house.killed().await;
    assert_eq!(house.rows(&id).await.len(), 2);
    assert!(house.store.damage().is_empty(), "{:?}", house.store.damage());
}

#[tokio::test]
async fn a_full_disk_is_told_until_there_is_room() {
    let (house, disk) = house().await;
    let dataset = house.dataset("logs").await;
    disk.fill(true);
    assert_eq!(try_append(&house, &dataset, 1).await.unwrap_err().kind(), ErrorKind::StorageFull);
    assert_eq!(told(&house), log("the disk is full: free space or add some"));
    assert_eq!(house.store.mend_wal().await.unwrap_err().kind(), ErrorKind::StorageFull);
    disk.fill(false);
    house.store.mend_wal().await.unwrap();
    assert_eq!(told(&house), Vec::new());
    house.append(&dataset, &event(1)).await;
    assert_eq!(house.rows(dataset.id()).await.len(), 1);
}

#[tokio::test]
async fn a_log_that_has_ended_is_not_begun_again() {
    let (house, disk) = house().await;
    let dataset = house.dataset("logs").await;
    disk.fail(true);
    assert!(try_append(&house, &dataset, 1).await.is_err());
    disk.fail(false);
    house.store.close().await.unwrap();
    let before = log_files(house.folder.path());
    house.store.mend_wal().await.unwrap();
    assert_eq!(log_files(house.folder.path()), before);
}

#[tokio::test]
async fn events_that_cannot_be_moved_to_segments_are_told_without_a_name() {
    let (house, disk) = house().await;
    let dataset = house.dataset("logs").await;
    house.append(&dataset, &event(1)).await;
    house.advance(house.settings.flush_age);
    disk.fail(true);
    house.store.flush_due().await.unwrap_err();
    let said = told(&house);
    let [(Work::Segments, message)] = &said[..] else { panic!("{said:?}") };
    assert!(!message.contains('/') && !message.contains("dataset_"), "{message}");
    disk.fail(false);
    house.store.flush_due().await.unwrap();
    assert_eq!(told(&house), Vec::new());
    assert_eq!(dataset.info().buffered_batches, 0);
}

/// A database that is read from and takes no change.
#[derive(Debug, Default)]
struct ReadOnly(AtomicBool);

impl CatalogContext for ReadOnly {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(START)
    }

    fn pass(&self, point: Point, _: &'static str) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
        let is_refused = point == Point::Commit && self.0.load(Ordering::SeqCst);
        Box::pin(std::future::ready(!is_refused))
    }
}

#[tokio::test]
async fn a_catalogue_that_takes_no_change_is_told_until_it_does() {
    let house = House::new().await;
    let read_only = Arc::new(ReadOnly::default());
    let location = sqlite(house.folder.path());
    let mut catalog = Catalog::open_waiting(&location, SealKey::new(&[7; 32]), WAIT_MAX).await.unwrap();
    catalog.set_context(Arc::clone(&read_only) as Arc<dyn CatalogContext>);
    let house = house.with_catalog(Arc::new(catalog)).await;
    let dataset = house.dataset("logs").await;
    house.append(&dataset, &event(1)).await;
    read_only.0.store(true, Ordering::SeqCst);
    house.catalog.ping().await.unwrap();
    house.store.renew_lease().await.unwrap_err();
    assert_eq!(
        told(&house),
        [(Work::Catalogue, "the catalogue database cannot be reached".to_owned())],
        "what callers are told"
    );
    house.advance(house.settings.flush_age);
    house.store.flush_due().await.unwrap_err();
    let works: Vec<Work> = told(&house).into_iter().map(|(work, _)| work).collect();
    assert_eq!(works, [Work::Segments, Work::Catalogue]);
    read_only.0.store(false, Ordering::SeqCst);
    house.store.flush_due().await.unwrap();
    house.store.renew_lease().await.unwrap();
    assert_eq!(told(&house), Vec::new());
}
