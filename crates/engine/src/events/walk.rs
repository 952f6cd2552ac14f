//! The walk along time: blocks from the wanted end on, several threads at once, with a heap of the best rows so far.

use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tidegauge_exec::expr::Picked;
use tidegauge_model::RowId;
use tidegauge_store::Block;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::memory::Memory;
use super::search::{Budget, Finds, Found};
use crate::scan::{Scan, Selected};
use crate::turns::{self, in_turns};
use crate::{Error, Result};

/// While fewer rows were looked at, the walk goes on to count all that match, so that small data has exact figures.
const COUNTED_ROWS: u64 = 512 * 1024;

/// A found row, by how soon it is wanted: the greatest is the one to let go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Candidate {
    found: Found,
    is_descending: bool,
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.found.id.order_by_time(&other.found.id, self.is_descending)
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// What the threads of a walk share.
struct Walk {
    scan: Arc<Scan>,
    is_descending: bool,
    limit: usize,
    deadline: Instant,
    best: Mutex<BinaryHeap<Candidate>>,
    memory: Arc<Memory>,
    /// Bytes of memory for the best rows.
    taken: AtomicUsize,
    is_late: AtomicBool,
    /// For each block whether it was looked at in full.
    done: Vec<AtomicBool>,
}

/// Finds the first rows in the order of time.
pub(super) async fn run(
    scan: &Arc<Scan>,
    is_descending: bool,
    limit: usize,
    budget: &Budget,
) -> Result<Finds> {
    let walk = Arc::new(Walk {
        scan: Arc::clone(scan),
        is_descending,
        limit,
        deadline: budget.deadline,
        best: Mutex::default(),
        memory: Arc::clone(&budget.memory),
        taken: AtomicUsize::new(0),
        is_late: AtomicBool::new(false),
        done: scan.blocks.iter().map(|_| AtomicBool::new(false)).collect(),
    });
    let mut threads = JoinSet::new();
    for _ in 0..budget.threads.min(scan.blocks.len()) {
        let walk = Arc::clone(&walk);
        threads.spawn(in_turns(async move { walk.work().await }));
    }
    while let Some(done) = threads.join_next().await {
        done.map_err(|source| Error::Internal { message: format!("a search stopped: {source}") })??;
    }
    Ok(walk.finish())
}

impl Walk {
    async fn work(&self) -> Result<()> {
        while let Some(claim) = self.scan.claim() {
            let place = claim.place;
            if Instant::now() >= self.deadline {
                self.is_late.store(true, Ordering::Relaxed);
                return Ok(());
            }
            let block = &self.scan.blocks[place];
            if self.is_beyond(block) && self.is_counted_enough() {
                // Blocks come in the order of the walk, so what follows is beyond as well.
                self.done[place].store(true, Ordering::Relaxed);
                continue;
            }
            if let Some(selected) = self.scan.select(claim).await? {
                self.add(&selected).await?;
            }
            self.done[place].store(true, Ordering::Relaxed);
            // Other queries have a turn between blocks.
            turns::pause().await;
        }
        Ok(())
    }

    /// Without a filter counting costs nothing, so it never is enough.
    fn is_counted_enough(&self) -> bool {
        let examined = self.scan.counters.rows_examined.load(Ordering::Relaxed);
        !self.scan.conditions.is_empty() && examined >= COUNTED_ROWS
    }

    /// The row that is let go next, when there are as many as wanted.
    fn worst(&self) -> Option<RowId> {
        let best = self.best.lock().unwrap_or_else(PoisonError::into_inner);
        if best.len() < self.limit { None } else { best.peek().map(|candidate| candidate.found.id) }
    }

    fn is_beyond(&self, block: &Block) -> bool {
        self.worst().is_some_and(|worst| {
            if self.is_descending { block.max_time() < worst.time } else { block.min_time() > worst.time }
        })
    }

    /// Takes over those rows of a block that may be among the first.
    async fn add(&self, selected: &Selected) -> Result<()> {
        let block = &self.scan.blocks[selected.place];
        if self.is_beyond(block) || self.limit == 0 {
            return Ok(());
        }
        let found = self.identify(selected.place, block, &selected.picked).await?;
        let mut best = self.best.lock().unwrap_or_else(PoisonError::into_inner);
        for found in found {
            let candidate = Candidate { found, is_descending: self.is_descending };
            if best.len() < self.limit {
                best.push(candidate);
            } else if best.peek().is_some_and(|worst| candidate < *worst) {
                best.pop();
                best.push(candidate);
            }
        }
        // Nobody else changes it: the best are locked.
        let bytes = best.len() * size_of::<Candidate>();
        let more = bytes.saturating_sub(self.taken.load(Ordering::Relaxed));
        self.memory.take(more)?;
        self.taken.fetch_add(more, Ordering::Relaxed);
        Ok(())
    }

    async fn identify(&self, place: usize, block: &Block, picked: &Picked) -> Result<Vec<Found>> {
        let worst = self.worst();
        let times = self.scan.times(block).await?;
        let places = first_places(picked, &times, self.limit, self.is_descending);
        let may_count = |row: &u32| {
            worst.is_none_or(|worst| {
                let time = times[*row as usize];
                if self.is_descending { time >= worst.time } else { time <= worst.time }
            })
        };
        let places = places.into_iter().flatten();
        let rows: Vec<u32> = places.map(|at| picked.row(at)).filter(may_count).collect();
        super::fetch::identified(block, place, &times, &rows).await
    }

    /// The rows in order. When time was over, those before the first block that was not looked at.
    fn finish(&self) -> Finds {
        let best = std::mem::take(&mut *self.best.lock().unwrap_or_else(PoisonError::into_inner));
        let mut rows: Vec<Found> =
            best.into_sorted_vec().into_iter().map(|candidate| candidate.found).collect();
        if !self.is_late.load(Ordering::Relaxed) {
            return Finds { rows, cut_at: None };
        }
        let missing =
            self.scan.blocks.iter().zip(&self.done).filter(|(_, done)| !done.load(Ordering::Relaxed));
        let frontier = if self.is_descending {
            missing.map(|(block, _)| block.max_time()).max()
        } else {
            missing.map(|(block, _)| block.min_time()).min()
        };
        let Some(frontier) = frontier else { return Finds { rows, cut_at: None } };
        if self.is_descending {
            rows.retain(|found| found.id.time > frontier);
        } else {
            rows.retain(|found| found.id.time < frontier);
        }
        if rows.len() == self.limit {
            return Finds { rows, cut_at: None };
        }
        // Behind everything of the time before the frontier, so that all of the frontier's own time comes after it.
        let time = if self.is_descending { frontier.saturating_add(1) } else { frontier.saturating_sub(1) };
        Finds { rows, cut_at: Some(RowId { time, ..RowId::MAX }) }
    }
}

/// The places of the first rows among those picked from a block. Its rows are in the order of time and, within a time,
/// as they were sent: newest first those of all times at the end, and of the time that is cut the ones at its beginning.
fn first_places(picked: &Picked, times: &[i64], limit: usize, is_descending: bool) -> [Range<usize>; 2] {
    let count = picked.count();
    let wanted = count.min(limit);
    if wanted == count || wanted == 0 || !is_descending {
        return [0..wanted, 0..0];
    }
    let time = |place: usize| times[picked.row(place) as usize];
    let cut = time(count - wanted);
    let begin = first_place(count, |place| time(place) >= cut);
    let end = first_place(count, |place| time(place) > cut);
    let of_cut = wanted - (count - end);
    [begin..begin + of_cut, end..count]
}

/// The first place of which something holds that holds of all after it.
fn first_place(count: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    low
}
