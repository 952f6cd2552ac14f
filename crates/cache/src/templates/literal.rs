//! Where a text that stands in the query can stand in a template. Fixed parts are compared; what falls on a hole must
//! be able to be a part of a variable there. Variables are whole tokens, so a needle with something else than letters
//! and digits on both sides of a token says the whole variable.

use memchr::{memchr_iter, memchr2, memmem};
use tidegauge_exec::kernels::text::fold::folded;
use tidegauge_lang::tree::TextTest;
use tidegauge_model::template::{HOLE, is_variable, letters, letters_of, token_bytes};
use tidegauge_store::{FRAGMENT_BYTES_LEAST, Hole, Templates};

use super::{Verdict, Window};

/// A needle, and where it must stand.
pub(super) struct Literal {
    needle: String,
    /// Whether case does not matter; the needle is folded then.
    is_folded: bool,
    start: Edge,
    end: Edge,
    finder: memmem::Finder<'static>,
    /// Whether it is made of letters and digits alone.
    is_one_token: bool,
}

/// Where the needle can stand.
struct Found {
    /// Whether that depends on variables.
    is_open: bool,
    /// The byte of the template behind it.
    end: usize,
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
        let finder = memmem::Finder::new(&needle).into_owned();
        let is_one_token = token_bytes(&needle) == needle.len();
        Self { needle, is_folded: !is_case_sensitive, start, end, finder, is_one_token }
    }

    pub(super) fn verdicts(&self, templates: &Templates) -> Vec<Verdict> {
        let mut filtered = Vec::new();
        let of = |code: usize| {
            let template = templates.template(code);
            let mut holes = Holes { templates, holes: templates.holes(code), filtered: &mut filtered };
            if !self.is_folded {
                return self.verdict(template, &mut holes);
            }
            match self.verdict(&folded_template(template), &mut holes) {
                // Letters of other scripts may be of another length when they are folded.
                Verdict::Open(_) if !is_ascii(template) => Verdict::UNKNOWN,
                verdict => verdict,
            }
        };
        (0..templates.len()).map(of).collect()
    }

    fn verdict(&self, template: &[u8], holes: &mut Holes<'_>) -> Verdict {
        if self.is_one_token && self.start == Edge::Anything && self.end == Edge::Anything {
            return self.verdict_on_token(template, holes);
        }
        let first = self.needle.as_bytes()[0];
        // A needle that begins with a token can begin in a hole.
        let first_run = token_bytes(&self.needle);
        let mut window: Option<Window> = None;
        let (mut at, mut hole) = (0, 0);
        while let Some(next) = memchr2(first, HOLE, template.get(at..).unwrap_or_default()) {
            let place = at + next;
            at = place + 1;
            if self.start == Edge::Text && place > 0 {
                break;
            }
            let found = if template[place] == HOLE {
                hole += 1;
                self.in_hole(template, place, hole - 1, first_run, holes)
            } else if self.start == Edge::Free && is_word_before(template, place) {
                None
            } else {
                self.onward(template, (place, hole), 0, holes)
            };
            match found {
                Some(Found { is_open: false, .. }) => return Verdict::All,
                Some(Found { end, .. }) => {
                    let own = Window { start: place, end };
                    window = Some(window.map_or(own, |window| window.with(own)));
                }
                None => {}
            }
        }
        let is_inner = self.start == Edge::Anything && self.end == Edge::Anything;
        match window {
            Some(window) if is_inner => Verdict::Open(window),
            // What stands beside it matters.
            Some(_) => Verdict::UNKNOWN,
            None => Verdict::None,
        }
    }

    /// The same for a needle of letters and digits that may stand anywhere: it lies in fixed text or in one variable.
    fn verdict_on_token(&self, template: &[u8], holes: &mut Holes<'_>) -> Verdict {
        if self.finder.find(template).is_some() {
            return Verdict::All;
        }
        let all = 0..self.needle.len();
        let mut fitting = (0..holes.holes.len()).filter(|hole| holes.fit(self, *hole, all.clone(), false));
        let Some(first) = fitting.next() else { return Verdict::None };
        let last = fitting.last().unwrap_or(first);
        let mut places = memchr_iter(HOLE, template);
        let start = places.nth(first).unwrap_or_default();
        let end = match last - first {
            0 => start,
            more => places.nth(more - 1).unwrap_or(template.len()),
        };
        Verdict::Open(Window { start, end: end.saturating_add(1) })
    }

    /// Whether the needle can begin in a hole.
    fn in_hole(
        &self,
        template: &[u8],
        place: usize,
        hole: usize,
        first_run: usize,
        holes: &mut Holes<'_>,
    ) -> Option<Found> {
        let begins_there = self.start != Edge::Anything;
        if first_run < self.needle.len() {
            let fits = first_run > 0 && holes.fit(self, hole, 0..first_run, begins_there);
            let found = fits.then(|| self.onward(template, (place + 1, hole + 1), first_run, holes))??;
            return Some(Found { is_open: true, ..found });
        }
        if self.end == Edge::Text && place + 1 < template.len() {
            return None;
        }
        let is_whole = begins_there && self.end != Edge::Anything;
        holes.fit(self, hole, 0..first_run, is_whole).then_some(Found { is_open: true, end: place + 1 })
    }

    /// Whether the needle from a byte on can stand from a place of the template on.
    fn onward(
        &self,
        template: &[u8],
        (mut place, mut hole): (usize, usize),
        mut at: usize,
        holes: &mut Holes<'_>,
    ) -> Option<Found> {
        let needle = self.needle.as_bytes();
        let mut is_open = false;
        while at < needle.len() {
            let byte = *template.get(place)?;
            if byte != HOLE {
                if byte != needle[at] {
                    return None;
                }
                (place, at) = (place + 1, at + 1);
                continue;
            }
            let run = token_bytes(&self.needle[at..]);
            let end = at + run;
            let is_last = end == needle.len();
            if run == 0 || (is_last && self.end == Edge::Text && place + 1 < template.len()) {
                return None;
            }
            // Only a token that the needle breaks off in may go on.
            let is_whole = !is_last || self.end != Edge::Anything;
            if !holes.fit(self, hole, at..end, is_whole) {
                return None;
            }
            if is_last {
                return Some(Found { is_open: true, end: place + 1 });
            }
            is_open = true;
            (place, hole, at) = (place + 1, hole + 1, end);
        }
        let is_ended = match self.end {
            Edge::Anything => true,
            Edge::Free => !is_word_after(template, place),
            Edge::Text => place == template.len(),
        };
        is_ended.then_some(Found { is_open, end: place })
    }
}

/// Whether the fixed parts of a template are ASCII.
fn is_ascii(template: &[u8]) -> bool {
    template.iter().all(|byte| byte.is_ascii() || *byte == HOLE)
}

/// A template in the case in which the needle is looked for.
fn folded_template(template: &[u8]) -> Vec<u8> {
    if is_ascii(template) {
        return template.to_ascii_lowercase();
    }
    let parts = template.split(|byte| *byte == HOLE);
    let parts: Vec<String> = parts.map(|part| folded(&String::from_utf8_lossy(part))).collect();
    let bytes: Vec<&[u8]> = parts.iter().map(String::as_bytes).collect();
    bytes.join(&HOLE)
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
