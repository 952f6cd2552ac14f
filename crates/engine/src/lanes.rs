//! Places to run in. Each lane has its own, so that people, monitors and exports do not keep each other from running. Of
//! those who wait the organisation with the fewest running queries is next, and within it the caller with the fewest;
//! none can take all places, and who has none gets one although they are taken, the callers of an organisation up to a
//! bound. When too many wait it is the one with the most that is told to come back. How the threads are shared among
//! queries that run is left to `turns`.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::HashMap;
use tokio::sync::oneshot;

use crate::{Asker, Error, Lane, Result};

/// So many callers of an organisation without any running query get a place beside those that it may have: else two that
/// flood would keep all others of it waiting for as long as a query may take. Who makes thousands of tokens has no more.
const ADDED_PER_ORG: usize = 4;

/// The lanes of an engine.
#[derive(Debug)]
pub(crate) struct Lanes {
    interactive: Arc<Places>,
    monitor: Arc<Places>,
    export: Arc<Places>,
}

#[derive(Debug)]
struct Places {
    running_max: usize,
    /// What one organisation may have of them, and one caller of an organisation: others find a place at once.
    org_max: usize,
    caller_max: usize,
    waiting_max: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// All that run, and those of organisations and of callers.
    running: usize,
    orgs: HashMap<Arc<str>, usize>,
    callers: HashMap<Asker, usize>,
    /// Those of them that have an added place, which takes none of the others.
    added: usize,
    added_of_orgs: HashMap<Arc<str>, usize>,
    /// In the order in which they came.
    waiting: Vec<Waiting>,
    next_number: u64,
    sent_away: u64,
}

#[derive(Debug)]
struct Waiting {
    number: u64,
    asker: Asker,
    go_on: oneshot::Sender<Place>,
}

/// How full an engine is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crowd {
    pub running: usize,
    pub waiting: usize,
    /// Queries that were told to come back, since the engine was started.
    pub sent_away: u64,
}

/// A place, free again when it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    places: Arc<Places>,
    /// None where the place was given back already.
    asker: Option<Asker>,
    is_added: bool,
}

/// How a query may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Admission {
    Place,
    /// In a place that is there for it alone.
    AddedPlace,
    Waits,
}

impl Lanes {
    pub(crate) fn new(running_max: usize, waiting_max: usize) -> Self {
        let places = || Arc::new(Places::new(running_max, waiting_max));
        Self { interactive: places(), monitor: places(), export: places() }
    }

    /// How many queries run and how many wait, in all lanes, and how many were sent away so far.
    pub(crate) fn counts(&self) -> Crowd {
        let mut crowd = Crowd::default();
        for places in [&self.interactive, &self.monitor, &self.export] {
            let state = places.lock();
            crowd.running += state.running;
            crowd.waiting += state.waiting.len();
            crowd.sent_away += state.sent_away;
        }
        crowd
    }

    /// Waits for a place.
    pub(crate) async fn enter(&self, lane: Lane, asker: &Asker) -> Result<Place> {
        let places = match lane {
            Lane::Interactive => &self.interactive,
            Lane::Monitor => &self.monitor,
            Lane::Export => &self.export,
        };
        let (number, turn) = match places.take_or_wait(asker)? {
            Entered::Runs(place) => return Ok(place),
            Entered::Waits(number, turn) => (number, turn),
        };
        let _leaving = Leaving { places, number };
        // Who waits is told to come back when others have more right to wait.
        turn.await.map_err(|_| Error::Busy)
    }
}

enum Entered {
    Runs(Place),
    Waits(u64, oneshot::Receiver<Place>),
}

