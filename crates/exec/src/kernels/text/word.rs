//! Words in text: the longest runs of letters and digits. Everything else lies between words.

use memchr::memmem::Finder;

/// Where in a word the needle must stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// It must begin and end where words do.
    Whole,
    Start,
    End,
}

/// Whether the needle stands in the text as a word, or as its start or end.
pub(super) fn is_in(text: &str, finder: &Finder<'_>, place: Place) -> bool {
    let needle_bytes = finder.needle().len();
    let mut from = 0;
    while let Some(at) = text.as_bytes().get(from..).and_then(|rest| finder.find(rest)) {
        let (start, end) = (from + at, from + at + needle_bytes);
        let is_free_before = || !text[..start].chars().next_back().is_some_and(char::is_alphanumeric);
        let is_free_after = || !text[end..].chars().next().is_some_and(char::is_alphanumeric);
        let is_placed = match place {
            Place::Whole => is_free_before() && is_free_after(),
            Place::Start => is_free_before(),
            Place::End => is_free_after(),
        };
        if is_placed {
            return true;
        }
        // To the next character, so that the text is never cut inside one.
        from = start + text[start..].chars().next().map_or(1, char::len_utf8);
    }
    false
}

/// The words of a text.
pub(super) fn all(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty())
}
