//! What a person should know of an answer and what is noticed only while it is computed, wherever that is.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Something a person should know of an answer that is right nevertheless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// A field that no event has had, and one that has a name like it.
    MissingField { name: String, near: Option<String> },
    /// A virtual field that cannot be computed.
    FailedField(String),
    /// There may be more rows: the query does not say how many it wants, and these are as many as are shown then.
    DefaultLimit(u64),
    /// There may be more rows than these, which are as many as one answer has.
    RowsCut(u64),
    /// The query asks where addresses are, and there is no database that knows.
    NoPlaces,
    /// A function left out what is beyond a limit of its own, such as `values` or `bytes`.
    Cut { function: &'static str, limit: u64, unit: &'static str },
    /// A function gave null where its result would have been beyond a limit of its own.
    NullBeyond { function: &'static str, limit: u64, unit: &'static str },
    /// A field that holds texts alone is compared with a number, which no text is equal to.
    TextWithNumber(String),
    /// A number of rows behind groups over time was taken for the number of groups in every bucket.
    LimitOfGroups(u64),
    /// The column that names the source of rows hides a field of the tables.
    HiddenBySource(String),
}

/// The notices of one query; clones share them.
#[derive(Clone, Debug, Default)]
pub struct Notices(Arc<Mutex<Vec<Message>>>);

impl Notices {
    /// Keeps a message, once.
    pub fn tell(&self, message: Message) {
        let mut messages = self.lock();
        if !messages.contains(&message) {
            messages.push(message);
        }
    }

    /// Whether something was left out, as far as it is computed yet.
    pub fn has_cuts(&self) -> bool {
        let is_cut = |message: &Message| matches!(message, Message::Cut { .. } | Message::NullBeyond { .. });
        self.lock().iter().any(is_cut)
    }

    pub fn take(&self) -> Vec<Message> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Message>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where notices go does not tell two computations apart.
impl PartialEq for Notices {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Notices {}

impl Hash for Notices {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
