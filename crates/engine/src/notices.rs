//! What a person should know of an answer and what is noticed only while it is computed, wherever that is.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Message;

/// The notices of one query; clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notices(Arc<Mutex<Vec<Message>>>);

impl Notices {
    /// Keeps a message, once.
    pub(crate) fn tell(&self, message: Message) {
        let mut messages = self.lock();
        if !messages.contains(&message) {
            messages.push(message);
        }
    }

    /// Whether something was left out, as far as it is computed yet.
    pub(crate) fn has_cuts(&self) -> bool {
        let is_cut = |message: &Message| matches!(message, Message::Cut { .. } | Message::NullBeyond { .. });
        self.lock().iter().any(is_cut)
    }

    pub(crate) fn take(&self) -> Vec<Message> {
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
