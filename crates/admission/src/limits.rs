//! The request rate of an organisation, a bucket that holds one second's worth of requests and refills at the licensed
//! rate, and its share of the requests that are worked on at once, with the turns of those that wait for a place. Kept in
//! memory, per node.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tidegauge_model::Timestamp;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// The bucket counts in millionths of a request, so that a microsecond refills a whole number of them.
const UNIT: i64 = MICROS_PER_SECOND;

const MICROS_PER_SECOND: i64 = 1_000_000;

/// So many requests that nobody waits for are kept at once, worked on or not: their senders hang up, so that no limit on
/// connections bounds them.
pub const UNHEARD_MAX: usize = 1_024;

/// One in so many of the requests that are worked on at once may be such a one, whatever it is doing: while hundreds of them
/// wait for a place, all others find one at once.
pub const SHARE_OF_UNHEARD: usize = 4;

/// Counts requests per key. Keys are ids of the catalogue, so their number is bounded by it.
#[derive(Debug, Default)]
pub struct RateLimiter {
    buckets: Mutex<HashMap<String, Bucket>>,
}

#[derive(Debug)]
struct Bucket {
    level: i64,
    filled_at: Timestamp,
}

/// Whether a request may go on, and what the rate headers say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateState {
    pub allowed: bool,
    /// Requests per second.
    pub limit: i64,
    /// Requests that can be sent right now.
    pub remaining: i64,
    /// When that is the limit again, in seconds since 1970.
    pub reset_at: i64,
}

impl RateLimiter {
    /// Takes one request of `per_second` from the key's bucket.
    pub fn take(&self, key: &str, per_second: i64, now: Timestamp) -> RateState {
        let per_second = per_second.max(1);
        let full = per_second.saturating_mul(UNIT);
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if !buckets.contains_key(key) {
            let bucket = Bucket { level: full, filled_at: now };
            buckets.insert(key.to_owned(), bucket);
        }
        match buckets.get_mut(key) {
            Some(bucket) => bucket.take(per_second, full, now),
            None => unreachable!("the bucket was inserted under the same lock"),
        }
    }
}

impl Bucket {
    fn take(&mut self, per_second: i64, full: i64, now: Timestamp) -> RateState {
        // A clock that was set back refills nothing.
        let elapsed = now.as_micros().saturating_sub(self.filled_at.as_micros()).max(0);
        self.level = self.level.saturating_add(elapsed.saturating_mul(per_second)).min(full);
        self.filled_at = now;
        let allowed = self.level >= UNIT;
        if allowed {
            self.level -= UNIT;
        }
        let full_in_micros = (full - self.level).div_euclid(per_second);
        let full_at = now.as_micros().saturating_add(full_in_micros);
        RateState {
            allowed,
            limit: per_second,
            remaining: self.level.div_euclid(UNIT),
            reset_at: full_at.saturating_add(MICROS_PER_SECOND - 1).div_euclid(MICROS_PER_SECOND),
        }
    }
}

/// How many requests of each key are being worked on, so that one cannot take all places.
#[derive(Clone, Debug, Default)]
pub struct Shares(Arc<Held>);

#[derive(Debug, Default)]
struct Held {
    by_key: Mutex<HashMap<String, usize>>,
    /// Told when a place has become free.
    freed: Notify,
}

/// A place that is held until it is dropped.
#[derive(Debug)]
pub struct Share {
    shares: Shares,
    key: String,
}

impl Shares {
    /// Takes a place, unless the key has `max` of them. There is always one.
    pub fn take(&self, key: &str, max: usize) -> Option<Share> {
        let mut held = self.0.by_key.lock().unwrap_or_else(PoisonError::into_inner);
        let count = held.entry(key.to_owned()).or_insert(0);
        if *count >= max.max(1) {
            return None;
        }
        *count += 1;
        Some(Share { shares: self.clone(), key: key.to_owned() })
    }

