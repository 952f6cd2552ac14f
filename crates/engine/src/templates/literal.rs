//! Where a text that stands in the query can stand in a template. Fixed parts are compared; what falls on a hole must
//! be able to be a part of a variable there. Variables are whole tokens, so a needle with something else than letters
//! and digits on both sides of a token says the whole variable.

use std::borrow::Cow;

use memchr::{memchr, memchr2};
use tidegauge_lang::tree::TextTest;
use tidegauge_model::template::{HOLE, is_variable, letters, letters_of, token_bytes};
use tidegauge_store::{FRAGMENT_BYTES_LEAST, Hole, Templates};

use super::Verdict;
use crate::functions::text::fold::folded;

/// A needle, and where it must stand.
pub(super) struct Literal {
    needle: String,
    /// Whether case does not matter; the needle is folded then.
    is_folded: bool,
    start: Edge,
    end: Edge,
}

/// What must be beside the needle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edge {
    Anything,
    /// No letter and no digit.
    Free,
    /// The start or the end of the text.
    Text,
}

/// The holes of a template, and what was found out about parts of the needle in the row group so far.
struct Holes<'a> {
    templates: &'a Templates,
    holes: &'a [Hole],
    /// Parts of the needle, by where they begin and end, with whether the filter knows them.
    filtered: &'a mut Vec<((usize, usize), bool)>,
}

impl Literal {
    pub(super) fn new(test: TextTest, is_case_sensitive: bool, needle: &str) -> Self {
        let (start, end) = match test {
            TextTest::Equals => (Edge::Text, Edge::Text),
            TextTest::StartsWith => (Edge::Text, Edge::Anything),
            TextTest::EndsWith => (Edge::Anything, Edge::Text),
            TextTest::Has => (Edge::Free, Edge::Free),
            TextTest::HasPrefix => (Edge::Free, Edge::Anything),
            TextTest::HasSuffix => (Edge::Anything, Edge::Free),
            TextTest::Contains | TextTest::Matches => (Edge::Anything, Edge::Anything),
        };
        let needle = if is_case_sensitive { needle.to_owned() } else { folded(needle) };
        Self { needle, is_folded: !is_case_sensitive, start, end }
    }

    pub(super) fn verdicts(&self, templates: &Templates) -> Vec<Verdict> {
        let mut filtered = Vec::new();
        let of = |code: usize| {
            let template = self.in_case(templates.template(code));
            let mut holes = Holes { templates, holes: templates.holes(code), filtered: &mut filtered };
            self.verdict(&template, &mut holes)
        };
        (0..templates.len()).map(of).collect()
    }

