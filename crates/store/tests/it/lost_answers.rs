//! What happens when the catalogue has taken a change and its answer was lost: nothing is done twice, and what others have
//! done is followed.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tidegauge_catalog::context::{CatalogContext, Point};
use tidegauge_catalog::{Catalog, SealKey};
use tidegauge_model::{Clock, ErrorKind, Timestamp};
use tidegauge_store::{Store, StoreSettings};

use crate::faults::{filled, times};
use crate::house::{House, START, events, files_in, give_up_after, log_files, open, sqlite};
use crate::waiting::WAIT_MAX;

/// Two stores with one catalogue and one folder of segments, each with a log of its own that holds the same. What one
/// of them publishes is, for the other, a commit whose answer was lost.
pub(crate) async fn with_twin(house: &House) -> (tempfile::TempDir, tidegauge_store::Store) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("log")).unwrap();
    // The same name of the log, so that the catalogue takes both for one process.
    let named = house.folder.path().join("log/node");
    for file in log_files(house.folder.path()).into_iter().chain([named]) {
        std::fs::copy(&file, folder.path().join("log").join(file.file_name().unwrap())).unwrap();
    }
    let mut settings = StoreSettings::new(folder.path().to_owned());
    settings.objects = house.settings.objects.clone();
    let twin = open(&house.catalog, &house.clock, &house.rng, &settings).await.unwrap();
    (folder, twin)
}

#[tokio::test]
async fn a_flush_whose_answer_was_lost_is_not_published_twice() {
    let house = House::new().await;
    let id = filled(&house).await;
    let before = house.rows(&id).await;
    let (_folder, twin) = with_twin(&house).await;
    house.flush(&id).await;
    let state = twin.dataset(&id).unwrap();
    assert_eq!(state.info().buffered_batches, 1, "the twin does not know yet");
    twin.flush(&state).await.unwrap();
    assert_eq!(twin.rows(&state).await.unwrap(), before);
    twin.append(&state, Store::prepare(&events(&times(60, 3)), house.receipt())).await.unwrap();
    twin.flush(&state).await.unwrap();
    assert_eq!(twin.rows(&state).await.unwrap().len(), before.len() + 3);
    assert_eq!(twin.check(true).await.unwrap().iter().filter(|found| found.segment.is_some()).count(), 0);
}

#[tokio::test]
async fn a_compaction_whose_answer_was_lost_is_noticed_before_its_inputs_are_deleted() {
    let house = House::new().await;
    let id = filled(&house).await;
    house.flush(&id).await;
    let before = house.rows(&id).await;
    let (_folder, twin) = with_twin(&house).await;
    house.advance(Duration::from_secs(3 * 86_400));
    house.compact().await;
    let state = twin.dataset(&id).unwrap();
    assert_eq!(state.info().segments, 5, "the twin does not know yet");
    twin.compact_step().await.unwrap();
    assert_eq!(state.info().segments, house.store.dataset(&id).unwrap().info().segments);
    assert!(!twin.compact_step().await.unwrap(), "nothing is merged for ever");
    house.advance(Duration::from_secs(7200));
    house.store.collect_garbage().await.unwrap();
    assert_eq!(twin.rows(&state).await.unwrap(), before);
    assert_eq!(
        files_in(&house.folder.path().join("segments"), "parquet").len() as u64,
        state.info().segments
    );
}

/// A database in which, while it is told so, nobody gets the one connection that writes within the time that is waited
/// for it.
#[derive(Debug, Default)]
struct Busy(AtomicBool);

impl CatalogContext for Busy {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(START)
    }

    fn pass(&self, point: Point, _: &'static str) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
        let is_refused = point == Point::Begin && self.0.load(Ordering::SeqCst);
        Box::pin(std::future::ready(!is_refused))
    }
}

#[tokio::test]
async fn an_answer_that_was_lost_is_made_up_for_without_another_change() {
    let house = House::new().await;
    let id = filled(&house).await;
    house.flush(&id).await;
    let busy = Arc::new(Busy::default());
    let location = sqlite(house.folder.path());
    let mut catalog = Catalog::open_waiting(&location, SealKey::new(&[7; 32]), WAIT_MAX).await.unwrap();
    catalog.set_context(Arc::clone(&busy) as Arc<dyn CatalogContext>);
    let house = house.with_catalog(Arc::new(catalog)).await;
    let late = house.clock.now().plus(Duration::from_secs(86_400));
    let ((_one, first), (_other, second)) = (with_twin(&house).await, with_twin(&house).await);
    let (of_first, of_second) = (first.dataset(&id).unwrap(), second.dataset(&id).unwrap());
    house.store.trim(&house.store.dataset(&id).unwrap(), late).await.unwrap();
    // The twins are not answered: they cannot know whether the catalogue has taken what it has.
    busy.0.store(true, Ordering::SeqCst);
    let (of_trim, of_trim_too) = tokio::join!(first.trim(&of_first, late), second.trim(&of_second, late));
    assert_eq!(of_trim.unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(of_trim_too.unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!((of_first.info().segments, of_second.info().segments), (5, 5));
    busy.0.store(false, Ordering::SeqCst);
    // What is read until then may be gone in the catalogue, and nobody keeps it.
    let may_be_kept =
        async |since: u64| first.erasures().keep(&house.org, &["logs".to_owned()], since).await.is_some();
    let meanwhile = first.erasures().mark();
    assert!(!may_be_kept(meanwhile).await);

    // What looks after buffers each second sees to it, although there is nothing to flush.
    first.flush_due().await.unwrap();
    assert_eq!(of_first.info().segments, 0);
    assert!(!may_be_kept(meanwhile).await);
    assert!(may_be_kept(first.erasures().mark()).await);
    // And no file is deleted that a dataset still names; who reads it has until the next time.
    house.advance(Duration::from_secs(7200));
    assert_eq!(second.collect_garbage().await.unwrap(), 0);
    assert_eq!(of_second.info().segments, 0);
    assert_eq!(second.rows(&of_second).await.unwrap(), []);
    assert_eq!(second.collect_garbage().await.unwrap(), 5);
}

#[tokio::test]
async fn what_is_still_being_committed_is_waited_for_before_the_catalogue_is_followed() {
    let house = House::new().await;
    let id = filled(&house).await;
    house.flush(&id).await;
    let (_folder, twin) = with_twin(&house).await;
    let state = twin.dataset(&id).unwrap();
    let live: Vec<_> = state.snapshot().segments.iter().map(|segment| segment.id.clone()).collect();
    assert_eq!(live.len(), 5);
    // A change is under way whose caller is gone: it has the one connection that writes, and is not committed.
    let now = house.clock.now();
    let mut committing = Box::pin(house.catalog.replace_segments(&id, &live, &[], now));
    assert!(futures_util::poll!(&mut committing).is_pending());
    let late = now.plus(Duration::from_secs(86_400));
    assert!(!give_up_after(50, twin.trim(&state, late)).await, "it waits for the connection");
    let mut following = Box::pin(twin.flush_due());
    for _ in 0..200 {
        assert!(futures_util::poll!(&mut following).is_pending());
        tokio::task::yield_now().await;
    }
    committing.await.unwrap();
    following.await.unwrap();
    assert_eq!(state.info().segments, 0, "what was read before the commit is not what there is");
}
