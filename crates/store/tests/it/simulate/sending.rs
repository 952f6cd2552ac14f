//! Requests with events, with keys and without, sent once or repeated; and what the model is to believe of the answers.

use std::sync::Arc;
use std::time::Duration;

use tidegauge_model::{Clock, Columns, ErrorKind, Timestamp};
use tidegauge_store::{Claim, DatasetState, IdempotencyKey, Receipt, Repeated, Store, StoredValue};

use super::faults::Plan;
use super::history::History;
use super::model::{Attempt, Fate, NUMBER, Request, Standing, Wrong};
use crate::events::{Event, SECOND, columns_of};

/// How long a key means the same request; that is what the store has as a default.
const KEY_AGE: Duration = Duration::from_secs(24 * 3600);

const ANSWER: &str = "{}";

/// What a sender is told.
enum Sent {
    Stored(u64),
    Repeated(Repeated),
}

/// A text that stands in an event and nowhere else.
pub(super) fn mark_of(number: i64) -> String {
    format!("mark {number:08} of an event")
}

impl History {
    /// Sends a request to some dataset, or one again that has a key.
    pub(super) async fn send(&mut self, plan: Option<Plan>) -> Result<(), Wrong> {
        let Some(at) = self.some_dataset() else { return Ok(()) };
        let repeatable = self.repeatable(at);
        let request = match self.dice.one_in(3).then(|| self.dice.pick(&repeatable)).flatten() {
            Some(request) => *request,
            None => self.new_request(at),
        };
        self.deliver(at, request, plan).await
    }

    /// Sends a request that was not sent before: one with the key of another that is on its way would wait for that.
    pub(super) async fn send_another(&mut self) -> Result<(), Wrong> {
        let Some(at) = self.some_dataset() else { return Ok(()) };
        let request = self.new_request(at);
        self.deliver(at, request, None).await
    }

    /// The requests of a dataset whose keys are remembered.
    pub(super) fn repeatable(&self, dataset: usize) -> Vec<usize> {
        let now = self.world.clock.now();
        let requests = self.datasets[dataset].requests.iter().enumerate();
        requests
            .filter(|(_, request)| request.key.is_some() && now < request.first_at.plus(KEY_AGE))
            .map(|(at, _)| at)
            .collect()
    }

    pub(super) fn new_request(&mut self, dataset: usize) -> usize {
        let count = 1 + self.dice.skewed(5);
        let events: Vec<Event> = (0..count).map(|_| self.event()).collect();
        let requests = &mut self.datasets[dataset].requests;
        let key = self.dice.one_in(2).then(|| format!("key {}", requests.len()));
        requests.push(Request {
            fates: vec![Fate::Stays; events.len()],
            events,
            key,
            first_at: self.world.clock.now(),
            attempts: Vec::new(),
            repeated_by: Vec::new(),
            is_published: false,
        });
        requests.len() - 1
    }

    fn event(&mut self) -> Event {
        self.events += 1;
        let now = self.world.clock.now().as_nanos();
        let back = match self.dice.below(10) {
            0 => self.dice.below(30 * 86_400) as i64 * SECOND,
            1 => -(self.dice.below(86_400) as i64) * SECOND,
            _ => self.dice.below(600) as i64 * SECOND,
        };
        let mut fields = vec![
            (NUMBER.to_owned(), StoredValue::Integer(self.events)),
            ("mark".to_owned(), StoredValue::String(mark_of(self.events))),
        ];
        for _ in 0..self.dice.below(3) {
            let value = match self.dice.below(3) {
                0 => StoredValue::Float(self.dice.below(1000) as f64 / 7.0),
                1 => StoredValue::Boolean(true),
                _ => StoredValue::String(format!("text {}", self.dice.below(5))),
            };
            fields.push((format!("f{}", self.dice.below(30)), value));
        }
        Event::new(now - back, fields)
    }