    /// Takes a place as soon as the key has fewer than `max`. Every free place wakes all who wait here, so that no more
    /// may do that than have a turn.
    pub async fn wait(&self, key: &str, max: usize) -> Share {
        loop {
            let freed = self.0.freed.notified();
            if let Some(share) = self.take(key, max) {
                return share;
            }
            freed.await;
        }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut held = self.shares.0.by_key.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = held.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                held.remove(&self.key);
            }
        }
        drop(held);
        self.shares.0.freed.notify_waiters();
    }
}

/// Requests of each key that wait for a place instead of being refused, in the order in which they came. Keys are ids of
/// the catalogue, so their number is bounded by it.
#[derive(Debug, Default)]
pub struct Turns(Mutex<HashMap<String, Weak<Semaphore>>>);

impl Turns {
    /// Waits until fewer than `max` of the key have their turn.
    pub async fn wait(&self, key: &str, max: usize) -> Option<OwnedSemaphorePermit> {
        let turns = self.of(key, max.max(1));
        // It is never closed.
        turns.acquire_owned().await.ok()
    }

    fn of(&self, key: &str, max: usize) -> Arc<Semaphore> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(turns) = all.get(key).and_then(Weak::upgrade) {
            return turns;
        }
        let turns = Arc::new(Semaphore::new(max));
        all.insert(key.to_owned(), Arc::downgrade(&turns));
        turns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: i64) -> Timestamp {
        Timestamp::from_micros(120_000_000 + micros)
    }

    #[test]
    fn a_second_holds_as_many_as_the_licence_says_and_refills() {
        let limiter = RateLimiter::default();
        assert!((0..3).all(|_| limiter.take("org", 3, at(0)).allowed));
        let refused = limiter.take("org", 3, at(0));
        assert_eq!(refused, RateState { allowed: false, limit: 3, remaining: 0, reset_at: 121 });

        assert!(!limiter.take("org", 3, at(300_000)).allowed);
        assert!(limiter.take("org", 3, at(400_000)).allowed);
        assert!(limiter.take("other", 3, at(400_000)).allowed);
    }

    #[test]
    fn what_remains_can_be_sent_and_no_more() {
        let limiter = RateLimiter::default();
        for left in (0..10).rev() {
            let taken = limiter.take("org", 10, at(0));
            assert_eq!((taken.allowed, taken.remaining), (true, left));
        }
        assert!(!limiter.take("org", 10, at(0)).allowed);
        assert_eq!(limiter.take("org", 10, at(500_000)).remaining, 4);
    }

    #[test]
    fn a_share_is_limited_and_comes_back() {
        let shares = Shares::default();
        let first = shares.take("org", 1);
        assert!(first.is_some());
        assert!(shares.take("org", 1).is_none());
        assert!(shares.take("other", 0).is_some());
        drop(first);
        assert!(shares.take("org", 1).is_some());
        assert!(shares.0.by_key.lock().unwrap().is_empty());
    }

    #[tokio::test]
    async fn who_waits_has_a_place_when_one_is_free() {
        let (shares, turns) = (Shares::default(), Turns::default());
        let (first, turn) = (shares.take("org", 1), turns.wait("org", 1).await);
        let mut place = Box::pin(shares.wait("org", 1));
        let mut next = Box::pin(turns.wait("org", 1));
        assert!(futures_util::poll!(&mut place).is_pending());
        assert!(futures_util::poll!(&mut next).is_pending());
        drop(shares.wait("other", 1).await);
        drop(turns.wait("other", 1).await);
        assert!(futures_util::poll!(&mut place).is_pending());
        assert!(futures_util::poll!(&mut next).is_pending());
        drop((first, turn));
        assert!(futures_util::poll!(&mut place).is_ready());
        assert!(futures_util::poll!(&mut next).is_ready());
    }

    #[test]
    fn extremes_do_not_overflow() {
        let limiter = RateLimiter::default();
        assert!(limiter.take("org", i64::MAX, at(0)).allowed);
        assert!(limiter.take("org", i64::MAX, Timestamp::from_micros(i64::MAX)).allowed);
        assert!(limiter.take("new", 0, Timestamp::from_micros(i64::MIN)).allowed);
    }
}
