//! The links to files that are open, in memory, and what each stands for.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tidegauge_model::{ErrorKind, Timestamp};

use crate::service::query::apl::exported::{Common, Export};
use crate::service::{Caller, Error, Result};

/// How many links may be open, of one caller and of all.
const OPEN_MAX: usize = 10_000;
const OPEN_OF_ONE_MAX: usize = 20;

/// As what a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    Csv,
    Ndjson,
    Parquet,
}

impl FileFormat {
    pub const ALL: [Self; 3] = [Self::Csv, Self::Ndjson, Self::Parquet];

    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Ndjson => "ndjson",
            Self::Parquet => "parquet",
        }
    }

    pub(super) fn common(self) -> Common {
        match self {
            Self::Csv => Common::Names,
            Self::Ndjson => Common::Nothing,
            Self::Parquet => Common::NamesAndTypes,
        }
    }
}

/// The links that are open.
#[derive(Debug, Default)]
pub struct ExportState {
    /// By the digests of their secrets.
    open: Mutex<HashMap<String, Offer>>,
}

/// What a link stands for.
#[derive(Clone, Debug)]
pub struct Offer {
    /// Who made it, as they stood then.
    pub(super) caller: Caller,
    pub(super) export: Export,
    pub format: FileFormat,
    pub(super) expires_at: Timestamp,
}

impl ExportState {
    pub(super) fn add(&self, digest: String, offer: Offer, now: Timestamp) -> Result<()> {
        let mut open = self.lock();
        open.retain(|_, offer| now < offer.expires_at);
        let own = open.values().filter(|other| other.caller.actor == offer.caller.actor).count();
        if own >= OPEN_OF_ONE_MAX || open.len() >= OPEN_MAX {
            return Err(Error::new(ErrorKind::Busy, "too many links to files are open")
                .hint("use those that there are, or wait for ten minutes"));
        }
        open.insert(digest, offer);
        Ok(())
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, HashMap<String, Offer>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
