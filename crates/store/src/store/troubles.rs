//! What fails at present, asked of the open store, and what is told of events that cannot be moved to segments.

use tidegauge_model::ErrorKind;

use super::Store;
use crate::trouble::{Trouble, Work};
use crate::{Error, Result};

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
