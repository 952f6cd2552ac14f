//! Requests that are repeated with their key: stored once, and answered alike.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use tidegauge_model::{Clock, Columns};
use tidegauge_store::{Claim, DatasetState, IdempotencyKey, Receipt, Repeated};

use crate::events::SECOND;
use crate::house::{House, START, events};
use tidegauge_store::Store;

fn one_event() -> Columns {
    events(&[START * 1000])
}

fn receipt(house: &House, key: &str) -> Receipt {
    let key =
        IdempotencyKey { key: key.to_owned(), fingerprint: u64::MAX - 1, answer: "{\"n\":1}".to_owned() };
    Receipt { key: Some(key), ..house.receipt() }
}

async fn claim(house: &House, dataset: &Arc<DatasetState>) -> Claim {
    house.store.claim(dataset, "k", house.clock.now()).await.unwrap()
}

async fn is_first(house: &House, dataset: &Arc<DatasetState>) -> bool {
    matches!(claim(house, dataset).await, Claim::First(_))
}

fn answer(sequence: u64) -> Repeated {
    Repeated { fingerprint: u64::MAX - 1, answer: "{\"n\":1}".to_owned(), sequence }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_at_once_one_is_stored_and_all_get_its_answer() {
    let house = House::new().await;
    let dataset = house.dataset("logs").await;
    let firsts = AtomicUsize::new(0);
    let request = async || match claim(&house, &dataset).await {
        Claim::First(_guard) => {
            firsts.fetch_add(1, Ordering::SeqCst);
            // The others come to wait here.
            tokio::task::yield_now().await;
            let sequence = house
                .store
                .append(&dataset, Store::prepare(&one_event(), receipt(&house, "k")))
                .await
                .unwrap();
            answer(sequence)
        }
        Claim::Repeated(repeated) => repeated,
    };
    let answers = join_all((0..20).map(|_| request())).await;
    assert_eq!(firsts.load(Ordering::SeqCst), 1);
    assert!(answers.iter().all(|one| *one == answer(1)), "{answers:?}");
    assert_eq!(house.rows(dataset.id()).await.len(), 1);
}

#[tokio::test]
async fn after_a_first_that_failed_the_next_is_first() {
    let house = House::new().await;
    let dataset = house.dataset("logs").await;
    let first = claim(&house, &dataset).await;
    let next = claim(&house, &dataset);
    tokio::pin!(next);
    assert!(futures_util::poll!(&mut next).is_pending(), "it waits for the first");
    drop(first);
    assert!(matches!(next.await, Claim::First(_)));
    assert!(is_first(&house, &dataset).await, "nothing was stored");
}

#[tokio::test]
async fn a_request_that_is_not_waited_for_any_more_still_holds_its_key() {
    let house = House::new().await;
    let dataset = house.dataset("logs").await;
    let first = claim(&house, &dataset).await;
    {
        let columns = one_event();
        let append = house.store.append(&dataset, Store::prepare(&columns, receipt(&house, "k")));
        tokio::pin!(append);
        // Handed to the log; then the connection breaks, and with it go the request and its claim.
        let _ = futures_util::poll!(&mut append);
    }
    drop(first);
    let Claim::Repeated(repeated) = claim(&house, &dataset).await else { panic!("stored a second time") };
    assert_eq!(repeated, answer(1));
    assert_eq!(house.rows(dataset.id()).await.len(), 1);
}

#[tokio::test]
async fn keys_survive_restarts_and_flushes_until_they_are_too_old() {
    let house = House::with(|settings| settings.key_age = Duration::from_secs(3600)).await;
    let id = house.dataset("logs").await.id().clone();
    let dataset = house.store.dataset(&id).unwrap();
    let sequence =
        house.store.append(&dataset, Store::prepare(&one_event(), receipt(&house, "k"))).await.unwrap();
    let empty = Columns::default();
    let without_events =
        house.store.append(&dataset, Store::prepare(&empty, receipt(&house, "empty"))).await.unwrap();

    let house = house.killed().await;
    let dataset = house.store.dataset(&id).unwrap();
    assert!(
        matches!(claim(&house, &dataset).await, Claim::Repeated(found) if found == answer(sequence)),
        "log"
    );
    house.store.flush(&dataset).await.unwrap();
    assert!(
        matches!(claim(&house, &dataset).await, Claim::Repeated(found) if found == answer(sequence)),
        "flush"
    );
    let house = house.reopened().await;
    let dataset = house.store.dataset(&id).unwrap();
    assert!(!is_first(&house, &dataset).await, "from the catalogue");
    let again = house.store.claim(&dataset, "empty", house.clock.now()).await.unwrap();
    assert!(
        matches!(again, Claim::Repeated(found) if found == answer(without_events)),
        "a request without events"
    );

    house.advance(Duration::from_secs(3600));
    assert!(!is_first(&house, &dataset).await, "at the end of its time");
    house.advance(Duration::from_secs(1));
    assert!(is_first(&house, &dataset).await, "too old");
    let again = house
        .store
        .append(&dataset, Store::prepare(&events(&[START * 1000 + SECOND]), receipt(&house, "k")))
        .await;
    let again = again.unwrap();
    house.flush(&id).await;
    assert!(
        matches!(claim(&house, &dataset).await, Claim::Repeated(found) if found == answer(again)),
        "used anew"
    );
}
