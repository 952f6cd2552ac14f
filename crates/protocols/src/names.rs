//! What became of the names in the events before. Senders write the same names in the same order again and again, so
//! the next one is mostly found by comparing it with one guess. All of it is forgotten with the request.

use std::collections::HashMap;

/// More names are looked at anew each time, so that a request of ever new names costs no memory.
const NAMES_MAX: usize = 16_384;
const NONE: u32 = u32::MAX;

/// Names with what is known about each.
#[derive(Debug)]
pub(crate) struct Names<T> {
    entries: Vec<Entry<T>>,
    index: HashMap<Box<str>, u32>,
    /// The name that was found last.
    previous: u32,
    /// The name that an event began with.
    first: u32,
}

#[derive(Debug)]
struct Entry<T> {
    name: Box<str>,
    known: T,
    /// The name that came after this one.
    next: u32,
}

impl<T> Default for Names<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), index: HashMap::new(), previous: NONE, first: NONE }
    }
}

impl<T: Copy> Names<T> {
    /// Begins another event.
    pub(crate) fn start(&mut self) {
        self.previous = NONE;
    }

    #[inline]
    pub(crate) fn find(&mut self, name: &str) -> Option<T> {
        let guess = self.entries.get(self.previous as usize).map_or(self.first, |entry| entry.next);
        if let Some(entry) = self.entries.get(guess as usize)
            && *entry.name == *name
        {
            self.previous = guess;
            return Some(entry.known);
        }
        let found = *self.index.get(name)?;
        self.follow(found);
        self.entries.get(found as usize).map(|entry| entry.known)
    }

    pub(crate) fn add(&mut self, name: &str, known: T) {
        if self.entries.len() >= NAMES_MAX {
            return;
        }
        let place = self.entries.len() as u32;
        self.entries.push(Entry { name: name.into(), known, next: NONE });
        self.index.insert(name.into(), place);
        self.follow(place);
    }

    fn follow(&mut self, found: u32) {
        match self.entries.get_mut(self.previous as usize) {
            Some(previous) => previous.next = found,
            None => self.first = found,
        }
        self.previous = found;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_order() {
        let mut names = Names::default();
        for (place, name) in ["a", "b", "c"].into_iter().enumerate() {
            assert_eq!(names.find(name), None);
            names.add(name, place);
        }
        for order in [["a", "b", "c"], ["c", "a", "b"], ["c", "a", "b"], ["b", "b", "a"]] {
            names.start();
            for name in order {
                assert_eq!(names.find(name).map(|place| ["a", "b", "c"][place]), Some(name));
            }
        }
        assert_eq!(names.find("d"), None);
    }
}
