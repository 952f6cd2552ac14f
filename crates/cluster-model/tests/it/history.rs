//! A history: what happens next is drawn, of the steps of all tasks and of all that clients, operators and misfortune
//! do. In the end nothing is left but the catalogue and the object store, and all that was promised must be there.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Waker};

use crate::adopt::adopt;
use crate::catalogue::{GRACE, Request};
use crate::ingest::{ingest, join};
use crate::ledger::{Kind, Wrong};
use crate::memory::Memory;
use crate::process::Process;
use crate::publish::{collect_garbage, flush, merge};
use crate::read::read;
use crate::rules::Rules;
use crate::tape::{Draws, Tape};
use crate::world::{Condition, MACHINES, Seen, World};

/// How many tasks a process has at most.
const TASKS: usize = 6;

/// No task needs so many steps where nothing goes wrong.
const STEPS_OF_A_CALM_TASK: u32 = 2000;

type Task = Pin<Box<dyn Future<Output = ()>>>;

#[derive(Clone, Copy, Debug)]
enum Act {
    Step,
    Send,
    SendAgain,
    Ask,
    Flush,
    Release,
    Refresh,
    Adopt,
    Merge,
    CollectGarbage,
    Start,
    Kill,
    Pause,
    Resume,
    Burn,
    LateTransaction,
    LateObject,
    Time,
}

/// What may happen, and how often beside the steps of tasks: of each pair of numbers one is chosen for a history.
const ACTS: [(Act, [u32; 3]); 18] = [
    (Act::Step, [150, 300, 60]),
    (Act::Send, [6, 12, 3]),
    (Act::SendAgain, [6, 12, 0]),
    (Act::Ask, [8, 12, 4]),
    (Act::Flush, [6, 12, 2]),
    (Act::Release, [3, 8, 0]),
    (Act::Refresh, [3, 8, 1]),
    (Act::Adopt, [2, 6, 1]),
    (Act::Merge, [2, 6, 0]),
    (Act::CollectGarbage, [2, 6, 0]),
    (Act::Start, [4, 8, 2]),
    (Act::Kill, [1, 3, 0]),
    (Act::Pause, [2, 5, 0]),
    (Act::Resume, [3, 6, 1]),
    (Act::Burn, [1, 2, 0]),
    (Act::LateTransaction, [2, 6, 1]),
    (Act::LateObject, [2, 6, 1]),
    (Act::Time, [2, 8, 0]),
];

/// What came of a history.
pub(super) struct Came {
    pub(super) draws: Draws,
    pub(super) wrong: Option<Wrong>,
    pub(super) notes: Vec<String>,
}

struct Running {
    process: Process,
    tasks: Vec<Task>,
}

struct History {
    world: Rc<RefCell<World>>,
    rules: Rules,
    processes: Vec<Running>,
    nodes: u32,
    datasets: u32,
    weights: Vec<(Act, u32)>,
}

/// Lives one history.
pub(super) fn live(rules: Rules, tape: Tape, is_written_down: bool) -> Came {
    let world = Rc::new(RefCell::new(World::new(rules, tape, is_written_down)));
    let mut history = History::laid_out(Rc::clone(&world), rules);
    let steps = 200 + 200 * world.borrow_mut().tape.below(4);
    for machine in 0..history.nodes as usize {
        history.start_on(machine, machine as u32);
    }
    for _ in 0..steps {
        if history.is_over() || !world.borrow_mut().tape.next_step() {
            break;
        }
        history.act();
    }
    if !history.is_over() {
        history.audit();
    }
    drop(history);
    let mut world = world.borrow_mut();
    let tape = std::mem::replace(&mut world.tape, Tape::of_draws(Vec::new()));
    Came { draws: tape.into_draws(), wrong: world.ledger.wrong.clone(), notes: world.take_notes() }
}

impl History {
    fn laid_out(world: Rc<RefCell<World>>, rules: Rules) -> Self {
        let mut laid_out = world.borrow_mut();
        laid_out.trouble = [8, 4, 20][laid_out.tape.below(3) as usize];
        let nodes = 2 + laid_out.tape.below(2);
        let datasets = 1 + laid_out.tape.below(2);
        let mut weight = |choices: [u32; 3]| choices[laid_out.tape.below(3) as usize];
        let weights = ACTS.map(|(act, choices)| (act, weight(choices))).to_vec();
        drop(laid_out);
        Self { world, rules, processes: Vec::new(), nodes, datasets, weights }
    }

    fn is_over(&self) -> bool {
        self.world.borrow().ledger.wrong.is_some()
    }

    fn below(&self, end: u32) -> u32 {
        self.world.borrow_mut().tape.below(end)
    }

