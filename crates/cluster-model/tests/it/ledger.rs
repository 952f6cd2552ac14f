//! What clients were told, and what must hold: the invariants. It knows requests and answers, and of the catalogue only
//! what is published.

use std::collections::BTreeMap;
use std::fmt;

use crate::bucket::{Bucket, Name};
use crate::catalogue::{Catalogue, Record, Request};

/// Which invariant is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// What was acknowledged or published is not there.
    Lost,
    /// An event is there twice.
    Twice,
    /// A process that was fenced has published.
    Fenced,
    /// A key has had two outcomes.
    Outcome,
    /// All that could fail has stopped failing, and a request still has no answer.
    Stuck,
}

#[derive(Clone, Debug)]
pub(super) struct Wrong {
    pub(super) kind: Kind,
    what: String,
}

impl Wrong {
    pub(super) fn new(kind: Kind, what: String) -> Self {
        Self { kind, what }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?}: {}", self.kind, self.what)
    }
}

#[derive(Debug)]
struct Known {
    request: Request,
    outcome: Option<Record>,
    is_published: bool,
}

#[derive(Debug, Default)]
pub(super) struct Ledger {
    events: Vec<Known>,
    pub(super) wrong: Option<Wrong>,
}

impl Ledger {
    pub(super) fn new_request(&mut self, dataset: u32, has_key: bool) -> Request {
        let request = Request { event: self.events.len() as u32, dataset, has_key };
        self.events.push(Known { request, outcome: None, is_published: false });
        request
    }

    /// The requests that can be sent again.
    pub(super) fn with_keys(&self) -> Vec<Request> {
        self.events.iter().map(|known| known.request).filter(|request| request.has_key).collect()
    }

    pub(super) fn is_acknowledged(&self, event: u32) -> bool {
        self.events[event as usize].outcome.is_some()
    }

    fn report(&mut self, kind: Kind, what: String) {
        self.wrong.get_or_insert(Wrong::new(kind, what));
    }

    /// A client is told that its event is stored, as this record.
    pub(super) fn acknowledge(&mut self, record: Record) {
        let event = record.request.event;
        let known = &mut self.events[event as usize];
        match known.outcome.replace(record) {
            Some(before) if before != record => {
                let what = format!("event {event} was acknowledged as {before:?} and as {record:?}");
                self.report(Kind::Outcome, what);
            }
            _ => {}
        }
    }

    /// The events that a query has to find that is asked now.
    pub(super) fn owed(&self, dataset: u32) -> Vec<u32> {
        let is_owed = |known: &&Known| {
            known.request.dataset == dataset && (known.outcome.is_some() || known.is_published)
        };
        self.events.iter().filter(is_owed).map(|known| known.request.event).collect()
    }

    /// Looks at an answer.
    pub(super) fn examine_answer(&mut self, owed: &[u32], rows: &[Record]) {
        let counts = counts(rows.iter());
        if let Some((event, count)) = counts.iter().find(|(_, count)| **count > 1) {
            self.report(Kind::Twice, format!("event {event} is {count} times in an answer"));
        }
        if let Some(event) = owed.iter().find(|event| !counts.contains_key(event)) {
            self.report(Kind::Lost, format!("event {event} is missing from an answer"));
        }
    }

    /// Looks at what is published after a commit.
    pub(super) fn examine_commit(&mut self, catalogue: &Catalogue, bucket: &Bucket) {
        if let Some(log) = catalogue.fenced {
            self.report(Kind::Fenced, format!("{log:?} has published after it was fenced"));
        }
        if let Some(id) = catalogue.segments.keys().find(|id| !bucket.has(Name::Segment(**id))) {
            self.report(Kind::Lost, format!("{id:?} is named and has no object"));
        }
        let counts = counts(catalogue.segments.values().flat_map(|segment| &segment.rows));
        if let Some((event, count)) = counts.iter().find(|(_, count)| **count > 1) {
            self.report(Kind::Twice, format!("event {event} is published {count} times"));
        }
        let is_gone = |known: &&Known| known.is_published && !counts.contains_key(&known.request.event);
        if let Some(event) = self.events.iter().find(is_gone).map(|known| known.request.event) {
            self.report(Kind::Lost, format!("event {event} was published and is not any more"));
        }
        for event in counts.into_keys() {
            self.events[event as usize].is_published = true;
        }
    }
}

fn counts<'a>(rows: impl Iterator<Item = &'a Record>) -> BTreeMap<u32, u32> {
    let mut counts = BTreeMap::new();
    for row in rows {
        *counts.entry(row.request.event).or_default() += 1;
    }
    counts
}
