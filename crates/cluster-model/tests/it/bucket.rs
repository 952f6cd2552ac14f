//! The object store: what is put is there whole or not at all, and a put that nobody hears of may still be done later,
//! or once more. What is listed is what there was at that moment.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::catalogue::{Log, Record, SegmentId};

pub(super) type Rows = Rc<Vec<Record>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Name {
    /// A log object, by the first sequence in it.
    Log(Log, u32),
    Segment(SegmentId),
}

#[derive(Debug, Default)]
pub(super) struct Bucket {
    objects: BTreeMap<Name, Rows>,
    /// What is still on its way.
    pub(super) late: Vec<(Name, Rows)>,
}

impl Bucket {
    pub(super) fn put(&mut self, name: Name, rows: Rows) {
        self.objects.insert(name, rows);
    }

    pub(super) fn get(&self, name: Name) -> Option<Rows> {
        self.objects.get(&name).map(Rc::clone)
    }

    pub(super) fn delete(&mut self, name: Name) {
        self.objects.remove(&name);
    }

    pub(super) fn has(&self, name: Name) -> bool {
        self.objects.contains_key(&name)
    }

    /// The objects of one log.
    pub(super) fn list(&self, log: Log) -> Vec<Name> {
        let is_of_log = |name: &&Name| matches!(name, Name::Log(of, _) if *of == log);
        self.objects.keys().filter(is_of_log).copied().collect()
    }

    pub(super) fn list_all(&self) -> Vec<Name> {
        self.objects.keys().copied().collect()
    }
}
