//! What must be there: every request that was sent, what its sender was told, and what became of its events since. It
//! knows nothing of logs and segments, and says of each view of a dataset whether it is one that may be seen.

use std::collections::BTreeMap;

use tidegauge_model::{DatasetId, Timestamp};
use tidegauge_store::{StoredRow, StoredValue};

use crate::events::{Event, stored};

/// The field that every event has, with a number that no other has.
pub(super) const NUMBER: &str = "number";

/// What is wrong.
pub(super) type Wrong = String;

/// What is known of an event that was acknowledged or seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Stays,
    /// Its deletion was begun, and nobody knows how far it got.
    Doomed,
    Gone,
}

/// A request on its way to a node. There are several of one request if it was repeated with its key.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    pub(super) node: usize,
    pub(super) arrival: i64,
    /// What the sender was told, or a reader has seen.
    pub(super) sequence: Option<u64>,
    /// Whether it cannot be stored any more: its node has started since, and did not find it.
    pub(super) is_over: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) events: Vec<Event>,
    pub(super) fates: Vec<Fate>,
    pub(super) key: Option<String>,
    pub(super) first_at: Timestamp,
    pub(super) attempts: Vec<Attempt>,
    /// The nodes that have said of a repetition that it is stored already.
    pub(super) repeated_by: Vec<usize>,
    /// Whether every node sees it: it is in segments.
    pub(super) is_published: bool,
}

/// What is known of a dataset itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Live,
    /// Its deletion was begun, and nobody knows how far it got.
    Doomed,
    Gone,
}

#[derive(Debug)]
pub(super) struct Dataset {
    pub(super) id: DatasetId,
    pub(super) name: String,
    pub(super) retention_days: Option<u32>,
    pub(super) standing: Standing,
    pub(super) requests: Vec<Request>,
}

/// Who looks, and when.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    pub(super) node: usize,
    /// Whether the node has just started: what it does not see now, it never will.
    pub(super) is_fresh: bool,
    /// Whether it is certain what became of deletions: the catalogue was read since.
    pub(super) is_certain: bool,
    /// Whether nothing of the dataset is in its buffer.
    pub(super) is_flushed: bool,
}

pub(super) fn number_of(row: &StoredRow) -> Option<i64> {
    row.fields.iter().find_map(|(field, value)| match value {
        StoredValue::Integer(number) if &**field == NUMBER => Some(*number),
        _ => None,
    })
}

pub(super) fn number_in(event: &Event) -> i64 {
    match event.fields.get(NUMBER) {
        Some(StoredValue::Integer(number)) => *number,
        _ => -1,
    }
}

impl Request {
    /// Whether it must be seen by a node.
    pub(super) fn must_be_seen(&self, node: usize) -> bool {
        let known = self.attempts.iter().filter(|attempt| attempt.sequence.is_some());
        let mut by = known.map(|attempt| attempt.node).chain(self.repeated_by.iter().copied());
        if self.is_published { by.next().is_some() } else { by.any(|by| by == node) }
    }

    /// Compares what is seen of it, each event once, with what was sent.
    fn look(&mut self, rows: &[&StoredRow], view: View) -> Result<(), Wrong> {
        let first = number_in(&self.events[0]);
        if rows.is_empty() {
            return self.look_at_nothing(view, first);
        }
        let (sequence, arrival) = (rows[0].sequence, rows[0].arrival);
        // Each attempt arrives at a time of its own.
        let is_it = |attempt: &&mut Attempt| {
            attempt.arrival == arrival && attempt.sequence.is_none_or(|told| told == sequence)
        };
        let Some(attempt) = self.attempts.iter_mut().find(is_it) else {
            return Err(format!("event {first} has the sequence {sequence}, which nobody was told"));
        };
        if attempt.is_over {
            return Err(format!("event {first} was not there after a start, and is now"));
        }
        let is_first_seen = attempt.sequence.is_none() && self.fates.iter().all(|fate| *fate == Fate::Stays);
        attempt.sequence = Some(sequence);
        self.is_published |= attempt.node != view.node || view.is_flushed;
        let expected = stored(&self.events, sequence, arrival);
        let mut found = rows.iter().peekable();
        for (row, fate) in expected.iter().zip(&mut self.fates) {
            let is_there = found.next_if(|found| found.index == row.index);
            match (is_there, *fate) {
                (Some(found), _) if **found != *row => return Err(format!("{found:?} is not {row:?}")),
                (Some(found), Fate::Gone) => return Err(format!("{found:?} was deleted and is back")),
                (None, Fate::Stays) => {
                    let how =
                        if is_first_seen { "a request is there in part" } else { "an event is missing" };
                    return Err(format!("{how}: {row:?}"));
                }
                (None, _) => *fate = Fate::Gone,
                (Some(_), Fate::Doomed) if view.is_certain => *fate = Fate::Stays,
                (Some(_), _) => {}
            }
        }
        match found.next() {
            Some(row) => Err(format!("{row:?} is there twice, or out of order")),
            None => Ok(()),
        }
    }

    fn look_at_nothing(&mut self, view: View, first: i64) -> Result<(), Wrong> {
        if self.must_be_seen(view.node) {
            if self.fates.contains(&Fate::Stays) {
                return Err(format!("event {first} is missing, with all of its request"));
            }
            self.fates.fill(Fate::Gone);
        }
        let is_unseen = |attempt: &&mut Attempt| attempt.node == view.node && attempt.sequence.is_none();
        if view.is_fresh {
            self.attempts.iter_mut().filter(is_unseen).for_each(|attempt| attempt.is_over = true);
        }
        Ok(())
    }
}

impl Dataset {
    /// Compares what a node sees of the dataset with what may be seen.
    pub(super) fn look(&mut self, rows: &[StoredRow], view: View) -> Result<(), Wrong> {
        let mut by_request: BTreeMap<i64, Vec<&StoredRow>> = BTreeMap::new();
        let firsts: Vec<i64> = self.requests.iter().map(|request| number_in(&request.events[0])).collect();
        for row in rows {
            let number = number_of(row).ok_or_else(|| format!("{row:?} was never sent"))?;
            let request = firsts.partition_point(|first| *first <= number).checked_sub(1);
            let first = request.map(|at| firsts[at]).ok_or_else(|| format!("{row:?} was never sent"))?;
            by_request.entry(first).or_default().push(row);
        }
        for (request, first) in self.requests.iter_mut().zip(&firsts) {
            let mut rows = by_request.remove(first).unwrap_or_default();
            rows.sort_by_key(|row| (row.index, row.sequence));
            request.look(&rows, view).map_err(|wrong| format!("{}: {wrong}", self.name))?;
        }
        Ok(())
    }

    /// Has the events that a deletion was to take be deleted, or in doubt.
    pub(super) fn doom(&mut self, is_chosen: impl Fn(&Event) -> bool, fate: Fate) {
        for request in &mut self.requests {
            for (event, of) in request.events.iter().zip(&mut request.fates) {
                if *of != Fate::Gone && is_chosen(event) {
                    *of = fate;
                }
            }
        }
    }
}
