//! The catalogue: nodes with their epochs, logs that were raised, marks, segments, claims. Each method is a transaction:
//! it is done whole or not at all, and may be done although who asked for it never hears of it. What a row means is here;
//! who asks, when, and what is believed of an answer that is lost, is said by the tasks.

use std::collections::{BTreeMap, BTreeSet};

use crate::rules::{Rule, Rules};

/// The log of one node in one epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Log {
    pub(super) node: u32,
    pub(super) epoch: u32,
}

/// One request of a client, which has one event. The key is the event's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Request {
    pub(super) event: u32,
    pub(super) dataset: u32,
    pub(super) has_key: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Record {
    pub(super) log: Log,
    pub(super) sequence: u32,
    pub(super) request: Request,
}

/// The name of a segment, which nobody else can give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SegmentId {
    pub(super) process: usize,
    pub(super) maker: Log,
    pub(super) number: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub(super) id: SegmentId,
    pub(super) dataset: u32,
    pub(super) rows: Vec<Record>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Claim {
    pub(super) log: Log,
    pub(super) settled: Option<Record>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claimed {
    Mine,
    ByAnother,
    Stored(Record),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Published {
    Done,
    Fenced,
    Conflict,
}

/// A flush: the segment, and where the mark was and shall be.
#[derive(Clone, Debug)]
pub(super) struct Flush {
    pub(super) log: Log,
    pub(super) segment: Segment,
    pub(super) from: u32,
    pub(super) upto: u32,
}

/// How long objects stay after nobody needs them, and how old what an answer is made from may be.
pub(super) const GRACE: u32 = 10;

type MarkKey = (u32, Log);

#[derive(Clone, Debug)]
pub(super) struct Catalogue {
    rules: Rules,
    pub(super) now: u32,
    /// Rises with every epoch that is raised and every log that is adopted.
    pub(super) counter: u32,
    pub(super) epochs: BTreeMap<u32, u32>,
    /// Logs whose epoch was raised and that nobody has adopted yet.
    pub(super) raised: BTreeSet<Log>,
    /// Those that somebody has, and when.
    pub(super) adopted: BTreeMap<Log, u32>,
    /// Where each mark was since when.
    marks: BTreeMap<MarkKey, Vec<(u32, u32)>>,
    pub(super) segments: BTreeMap<SegmentId, Segment>,
    pub(super) retired: BTreeMap<SegmentId, u32>,
    pub(super) claims: BTreeMap<u32, Claim>,
    /// Who has published although it was fenced; for the ledger, no process asks.
    pub(super) fenced: Option<Log>,
}

impl Catalogue {
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            rules,
            now: 1,
            counter: 0,
            epochs: BTreeMap::new(),
            raised: BTreeSet::new(),
            adopted: BTreeMap::new(),
            marks: BTreeMap::new(),
            segments: BTreeMap::new(),
            retired: BTreeMap::new(),
            claims: BTreeMap::new(),
            fenced: None,
        }
    }

    pub(super) fn epoch(&self, node: u32) -> u32 {
        self.epochs.get(&node).copied().unwrap_or(0)
    }

    pub(super) fn is_current(&self, log: Log) -> bool {
        self.epoch(log.node) == log.epoch
    }

    fn mark_key(&self, dataset: u32, log: Log) -> MarkKey {
        let if_held = |rule, number| if self.rules.hold(rule) { number } else { 0 };
        let node = if_held(Rule::MarksPerNode, log.node);
        let epoch = if_held(Rule::MarksPerEpoch, log.epoch);
        (if_held(Rule::MarksPerDataset, dataset), Log { node, epoch })
    }

    pub(super) fn mark(&self, dataset: u32, log: Log) -> u32 {
        self.mark_at(dataset, log, self.now)
    }

    /// Where a mark was at a time.
    pub(super) fn mark_at(&self, dataset: u32, log: Log, time: u32) -> u32 {
        let Some(places) = self.marks.get(&self.mark_key(dataset, log)) else { return 0 };
        places.iter().rev().find(|(since, _)| *since <= time).map_or(0, |(_, sequence)| *sequence)
    }

    fn set_mark(&mut self, dataset: u32, log: Log, sequence: u32) {
        let key = self.mark_key(dataset, log);
        self.marks.entry(key).or_default().push((self.now, sequence));
    }

    /// The logs that acknowledged events may be in and no segment: of each node the present one, and those that were
    /// raised and not adopted yet.
    pub(super) fn open_logs(&self) -> Vec<Log> {
        let current = self.epochs.iter().map(|(&node, &epoch)| Log { node, epoch });
        current.chain(self.raised.iter().copied()).collect()
    }

    /// Raises the epoch of a node, if it is still what the caller has seen: whoever had it is fenced.
    pub(super) fn raise(&mut self, node: u32, seen: u32) -> bool {
        if self.epoch(node) != seen {
            return false;
        }
        if seen > 0 {
            self.raised.insert(Log { node, epoch: seen });
        }
        self.epochs.insert(node, seen + 1);
        // Without the rule, who comes for the first time is noticed, as in a list of members.
        if seen == 0 || self.rules.hold(Rule::TheCounterCountsRaises) {
            self.counter += 1;
        }
        true
    }

    pub(super) fn claim(&mut self, key: u32, log: Log) -> Claimed {
        match self.claims.get(&key) {
            Some(Claim { settled: Some(record), .. }) => return Claimed::Stored(*record),
            Some(claim) if claim.log == log => return Claimed::Mine,
            Some(claim) if !self.is_free(claim.log) => return Claimed::ByAnother,
            _ => {}
        }
        self.claims.insert(key, Claim { log, settled: None });
        Claimed::Mine
    }

    /// Whether a claim of a log that is not settled can have no record any more that will count.
    fn is_free(&self, log: Log) -> bool {
        match self.rules.hold(Rule::ClaimStandsUntilAdoption) {
            true => self.adopted.contains_key(&log),
            false => !self.is_current(log),
        }
    }

    fn settle(&mut self, rows: &[Record]) {
        if !self.rules.hold(Rule::PublishingSettlesClaims) {
            return;
        }
        for row in rows.iter().filter(|row| row.request.has_key) {
            self.claims.insert(row.request.event, Claim { log: row.log, settled: Some(*row) });
        }
    }

    /// Whether a process with this log may change what is published.
    fn may_publish(&self, log: Log, rule: Rule) -> bool {
        !self.rules.hold(rule) || self.is_current(log)
    }

    fn insert(&mut self, maker: Log, segment: Segment) {
        if !self.is_current(maker) {
            self.fenced = Some(maker);
        }
        self.segments.insert(segment.id, segment);
    }

    pub(super) fn flush(&mut self, flush: Flush) -> Published {
        let published = self.flush_segment(&flush);
        if published == Published::Done {
            self.flush_mark(&flush);
        }
        published
    }

    /// The half of a flush that names the segment.
    pub(super) fn flush_segment(&mut self, flush: &Flush) -> Published {
        if !self.may_publish(flush.log, Rule::FlushChecksEpoch) {
            return Published::Fenced;
        }
        let mark = self.mark(flush.segment.dataset, flush.log);
        if mark != flush.from && self.rules.hold(Rule::FlushComparesMark) {
            return Published::Conflict;
        }
        self.insert(flush.log, flush.segment.clone());
        Published::Done
    }

    /// The half that moves the mark.
    pub(super) fn flush_mark(&mut self, flush: &Flush) {
        self.set_mark(flush.segment.dataset, flush.log, flush.upto);
        self.settle(&flush.segment.rows);
    }

    /// Publishes what a raised log has beyond its marks, and ends it.
    pub(super) fn adopt(&mut self, adopter: Log, log: Log, segments: Vec<Segment>) -> Published {
        if !self.may_publish(adopter, Rule::AdoptionChecksEpoch) {
            return Published::Fenced;
        }
        if !self.raised.contains(&log) && self.rules.hold(Rule::AdoptionIsOnce) {
            return Published::Conflict;
        }
        for segment in segments {
            let last = segment.rows.iter().map(|row| row.sequence).max().unwrap_or(0);
            self.set_mark(segment.dataset, log, last);
            self.settle(&segment.rows);
            self.insert(adopter, segment);
        }
        self.raised.remove(&log);
        self.adopted.insert(log, self.now);
        if self.rules.hold(Rule::TheCounterCountsAdoptions) {
            self.counter += 1;
        }
        Published::Done
    }

    pub(super) fn merge(&mut self, maker: Log, inputs: &[SegmentId], merged: Segment) -> Published {
        if !self.may_publish(maker, Rule::MergeChecksEpoch) {
            return Published::Fenced;
        }
        let are_live = inputs.iter().all(|input| self.segments.contains_key(input));
        if !are_live && self.rules.hold(Rule::MergeComparesInputs) {
            return Published::Conflict;
        }
        for input in inputs {
            self.segments.remove(input);
            self.retired.insert(*input, self.now);
        }
        self.insert(maker, merged);
        Published::Done
    }

    /// Since when, at the latest, nobody who begins needs what is gone from use at a time.
    pub(super) fn before_grace(&self) -> Option<u32> {
        match self.rules.hold(Rule::ObjectsStayForGrace) {
            true => self.now.checked_sub(GRACE + 1),
            false => Some(self.now),
        }
    }

    /// Whether all of a log object is in segments for so long that nobody reads it any more.
    pub(super) fn needs_no_more(&self, log: Log, records: &[Record]) -> bool {
        let Some(time) = self.before_grace() else { return false };
        if self.adopted.get(&log).is_some_and(|since| *since <= time) {
            return true;
        }
        records.iter().all(|row| row.sequence <= self.mark_at(row.request.dataset, log, time))
    }

    /// Whether a segment is named by no commit that somebody may still read, and can be named by no later one.
    pub(super) fn is_orphan(&self, id: SegmentId) -> bool {
        if let Some(since) = self.retired.get(&id) {
            return self.before_grace().is_some_and(|time| *since <= time);
        }
        let may_still_be_named = self.is_current(id.maker) && self.rules.hold(Rule::OrphansWaitForEndOfEpoch);
        !self.segments.contains_key(&id) && !may_still_be_named
    }
}
