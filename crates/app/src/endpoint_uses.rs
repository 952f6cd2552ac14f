//! What came in by endpoints since it was last written down: events, bytes, failures, and why the last thing was refused.
//! Collected in memory, one entry for each version of an endpoint, because a write for each request would cost more than its
//! events.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tidegauge_catalog::endpoints::{LastError, Stats};
use tidegauge_catalog::{Catalog, Error};
use tidegauge_model::Timestamp;

pub use tidegauge_catalog::endpoints::EndpointAt;

/// What is kept of a reason, in characters.
const MESSAGE_MAX: usize = 512;

/// What is not in the catalogue yet. Bounded by the number of endpoints, and of changes of them since it was last written.
#[derive(Debug, Default)]
pub struct EndpointUses {
    seen: Mutex<HashMap<EndpointAt, Stats>>,
    /// Held while what was taken is on its way into the catalogue.
    writing: tokio::sync::Mutex<()>,
}

impl EndpointUses {
    /// Counts events that were stored.
    pub fn stored(&self, endpoint: EndpointAt, events: u64, bytes: u64, at: Timestamp) {
        self.add(endpoint, Stats { events, bytes, last_event: Some(at), ..Stats::default() });
    }

    /// Counts what was not stored, with the reason, which is shown as long as the endpoint stands as it did then.
    pub fn failed(&self, endpoint: EndpointAt, failures: u64, message: &str, at: Timestamp) {
        let message = message.chars().filter(|sign| *sign != '\0').take(MESSAGE_MAX).collect();
        let last_error = Some(LastError { at, message });
        self.add(endpoint, Stats { failures, last_error, ..Stats::default() });
    }

    fn add(&self, endpoint: EndpointAt, stats: Stats) {
        self.lock().entry(endpoint).or_default().add(stats);
    }

    /// Puts back what could not be written, before what came since.
    fn put_back(&self, taken: Vec<(EndpointAt, Stats)>) {
        let mut seen = self.lock();
        for (endpoint, mut earlier) in taken {
            let later = seen.remove(&endpoint).unwrap_or_default();
            earlier.add(later);
            seen.insert(endpoint, earlier);
        }
    }

    fn take(&self) -> Vec<(EndpointAt, Stats)> {
        std::mem::take(&mut *self.lock()).into_iter().collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<EndpointAt, Stats>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes what was collected. When it is done, all that was counted before is there. Not to be cancelled: a write that was
/// given up half-way may have happened.
pub async fn write(uses: &EndpointUses, catalog: &Catalog) -> Result<(), Error> {
    let _turn = uses.writing.lock().await;
    let mut taken = uses.take();
    if taken.is_empty() {
        return Ok(());
    }
    // In one order everywhere, so that two who write at once do not wait for each other in a circle.
    taken.sort_by(|one, other| one.0.cmp(&other.0));
    let written = catalog.count_endpoints(&taken).await;
    if written.is_err() {
        uses.put_back(taken);
    }
    written
}

#[cfg(test)]
mod tests {
    use tidegauge_catalog::endpoints::Version;

    use super::*;

    #[test]
    fn what_is_put_back_comes_before_what_came_since() {
        let uses = EndpointUses::default();
        let endpoint = || EndpointAt { id: "endpoint_1".into(), version: None };
        let at = Timestamp::from_micros;
        uses.stored(endpoint(), 2, 20, at(1));
        uses.failed(endpoint(), 1, "the first", at(2));
        let taken = uses.take();
        uses.failed(endpoint(), 3, &"x".repeat(1_000), at(3));
        uses.put_back(taken);
        let (_, stats) = uses.take().remove(0);
        assert_eq!((stats.events, stats.bytes, stats.failures), (2, 20, 4));
        assert_eq!(stats.last_event, Some(at(1)));
        let error = stats.last_error.unwrap();
        assert_eq!((error.at, error.message.len()), (at(3), MESSAGE_MAX));
        assert!(uses.take().is_empty());
    }

    #[test]
    fn versions_of_an_endpoint_are_told_apart() {
        let uses = EndpointUses::default();
        let at = Timestamp::from_micros;
        let endpoint = |dataset: &str| EndpointAt {
            id: "endpoint_1".into(),
            version: Some(Version { dataset: dataset.to_owned(), modified: at(0) }),
        };
        uses.failed(endpoint("new"), 1, "of the new one", at(1));
        uses.failed(endpoint("old"), 1, "of the old one", at(2));
        let mut taken = uses.take();
        taken.sort_by(|one, other| one.0.cmp(&other.0));
        let reasons = taken.iter().map(|(_, stats)| stats.last_error.as_ref().unwrap().message.as_str());
        assert_eq!(reasons.collect::<Vec<_>>(), ["of the new one", "of the old one"]);
    }
}
