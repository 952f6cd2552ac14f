//! What is kept for later questions goes with the segments it was made of: columns and groups, in memory and on the
//! disk. A question that began before a segment went may still bring something of it back, so what went while it ran is
//! forgotten once more when it ends.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::HashSet;
use tidegauge_store::{Forget, Store};

use crate::columns::ColumnCache;
use crate::partials::PartialCache;

/// All that is kept for later questions.
#[derive(Debug)]
pub struct Keeping {
    pub columns: ColumnCache,
    pub partials: Arc<PartialCache>,
    late: Mutex<Late>,
}

/// What questions that are running may bring back.
#[derive(Debug, Default)]
struct Late {
    /// Grows whenever segments go.
    moment: u64,
    /// How many questions run that began at a moment.
    running: BTreeMap<u64, usize>,
    /// What went at which moment, while a question ran that began before.
    gone: Vec<(u64, Arc<HashSet<u128>>)>,
}

/// A question that runs. What it reads, it may keep.
#[derive(Debug)]
struct Reader {
    keeping: Arc<Keeping>,
    began: u64,
}

/// The cache of columns, for one question.
#[derive(Clone, Debug)]
pub struct Columns(Arc<Reader>);

impl Keeping {
    /// Forgets from now on what goes from a store, and at once what is gone already.
    pub fn new(columns: ColumnCache, partials: PartialCache, store: &Store) -> Arc<Self> {
        let keeping = Arc::new(Self { columns, partials: Arc::new(partials), late: Mutex::default() });
        let watcher = Arc::downgrade(&keeping);
        store.notify_evicted(watcher);
        // After it is told: what goes in between is not missed.
        keeping.partials.keep_only(&store.segment_numbers());
        keeping
    }

    /// Begins a question. It must not have seen which segments there are before.
    pub fn read(self: &Arc<Self>) -> Columns {
        let mut late = self.late();
        let began = late.moment;
        *late.running.entry(began).or_default() += 1;
        Columns(Arc::new(Reader { keeping: Arc::clone(self), began }))
    }

    fn let_go(&self, segments: &HashSet<u128>) {
        self.columns.forget(segments);
        self.partials.forget_segments(segments);
    }

    fn late(&self) -> MutexGuard<'_, Late> {
        self.late.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Forget for Keeping {
    fn forget(&self, segments: &HashSet<u128>) {
        let mut late = self.late();
        if !late.running.is_empty() {
            let moment = late.moment;
            late.gone.push((moment, Arc::new(segments.clone())));
        }
        late.moment += 1;
        drop(late);
        self.let_go(segments);
    }
}

impl Late {
    /// Ends a question and gives what went since it began.
    fn end(&mut self, began: u64) -> Vec<Arc<HashSet<u128>>> {
        if let Some(count) = self.running.get_mut(&began) {
            *count -= 1;
            if *count == 0 {
                self.running.remove(&began);
            }
        }
        let since = self.gone.iter().filter(|(moment, _)| *moment >= began);
        let gone = since.map(|(_, segments)| Arc::clone(segments)).collect();
        let oldest = self.running.keys().next().copied().unwrap_or(u64::MAX);
        self.gone.retain(|(moment, _)| *moment >= oldest);
        gone
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let gone = self.keeping.late().end(self.began);
        gone.iter().for_each(|segments| self.keeping.let_go(segments));
    }
}

impl Deref for Columns {
    type Target = ColumnCache;

    fn deref(&self) -> &ColumnCache {
        &self.0.keeping.columns
    }
}
