//! Hands the entries of the audit trail on to the dataset of each organisation, each exactly once: in batches that are
//! fixed in the catalogue before they are stored, under an idempotency key of their own, and that leave the catalogue's
//! feed when the segment with their events is published. How an entry looks as an event is in `layout`, how far
//! the feeds are in `progress`.

pub mod layout;
mod progress;

use std::collections::BTreeSet;
use std::sync::Arc;

use tidegauge_catalog::event_feed::{FeedBatch, FeedEntry};
use tidegauge_ingest::{FieldGate, Limits, Options, Reader};
use tidegauge_model::{ErrorKind, OrgId, rng};
use tidegauge_store::{Claim, DatasetState, IdempotencyKey, Receipt, Store};

pub use self::progress::AuditFeed;
use self::progress::{Fed, Progress};
use crate::app::App;
use crate::service::datasets::audit_dataset;
use crate::service::{Error, Result};

/// Entries of one batch.
const BATCH: u64 = 1_000;

/// Batches of one organisation in one step, so that the others get their turn.
const BATCHES_MAX: usize = 10;

/// A batch is the same whenever it is handed on, and so is what is told apart by this.
const FINGERPRINT: u64 = 1;

/// Moves every feed on.
pub async fn step(app: &App) -> Result<()> {
    app.audit_feed.step(app).await
}

impl AuditFeed {
    /// Moves every feed on. What fails of one organisation does not keep the others from it. A new one of these knows as
    /// little as a process that has just started.
    pub async fn step(&self, app: &App) -> Result<()> {
        let mut progress = self.0.lock().await;
        progress.step(app).await
    }
}

impl Progress {
    async fn step(&mut self, app: &App) -> Result<()> {
        let found = match self.is_begun {
            true => app.catalog.orgs_with_new_feed().await?,
            false => app.catalog.orgs_with_feed().await?,
        };
        self.is_begun = true;
        let is_due = |(org, fed): &(&OrgId, &Fed)| {
            !fed.is_settled || fed.flushes.is_some_and(|flushes| flushes != app.store.flushes(org))
        };
        let mut due: BTreeSet<OrgId> = self.orgs.iter().filter(is_due).map(|(org, _)| org.clone()).collect();
        due.extend(found);
        let mut failed = None;
        for org in due {
            let fed = self.orgs.entry(org.clone()).or_default();
            if let Err(error) = feed(app, &org, fed).await {
                failed.get_or_insert(error);
            }
        }
        failed.map_or(Ok(()), Err)
    }
}

async fn feed(app: &App, org: &OrgId, fed: &mut Fed) -> Result<()> {
    let Some(dataset) = audit_dataset::find_or_make(app, org).await? else {
        // What cannot be handed on is dropped when it is older than the audit trail reaches back.
        fed.is_settled = true;
        return Ok(());
    };
    // Read first: what is published meanwhile is looked for the next time.
    let flushes = app.store.flushes(org);
    if fed.flushes != Some(flushes) {
        app.catalog.drop_kept_feed(org, dataset.id()).await?;
        fed.flushes = Some(flushes);
    }
    if !fed.is_settled {
        for batch in app.catalog.feed_batches(org).await? {
            hand_on(app, org, &dataset, &batch).await?;
        }
    }
    // Until the end there may be a batch that is not in the log.
    fed.is_settled = false;
    for _ in 0..BATCHES_MAX {
        let batch = FeedBatch { key: new_key(app), at: app.now() };
        let taken =
            app.catalog.take_feed_batch(org, &batch, i64::try_from(BATCH).unwrap_or(i64::MAX)).await?;
        if taken > 0 {
            hand_on(app, org, &dataset, &batch).await?;
        }
        if taken < BATCH {
            break;
        }
    }
    fed.is_settled = true;
    Ok(())
}

/// Stores the events of a batch, unless that was done before.
async fn hand_on(app: &App, org: &OrgId, dataset: &Arc<DatasetState>, batch: &FeedBatch) -> Result<()> {
    // By the time of the batch and not by the present one: a key is no older than its batch, and must not be forgotten
    // because the service was stopped for long.
    let _held = match app.store.claim(dataset, &batch.key, batch.at).await? {
        Claim::Repeated(_) => return Ok(()),
        Claim::First(held) => held,
    };
    let entries = app.catalog.feed_entries(org, &batch.key).await?;
    if entries.is_empty() {
        return Ok(());
    }
    let reader = read(dataset, batch, &entries)?;
    let key = IdempotencyKey { key: batch.key.clone(), fingerprint: FINGERPRINT, answer: "{}".to_owned() };
    // They count for no bytes: nobody has sent them.
    let receipt = Receipt { arrival: batch.at.as_nanos(), raw_bytes: 0, key: Some(key) };
    app.store.append(dataset, Store::prepare(reader.columns(), receipt)).await?;
    app.metrics.audit_events_stored(entries.len() as u64);
    Ok(())
}

fn read(dataset: &DatasetState, batch: &FeedBatch, entries: &[FeedEntry]) -> Result<Box<Reader>> {
    let mut reader = Box::new(Reader::new(Limits::default()));
    reader.begin(Options { map_fields: dataset.map_fields(), ..Options::default() }, batch.at.as_nanos());
    let outcome = reader
        .feed(layout::body(entries).as_bytes(), &EveryField)
        .and_then(|()| reader.finish(&EveryField))
        .map_err(|malformed| unreadable(&malformed.to_string()))?;
    for failure in &outcome.failures {
        // It would fail the next time too, and all that comes behind it would wait for ever.
        let (entry, error) =
            (entries.get(usize::try_from(failure.index).unwrap_or(usize::MAX)), &failure.error);
        tracing::error!(seq = entry.map(|entry| entry.seq), %error, "an entry of the audit trail makes no event");
    }
    Ok(reader)
}

fn unreadable(problem: &str) -> Error {
    Error::new(ErrorKind::Internal, format!("entries of the audit trail make no events: {problem}"))
}

/// The layout has few fields, which are none of those that the licence counts.
struct EveryField;

impl FieldGate for EveryField {
    fn admit(&self, _: &str) -> bool {
        true
    }
}

fn new_key(app: &App) -> String {
    format!("audit-{:032x}", u128::from_be_bytes(rng::bytes(&*app.rng)))
}
