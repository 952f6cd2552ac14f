//! What fails at present, as far as the last attempt tells: writing the WAL, moving events to segments, changing the
//! catalogue. It is for whoever asks how the service is; a request hears of it by an error of its own.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Work that failed when it was done last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    pub work: Work,
    /// What is wrong. It is fit for anybody: it names no file, no dataset and no object.
    pub message: String,
}

/// Work that is done again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Making events durable. As long as it fails, none are taken.
    Log,
    /// Moving events to segments. As long as it fails, they stay in the WAL and in the buffer.
    Segments,
    /// Changing the catalogue, which is done for the lease at least.
    Catalogue,
}

/// What was wrong with some work the last time that it was done.
#[derive(Debug, Default)]
pub(crate) struct LastFailure(Mutex<Option<String>>);

impl LastFailure {
    pub(crate) fn note(&self, message: impl Into<String>) {
        *self.lock() = Some(message.into());
    }

    pub(crate) fn forget(&self) {
        *self.lock() = None;
    }

    /// Nothing, if the work was done or never tried.
    pub(crate) fn message(&self) -> Option<String> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Option<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is wrong, as the trouble of some work.
    pub(crate) fn trouble(&self, work: Work) -> Option<Trouble> {
        self.message().map(|message| Trouble { work, message })
    }
}
