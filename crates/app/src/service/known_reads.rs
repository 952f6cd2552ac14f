//! What the texts of views read, remembered, because who completes a query asks about all views with each key. It follows
//! from a text alone, so that another text is read anew and what is remembered never gets old. Who may query what is read
//! is left to those who ask.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tidegauge_auth::opaque::digest_of;

use super::view_reads::Reads;

/// Of how many texts.
const TEXTS_MAX: usize = 10_000;

/// How much is remembered, in bytes: some times what the longest text can bring.
const BYTES_MAX: usize = 16 << 20;

/// What a text costs beside what it reads.
const TEXT_BYTES: usize = 256;

/// What texts read that were asked about.
#[derive(Debug, Default)]
pub struct KnownReads(Mutex<Texts>);

#[derive(Debug, Default)]
struct Texts {
    /// By the digest of a text; none where it is not understood.
    known: HashMap<String, Option<Arc<Reads>>>,
    bytes: usize,
}

impl KnownReads {
    /// What a text reads; none where it is not understood.
    pub(super) fn of(&self, text: &str) -> Option<Arc<Reads>> {
        // Organisations share the memory: none of them can make a text that passes for one of another.
        let digest = digest_of(text);
        let known = self.lock().known.get(&digest).cloned();
        known.unwrap_or_else(|| {
            let reads = Reads::of_text(text).map(Arc::new);
            self.remember(digest, reads.clone());
            reads
        })
    }

    fn remember(&self, digest: String, reads: Option<Arc<Reads>>) {
        let bytes = bytes_of(reads.as_deref());
        let mut texts = self.lock();
        if texts.known.len() >= TEXTS_MAX || texts.bytes + bytes > BYTES_MAX {
            *texts = Texts::default();
        }
        texts.bytes += bytes;
        // Two that ask in the same moment have both read it.
        if let Some(before) = texts.known.insert(digest, reads) {
            texts.bytes -= bytes_of(before.as_deref());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Texts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn bytes_of(reads: Option<&Reads>) -> usize {
    TEXT_BYTES + reads.map_or(0, Reads::bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(known: &KnownReads, text: &str) -> Option<Vec<String>> {
        known.of(text).map(|reads| reads.names().map(str::to_owned).collect())
    }

    fn size(known: &KnownReads) -> (usize, usize) {
        let texts = known.lock();
        (texts.known.len(), texts.bytes)
    }

    #[test]
    fn a_text_is_read_once_and_another_one_anew() {
        let known = KnownReads::default();
        let (first, again) = (known.of("web | count").unwrap(), known.of("web | count").unwrap());
        assert!(Arc::ptr_eq(&first, &again));
        assert_eq!(names(&known, "web | count").unwrap(), ["web"]);
        assert_eq!(names(&known, "api | count").unwrap(), ["api"]);
        assert_eq!(names(&known, "web | count").unwrap(), ["web"]);
        assert_eq!(size(&known).0, 2);
    }

    #[test]
    fn that_a_text_is_not_understood_is_remembered_too() {
        let known = KnownReads::default();
        for _ in 0..2 {
            assert_eq!(names(&known, "web | wher"), None);
            assert_eq!(size(&known), (1, TEXT_BYTES));
        }
    }

    #[test]
    fn what_is_remembered_twice_counts_once() {
        let (known, reads) = (KnownReads::default(), Reads::of_text("web").map(Arc::new));
        known.remember("a".to_owned(), reads.clone());
        let once = size(&known);
        known.remember("a".to_owned(), reads);
        assert_eq!(size(&known), once);
    }

    #[test]
    fn beyond_so_many_texts_it_begins_anew() {
        let known = KnownReads::default();
        for number in 0..TEXTS_MAX {
            known.remember(number.to_string(), None);
        }
        assert_eq!(size(&known), (TEXTS_MAX, TEXTS_MAX * TEXT_BYTES));
        known.remember("one more".to_owned(), None);
        assert_eq!(size(&known), (1, TEXT_BYTES));
    }

    #[test]
    fn beyond_so_many_bytes_it_begins_anew() {
        let known = KnownReads::default();
        let reads = Reads::of_text(&format!("['{}']", "a".repeat(100_000))).map(Arc::new);
        let bytes = bytes_of(reads.as_deref());
        assert!(bytes > 100_000);
        let fitting = BYTES_MAX / bytes;
        for number in 0..fitting {
            known.remember(number.to_string(), reads.clone());
        }
        assert_eq!(size(&known), (fitting, fitting * bytes));
        known.remember("one more".to_owned(), reads);
        assert_eq!(size(&known), (1, bytes));
    }
}