    /// A template in the case in which the needle is looked for.
    fn in_case<'a>(&self, template: &'a [u8]) -> Cow<'a, [u8]> {
        if !self.is_folded {
            return Cow::Borrowed(template);
        }
        if template.iter().all(|byte| byte.is_ascii() || *byte == HOLE) {
            return Cow::Owned(template.to_ascii_lowercase());
        }
        let parts = template.split(|byte| *byte == HOLE);
        let parts: Vec<String> = parts.map(|part| folded(&String::from_utf8_lossy(part))).collect();
        let bytes: Vec<&[u8]> = parts.iter().map(String::as_bytes).collect();
        Cow::Owned(bytes.join(&HOLE))
    }

    fn verdict(&self, template: &[u8], holes: &mut Holes<'_>) -> Verdict {
        let mut verdict = Verdict::None;
        let first = self.needle.as_bytes()[0];
        // A needle that begins with a token can begin in a hole.
        let first_run = token_bytes(&self.needle);
        let (mut at, mut hole) = (0, 0);
        loop {
            let rest = template.get(at..).unwrap_or_default();
            let Some(next) = memchr2(first, HOLE, rest) else { return verdict };
            let place = at + next;
            at = place + 1;
            if self.start == Edge::Text && place > 0 {
                return verdict;
            }
            let found = if template[place] == HOLE {
                hole += 1;
                if first_run == 0 {
                    Verdict::None
                } else {
                    self.in_hole(template, place, hole - 1, first_run, holes)
                }
            } else if self.start == Edge::Free && is_word_before(template, place) {
                Verdict::None
            } else {
                self.onward(template, (place, hole), 0, holes)
            };
            match found {
                Verdict::All => return Verdict::All,
                Verdict::Open => verdict = Verdict::Open,
                Verdict::None => {}
            }
            if verdict == Verdict::Open && memchr(first, template.get(at..).unwrap_or_default()).is_none() {
                // Only holes are left, and they can open no more than is open.
                return verdict;
            }
        }
    }

    /// Whether the needle can begin in a hole.
    fn in_hole(
        &self,
        template: &[u8],
        place: usize,
        hole: usize,
        first_run: usize,
        holes: &mut Holes<'_>,
    ) -> Verdict {
        let begins_there = self.start != Edge::Anything;
        if first_run < self.needle.len() {
            let fits = holes.fit(self, hole, 0..first_run, begins_there);
            return if fits {
                self.opened(self.onward(template, (place + 1, hole + 1), first_run, holes))
            } else {
                Verdict::None
            };
        }
        if self.end == Edge::Text && place + 1 < template.len() {
            return Verdict::None;
        }
        let is_whole = begins_there && self.end != Edge::Anything;
        if holes.fit(self, hole, 0..first_run, is_whole) { Verdict::Open } else { Verdict::None }
    }

    /// What holds where a part of the needle lies in a variable.
    fn opened(&self, verdict: Verdict) -> Verdict {
        if verdict == Verdict::None { verdict } else { Verdict::Open }
    }

    /// Whether the needle from a byte on can stand from a place of the template on.
    fn onward(
        &self,
        template: &[u8],
        (mut place, mut hole): (usize, usize),
        mut at: usize,
        holes: &mut Holes<'_>,
    ) -> Verdict {
        let needle = self.needle.as_bytes();
        let mut verdict = Verdict::All;
        while at < needle.len() {
            let Some(byte) = template.get(place) else { return Verdict::None };
            if *byte != HOLE {
                if *byte != needle[at] {
                    return Verdict::None;
                }
                (place, at) = (place + 1, at + 1);
                continue;
            }
            let run = token_bytes(&self.needle[at..]);
            let end = at + run;
            let is_last = end == needle.len();
            if run == 0 || (is_last && self.end == Edge::Text && place + 1 < template.len()) {
                return Verdict::None;
            }
            // Only a token that the needle breaks off in may go on.
            let is_whole = !is_last || self.end != Edge::Anything;
            if !holes.fit(self, hole, at..end, is_whole) {
                return Verdict::None;
            }
            if is_last {
                return Verdict::Open;
            }
            verdict = Verdict::Open;
            (place, hole, at) = (place + 1, hole + 1, end);
        }
        let is_ended = match self.end {
            Edge::Anything => true,
            Edge::Free => !is_word_after(template, place),
            Edge::Text => place == template.len(),
        };
        if is_ended { verdict } else { Verdict::None }
    }
}

impl Holes<'_> {
    /// Whether a part of the needle can be a part of a variable in a hole, or the whole of it.
    fn fit(&mut self, literal: &Literal, hole: usize, range: std::ops::Range<usize>, is_whole: bool) -> bool {
        let fragment = &literal.needle[range.clone()];
        if is_whole && !is_variable(fragment) {
            return false;
        }
        let Some(hole) = self.holes.get(hole) else { return true };
        if literal.is_folded && hole.is_foreign() {
            // Letters of other scripts may fold to others of another length.
            return true;
        }
        let hole = if literal.is_folded { in_both_cases(*hole) } else { *hole };
        hole.fits(letters_of(fragment), fragment.len()) && self.is_filtered_in(literal, range)
    }

    fn is_filtered_in(&mut self, literal: &Literal, range: std::ops::Range<usize>) -> bool {
        if range.len() < FRAGMENT_BYTES_LEAST {
            return true;
        }
        let key = (range.start, range.end);
        if let Some((_, is_in)) = self.filtered.iter().find(|(known, _)| *known == key) {
            return *is_in;
        }
        let is_in = self.templates.may_hold(&literal.needle[range]);
        self.filtered.push((key, is_in));
        is_in
    }
}

fn in_both_cases(hole: Hole) -> Hole {
    let mut both = hole.letters;
    for (lower, upper) in [(letters::LOWER_HEX, letters::UPPER_HEX), (letters::LOWER, letters::UPPER)] {
        if both & (lower | upper) != 0 {
            both |= lower | upper;
        }
    }
    Hole { letters: both, longest: hole.longest }
}

/// Whether a letter or a digit stands before a place of a template.
fn is_word_before(template: &[u8], place: usize) -> bool {
    let before = &template[..place];
    if before.last() == Some(&HOLE) {
        return true;
    }
    let start = before.iter().rposition(|byte| byte & 0xc0 != 0x80).unwrap_or(place);
    is_word(&before[start..])
}

/// Whether a letter or a digit stands at a place of a template.
fn is_word_after(template: &[u8], place: usize) -> bool {
    let after = &template[place..];
    if after.first() == Some(&HOLE) {
        return true;
    }
    let end = after.iter().skip(1).position(|byte| byte & 0xc0 != 0x80).map_or(after.len(), |at| at + 1);
    is_word(&after[..end])
}

fn is_word(character: &[u8]) -> bool {
    let text = std::str::from_utf8(character).unwrap_or_default();
    text.chars().next().is_some_and(char::is_alphanumeric)
}
