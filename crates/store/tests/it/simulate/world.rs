//! The world of a history: its clock, its bucket, the disks of its nodes, and what is to go wrong. Every call of a node
//! to the outside comes through here, one after the other, and is written down; so the same seed is the same history.

use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tempfile::TempDir;
use tidegauge_catalog::context::{CatalogContext, Point};
use tidegauge_model::time::ManualClock;
use tidegauge_model::{Clock, Timestamp};
use tokio::sync::Notify;

use super::disk::Durable;
use super::faults::{Fault, Plan, Sabotage, Verdict};
use super::objects::Bucket;
use crate::house::START;

/// How many processes there are on the catalogue, of which one writes.
pub(super) const NODES: usize = 2;

#[derive(Debug)]
pub(super) struct World {
    pub(super) folder: TempDir,
    pub(super) clock: Arc<ManualClock>,
    pub(super) bucket: Bucket,
    /// Whether a request to the bucket ends when its sender hears so.
    pub(super) is_local: bool,
    pub(super) sabotage: Option<Sabotage>,
    pub(super) disks: [Mutex<Durable>; NODES],
    state: Mutex<State>,
    /// Told when a process has died, or waits for something to come in between.
    told: Notify,
    /// Told when that has come.
    resumed: Notify,
}

#[derive(Debug, Default)]
struct State {
    written_down: Vec<String>,
    /// The number of the present life of each node; none has the number of an earlier one.
    lives: [u64; NODES],
    is_dead: [bool; NODES],
    /// What is to go wrong now, for which node, and how many calls it has made since that was decided.
    plan: Option<(usize, Plan, u64)>,
    is_paused: bool,
    /// Whether calls are not written down: somebody looks, and changes nothing.
    is_quiet: bool,
    has_been_full: bool,
}

/// How a call leaves a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Door {
    Disk,
    /// Something else may come in between.
    Waits,
    Passes,
}

/// What a piece of work has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    Died,
    Paused,
}

