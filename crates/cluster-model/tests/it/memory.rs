//! What a process holds in memory: the records of its log that are not in segments yet, or were a short while ago, and
//! what it last read from the catalogue.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::catalogue::{Catalogue, Log, Record, Request};
use crate::rules::{Rule, Rules};

/// What became of a request with a key in this process.
#[derive(Clone, Copy, Debug)]
pub(super) enum Attempt {
    Running,
    Landed(Record),
}

/// An answer to the question for frames: those of a directory that is too old are not held any more.
#[derive(Debug)]
pub(super) enum Frames {
    Records(Vec<Record>),
    Stale,
}

pub(super) struct Memory {
    rules: Rules,
    /// `None` until the process has taken an epoch.
    pub(super) log: Option<Log>,
    pub(super) next_sequence: u32,
    pub(super) next_segment: u32,
    pub(super) buffer: Vec<Record>,
    /// Records that no object was made of yet.
    pub(super) waiting: Vec<Record>,
    /// The sequences whose object is there.
    pub(super) landed: BTreeSet<u32>,
    pub(super) attempts: BTreeMap<u32, Attempt>,
    /// The marks as far as this process knows.
    pub(super) published: BTreeMap<u32, u32>,
    /// Up to where frames were let go.
    released: BTreeMap<u32, u32>,
    /// The datasets that are being flushed.
    pub(super) flushing: BTreeSet<u32>,
    pub(super) directory: Rc<Catalogue>,
    /// It has learned that its epoch was raised, and ends.
    pub(super) is_fenced: bool,
}

impl Memory {
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            rules,
            log: None,
            next_sequence: 1,
            next_segment: 1,
            buffer: Vec::new(),
            waiting: Vec::new(),
            landed: BTreeSet::new(),
            attempts: BTreeMap::new(),
            published: BTreeMap::new(),
            released: BTreeMap::new(),
            flushing: BTreeSet::new(),
            directory: Rc::new(Catalogue::new(rules)),
            is_fenced: false,
        }
    }

    pub(super) fn append(&mut self, log: Log, request: Request) -> Record {
        let record = Record { log, sequence: self.next_sequence, request };
        self.next_sequence += 1;
        self.buffer.push(record);
        self.waiting.push(record);
        record
    }

    pub(super) fn land(&mut self, records: &[Record]) {
        for record in records {
            self.landed.insert(record.sequence);
            if let Some(attempt) = self.attempts.get_mut(&record.request.event) {
                *attempt = Attempt::Landed(*record);
            }
        }
    }

    pub(super) fn published(&self, dataset: u32) -> u32 {
        self.published.get(&dataset).copied().unwrap_or(0)
    }

    /// What a flush takes: the records of a dataset that are in objects, and up to where.
    pub(super) fn to_flush(&self, dataset: u32) -> (Vec<Record>, u32) {
        let has_landed = |record: &&Record| self.landed.contains(&record.sequence);
        let last = self.buffer.iter().filter(has_landed).map(|record| record.sequence).max().unwrap_or(0);
        let gap = self.buffer.iter().find(|record| !has_landed(record)).map(|record| record.sequence);
        let upto = match gap {
            Some(gap) if self.rules.hold(Rule::FlushStopsAtGap) => gap - 1,
            _ => last,
        };
        let from = self.published(dataset);
        let is_taken = |record: &&Record| {
            record.request.dataset == dataset && record.sequence > from && record.sequence <= upto
        };
        (self.buffer.iter().filter(has_landed).filter(is_taken).copied().collect(), upto)
    }

    /// Lets go of what is in segments.
    pub(super) fn release(&mut self, dataset: u32) {
        let upto = self.published(dataset);
        self.buffer.retain(|record| record.request.dataset != dataset || record.sequence > upto);
        self.released.insert(dataset, upto);
    }

    /// The records of a dataset above a mark.
    pub(super) fn frames(&self, dataset: u32, mark: u32) -> Frames {
        let released = self.released.get(&dataset).copied().unwrap_or(0);
        if released > mark && self.rules.hold(Rule::ReleasedFramesAreStale) {
            return Frames::Stale;
        }
        let is_meant = |record: &&Record| {
            record.request.dataset == dataset
                && self.landed.contains(&record.sequence)
                && (record.sequence > mark || !self.rules.hold(Rule::FramesAboveMarks))
        };
        Frames::Records(self.buffer.iter().filter(is_meant).copied().collect())
    }
}
