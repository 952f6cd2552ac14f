//! The footer cache: footers with what was read beside them, up to a number of bytes. Those that were used
//! least recently go first; those of segments that are gone go at once.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::HashMap;
use tidegauge_model::SegmentId;

use super::footer::Footer;

/// The footer cache, by segment.
#[derive(Debug)]
pub(crate) struct FooterCache {
    bytes_max: usize,
    cached: Mutex<Cached>,
}

#[derive(Debug, Default)]
struct Cached {
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

impl FooterCache {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { bytes_max, cached: Mutex::default() }
    }

    pub(super) fn get(&self, segment: &SegmentId) -> Option<Arc<Footer>> {
        let mut cached = self.lock();
        cached.uses += 1;
        let used = cached.uses;
        let entry = cached.entries.get_mut(segment)?;
        entry.used = used;
        Some(Arc::clone(&entry.footer))
    }

    /// Keeps a footer, unless somebody else has kept the same meanwhile; returns the one that is kept.
    pub(super) fn keep(&self, footer: Arc<Footer>) -> Arc<Footer> {
        let mut cached = self.lock();
        if let Some(entry) = cached.entries.get(footer.segment_id()) {
            return Arc::clone(&entry.footer);
        }
        cached.uses += 1;
        let (bytes, used) = (footer.bytes(), cached.uses);
        cached.bytes += bytes;
        let entry = Entry { footer: Arc::clone(&footer), bytes, used };
        cached.entries.insert(footer.segment_id().clone(), entry);
        cached.shrink(self.bytes_max, footer.segment_id());
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
        let mut cached = self.lock();
        let Some(entry) = cached.entries.get_mut(segment) else { return false };
        entry.bytes += bytes;
        cached.bytes += bytes;
        cached.shrink(self.bytes_max, segment);
        cached.entries.contains_key(segment)
    }

    /// Lets go of segments that nobody will ask for any more.
    pub(crate) fn forget<'a>(&self, segments: impl IntoIterator<Item = &'a SegmentId>) {
        let mut cached = self.lock();
        segments.into_iter().for_each(|segment| cached.remove(segment));
    }

    /// How many bytes are kept.
    pub(crate) fn bytes(&self) -> usize {
        self.lock().bytes
    }

    fn lock(&self) -> MutexGuard<'_, Cached> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cached {
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
