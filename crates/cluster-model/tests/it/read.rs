//! A query: segments of the directory, which may be old, and of every log that is open in it what lies above the marks,
//! from its node or from its objects. Then a look at the catalogue, whether all that was still so.

use std::rc::Rc;

use crate::bucket::Name;
use crate::catalogue::{Catalogue, GRACE, Log, Record};
use crate::memory::Frames;
use crate::process::Process;
use crate::rules::Rule;

/// How often a reader begins anew before it gives up with an error.
const ATTEMPTS: u32 = 4;

pub(super) async fn read(process: Process, dataset: u32) {
    let owed = process.world().ledger.owed(dataset);
    process.note(|| format!("is asked for dataset {dataset}, in which {owed:?} must be"));
    let mut directory = Rc::clone(&process.memory().directory);
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            process.note(|| "begins anew".to_owned());
            directory = process.refresh().await;
        }
        if let Some(rows) = try_read(&process, dataset, &directory).await {
            process.note(|| format!("answers with {:?}", events(&rows)));
            return process.world().ledger.examine_answer(&owed, &rows);
        }
    }
}

fn events(rows: &[Record]) -> Vec<u32> {
    rows.iter().map(|row| row.request.event).collect()
}

/// `None` if this has to be tried again with a newer directory.
async fn try_read(process: &Process, dataset: u32, directory: &Rc<Catalogue>) -> Option<Vec<Record>> {
    let looks_last = process.holds(Rule::ReadersLookLast);
    if !looks_last && !is_as_seen(process, directory).await {
        return None;
    }
    let marks = match process.holds(Rule::SegmentsAndMarksOfOneCommit) {
        true => Rc::clone(directory),
        false => Rc::new(process.look(Catalogue::clone).await),
    };
    let mut rows = Vec::new();
    for log in directory.open_logs() {
        rows.extend(read_log(process, dataset, log, &marks).await?);
    }
    for segment in directory.segments.values().filter(|segment| segment.dataset == dataset) {
        rows.extend(process.get(Name::Segment(segment.id)).await?.iter().copied());
    }
    if looks_last && !is_as_seen(process, directory).await {
        return None;
    }
    Some(rows)
}

/// Whether the logs are still those of the directory, and nothing of what was read can have been deleted before.
async fn is_as_seen(process: &Process, directory: &Catalogue) -> bool {
    let (counter, now) = process.look(|catalogue| (catalogue.counter, catalogue.now)).await;
    let are_same = counter == directory.counter || !process.holds(Rule::ReadersLookAtTheCounter);
    let is_young = now - directory.now <= GRACE || !process.holds(Rule::AnswersHaveAnAge);
    are_same && is_young
}

/// What a log has of a dataset above its mark.
async fn read_log(process: &Process, dataset: u32, log: Log, marks: &Catalogue) -> Option<Vec<Record>> {
    let mark = marks.mark(dataset, log);
    let is_own = log == process.log();
    if !is_own && !process.holds(Rule::ReadersAskAllNodes) {
        return Some(Vec::new());
    }
    let rule = match marks.raised.contains(&log) {
        true => Rule::RaisedLogsAreReadFromObjects,
        false => {
            match ask(process, dataset, log, mark).await {
                Some(Frames::Records(records)) => return Some(records),
                Some(Frames::Stale) => return None,
                None => {}
            }
            Rule::SilentNodesAreReadFromObjects
        }
    };
    if !process.holds(rule) {
        return Some(Vec::new());
    }
    let records = process.read_objects(log).await?;
    let is_meant = |record: &Record| record.request.dataset == dataset && record.sequence > mark;
    Some(records.into_iter().filter(is_meant).collect())
}

/// Asks the process that has a log for its frames. `None` if nobody answers.
async fn ask(process: &Process, dataset: u32, log: Log, mark: u32) -> Option<Frames> {
    process.step().await;
    let memory = match log == process.log() {
        true => Some(Rc::clone(&process.memory)),
        false => process.world().reach(log),
    };
    let frames = memory.map(|memory| memory.borrow().frames(dataset, mark));
    process.note(|| format!("asks {log:?} for what is above {mark}: {frames:?}"));
    process.step().await;
    frames
}
