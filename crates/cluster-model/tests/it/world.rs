//! What lies around the processes: catalogue, object store, disks, and what goes wrong between them and a process. An
//! answer can be lost whether or not the thing was done, and what nobody waits for any more may be done later.

use std::cell::RefCell;
use std::rc::Rc;

use crate::bucket::{Bucket, Name, Rows};
use crate::catalogue::{Catalogue, Log, Record};
use crate::ledger::Ledger;
use crate::memory::Memory;
use crate::rules::Rules;
use crate::tape::Tape;

pub(super) const MACHINES: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    Running,
    Paused,
    Dead,
}

/// What can be seen of a process from outside.
pub(super) struct Seen {
    pub(super) node: u32,
    pub(super) machine: usize,
    pub(super) condition: Condition,
    pub(super) memory: Rc<RefCell<Memory>>,
}

type Change = Box<dyn FnOnce(&mut Catalogue)>;

pub(super) struct World {
    pub(super) rules: Rules,
    pub(super) tape: Tape,
    pub(super) catalogue: Catalogue,
    pub(super) bucket: Bucket,
    pub(super) ledger: Ledger,
    /// What the local log of each machine holds.
    pub(super) disks: [Vec<Record>; MACHINES],
    pub(super) processes: Vec<Seen>,
    /// Transactions whose process heard nothing, and that are not done yet.
    late: Vec<(String, Change)>,
    /// Something goes wrong once in so many times; never if zero.
    pub(super) trouble: u32,
    /// What happens, for who reads it.
    notes: Option<Vec<String>>,
}

impl World {
    pub(super) fn new(rules: Rules, tape: Tape, is_written_down: bool) -> Self {
        Self {
            rules,
            tape,
            catalogue: Catalogue::new(rules),
            bucket: Bucket::default(),
            ledger: Ledger::default(),
            disks: std::array::from_fn(|_| Vec::new()),
            processes: Vec::new(),
            late: Vec::new(),
            trouble: 0,
            notes: is_written_down.then(Vec::new),
        }
    }

    pub(super) fn note(&mut self, what: impl FnOnce() -> String) {
        if let Some(notes) = &mut self.notes {
            notes.push(what());
        }
    }

    pub(super) fn take_notes(&mut self) -> Vec<String> {
        self.notes.take().unwrap_or_default()
    }

    fn goes_wrong(&mut self) -> bool {
        self.trouble > 0 && self.tape.one_in(self.trouble)
    }

    /// A transaction: what it says, if its answer arrives.
    pub(super) fn transact<T: std::fmt::Debug>(
        &mut self,
        who: impl Fn() -> String,
        what: &str,
        change: impl FnOnce(&mut Catalogue) -> T + 'static,
    ) -> Option<T> {
        if !self.goes_wrong() {
            let said = change(&mut self.catalogue);
            self.note(|| format!("{}: {what}: {said:?}", who()));
            self.examine_commit();
            return Some(said);
        }
        match self.tape.below(3) {
            0 => {
                let said = change(&mut self.catalogue);
                self.note(|| format!("{}: {what}: {said:?}, but the answer is lost", who()));
                self.examine_commit();
            }
            1 => self.note(|| format!("{}: {what}: not done, and the answer is lost", who())),
            _ => {
                self.note(|| format!("{}: {what}: not done yet, and the answer is lost", who()));
                let name = format!("{what}, for {},", who());
                self.late.push((name, Box::new(move |catalogue| drop(change(catalogue)))));
            }
        }
        None
    }

    pub(super) fn examine_commit(&mut self) {
        self.ledger.examine_commit(&self.catalogue, &self.bucket);
    }

    /// One of the transactions that nobody waits for is done after all, or never.
    pub(super) fn settle_late_transaction(&mut self) {
        if self.late.is_empty() {
            return;
        }
        let at = self.tape.below(self.late.len() as u32) as usize;
        let (name, change) = self.late.remove(at);
        if self.tape.one_in(4) {
            return self.note(|| format!("{name} will never be done"));
        }
        self.note(|| format!("{name} is done after all"));
        change(&mut self.catalogue);
        self.examine_commit();
    }

    /// Puts an object, and tells whether that was heard.
    pub(super) fn put(&mut self, who: impl Fn() -> String, name: Name, rows: &Rows) -> bool {
        let what = if self.goes_wrong() { 1 + self.tape.below(4) } else { 0 };
        let outcome =
            ["is there", "is there, unheard", "is not there", "is on its way", "is there, and once more"];
        self.note(|| format!("{}: puts {name:?}: {}", who(), outcome[what as usize]));
        if [0, 1, 4].contains(&what) {
            self.bucket.put(name, Rc::clone(rows));
        }
        if [3, 4].contains(&what) {
            self.bucket.late.push((name, Rc::clone(rows)));
        }
        [0, 4].contains(&what)
    }

    pub(super) fn settle_late_object(&mut self) {
        if self.bucket.late.is_empty() {
            return;
        }
        let at = self.tape.below(self.bucket.late.len() as u32) as usize;
        let (name, rows) = self.bucket.late.remove(at);
        self.note(|| format!("{name:?} arrives late"));
        self.bucket.put(name, rows);
    }

    pub(super) fn settle_all(&mut self) {
        while !self.late.is_empty() {
            self.settle_late_transaction();
        }
        while !self.bucket.late.is_empty() {
            self.settle_late_object();
        }
    }

    /// The memory of a process that answers for a log, unless nobody does or it cannot be reached.
    pub(super) fn reach(&mut self, log: Log) -> Option<Rc<RefCell<Memory>>> {
        if self.trouble > 0 && self.tape.one_in(4) {
            return None;
        }
        let answers =
            |seen: &&Seen| seen.condition == Condition::Running && seen.memory.borrow().log == Some(log);
        self.processes.iter().find(answers).map(|seen| Rc::clone(&seen.memory))
    }
}
