//! How long nobody can try a password after failures: of an account, counted in the catalogue, and of a network address,
//! counted in memory. The time grows with the failures and has an end, so that nobody can lock another out for good.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tidegauge_model::Timestamp;

/// After so long without a failure, the earlier ones are forgotten.
pub const FORGOTTEN_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// Failures and the time that they cost.
struct Rule {
    /// This many cost nothing but the last one.
    free: i64,
    first: Duration,
    most: Duration,
}

const ACCOUNT: Rule = Rule { free: 5, first: Duration::from_secs(30), most: Duration::from_secs(15 * 60) };

/// More freely, because many people can be behind one address, and for a shorter time.
const ADDRESS: Rule = Rule { free: 20, first: Duration::from_secs(5), most: Duration::from_secs(60) };

/// Addresses that are remembered.
const ADDRESSES_MAX: usize = 10_000;

impl Rule {
    fn locked_until(&self, failures: i64, last: Timestamp) -> Option<Timestamp> {
        let beyond = failures.checked_sub(self.free).filter(|beyond| *beyond >= 0)?;
        let beyond = u32::try_from(beyond).unwrap_or(u32::MAX);
        let factor = 2_u32.checked_pow(beyond).unwrap_or(u32::MAX);
        Some(last.plus(self.first.saturating_mul(factor).min(self.most)))
    }

    /// What the number of failures becomes with an attempt, or until when there can be none.
    fn next(&self, failures: i64, last: Timestamp, now: Timestamp) -> Result<i64, Timestamp> {
        if last.plus(FORGOTTEN_AFTER) <= now {
            return Ok(1);
        }
        match self.locked_until(failures, last.min(now)) {
            Some(until) if until > now => Err(until),
            _ => Ok(failures.saturating_add(1)),
        }
    }
}

/// What the failures of an account become with an attempt, or until when there can be none.
pub fn next(failures: i64, last: Timestamp, now: Timestamp) -> Result<i64, Timestamp> {
    ACCOUNT.next(failures, last, now)
}

/// Until when an account with so many failures is locked.
pub fn locked_until(failures: i64, last: Timestamp) -> Option<Timestamp> {
    ACCOUNT.locked_until(failures, last)
}

/// Failures by the address they came from.
#[derive(Debug, Default)]
pub struct Addresses(Mutex<HashMap<IpAddr, (i64, Timestamp)>>);

impl Addresses {
    /// Whether an attempt may come from this address now, and else when.
    pub fn check(&self, address: Option<IpAddr>, now: Timestamp) -> Result<(), Timestamp> {
        let Some(key) = address.and_then(counted) else {
            return Ok(());
        };
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match known.get(&key) {
            Some((failures, last)) => ADDRESS.next(*failures, *last, now).map(|_| ()),
            None => Ok(()),
        }
    }

    pub fn note_failure(&self, address: Option<IpAddr>, now: Timestamp) {
        let Some(key) = address.and_then(counted) else {
            return;
        };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= ADDRESSES_MAX && !known.contains_key(&key) {
            known.retain(|_, (_, last)| last.plus(ADDRESS.most) > now);
            if known.len() >= ADDRESSES_MAX {
                known.clear();
            }
        }
        let (failures, last) = known.entry(key).or_insert((0, now));
        *failures = if last.plus(FORGOTTEN_AFTER) <= now { 1 } else { failures.saturating_add(1) };
        *last = now;
    }

    pub fn forget(&self, address: Option<IpAddr>) {
        if let Some(key) = address.and_then(counted) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
        }
    }
}

/// The address as it is counted: of the newer protocol its network, of which one machine has all addresses. The machine
/// itself is not counted: from there comes the proxy that stands for everybody.
fn counted(address: IpAddr) -> Option<IpAddr> {
    match address.to_canonical() {
        address if address.is_loopback() => None,
        IpAddr::V6(address) => Some(IpAddr::V6((address.to_bits() & (u128::MAX << 64)).into())),
        address => Some(address),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros((1_000_000 + seconds) * 1_000_000)
    }

    #[test]
    fn the_time_grows_and_has_an_end() {
        assert_eq!(locked_until(4, at(0)), None);
        assert_eq!(locked_until(i64::MIN, at(0)), None);
        for (failures, seconds) in
            [(5, 30), (6, 60), (7, 120), (9, 480), (10, 900), (40, 900), (1 << 33, 900), (i64::MAX, 900)]
        {
            assert_eq!(locked_until(failures, at(0)), Some(at(seconds)), "{failures}");
        }
    }

    #[test]
    fn an_attempt_counts_only_when_it_is_allowed() {
        assert_eq!(next(0, at(0), at(0)), Ok(1));
        assert_eq!(next(4, at(0), at(0)), Ok(5));
        assert_eq!(next(5, at(0), at(29)), Err(at(30)));
        assert_eq!(next(5, at(0), at(30)), Ok(6));
        assert_eq!(next(6, at(30), at(60)), Err(at(90)));
        assert_eq!(next(30, at(0), at(24 * 60 * 60)), Ok(1), "a day forgets");
        assert_eq!(
            next(5, at(1_000), at(0)),
            Err(at(30)),
            "a clock that was set back does not lock for longer"
        );
    }

    #[test]
    fn an_address_is_its_network_and_not_the_machine_itself() {
        let addresses = Addresses::default();
        let [one, neighbour, other] =
            ["2001:db8::1", "2001:db8::ffff:2", "2001:db8:1::1"].map(|text| text.parse().ok());
        let proxy = "127.0.0.1".parse().ok();
        for address in [one, proxy, None] {
            (0..20).for_each(|_| addresses.note_failure(address, at(0)));
        }
        assert_eq!(addresses.check(neighbour, at(4)), Err(at(5)));
        assert_eq!(addresses.check(neighbour, at(5)), Ok(()));
        for free in [other, proxy, None] {
            assert_eq!(addresses.check(free, at(0)), Ok(()));
        }
        addresses.forget(one);
        assert_eq!(addresses.check(neighbour, at(0)), Ok(()));
    }

    #[test]
    fn there_are_never_more_addresses_than_can_be() {
        let addresses = Addresses::default();
        for number in 0..2 * ADDRESSES_MAX as u32 {
            addresses.note_failure(Some(IpAddr::V4(number.wrapping_add(1 << 28).into())), at(0));
        }
        assert!(addresses.0.lock().unwrap().len() <= ADDRESSES_MAX);
    }
}
