//! Adoption: a process ends the log of a node that it takes for silent, rightly or not, or of the epoch before its own.
//! It raises the epoch, lists the objects, and publishes what is above the marks.

use std::rc::Rc;

use crate::bucket::Name;
use crate::catalogue::{Catalogue, Log, Published, Record, Segment};
use crate::process::Process;
use crate::rules::Rule;

pub(super) async fn adopt(process: Process, log: Log) {
    let raises_first = process.holds(Rule::RaiseBeforeList);
    if raises_first && !raise(&process, log).await {
        return;
    }
    let marks = match process.holds(Rule::AdoptionReadsMarksAfterRaise) {
        true => Rc::new(process.look(Catalogue::clone).await),
        false => Rc::clone(&process.memory().directory),
    };
    if marks.adopted.contains_key(&log) {
        return;
    }
    let Some(records) = process.read_objects(log).await else { return };
    let segments = cut(&process, &marks, log, &records);
    for segment in &segments {
        process.put(Name::Segment(segment.id), Rc::new(segment.rows.clone())).await;
    }
    let adopter = process.log();
    loop {
        let segments = segments.clone();
        let adopted = process.transact("publishes an adoption", move |catalogue| {
            if !raises_first {
                catalogue.raise(log.node, log.epoch);
            }
            catalogue.adopt(adopter, log, segments)
        });
        match adopted.await {
            Some(Published::Fenced) => return process.end(),
            Some(Published::Done | Published::Conflict) => return,
            None => {
                let is_over = process.look(move |catalogue| catalogue.adopted.contains_key(&log)).await;
                // It may try again, or leave it to whoever comes next.
                if is_over || process.world().tape.one_in(3) {
                    return;
                }
            }
        }
    }
}

/// Makes sure that the epoch was raised, by whoever it was.
async fn raise(process: &Process, log: Log) -> bool {
    while process.look(move |catalogue| catalogue.is_current(log)).await {
        let raised =
            process.transact("raises an epoch", move |catalogue| catalogue.raise(log.node, log.epoch)).await;
        if raised.is_none() && process.world().tape.one_in(3) {
            return false;
        }
    }
    true
}

/// Makes a segment for each dataset.
fn cut(process: &Process, marks: &Catalogue, log: Log, records: &[Record]) -> Vec<Segment> {
    let all = !process.holds(Rule::AdoptionTakesWhatIsAboveMarks);
    let mut segments = Vec::new();
    for dataset in 0..2 {
        let is_meant = |record: &&Record| {
            record.request.dataset == dataset && (all || record.sequence > marks.mark(dataset, log))
        };
        let rows: Vec<Record> = records.iter().filter(is_meant).copied().collect();
        if !rows.is_empty() {
            segments.push(Segment { id: process.next_segment(), dataset, rows });
        }
    }
    process.note(|| format!("adopts {log:?} with {segments:?}"));
    segments
}
