//! Claims of idempotency keys, which the buffer and the catalogue know.

use std::sync::Arc;

use tidegauge_catalog::ingest_keys::IngestKey;
use tidegauge_model::{ErrorKind, Timestamp};
use tokio::sync::watch;

use super::{Claim, Hold, KeyGuard, Repeated};
use crate::dataset::DatasetState;
use crate::key_state::KeyState;
use crate::{Error, Result, Store};

enum Known {
    Wait(watch::Receiver<()>),
    Claimed(Claim),
    No,
}

impl Store {
    /// Claims a key for a request. Waits for an earlier request with the same key that has not ended yet.
    pub async fn claim(&self, dataset: &Arc<DatasetState>, key: &str, now: Timestamp) -> Result<Claim> {
        let not_before = now.minus(self.settings.key_age);
        loop {
            match known(dataset, key, not_before) {
                Known::Claimed(claim) => {
                    // Who has lost the lease acknowledges nothing, also not again.
                    self.hold_lease().await?;
                    return Ok(claim);
                }
                Known::Wait(mut first) => {
                    // An error says that the sender is gone, which is what is waited for.
                    let _ = first.changed().await;
                }
                Known::No => {
                    let Some(guard) = hold(dataset, key, not_before)? else { continue };
                    // Asked while the key is held: nobody can store and flush a request with it meanwhile.
                    let stored = self.catalog.find_ingest_key(dataset.id(), key, not_before).await?;
                    return Ok(stored.map_or(Claim::First(guard), |stored| Claim::Repeated(repeated(stored))));
                }
            }
        }
    }
}

fn known(dataset: &Arc<DatasetState>, key: &str, not_before: Timestamp) -> Known {
    match dataset.lock().keys.get(key) {
        Some(KeyState::InFlight(ended)) => Known::Wait(ended.clone()),
        Some(KeyState::Done { fingerprint, answer, sequence, at }) if *at >= not_before => {
            Known::Claimed(Claim::Repeated(Repeated {
                fingerprint: *fingerprint,
                answer: answer.clone(),
                sequence: *sequence,
            }))
        }
        _ => Known::No,
    }
}

/// Marks the key as in flight, unless somebody else did meanwhile.
fn hold(dataset: &Arc<DatasetState>, key: &str, not_before: Timestamp) -> Result<Option<KeyGuard>> {
    let mut inner = dataset.lock();
    if inner.is_deleted {
        return Err(Error::new(ErrorKind::NotFound, "dataset not found"));
    }
    match inner.keys.get(key) {
        Some(KeyState::InFlight(_)) => return Ok(None),
        Some(KeyState::Done { at, .. }) if *at >= not_before => return Ok(None),
        _ => {}
    }
    Ok(Some(KeyGuard { _hold: Hold::new(dataset, key, &mut inner.keys) }))
}

fn repeated(stored: IngestKey) -> Repeated {
    Repeated { fingerprint: stored.fingerprint, answer: stored.answer, sequence: stored.sequence }
}