    fn act(&mut self) {
        let mut drawn = self.below(self.weights.iter().map(|(_, weight)| weight).sum());
        for (act, weight) in &self.weights {
            if drawn < *weight {
                return self.perform(*act);
            }
            drawn -= weight;
        }
    }

    fn perform(&mut self, act: Act) {
        let dataset = self.below(self.datasets);
        match act {
            Act::Step => self.step(),
            Act::Send => {
                let has_key = self.below(3) < 2;
                self.begin(|history, process| {
                    let request = history.world.borrow_mut().ledger.new_request(dataset, has_key);
                    Some(Box::pin(ingest(process, request)))
                });
            }
            Act::SendAgain => self.begin(|history, process| {
                let mut world = history.world.borrow_mut();
                let sent = world.ledger.with_keys();
                Some(Box::pin(ingest(process, world.tape.pick(&sent)?)))
            }),
            Act::Ask => self.begin(|_, process| Some(Box::pin(read(process, dataset)))),
            Act::Flush => self.begin(|_, process| Some(Box::pin(flush(process, dataset)))),
            Act::Merge => self.begin(|_, process| Some(Box::pin(merge(process, dataset)))),
            Act::CollectGarbage => self.begin(|_, process| Some(Box::pin(collect_garbage(process)))),
            Act::Refresh => self.begin(|_, process| {
                Some(Box::pin(async move {
                    process.refresh().await;
                }))
            }),
            Act::Release => self.begin(|_, process| {
                process.note(|| format!("lets go of frames of dataset {dataset}"));
                process.memory().release(dataset);
                None
            }),
            Act::Adopt => self.begin(|history, process| {
                let mut world = history.world.borrow_mut();
                let mut logs = world.catalogue.open_logs();
                logs.retain(|log| *log != process.log());
                Some(Box::pin(adopt(process, world.tape.pick(&logs)?)))
            }),
            Act::Start => self.start(),
            Act::Kill => self.change_one(Condition::Running, Condition::Dead),
            Act::Pause => self.change_one(Condition::Running, Condition::Paused),
            Act::Resume => self.change_one(Condition::Paused, Condition::Running),
            Act::Burn => self.burn(),
            Act::LateTransaction => self.world.borrow_mut().settle_late_transaction(),
            Act::LateObject => self.world.borrow_mut().settle_late_object(),
            Act::Time => {
                let mut world = self.world.borrow_mut();
                let time = [1, 4, GRACE + 2][world.tape.below(3) as usize];
                world.catalogue.now += time;
                world.note(|| format!("{time} goes by"));
            }
        }
    }

    fn those(&self, is_meant: impl Fn(&Running, &Seen) -> bool) -> Vec<usize> {
        let world = self.world.borrow();
        let pairs = self.processes.iter().zip(&world.processes).enumerate();
        pairs.filter(|(_, (running, seen))| is_meant(running, seen)).map(|(id, _)| id).collect()
    }

    /// A process is given something to do, if one is there that has joined and is not busy.
    fn begin(&mut self, task: impl FnOnce(&Self, Process) -> Option<Task>) {
        let ids = self.those(|running, seen| {
            let has_joined = seen.memory.borrow().log.is_some();
            seen.condition == Condition::Running && has_joined && running.tasks.len() < TASKS
        });
        let picked = self.world.borrow_mut().tape.pick(&ids);
        let Some(id) = picked else { return };
        let task = task(self, self.processes[id].process.clone());
        self.processes[id].tasks.extend(task);
    }

    /// A task of a running process makes a step.
    fn step(&mut self) {
        let ids =
            self.those(|running, seen| seen.condition == Condition::Running && !running.tasks.is_empty());
        let picked = self.world.borrow_mut().tape.pick(&ids);
        let Some(id) = picked else { return };
        let task = self.below(self.processes[id].tasks.len() as u32) as usize;
        let running = &mut self.processes[id];
        if running.tasks[task].as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready() {
            drop(running.tasks.remove(task));
        }
        if running.process.memory.borrow().is_fenced {
            self.change(id, Condition::Dead);
        }
    }

    fn change(&mut self, id: usize, condition: Condition) {
        let mut world = self.world.borrow_mut();
        world.note(|| format!("process {id} is now {condition:?}"));
        world.processes[id].condition = condition;
        drop(world);
        if condition == Condition::Dead {
            self.processes[id].tasks.clear();
        }
    }

    /// Something happens to one of the processes that are in some condition.
    fn change_one(&mut self, from: Condition, to: Condition) {
        let ids = self.those(|_, seen| seen.condition == from);
        let picked = self.world.borrow_mut().tape.pick(&ids);
        if let Some(id) = picked {
            self.change(id, to);
        }
    }

