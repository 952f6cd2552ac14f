//! What a query reads of files, in all its tables together, and how much that may be.

use tidegauge_lang::Span;

use crate::error::{Result, invalid_with};

/// How long all files of a query may be together.
const ALL_MIB_MAX: usize = 50;

/// How many files a query may read.
const FILES_MAX: usize = 20;

/// What a query read of files so far, in all its tables.
#[derive(Debug, Default)]
pub(crate) struct External {
    files: usize,
    bytes: usize,
}

impl External {
    /// Counts files that are about to be read.
    pub(crate) fn add_files(&mut self, count: usize, span: Span) -> Result<()> {
        self.files = self.files.saturating_add(count);
        if self.files > FILES_MAX {
            let message = format!("the query reads more than {FILES_MAX} files");
            return Err(invalid_with(span, message, "write fewer addresses, or send the rows to a dataset"));
        }
        Ok(())
    }

    pub(crate) fn add_bytes(&mut self, count: usize, span: Span) -> Result<()> {
        self.bytes = self.bytes.saturating_add(count);
        if self.bytes > ALL_MIB_MAX << 20 {
            let message = format!("the files of the query have more than {ALL_MIB_MAX} MiB together");
            return Err(invalid_with(span, message, "write fewer addresses, or send the rows to a dataset"));
        }
        Ok(())
    }
}
