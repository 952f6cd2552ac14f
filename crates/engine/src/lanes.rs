//! Places to run in. Each lane has its own, so that people, monitors and exports do not keep each other from running; a
//! query waits its turn, and when too many wait the next is told to come back.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{Error, Lane, Result};

/// The lanes of an engine.
#[derive(Debug)]
pub(crate) struct Lanes {
    interactive: Places,
    monitor: Places,
    export: Places,
}

#[derive(Debug)]
struct Places {
    running: Arc<Semaphore>,
    waiting: AtomicUsize,
    waiting_max: usize,
}

impl Lanes {
    pub(crate) fn new(running_max: usize, waiting_max: usize) -> Self {
        let places = || Places {
            running: Arc::new(Semaphore::new(running_max.max(1))),
            waiting: AtomicUsize::new(0),
            waiting_max,
        };
        Self { interactive: places(), monitor: places(), export: places() }
    }

    /// Waits for a place, which is free again when what is returned is dropped.
    pub(crate) async fn enter(&self, lane: Lane) -> Result<OwnedSemaphorePermit> {
        let places = match lane {
            Lane::Interactive => &self.interactive,
            Lane::Monitor => &self.monitor,
            Lane::Export => &self.export,
        };
        if let Ok(permit) = Arc::clone(&places.running).try_acquire_owned() {
            return Ok(permit);
        }
        let _turn = Turn::take(places).ok_or(Error::Busy)?;
        Arc::clone(&places.running).acquire_owned().await.map_err(|_| Error::Busy)
    }
}

/// A place in the queue, given back when its holder goes on or goes away.
struct Turn<'a>(&'a Places);

impl<'a> Turn<'a> {
    fn take(places: &'a Places) -> Option<Self> {
        let waits = |waiting: usize| (waiting < places.waiting_max).then_some(waiting + 1);
        places.waiting.try_update(Ordering::Relaxed, Ordering::Relaxed, waits).ok().map(|_| Self(places))
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}
