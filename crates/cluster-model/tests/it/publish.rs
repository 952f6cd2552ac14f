//! What makes segments: the flush of a buffer, the merge of segments. And what takes objects away that nobody needs.

use std::rc::Rc;

use crate::bucket::Name;
use crate::catalogue::{Flush, Published, Segment, SegmentId};
use crate::process::Process;
use crate::rules::Rule;

/// Publishes what the buffer has of a dataset. One at a time for each dataset.
pub(super) async fn flush(process: Process, dataset: u32) {
    if !process.memory().flushing.insert(dataset) {
        return;
    }
    if let Some(flush) = cut(&process, dataset) {
        process.put(Name::Segment(flush.segment.id), Rc::new(flush.segment.rows.clone())).await;
        publish(&process, flush).await;
    }
    process.memory().flushing.remove(&dataset);
}

fn cut(process: &Process, dataset: u32) -> Option<Flush> {
    let (from, (rows, upto)) = {
        let memory = process.memory();
        (memory.published(dataset), memory.to_flush(dataset))
    };
    if rows.is_empty() {
        return None;
    }
    let segment = Segment { id: process.next_segment(), dataset, rows };
    process.note(|| format!("flushes dataset {dataset} from {from} to {upto}"));
    Some(Flush { log: process.log(), segment, from, upto })
}

async fn publish(process: &Process, flush: Flush) {
    let dataset = flush.segment.dataset;
    loop {
        match transact(process, flush.clone()).await {
            Some(Published::Done) => {
                process.memory().published.insert(dataset, flush.upto);
                return;
            }
            Some(Published::Fenced) => return process.end(),
            Some(Published::Conflict) => return follow_mark(process, dataset).await,
            None if process.holds(Rule::LostAnswersAreLookedUp) => {
                follow_mark(process, dataset).await;
                let is_over = process.memory().published(dataset) != flush.from;
                // It may try again as it was, or cut another segment later.
                if is_over || process.world().tape.one_in(3) {
                    return;
                }
            }
            None => {
                let name = Name::Segment(flush.segment.id);
                process.note(|| "takes it for failed, and deletes its segment".to_owned());
                return process.world().bucket.delete(name);
            }
        }
    }
}

async fn transact(process: &Process, flush: Flush) -> Option<Published> {
    if process.holds(Rule::FlushIsOneTransaction) {
        return process.transact("publishes a flush", move |catalogue| catalogue.flush(flush)).await;
    }
    let half = flush.clone();
    let named = process.transact("names a segment", move |catalogue| catalogue.flush_segment(&half)).await?;
    if named == Published::Done {
        process.transact("moves a mark", move |catalogue| catalogue.flush_mark(&flush)).await?;
    }
    Some(named)
}

/// What is below the mark is published, by whatever transaction.
async fn follow_mark(process: &Process, dataset: u32) {
    let log = process.log();
    let mark = process.look(move |catalogue| catalogue.mark(dataset, log)).await;
    process.note(|| format!("finds the mark of dataset {dataset} at {mark}"));
    process.memory().published.insert(dataset, mark);
}

/// Merges two segments of a dataset that the directory names.
pub(super) async fn merge(process: Process, dataset: u32) {
    let directory = Rc::clone(&process.memory().directory);
    let of_dataset = directory.segments.values().filter(|segment| segment.dataset == dataset);
    let inputs: Vec<SegmentId> = of_dataset.map(|segment| segment.id).take(2).collect();
    if inputs.len() < 2 {
        return;
    }
    let mut rows = Vec::new();
    for input in &inputs {
        let Some(found) = process.get(Name::Segment(*input)).await else { return };
        rows.extend(found.iter().copied());
    }
    let merged = Segment { id: process.next_segment(), dataset, rows };
    let log = process.log();
    process.put(Name::Segment(merged.id), Rc::new(merged.rows.clone())).await;
    let what = "publishes a merge";
    let done = process.transact(what, move |catalogue| catalogue.merge(log, &inputs, merged)).await;
    if done == Some(Published::Fenced) {
        process.end();
    }
}

/// Deletes what nobody needs: lists, looks what is needed, deletes.
pub(super) async fn collect_garbage(process: Process) {
    process.step().await;
    let names = process.world().bucket.list_all();
    let catalogue = process.look(Clone::clone).await;
    for name in names {
        let is_garbage = match name {
            Name::Segment(id) => catalogue.is_orphan(id),
            Name::Log(log, _) => {
                let rows = process.world().bucket.get(name);
                rows.is_some_and(|rows| catalogue.needs_no_more(log, &rows))
            }
        };
        if is_garbage {
            process.step().await;
            process.note(|| format!("deletes {name:?}"));
            let mut world = process.world();
            world.bucket.delete(name);
            world.examine_commit();
        }
    }
}