    /// Sends a request to the leader.
    pub(super) async fn deliver(
        &mut self,
        dataset: usize,
        request: usize,
        plan: Option<Plan>,
    ) -> Result<(), Wrong> {
        // Each attempt arrives at a time of its own, by which it is known.
        self.world.clock.advance(Duration::from_millis(1));
        let (store, leader, now) = (self.store(), self.leader, self.world.clock.now());
        let Some(state) = store.dataset(&self.datasets[dataset].id) else { return Ok(()) };
        let (name, sent) =
            (self.datasets[dataset].name.clone(), &mut self.datasets[dataset].requests[request]);
        let must_be_known = sent.must_be_seen(leader);
        let (arrival, fingerprint) = (now.as_nanos(), request as u64);
        sent.attempts.push(Attempt { node: leader, arrival, sequence: None, is_over: false });
        let key = sent.key.clone();
        let columns = columns_of(&sent.events);
        let what = format!("  send request {request} with {} events to {name}, {key:?}", sent.events.len());
        self.world.note(what);
        let key = key.map(|key| IdempotencyKey { key, fingerprint, answer: ANSWER.to_owned() });
        let work = async move { store_once(&store, &state, &columns, (key, now)).await };
        let answer = self.attempt(plan, work).await?;
        let has_lost_lease = self.leader != leader;
        if self.datasets[dataset].standing != Standing::Live {
            // It was deleted meanwhile, and its events with it.
            return Ok(());
        }
        let sent = &mut self.datasets[dataset].requests[request];
        // Others may have been made meanwhile, at another node.
        let own = sent.attempts.iter_mut().find(|attempt| attempt.arrival == arrival);
        let Some(attempt) = own else { return Ok(()) };
        let said = match answer {
            Some(Ok(Sent::Stored(_))) if must_be_known => {
                return Err(format!("request {request} of {name} was stored, although it is there"));
            }
            Some(Ok(Sent::Stored(_))) if has_lost_lease => {
                return Err(format!("request {request} of {name} was acknowledged without the lease"));
            }
            Some(Ok(Sent::Stored(sequence))) => {
                attempt.sequence = Some(sequence);
                format!("  stored as {sequence}")
            }
            Some(Ok(Sent::Repeated(repeated))) => {
                sent.repeat(&repeated, fingerprint, (leader, arrival))?;
                format!("  stored before as {}", repeated.sequence)
            }
            Some(Err(error)) => {
                // Who is told that there is no space may rely on nothing being stored.
                attempt.is_over = error.kind() == ErrorKind::StorageFull;
                format!("  refused: {error}")
            }
            None => "  not answered".to_owned(),
        };
        self.world.note(said);
        Ok(())
    }
}

/// As a sender's request is served: what was stored before is not stored again.
async fn store_once(
    store: &Store,
    state: &Arc<DatasetState>,
    columns: &Columns,
    (key, now): (Option<IdempotencyKey>, Timestamp),
) -> tidegauge_store::Result<Sent> {
    let mut guard = None;
    if let Some(key) = &key {
        match store.claim(state, &key.key, now).await? {
            Claim::First(first) => guard = Some(first),
            Claim::Repeated(repeated) => return Ok(Sent::Repeated(repeated)),
        }
    }
    let receipt = Receipt { arrival: now.as_nanos(), raw_bytes: 100, key };
    let stored = store.append(state, Store::prepare(columns, receipt)).await;
    drop(guard);
    stored.map(Sent::Stored)
}

impl Request {
    /// The sender was told that the request is stored already: then it is, and was sent before.
    fn repeat(
        &mut self,
        repeated: &Repeated,
        fingerprint: u64,
        (node, arrival): (usize, i64),
    ) -> Result<(), Wrong> {
        self.attempts.retain(|attempt| attempt.arrival != arrival);
        let may_be = |attempt: &Attempt| match attempt.sequence {
            Some(sequence) => sequence == repeated.sequence,
            None => !attempt.is_over,
        };
        let is_right = repeated.fingerprint == fingerprint && repeated.answer == ANSWER;
        if !is_right || !self.attempts.iter().any(may_be) {
            return Err(format!("{repeated:?} is said of {:?}", self.attempts));
        }
        self.repeated_by.push(node);
        Ok(())
    }
}
