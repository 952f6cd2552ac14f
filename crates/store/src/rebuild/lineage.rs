//! Which of the files that lie in the store hold the events of a dataset, each once. Beside those there may be the
//! inputs of a compaction that are not deleted yet, and what a process had written when it ended before publishing.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashSet;

use super::found::Found;

/// Segments that were written together.
struct Batch {
    siblings: Vec<String>,
    /// Those of them that are there.
    members: Vec<String>,
    replaces: Vec<String>,
    min_sequence: u64,
    max_sequence: u64,
    sequences: BTreeSet<u64>,
    /// Whether all that were written together are there.
    is_complete: bool,
    /// Whether a later compaction used one of them: then they were published.
    is_used: bool,
}

/// The segments that count. What is left out for another reason than being replaced is named in `skipped`.
pub(super) fn kept(found: Vec<Found>, logged: &BTreeSet<u64>, skipped: &mut Vec<String>) -> Vec<Found> {
    let present: HashSet<String> = found.iter().map(id_of).collect();
    let (merged, fresh): (Vec<Batch>, Vec<Batch>) =
        batches(&found, &present).into_iter().partition(|batch| !batch.replaces.is_empty());
    let mut out: HashSet<String> = HashSet::new();
    leave_out_replaced(merged, &present, &mut out, skipped);
    leave_out_twins(&fresh, &mut out, skipped);
    leave_out_unfinished(&fresh, &found, logged, &mut out, skipped);
    found.into_iter().filter(|found| !out.contains(&id_of(found))).collect()
}

fn id_of(found: &Found) -> String {
    found.segment.id.as_str().to_owned()
}

fn batches(found: &[Found], present: &HashSet<String>) -> Vec<Batch> {
    let used: HashSet<&String> = found.iter().flat_map(|found| &found.description.replaces).collect();
    let mut batches: BTreeMap<&[String], Batch> = BTreeMap::new();
    for one in found {
        let siblings = &one.description.siblings;
        let batch = batches.entry(siblings).or_insert_with(|| Batch {
            siblings: siblings.clone(),
            members: siblings.iter().filter(|sibling| present.contains(*sibling)).cloned().collect(),
            replaces: one.description.replaces.clone(),
            min_sequence: u64::MAX,
            max_sequence: 0,
            sequences: BTreeSet::new(),
            is_complete: siblings.iter().all(|sibling| present.contains(sibling)),
            is_used: siblings.iter().any(|sibling| used.contains(sibling)),
        });
        batch.min_sequence = batch.min_sequence.min(one.segment.min_sequence);
        batch.max_sequence = batch.max_sequence.max(one.segment.max_sequence);
        batch.sequences.extend(&one.sequences);
    }
    batches.into_values().collect()
}

/// Of a compaction either the outputs count or the inputs. Its outputs do, unless some are missing while all of the
/// inputs are still there: inputs are deleted only after the outputs were published.
fn leave_out_replaced(
    mut merged: Vec<Batch>,
    present: &HashSet<String>,
    out: &mut HashSet<String>,
    skipped: &mut Vec<String>,
) {
    // Among several with the same inputs, the one that was surely published, else the newest.
    merged.sort_by(|a, b| (b.is_used, &b.siblings).cmp(&(a.is_used, &a.siblings)));
    let mut replaced: HashSet<String> = HashSet::new();
    for batch in merged {
        let is_done_already = batch.replaces.iter().any(|input| replaced.contains(input));
        let has_inputs = batch.replaces.iter().all(|input| present.contains(input));
        if is_done_already || (!batch.is_complete && has_inputs) {
            leave_out(&batch, "a compaction wrote it and did not publish it", out, skipped);
        } else {
            replaced.extend(batch.replaces);
        }
    }
    out.extend(replaced);
}

/// Flushes take one stretch of sequences after the other. Where two overlap, one of them was not published.
fn leave_out_twins(fresh: &[Batch], out: &mut HashSet<String>, skipped: &mut Vec<String>) {
    let rank = |batch: &Batch| (batch.is_used, batch.is_complete, batch.max_sequence);
    let mut order: Vec<&Batch> = fresh.iter().collect();
    order.sort_by(|a, b| (rank(b), &b.siblings).cmp(&(rank(a), &a.siblings)));
    let mut taken: Vec<&Batch> = Vec::new();
    for batch in order {
        let overlaps = |other: &&Batch| {
            batch.min_sequence <= other.max_sequence && other.min_sequence <= batch.max_sequence
        };
        if taken.iter().any(overlaps) {
            leave_out(batch, "its events are in a later segment too", out, skipped);
        } else {
            taken.push(batch);
        }
    }
}

/// The newest flush may have been cut short. If the WAL still has all of it, the WAL is right.
fn leave_out_unfinished(
    fresh: &[Batch],
    found: &[Found],
    logged: &BTreeSet<u64>,
    out: &mut HashSet<String>,
    skipped: &mut Vec<String>,
) {
    for batch in fresh.iter().filter(|batch| !batch.is_complete && batch.sequences.is_subset(logged)) {
        let is_later = |found: &&Found| {
            let id = id_of(found);
            found.flushed() >= batch.min_sequence && !batch.siblings.contains(&id) && !out.contains(&id)
        };
        if !found.iter().any(|found| is_later(&found)) {
            leave_out(batch, "a flush was cut short, and the write-ahead log has its events", out, skipped);
        }
    }
}

fn leave_out(batch: &Batch, why: &str, out: &mut HashSet<String>, skipped: &mut Vec<String>) {
    for member in &batch.members {
        if out.insert(member.clone()) {
            skipped.push(format!("{member}: {why}"));
        }
    }
}
