//! The way of a request: claim its key, append its record, put the object, read the epoch, answer. And the join of a
//! process, which is how it comes to a log of its own.

use std::rc::Rc;

use crate::bucket::Name;
use crate::catalogue::{Catalogue, Claimed, Log, Record, Request};
use crate::memory::Attempt;
use crate::process::Process;
use crate::rules::Rule;

/// A process takes an epoch of its node by raising it, and has a log that nobody else writes to.
pub(super) async fn join(process: Process) {
    let node = process.node;
    let epoch = loop {
        let seen = process.look(move |catalogue| catalogue.epoch(node)).await;
        match process.transact("joins", move |catalogue| catalogue.raise(node, seen)).await {
            Some(true) => break seen + 1,
            Some(false) => {}
            // Somebody else may have raised it as well: what is read afterwards does not tell whose epoch it is.
            None if process.holds(Rule::EpochIsTakenNotAssumed) => {}
            None => {
                let now = process.look(move |catalogue| catalogue.epoch(node)).await;
                if now == seen + 1 {
                    break now;
                }
            }
        }
    };
    let log = Log { node, epoch };
    let directory = Rc::new(process.look(Catalogue::clone).await);
    let mut memory = process.memory();
    memory.log = Some(log);
    for dataset in 0..2 {
        let mark = directory.mark(dataset, log);
        memory.published.insert(dataset, mark);
        memory.next_sequence = memory.next_sequence.max(mark + 1);
    }
    memory.directory = directory;
    drop(memory);
    process.note(|| "has joined".to_owned());
    if !process.holds(Rule::RecordsCountByTheirObject) {
        recover(&process, log);
    }
}

/// What must not be done: to take what the local log holds for what was stored.
fn recover(process: &Process, log: Log) {
    let found = process.world().disks[process.machine].clone();
    let directory = Rc::clone(&process.memory().directory);
    let is_left = |record: &&Record| {
        record.log.node == log.node && record.sequence > directory.mark(record.request.dataset, record.log)
    };
    for record in found.iter().filter(is_left) {
        let again = process.memory().append(log, record.request);
        process.note(|| format!("takes {record:?} from its disk as {}", again.sequence));
    }
}

/// A request arrives.
pub(super) async fn ingest(process: Process, request: Request) {
    process.note(|| format!("is sent event {}", request.event));
    if request.has_key {
        if process.holds(Rule::OneAttemptAtATime) {
            let attempt = process.memory().attempts.get(&request.event).copied();
            match attempt {
                Some(Attempt::Running) => return,
                Some(Attempt::Landed(record)) => return acknowledge(&process, record).await,
                None => {}
            }
        }
        process.memory().attempts.insert(request.event, Attempt::Running);
        if process.holds(Rule::ClaimBeforeAppend) && !claim(&process, request).await {
            return;
        }
    }
    if !process.holds(Rule::EpochIsReadAfterPut) && !has_epoch(&process).await {
        return;
    }
    let log = process.log();
    let record = process.memory().append(log, request);
    process.world().disks[process.machine].push(record);
    if !process.holds(Rule::AnswerWaitsForObject) {
        answer(&process, record);
    }
    land(&process, record).await;
    acknowledge(&process, record).await;
}

/// Whether the request may be stored here. If it is stored already, its sender is told.
async fn claim(process: &Process, request: Request) -> bool {
    let (key, log) = (request.event, process.log());
    let claimed = process.transact("claims a key", move |catalogue| catalogue.claim(key, log)).await;
    match claimed {
        Some(Claimed::Mine) => return true,
        Some(Claimed::Stored(record)) => answer(process, record),
        // Whoever sends it again finds the claim, whatever became of it.
        Some(Claimed::ByAnother) | None => {}
    }
    process.memory().attempts.remove(&request.event);
    false
}

/// Waits until the record is in an object, and puts all that wait if nobody else does.
async fn land(process: &Process, record: Record) {
    loop {
        process.step().await;
        if process.memory().landed.contains(&record.sequence) {
            return;
        }
        if !process.memory().waiting.contains(&record) {
            continue;
        }
        let group = Rc::new(std::mem::take(&mut process.memory().waiting));
        let name = Name::Log(process.folder(process.log()), group[0].sequence);
        process.put(name, Rc::clone(&group)).await;
        process.memory().land(&group);
    }
}

async fn has_epoch(process: &Process) -> bool {
    let log = process.log();
    let has_epoch = process.look(move |catalogue| catalogue.is_current(log)).await;
    if !has_epoch {
        process.end();
    }
    has_epoch
}

/// Answers for a record whose object is there.
async fn acknowledge(process: &Process, record: Record) {
    let reads = process.holds(Rule::AnswerWaitsForEpoch) && process.holds(Rule::EpochIsReadAfterPut);
    if reads && !has_epoch(process).await {
        return;
    }
    process.step().await;
    answer(process, record);
}

fn answer(process: &Process, record: Record) {
    process.note(|| format!("acknowledges {record:?}"));
    process.world().ledger.acknowledge(record);
}