impl Places {
    fn new(running_max: usize, waiting_max: usize) -> Self {
        let running_max = running_max.max(1);
        let most = |of: usize| (of - of / 4).max(1);
        let org_max = most(running_max);
        Self { running_max, org_max, caller_max: most(org_max), waiting_max, state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_or_wait(self: &Arc<Self>, asker: &Asker) -> Result<Entered> {
        let mut state = self.lock();
        let admission = self.admission(&state, asker);
        if admission != Admission::Waits {
            return Ok(Entered::Runs(self.place(&mut state, asker.clone(), admission)));
        }
        if state.waiting.len() >= self.waiting_max {
            state.sent_away += 1;
            if !state.make_room_for(asker) {
                return Err(Error::Busy);
            }
        }
        let (go_on, turn) = oneshot::channel();
        let number = state.next_number;
        state.next_number += 1;
        state.waiting.push(Waiting { number, asker: asker.clone(), go_on });
        Ok(Entered::Waits(number, turn))
    }

    /// Whether a query of the asker may begin. An organisation without any running query may, also when the places are
    /// taken: twice as many as there are run at most. So may a caller, in a place that is added for it: of those there are
    /// as many as places, and they are not counted when places of others are given out.
    fn admission(&self, state: &State, asker: &Asker) -> Admission {
        let (of_org, of_caller) = state.counts(asker);
        let added_of_org = state.added_of_orgs.get(&asker.org).copied().unwrap_or(0);
        let running = state.running - state.added;
        let has_share = of_org - added_of_org < self.org_max && of_caller < self.caller_max;
        if running < self.running_max && has_share || of_org == 0 && running < self.running_max * 2 {
            return Admission::Place;
        }
        let may_be_added = added_of_org < ADDED_PER_ORG && state.added < self.running_max;
        if of_caller == 0 && may_be_added { Admission::AddedPlace } else { Admission::Waits }
    }

    fn place(self: &Arc<Self>, state: &mut State, asker: Asker, admission: Admission) -> Place {
        let is_added = admission == Admission::AddedPlace;
        state.enter(&asker, is_added);
        Place { places: Arc::clone(self), asker: Some(asker), is_added }
    }

    /// Lets those go on for whom there are places now.
    fn let_go_on(self: &Arc<Self>, state: &mut State) {
        loop {
            let waiting = state.waiting.iter().enumerate();
            let allowed = waiting.filter_map(|(at, waiting)| {
                let admission = self.admission(state, &waiting.asker);
                (admission != Admission::Waits).then_some((at, waiting, admission))
            });
            let next = allowed.min_by_key(|(at, waiting, _)| (state.counts(&waiting.asker), *at));
            let Some((at, _, admission)) = next else { return };
            let Waiting { asker, go_on, .. } = state.waiting.remove(at);
            let place = self.place(state, asker, admission);
            // Who waited may have gone away. The place is given back here, where the lock is held.
            if let Err(mut unwanted) = go_on.send(place)
                && let Some(asker) = unwanted.asker.take()
            {
                state.leave(&asker, unwanted.is_added);
            }
        }
    }
}

impl State {
    /// How many queries of the asker's organisation run, and how many of its own.
    fn counts(&self, asker: &Asker) -> (usize, usize) {
        let of_org = self.orgs.get(&asker.org).copied().unwrap_or(0);
        (of_org, self.callers.get(asker).copied().unwrap_or(0))
    }

    fn enter(&mut self, asker: &Asker, is_added: bool) {
        self.running += 1;
        *self.orgs.entry(Arc::clone(&asker.org)).or_default() += 1;
        *self.callers.entry(asker.clone()).or_default() += 1;
        if is_added {
            self.added += 1;
            *self.added_of_orgs.entry(Arc::clone(&asker.org)).or_default() += 1;
        }
    }

    fn leave(&mut self, asker: &Asker, is_added: bool) {
        self.running = self.running.saturating_sub(1);
        count_down(&mut self.orgs, &asker.org);
        count_down(&mut self.callers, asker);
        if is_added {
            self.added = self.added.saturating_sub(1);
            count_down(&mut self.added_of_orgs, &asker.org);
        }
    }

    /// Sends the last of those away who wait most; not where that is the asker. Organisations are compared first, and
    /// callers within one.
    fn make_room_for(&mut self, asker: &Asker) -> bool {
        let waiting = |of: &Asker| {
            let of_org = self.waiting.iter().filter(|waiting| waiting.asker.org == of.org).count();
            let of_caller = self.waiting.iter().filter(|waiting| waiting.asker == *of).count();
            (of_org, of_caller)
        };
        let own = waiting(asker);
        let most = self.waiting.iter().enumerate().max_by_key(|(at, other)| (waiting(&other.asker), *at));
        let Some((at, most)) = most else { return false };
        let (of_org, of_caller) = waiting(&most.asker);
        let is_before = match most.asker.org == asker.org {
            true => own.1 + 1 < of_caller,
            false => own.0 + 1 < of_org,
        };
        if is_before {
            self.waiting.remove(at);
        }
        is_before
    }
}

fn count_down<K: std::hash::Hash + Eq + Clone>(counts: &mut HashMap<K, usize>, of: &K) {
    if let Some(count) = counts.get_mut(of) {
        *count -= 1;
        if *count == 0 {
            counts.remove(of);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Some(asker) = self.asker.take() else { return };
        let mut state = self.places.lock();
        state.leave(&asker, self.is_added);
        self.places.let_go_on(&mut state);
    }
}

/// Takes one who waits out of the queue when its asker goes away.
struct Leaving<'a> {
    places: &'a Arc<Places>,
    number: u64,
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.places.lock().waiting.retain(|waiting| waiting.number != self.number);
    }
}

#[cfg(test)]
mod tests;
