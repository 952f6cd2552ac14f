//! Where the expressions of a query look addresses up, and whether they wanted to and could not.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::Places;

/// Shared by all scopes of a query, so that what one of them lacks is told once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lookup {
    places: Option<Arc<dyn Places>>,
    is_lacking: Arc<AtomicBool>,
}

impl Lookup {
    pub(crate) fn new(places: Option<Arc<dyn Places>>) -> Self {
        Self { places, is_lacking: Arc::default() }
    }

    /// What knows where addresses are. That there is none is kept in mind.
    pub(crate) fn places(&self) -> Option<Arc<dyn Places>> {
        if self.places.is_none() {
            self.is_lacking.store(true, Ordering::Relaxed);
        }
        self.places.clone()
    }

    /// Whether an expression asked for places and there were none.
    pub(crate) fn is_lacking(&self) -> bool {
        self.is_lacking.load(Ordering::Relaxed)
    }
}
