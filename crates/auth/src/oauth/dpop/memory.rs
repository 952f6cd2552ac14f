//! Which proofs were used, for as long as each could be used again. Memory is bounded and nothing is forgotten to make
//! room, because what is forgotten could be used again: who has taken much of it is refused, and who has not still finds
//! room. Proofs with a nonce of ours are kept apart and for a shorter time, so that who is refused can go on with one.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tidegauge_model::Timestamp;
use tidegauge_model::rng::Rng;

use super::nonces::{Nonce, Nonces};
use super::proven::{Mark, ProofRejection, Proven};

/// How many proofs are remembered at once without a nonce, and as many with one.
const REMEMBERED_MAX: usize = 200_000;

/// Who takes much finds room in half of the memory. The other half is for whoever has less than this part of all, so that
/// it takes half as many holders as this to shut others out.
const SMALL_PART: usize = 3_000;

/// Proofs that end within the same stretch are forgotten together.
const STRETCH: Duration = Duration::from_secs(5);

/// Remembers which proofs were used.
#[derive(Debug)]
pub struct ProofMemory {
    nonces: Nonces,
    /// Whether a proof without a nonce of ours counts at all.
    demands_nonces: bool,
    without_nonce: Mutex<Pool>,
    with_nonce: Mutex<Pool>,
}

impl ProofMemory {
    /// A memory of which nobody else can make the nonces.
    pub fn new(rng: &dyn Rng) -> Self {
        Self::empty(Nonces::new(rng), false, REMEMBERED_MAX)
    }

    fn empty(nonces: Nonces, demands_nonces: bool, max: usize) -> Self {
        let pool = || Mutex::new(Pool::new(max));
        Self { nonces, demands_nonces, without_nonce: pool(), with_nonce: pool() }
    }

    /// The same for so many proofs of either kind.
    #[must_use]
    pub fn with_room_for(self, max: usize) -> Self {
        Self::empty(self.nonces, self.demands_nonces, max)
    }

    /// The same, where every proof must hold a nonce or need not.
    #[must_use]
    pub fn demanding_nonces(self, demands_nonces: bool) -> Self {
        Self { demands_nonces, ..self }
    }

    /// An empty memory that knows the same nonces, for another endpoint at the same address: clients keep one nonce for
    /// each address.
    #[must_use]
    pub fn another(&self) -> Self {
        Self::empty(self.nonces.clone(), self.demands_nonces, REMEMBERED_MAX)
    }

    /// How many proofs are remembered.
    pub fn remembered(&self) -> usize {
        let count = |pool: &Mutex<Pool>| pool.lock().unwrap_or_else(PoisonError::into_inner).marks.len();
        count(&self.without_nonce) + count(&self.with_nonce)
    }

    /// What a client is to put into its next proof.
    pub fn nonce(&self, now: Timestamp) -> String {
        self.nonces.at(now)
    }

    /// Notes a proof that is used now, for whoever answers for it: an organisation, or a person. Gives the next nonce
    /// where the client should know a newer one than it used.
    pub fn take(
        &self,
        proven: &Proven,
        holder: &str,
        now: Timestamp,
    ) -> Result<Option<String>, ProofRejection> {
        self.look(proven, Some(holder), now)
    }

    /// The same without noting it, and whether or not there is room: for who is not known well enough yet.
    pub fn check(&self, proven: &Proven, now: Timestamp) -> Result<Option<String>, ProofRejection> {
        self.look(proven, None, now)
    }

    fn look(
        &self,
        proven: &Proven,
        holder: Option<&str>,
        now: Timestamp,
    ) -> Result<Option<String>, ProofRejection> {
        let nonce = proven.nonce.as_deref().map_or(Nonce::Foreign, |text| self.nonces.read(text, now));
        let (pool, until, full) = match nonce {
            // It was remembered no longer than its nonce was good.
            Nonce::Ended => return Err(ProofRejection::NonceNeeded),
            // What another server gave a client is as good as nothing here.
            Nonce::Foreign if self.demands_nonces => return Err(ProofRejection::NonceNeeded),
            Nonce::Foreign => (&self.without_nonce, proven.good_until, ProofRejection::NonceNeeded),
            Nonce::Good { until, .. } => {
                (&self.with_nonce, until.min(proven.good_until), ProofRejection::TooMany)
            }
        };
        let mut pool = pool.lock().unwrap_or_else(PoisonError::into_inner);
        pool.forget(now);
        if pool.marks.contains(&proven.mark) {
            return Err(ProofRejection::Replayed);
        }
        if let Some(holder) = holder
            && !pool.keep(proven, holder, until)
        {
            return Err(full);
        }
        let is_old = matches!(nonce, Nonce::Good { is_newest: false, .. });
        Ok(is_old.then(|| self.nonces.at(now)))
    }
}

