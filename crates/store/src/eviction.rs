//! Tells which segments are gone, so that nothing that was made of them outlives them: what was deleted for good must
//! not stand in a cache, in memory or on the disk. Who keeps something of segments asks to be told.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use hashbrown::HashSet;
use tidegauge_catalog::segments::Segment;

use crate::Store;
use crate::blocks::segment_number;
use crate::dataset::DatasetState;
use crate::objects::object_number;

/// Keeps something that is made of segments, which blocks name by their numbers.
pub trait Forget: Debug + Send + Sync {
    /// Lets go of all that is kept of these segments. No reader that begins from now on sees them; readers that began
    /// before may go on with them.
    fn forget(&self, segments: &HashSet<u128>);
}

/// Who is to be told.
#[derive(Debug, Default)]
pub(crate) struct Watchers(Mutex<Vec<Weak<dyn Forget>>>);

impl Watchers {
    fn all(&self) -> Vec<Arc<dyn Forget>> {
        let mut watchers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        watchers.retain(|watcher| watcher.strong_count() > 0);
        watchers.iter().filter_map(Weak::upgrade).collect()
    }
}

impl Store {
    /// Tells somebody of every segment that goes from now on, for as long as they are there.
    pub fn notify_evicted(&self, watcher: Weak<dyn Forget>) {
        self.watchers.0.lock().unwrap_or_else(PoisonError::into_inner).push(watcher);
    }

    /// The numbers of all segments that readers can see now.
    pub fn segment_numbers(&self) -> HashSet<u128> {
        let segments = self.all().into_iter().map(|state| state.snapshot().segments);
        segments
            .flat_map(|of| of.iter().map(|segment| segment_number(&segment.id)).collect::<Vec<_>>())
            .collect()
    }

    /// Forgets segments that readers do not see any more, and has others forget them.
    pub(crate) fn forget(&self, segments: &[&Segment]) {
        self.footer_cache.forget(segments.iter().map(|segment| &segment.id));
        let numbers: HashSet<u128> = segments.iter().map(|segment| segment_number(&segment.id)).collect();
        if !numbers.is_empty() {
            self.watchers.all().iter().for_each(|watcher| watcher.forget(&numbers));
        }
    }

    /// Forgets all of a dataset that is gone.
    pub(crate) fn forget_dataset(&self, state: &DatasetState) {
        let segments = state.snapshot().segments;
        state.delete();
        self.forget_replaced(&segments);
    }

    /// Forgets segments whose objects are still there, for readers that began before.
    pub(crate) fn forget_replaced(&self, segments: &[Arc<Segment>]) {
        self.forget(&segments.iter().map(|segment| &**segment).collect::<Vec<_>>());
        self.objects.let_go_of_replaced(segments.iter().map(|segment| segment.path.as_str()));
    }
}

/// The numbers that the object cache has for all segments of these datasets that readers can see.
pub(crate) fn live_objects<'a>(states: impl Iterator<Item = &'a Arc<DatasetState>>) -> HashSet<u128> {
    let segments = states.map(|state| state.snapshot().segments);
    segments
        .flat_map(|of| of.iter().map(|segment| object_number(&segment.path)).collect::<Vec<_>>())
        .collect()
}
