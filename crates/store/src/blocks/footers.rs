//! The footers that are kept in memory, with what was read beside them, up to a number of bytes. Those that were used
//! least recently go first; those of segments that are gone go at once.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::HashMap;
use tidegauge_model::SegmentId;

use super::footer::Footer;

/// Kept footers, by segment.
#[derive(Debug)]
pub(crate) struct Footers {
    bytes_max: usize,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    entries: HashMap<SegmentId, Entry>,
    bytes: usize,
    /// Grows with each use, and so tells which was used last.
    uses: u64,
}

#[derive(Debug)]
struct Entry {
    footer: Arc<Footer>,
    bytes: usize,
    used: u64,
}

impl Footers {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { bytes_max, kept: Mutex::default() }
    }

    pub(super) fn get(&self, segment: &SegmentId) -> Option<Arc<Footer>> {
        let mut kept = self.lock();
        kept.uses += 1;
        let used = kept.uses;
        let entry = kept.entries.get_mut(segment)?;
        entry.used = used;
        Some(Arc::clone(&entry.footer))
    }

    /// Keeps a footer, unless somebody else has kept the same meanwhile; returns the one that is kept.
    pub(super) fn keep(&self, footer: Arc<Footer>) -> Arc<Footer> {
        let mut kept = self.lock();
        if let Some(entry) = kept.entries.get(footer.segment_id()) {
            return Arc::clone(&entry.footer);
        }
        kept.uses += 1;
        let (bytes, used) = (footer.bytes(), kept.uses);
        kept.bytes += bytes;
        let entry = Entry { footer: Arc::clone(&footer), bytes, used };
        kept.entries.insert(footer.segment_id().clone(), entry);
        kept.shrink(self.bytes_max, footer.segment_id());
        footer
    }

    /// The most that may be kept at once with a footer: one thing must not push out everything else.
    pub(super) fn largest(&self) -> usize {
        self.bytes_max / 4
    }

    /// Whether so many bytes more may be kept with a footer; if so, they are counted.
    pub(super) fn grow(&self, segment: &SegmentId, bytes: usize) -> bool {
        if bytes > self.largest() {
            return false;
        }
        let mut kept = self.lock();
        let Some(entry) = kept.entries.get_mut(segment) else { return false };
        entry.bytes += bytes;
        kept.bytes += bytes;
        kept.shrink(self.bytes_max, segment);
        kept.entries.contains_key(segment)
    }

    /// Lets go of segments that nobody will ask for any more.
    pub(crate) fn forget<'a>(&self, segments: impl IntoIterator<Item = &'a SegmentId>) {
        let mut kept = self.lock();
        segments.into_iter().for_each(|segment| kept.remove(segment));
    }

    /// How many bytes are kept.
    pub(crate) fn bytes(&self) -> usize {
        self.lock().bytes
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn remove(&mut self, segment: &SegmentId) {
        if let Some(entry) = self.entries.remove(segment) {
            self.bytes -= entry.bytes;
            entry.footer.shed();
        }
    }

    /// Makes room by letting go of those that were used least recently, the newest one last of all.
    fn shrink(&mut self, bytes_max: usize, newest: &SegmentId) {
        if self.bytes <= bytes_max {
            return;
        }
        let mut by_use: Vec<(u64, SegmentId)> =
            self.entries.iter().map(|(segment, entry)| (entry.used, segment.clone())).collect();
        by_use.sort_unstable_by_key(|(used, segment)| (segment == newest, *used));
        // A little more than needed, so that this is not done for every footer.
        for (_, segment) in by_use {
            if self.bytes <= bytes_max / 8 * 7 {
                return;
            }
            self.remove(&segment);
        }
    }
}