/// Proofs of one kind, with how many there are of each key and of each holder.
#[derive(Debug)]
struct Pool {
    max: usize,
    marks: HashSet<Mark>,
    /// By the stretch of time after which they are forgotten.
    ending: BTreeMap<i64, Vec<Kept>>,
    keys: HashMap<u64, usize>,
    holders: HashMap<u64, usize>,
    hasher: RandomState,
}

#[derive(Debug)]
struct Kept {
    mark: Mark,
    key: u64,
    holder: u64,
}

impl Pool {
    fn new(max: usize) -> Self {
        Self {
            max,
            marks: HashSet::new(),
            ending: BTreeMap::new(),
            keys: HashMap::new(),
            holders: HashMap::new(),
            hasher: RandomState::new(),
        }
    }

    /// Keeps a proof, unless its key or its holder has taken too much. What is left to a holder is what is free in the
    /// first half beyond what it has already, and what is left to a key the same beyond what it has: so one key comes to
    /// a third of that half, one holder with any number of keys to half of it, and another finds room beside them. Who
    /// has hardly any is let in as long as there is room at all.
    fn keep(&mut self, proven: &Proven, holder: &str, until: Timestamp) -> bool {
        let key = self.hasher.hash_one(&proven.thumbprint);
        let holder = self.hasher.hash_one(holder);
        let count = |counts: &HashMap<u64, usize>, of: u64| counts.get(&of).copied().unwrap_or(0);
        let of_holder = count(&self.holders, holder);
        let left = (self.max / 2).saturating_sub(self.marks.len()).saturating_sub(of_holder);
        let has_few = of_holder < (self.max / SMALL_PART).max(1) && self.marks.len() < self.max;
        if count(&self.keys, key) >= left && !has_few {
            return false;
        }
        self.marks.insert(proven.mark);
        *self.keys.entry(key).or_default() += 1;
        *self.holders.entry(holder).or_default() += 1;
        let mark = proven.mark;
        self.ending.entry(stretch_of(until)).or_default().push(Kept { mark, key, holder });
        true
    }

    /// Forgets what cannot be used again.
    fn forget(&mut self, now: Timestamp) {
        let present = stretch_of(now);
        while let Some(first) = self.ending.first_entry().filter(|first| *first.key() < present) {
            for Kept { mark, key, holder } in first.remove() {
                self.marks.remove(&mark);
                lower(&mut self.keys, key);
                lower(&mut self.holders, holder);
            }
        }
    }
}

fn lower(counts: &mut HashMap<u64, usize>, of: u64) {
    if let Some(count) = counts.get_mut(&of) {
        *count -= 1;
        if *count == 0 {
            counts.remove(&of);
        }
    }
}

