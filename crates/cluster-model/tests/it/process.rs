//! A process: what its tasks share. Between any two things that it does outside of its memory all else may happen, so
//! each of them is a step.

use std::cell::{RefCell, RefMut};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use crate::bucket::{Name, Rows};
use crate::catalogue::{Catalogue, Log, Record, SegmentId};
use crate::memory::Memory;
use crate::rules::Rule;
use crate::world::World;

#[derive(Clone)]
pub(super) struct Process {
    pub(super) id: usize,
    pub(super) node: u32,
    pub(super) machine: usize,
    pub(super) world: Rc<RefCell<World>>,
    pub(super) memory: Rc<RefCell<Memory>>,
}

impl Process {
    pub(super) fn world(&self) -> RefMut<'_, World> {
        self.world.borrow_mut()
    }

    pub(super) fn memory(&self) -> RefMut<'_, Memory> {
        self.memory.borrow_mut()
    }

    pub(super) fn holds(&self, rule: Rule) -> bool {
        self.world.borrow().rules.hold(rule)
    }

    /// The log of this process, which it has as soon as it has joined.
    pub(super) fn log(&self) -> Log {
        self.memory.borrow().log.expect("a task begins after its process has joined")
    }

    pub(super) fn name(&self) -> String {
        match self.memory.borrow().log {
            Some(Log { node, epoch }) => format!("process {} (node {node}, epoch {epoch})", self.id),
            None => format!("process {} (node {}, joining)", self.id, self.node),
        }
    }

    /// Something else may happen here.
    pub(super) async fn step(&self) {
        let mut is_second = false;
        poll_fn(|_| match std::mem::replace(&mut is_second, true) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        })
        .await;
    }

    pub(super) fn note(&self, what: impl FnOnce() -> String) {
        self.world().note(|| format!("{}: {}", self.name(), what()));
    }

    /// A transaction on the catalogue. `None` if its answer is lost: it may have been done, or be done later.
    pub(super) async fn transact<T: std::fmt::Debug>(
        &self,
        what: &str,
        change: impl FnOnce(&mut Catalogue) -> T + 'static,
    ) -> Option<T> {
        self.step().await;
        let said = self.world().transact(|| self.name(), what, change);
        self.step().await;
        said
    }

    /// Reads from the catalogue. One that fails would be read again, so none does.
    pub(super) async fn look<T>(&self, read: impl FnOnce(&Catalogue) -> T) -> T {
        self.step().await;
        let seen = read(&self.world().catalogue);
        self.step().await;
        seen
    }

    pub(super) async fn refresh(&self) -> Rc<Catalogue> {
        let directory = Rc::new(self.look(Catalogue::clone).await);
        self.memory().directory = Rc::clone(&directory);
        directory
    }

    /// Puts an object, again and again until it hears that it is there.
    pub(super) async fn put(&self, name: Name, rows: Rows) {
        loop {
            self.step().await;
            let is_heard = self.world().put(|| self.name(), name, &rows);
            self.step().await;
            if is_heard {
                return;
            }
        }
    }

    pub(super) async fn get(&self, name: Name) -> Option<Rows> {
        self.step().await;
        let rows = self.world().bucket.get(name);
        self.step().await;
        rows
    }

    /// How the objects of a log are named.
    pub(super) fn folder(&self, log: Log) -> Log {
        let names_epoch = self.holds(Rule::ObjectsNameTheirEpoch);
        Log { epoch: if names_epoch { log.epoch } else { 0 }, ..log }
    }

    /// Lists the objects of a log and reads each. `None` if one of them was deleted in between.
    pub(super) async fn read_objects(&self, log: Log) -> Option<Vec<Record>> {
        let folder = self.folder(log);
        self.step().await;
        let names = self.world().bucket.list(folder);
        self.note(|| format!("lists {} objects of {log:?}", names.len()));
        let mut records = Vec::new();
        for name in names {
            records.extend(self.get(name).await?.iter().copied());
        }
        Some(records)
    }

    pub(super) fn next_segment(&self) -> SegmentId {
        let mut memory = self.memory();
        let number = memory.next_segment;
        memory.next_segment += 1;
        let maker = memory.log.expect("a task begins after its process has joined");
        SegmentId { process: self.id, maker, number }
    }

    /// The process has learned that it is fenced: it does nothing more.
    pub(super) fn end(&self) {
        self.note(|| "has lost its epoch, and ends".to_owned());
        self.memory().is_fenced = true;
    }
}