impl World {
    pub(super) fn new(is_local: bool, sabotage: Option<Sabotage>) -> Arc<Self> {
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
        Arc::new(Self {
            folder: folder.unwrap(),
            clock: Arc::new(ManualClock::at(Timestamp::from_micros(START))),
            bucket: Bucket::default(),
            is_local,
            sabotage,
            disks: Default::default(),
            state: Mutex::default(),
            told: Notify::new(),
            resumed: Notify::new(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn note(&self, line: String) {
        self.lock().written_down.push(line);
    }

    pub(super) fn written_down(&self) -> Vec<String> {
        self.lock().written_down.clone()
    }

    /// A node begins another life.
    pub(super) fn begin_life(self: &Arc<Self>, node: usize) -> Life {
        let mut state = self.lock();
        state.lives[node] += 1;
        state.is_dead[node] = false;
        Life { world: Arc::clone(self), node, number: state.lives[node] }
    }

    /// Ends the life of a node: what it has begun is not done any more.
    pub(super) fn end_life(&self, node: usize) {
        let mut state = self.lock();
        state.lives[node] += 1;
        state.is_dead[node] = true;
    }

    pub(super) fn is_dead(&self, node: usize) -> bool {
        self.lock().is_dead[node]
    }

    /// From now on these things go wrong for a node. Gives what was to go wrong before.
    pub(super) fn set_plan(&self, plan: Option<(usize, Plan, u64)>) -> Option<(usize, Plan, u64)> {
        std::mem::replace(&mut self.lock().plan, plan)
    }

    /// A disk has had no space.
    pub(super) fn note_full(&self) {
        self.lock().has_been_full = true;
    }

    pub(super) fn has_been_full(&self) -> bool {
        self.lock().has_been_full
    }

    pub(super) fn set_quiet(&self, is_quiet: bool) {
        self.lock().is_quiet = is_quiet;
    }

    /// Waits until a node has died, or waits for something else to be done.
    pub(super) async fn told(&self, node: usize) -> Told {
        loop {
            let told = self.told.notified();
            tokio::pin!(told);
            // From here on it hears of it, also before it waits.
            told.as_mut().enable();
            let (is_dead, is_paused) = {
                let mut state = self.lock();
                (state.is_dead[node], std::mem::take(&mut state.is_paused))
            };
            match (is_dead, is_paused) {
                (true, _) => return Told::Died,
                (_, true) => return Told::Paused,
                _ => told.await,
            }
        }
    }

    pub(super) fn resume(&self) {
        self.resumed.notify_waiters();
    }

    /// What becomes of a call of a node.
    fn enter(&self, node: usize, life: u64, call: &str, way: Door) -> Verdict {
        let mut state = self.lock();
        if state.lives[node] != life || state.is_dead[node] {
            return Verdict::Dead;
        }
        let verdict = match &mut state.plan {
            Some((of, plan, calls)) if *of == node => {
                *calls += 1;
                plan.at(*calls - 1, way == Door::Waits, way == Door::Disk)
            }
            _ => Verdict::Go,
        };
        if !state.is_quiet {
            let why = if verdict == Verdict::Go { String::new() } else { format!(" -- {verdict:?}") };
            state.written_down.push(format!("    {node}: {call}{why}"));
        }
        verdict
    }

    async fn enter_and_wait(&self, node: usize, life: u64, call: &str, way: Door) -> Verdict {
        let verdict = self.enter(node, life, call, way);
        if verdict == Verdict::Pause {
            let resumed = self.resumed.notified();
            tokio::pin!(resumed);
            // From here on it hears of it, also before it waits.
            resumed.as_mut().enable();
            self.lock().is_paused = true;
            self.told.notify_waiters();
            resumed.await;
            return Verdict::Go;
        }
        verdict
    }

    fn die(&self, node: usize, life: u64) {
        let mut state = self.lock();
        if state.lives[node] == life {
            state.is_dead[node] = true;
        }
        drop(state);
        self.told.notify_waiters();
    }
}

/// One life of a node, from its start to its end. What was begun in it does nothing after it.
#[derive(Clone, Debug)]
pub(super) struct Life {
    world: Arc<World>,
    node: usize,
    number: u64,
}

impl Life {
    pub(super) fn world(&self) -> &World {
        &self.world
    }

    pub(super) fn bucket(&self) -> &Bucket {
        &self.world.bucket
    }

    pub(super) fn durable(&self) -> MutexGuard<'_, Durable> {
        self.world.disks[self.node].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A path as it is written down: without the folder of the history, whose name is another each time.
    pub(super) fn shown(&self, path: &Path) -> String {
        path.strip_prefix(self.world.folder.path()).unwrap_or(path).display().to_string()
    }

    pub(super) fn enter(&self, call: &str) -> Verdict {
        self.world.enter(self.node, self.number, call, Door::Disk)
    }

    pub(super) async fn enter_and_wait(&self, call: &str) -> Verdict {
        self.world.enter_and_wait(self.node, self.number, call, Door::Waits).await
    }

    pub(super) fn die(&self) {
        self.world.die(self.node, self.number);
    }

    pub(super) async fn die_and_never_answer<T>(&self) -> T {
        self.die();
        std::future::pending().await
    }
}

/// The way from a node to the database, in whichever life.
#[derive(Debug)]
pub(super) struct Way {
    pub(super) world: Arc<World>,
    pub(super) node: usize,
}

/// Who waits at these places has something that others need: the lease, or the order in which it is asked for.
const NO_WAITING: [&str; 2] = ["lease.rs", "db.rs"];

impl Way {
    async fn passes(&self, point: Point, place: &'static str) -> bool {
        let file = place.rsplit('/').next().unwrap_or(place);
        let can_wait = point != Point::Commit && !NO_WAITING.contains(&file);
        let life = self.world.lock().lives[self.node];
        let call = format!("catalogue {point:?} {file}");
        let way = if can_wait { Door::Waits } else { Door::Passes };
        match self.world.enter_and_wait(self.node, life, &call, way).await {
            Verdict::Go | Verdict::Pause => true,
            Verdict::Dead | Verdict::Fail(Fault::CrashBefore | Fault::CrashAfter) => {
                self.world.die(self.node, life);
                std::future::pending().await
            }
            Verdict::Fail(_) => false,
        }
    }
}

impl CatalogContext for Way {
    fn now(&self) -> Timestamp {
        self.world.clock.now()
    }

    fn pass(&self, point: Point, place: &'static str) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
        Box::pin(self.passes(point, place))
    }
}
