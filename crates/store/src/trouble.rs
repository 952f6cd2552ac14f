//! What fails at present, as far as the last attempt tells: writing the WAL, moving events to segments, changing the
//! catalogue. It is for whoever asks how the service is; a request hears of it by an error of its own.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tidegauge_model::ErrorKind;

use crate::{Error, Result, Store};

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

    fn trouble(&self, work: Work) -> Option<Trouble> {
        self.message().map(|message| Trouble { work, message })
    }
}

impl Store {
    /// What fails at present.
    pub fn troubles(&self) -> Vec<Trouble> {
        let troubles = [
            self.wal.last_failure().trouble(Work::Log),
            self.flush_failure.trouble(Work::Segments),
            self.lease.last_failure.trouble(Work::Catalogue),
        ];
        troubles.into_iter().flatten().collect()
    }

    /// Finds out whether a log that could not be written can be again. Without it, a service that nobody sends events to
    /// because of that would not get to know.
    pub async fn mend_wal(&self) -> Result<()> {
        self.wal.mend().await
    }

    pub(crate) fn note_flush(&self, flushed: &Result<()>) {
        match flushed {
            Ok(()) => self.flush_failure.forget(),
            Err(error) => self.flush_failure.note(flush_message(error)),
        }
    }
}

/// Errors on this way can name an object or a dataset; those of a full disk do not.
fn flush_message(error: &Error) -> String {
    match error.kind() {
        ErrorKind::StorageFull => error.to_string(),
        _ => "events cannot be moved to segments and stay where they are; the service's log has the cause"
            .to_owned(),
    }
}
