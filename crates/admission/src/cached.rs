//! How long what was read from the catalogue counts: as long as this process has changed nothing there, and for a moment,
//! because others may have. What is in use is read again before the moment is over, so that no request waits for it: on a
//! busy machine that is a wait for other threads, twice for each statement. Where it is kept is left to who reads it.

use std::future::Future;
use std::sync::Arc;

use tidegauge_catalog::Catalog;
use tidegauge_model::Timestamp;
use tokio_util::task::TaskTracker;

/// In the last of so many parts of its time it is read again.
const PARTS: i64 = 4;

/// From where something is read that may be remembered.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    pub catalog: &'a Arc<Catalog>,
    /// What is read again beside the requests that use it is one of these.
    pub tasks: &'a TaskTracker,
}

/// What was read.
#[derive(Debug)]
pub struct Cached<T> {
    value: T,
    /// The state of the catalogue that it was read from.
    changes: u64,
    at: Timestamp,
    /// Whether somebody was told to read it again.
    is_renewed: bool,
}

impl<T: Clone> Cached<T> {
    /// Both the state of the catalogue and the time are those from before it was read.
    pub fn new(value: T, changes: u64, at: Timestamp) -> Self {
        Self { value, changes, at, is_renewed: false }
    }

    pub fn value(&self) -> &T {
        &self.value
    }

    /// What was read, if it still counts, of which it has so many microseconds. One of those who ask for it late is told
    /// to read it again.
    pub fn get(&mut self, changes: u64, now: Timestamp, micros: i64) -> Option<(T, bool)> {
        let age = now.as_micros().saturating_sub(self.at.as_micros());
        if self.changes != changes || !(0..micros).contains(&age) {
            return None;
        }
        let is_late = age >= micros / PARTS * (PARTS - 1);
        let is_to_renew = is_late && !std::mem::replace(&mut self.is_renewed, true);
        Some((self.value.clone(), is_to_renew))
    }
}

/// What is remembered, or else what is read now. Where it is to be read again, that is done beside the request: if it
/// fails, the next request after the time of what is remembered tries for itself, and is told.
pub async fn or_read<T, Failed, Reading>(
    remembered: Option<(T, bool)>,
    tasks: &TaskTracker,
    read: impl FnOnce() -> Reading,
) -> Result<T, Failed>
where
    Reading: Future<Output = Result<T, Failed>> + Send + 'static,
    T: Send + 'static,
    Failed: Send + 'static,
{
    let Some((value, is_to_renew)) = remembered else { return read().await };
    if is_to_renew {
        tasks.spawn(read());
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_counts_for_its_time_and_one_is_told_to_read_it_again() {
        let at = |micros: i64| Timestamp::from_micros(1_000_000 + micros);
        let mut known = Cached::new("a", 7, at(0));
        let mut get = |changes: u64, now: i64| known.get(changes, at(now), 400);
        assert_eq!(get(7, 0), Some(("a", false)));
        assert_eq!(get(7, 299), Some(("a", false)));
        assert_eq!(get(7, 300), Some(("a", true)));
        assert_eq!(get(7, 301), Some(("a", false)), "somebody does already");
        assert_eq!(get(7, 399), Some(("a", false)));
        assert_eq!(get(7, 400), None);
        assert_eq!(get(8, 0), None, "something was changed");
        assert_eq!(get(7, -1), None, "the clock was set back");
    }
}
