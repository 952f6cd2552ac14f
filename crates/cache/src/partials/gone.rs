//! Kept groups of segments that are gone: they go with them, from memory and from the disk, because deleted events must
//! not stand in what was made of them.

use std::fs;

use hashbrown::HashSet;

use super::disk::{Disk, segment_of_name};
use super::{Kept, Key, Of, PartialCache, State, segment_of};

impl PartialCache {
    /// Lets all go that is kept of these segments.
    pub fn forget_segments(&self, segments: &HashSet<u128>) {
        self.kept().forget_segments(segments);
        if let Some(disk) = &self.disk {
            disk.forget_segments(segments);
        }
    }

    /// Lets all go from the disk that is of other segments than these.
    pub fn keep_only(&self, segments: &HashSet<u128>) {
        if let Some(disk) = &self.disk {
            disk.keep_only(segments);
        }
    }
}

impl Kept {
    fn forget_segments(&mut self, segments: &HashSet<u128>) {
        let is_gone = |(of, _): &Key, state: &State| match (of, state) {
            (Of::Block(block), _) => segment_of(*block).is_some_and(|segment| segments.contains(&segment)),
            (Of::Run(_), State::Run { of, .. }) => of.iter().any(|segment| segments.contains(segment)),
            (Of::Run(_), State::Block(_)) => false,
        };
        let before = self.entries.len();
        let gone = self.entries.extract_if(|key, entry| is_gone(key, &entry.state));
        self.bytes -= gone.map(|(_, entry)| entry.bytes).sum::<usize>();
        if self.entries.len() < before {
            self.queue.retain(|key| self.entries.contains_key(key));
        }
        self.unwritten.retain(|(segment, _)| !segments.contains(segment));
        self.looked_up.retain(|(segment, _)| !segments.contains(segment));
    }
}

impl Disk {
    /// Removes what is kept of these segments, whatever the question.
    fn forget_segments(&self, segments: &HashSet<u128>) {
        self.remove_where(|segment| segment.is_some_and(|segment| segments.contains(&segment)));
    }

    /// Removes what is not of these segments, and what a crash left unfinished.
    fn keep_only(&self, segments: &HashSet<u128>) {
        self.remove_where(|segment| segment.is_none_or(|segment| !segments.contains(&segment)));
    }

    fn remove_where(&self, is_gone: impl Fn(Option<u128>) -> bool) {
        let Ok(files) = self.files() else { return };
        for file in files.iter().filter(|file| is_gone(segment_of_name(&file.path))) {
            if let Err(error) = fs::remove_file(&file.path)
                && error.kind() != std::io::ErrorKind::NotFound
            {
                tracing::warn!(path = %file.path.display(), %error, "cannot remove groups of a segment that is gone");
                continue;
            }
            self.note_removed(file.bytes);
            // It goes only when it is empty.
            let _ = file.path.parent().map(fs::remove_dir);
        }
    }
}