    /// A process starts on a machine that has none. Another one of its node may still be there, on another machine.
    fn start(&mut self) {
        let alive = self.those(|_, seen| seen.condition != Condition::Dead);
        let (machines, nodes): (Vec<usize>, Vec<u32>) = {
            let world = self.world.borrow();
            alive.iter().map(|id| (world.processes[*id].machine, world.processes[*id].node)).unzip()
        };
        let free: Vec<usize> = (0..MACHINES).filter(|machine| !machines.contains(machine)).collect();
        let absent: Vec<u32> = (0..self.nodes).filter(|node| !nodes.contains(node)).collect();
        let picked = self.world.borrow_mut().tape.pick(&free);
        let Some(machine) = picked else { return };
        let node = match absent.is_empty() || self.below(4) == 3 {
            true => self.below(self.nodes),
            false => absent[self.below(absent.len() as u32) as usize],
        };
        self.start_on(machine, node);
    }

    fn start_on(&mut self, machine: usize, node: u32) -> usize {
        let memory = Rc::new(RefCell::new(Memory::new(self.rules)));
        let id = self.processes.len();
        let seen = Seen { node, machine, condition: Condition::Running, memory: Rc::clone(&memory) };
        let mut world = self.world.borrow_mut();
        world.note(|| format!("process {id} starts as node {node} on machine {machine}"));
        world.processes.push(seen);
        drop(world);
        let process = Process { id, node, machine, world: Rc::clone(&self.world), memory };
        let task: Task = Box::pin(join(process.clone()));
        self.processes.push(Running { process, tasks: vec![task] });
        id
    }

    /// A machine is lost with all that it has.
    fn burn(&mut self) {
        let machine = self.below(MACHINES as u32) as usize;
        let ids = self.those(|_, seen| seen.machine == machine && seen.condition != Condition::Dead);
        ids.into_iter().for_each(|id| self.change(id, Condition::Dead));
        let mut world = self.world.borrow_mut();
        world.note(|| format!("machine {machine} burns"));
        world.disks[machine].clear();
    }

    /// All processes and disks are gone. One new process has the rest: what was promised must be there, whatever was on
    /// its way arrives or not, and every request that is sent again gets an answer.
    fn audit(&mut self) {
        self.world.borrow_mut().tape.next_step();
        self.world
            .borrow_mut()
            .note(|| "the end: everything burns but the catalogue and the bucket".to_owned());
        self.those(|_, seen| seen.condition != Condition::Dead)
            .into_iter()
            .for_each(|id| self.change(id, Condition::Dead));
        let mut world = self.world.borrow_mut();
        world.disks.iter_mut().for_each(Vec::clear);
        world.settle_all();
        world.trouble = 0;
        let with_keys = world.ledger.with_keys();
        drop(world);
        let id = self.start_on(0, 0);
        let process = self.processes[id].process.clone();
        let join = self.processes[id].tasks.remove(0);
        self.finish(join);
        if self.is_over() {
            return;
        }
        let mut logs = self.world.borrow().catalogue.open_logs();
        logs.retain(|log| *log != process.log());
        for log in logs {
            self.finish(Box::pin(adopt(process.clone(), log)));
        }
        self.ask_all(&process);
        with_keys.iter().for_each(|request| self.send_again(&process, *request));
        for dataset in 0..self.datasets {
            self.finish(Box::pin(flush(process.clone(), dataset)));
            process.memory().release(dataset);
        }
        self.ask_all(&process);
        for dataset in 0..self.datasets {
            self.finish(Box::pin(merge(process.clone(), dataset)));
        }
        self.world.borrow_mut().catalogue.now += 2 * GRACE;
        self.finish(Box::pin(collect_garbage(process.clone())));
        self.ask_all(&process);
    }

    fn ask_all(&mut self, process: &Process) {
        for dataset in 0..self.datasets {
            let process = process.clone();
            self.finish(Box::pin(async move {
                process.refresh().await;
                read(process, dataset).await;
            }));
        }
    }

    fn send_again(&mut self, process: &Process, request: Request) {
        self.finish(Box::pin(ingest(process.clone(), request)));
        let mut world = self.world.borrow_mut();
        if !world.ledger.is_acknowledged(request.event) {
            let what = format!("event {} is sent again and again in vain", request.event);
            world.ledger.wrong.get_or_insert(Wrong::new(Kind::Stuck, what));
        }
    }

    /// Does a task to its end, if nothing has gone wrong so far.
    fn finish(&mut self, mut task: Task) {
        for _ in 0..STEPS_OF_A_CALM_TASK {
            let is_over = self.is_over();
            if is_over || task.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready() {
                return;
            }
        }
        let what = "a task does not end although nothing goes wrong any more".to_owned();
        self.world.borrow_mut().ledger.wrong.get_or_insert(Wrong::new(Kind::Stuck, what));
    }
}