fn stretch_of(time: Timestamp) -> i64 {
    time.as_micros().div_euclid(i64::try_from(STRETCH.as_micros()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use tidegauge_model::rng::SeededRng;

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    fn memory(max: usize) -> ProofMemory {
        ProofMemory::new(&SeededRng::new(1)).with_room_for(max)
    }

    /// A proof of a key that was made at 1000 seconds.
    fn proof(key: &str, number: usize) -> Proven {
        Proven::of(key, &number.to_string(), at(1_060), None)
    }

    /// How many proofs of a key find room.
    fn fill(memory: &ProofMemory, holder: &str, key: &str) -> usize {
        (0..).take_while(|number| memory.take(&proof(key, *number), holder, at(1_000)).is_ok()).count()
    }

    #[test]
    fn a_key_that_takes_what_it_can_harms_itself() {
        let memory = memory(6_000);
        assert_eq!(fill(&memory, "attacker", "one"), 1_000);
        let refused = memory.take(&proof("one", 9_999), "attacker", at(1_000));
        assert_eq!(refused, Err(ProofRejection::NonceNeeded));
        assert_eq!(memory.take(&proof("one", 0), "attacker", at(1_000)), Err(ProofRejection::Replayed));
        assert!(fill(&memory, "attacker", "of the same") >= 300);
        assert!(fill(&memory, "neighbour", "other") >= 500);
    }

    #[test]
    fn an_organisation_with_very_many_keys_harms_itself() {
        let memory = memory(6_000);
        let many = (0..3_000)
            .filter(|number| memory.take(&proof(&format!("key {number}"), 0), "attacker", at(1_000)).is_ok());
        assert_eq!(many.count(), 1_500);
        assert_eq!(fill(&memory, "neighbour", "other"), 500);
        // Nor do a hundred organisations take all that is left.
        for number in 0..100 {
            fill(&memory, &format!("attacker {number}"), &format!("key of {number}"));
        }
        assert_eq!(fill(&memory, "quiet", "quiet"), 2, "as many as who has hardly any may always have");
    }

    #[test]
    fn what_has_ended_makes_room_again() {
        let memory = memory(60);
        assert_eq!((fill(&memory, "holder", "key"), fill(&memory, "holder", "key")), (10, 0));
        for seconds in [1_060, 1_064] {
            let again = memory.take(&proof("key", 0), "holder", at(seconds));
            assert_eq!(again, Err(ProofRejection::Replayed), "{seconds}");
        }
        let later = Proven::of("key", "later", at(1_200), None);
        assert_eq!(memory.take(&later, "holder", at(1_065)), Ok(None));
        let pool = memory.without_nonce.lock().unwrap();
        assert_eq!((pool.marks.len(), pool.keys.len(), pool.holders.len(), pool.ending.len()), (1, 1, 1, 1));
    }

    #[test]
    fn who_is_refused_goes_on_with_a_nonce() {
        let memory = memory(6);
        assert_eq!(fill(&memory, "holder", "key"), 1);
        let nonce = memory.nonce(at(1_000));
        let with = |name: &str, nonce: &str| Proven::of("key", name, at(1_060), Some(nonce));
        let first = with("a", &nonce);
        assert_eq!(memory.take(&first, "holder", at(1_000)), Ok(None));
        assert_eq!(memory.take(&first, "holder", at(1_000)), Err(ProofRejection::Replayed));
        assert_eq!(memory.take(&with("b", &nonce), "holder", at(1_000)), Err(ProofRejection::TooMany));
        // Sooner than without one there is room again, and the next nonce is told in time.
        assert_eq!(memory.take(&with("b", &nonce), "holder", at(1_019)), Err(ProofRejection::TooMany));
        let next = memory.nonce(at(1_019));
        assert_eq!(memory.take(&with("c", &next), "holder", at(1_025)), Ok(Some(memory.nonce(at(1_025)))));
        // It is not good without the nonce that it was remembered for.
        assert_eq!(memory.take(&first, "holder", at(1_025)), Err(ProofRejection::NonceNeeded));
        // That of another server is as good as none.
        let other = Proven::of("other", "d", at(1_060), Some("of another server"));
        assert_eq!(memory.take(&other, "other", at(1_025)), Ok(None));
    }

    #[test]
    fn nonces_can_be_demanded_of_all() {
        let memory = memory(30).demanding_nonces(true);
        let nonce = memory.nonce(at(1_000));
        let with = Proven::of("key", "a", at(1_060), Some(&nonce));
        let foreign = Proven::of("key", "a", at(1_060), Some("of another server"));
        for refused in [&proof("key", 0), &foreign] {
            assert_eq!(memory.take(refused, "holder", at(1_000)), Err(ProofRejection::NonceNeeded));
            assert_eq!(memory.check(refused, at(1_000)), Err(ProofRejection::NonceNeeded));
        }
        assert_eq!(memory.check(&with, at(1_000)), Ok(None), "which notes nothing");
        assert_eq!(memory.take(&with, "holder", at(1_000)), Ok(None));
        assert_eq!(memory.check(&with, at(1_000)), Err(ProofRejection::Replayed));
    }
}
