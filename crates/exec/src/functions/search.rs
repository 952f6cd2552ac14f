//! Where and how often a text stands in another, and what it is replaced by.

use memchr::memmem::Finder;
use tidegauge_lang::tree::Type;

use super::call::{Call, Function, function, text_of_literal};
use super::rows::{self, TEXT_BYTES_MAX};
use super::strings::byte_of;
use crate::error::Result;
use crate::expr::Typed;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    function("indexof", 2, 5, index_of),
    function("countof", 2, 2, count_of),
    function("replace_string", 3, 3, replace),
];

/// A stretch of a text in which something is searched: from a character on, counted from the end where it is negative,
/// and of a length, which is unlimited where it is negative. Gives the stretch and the characters before it.
pub(super) fn window(text: &str, start: i64, length: i64) -> (&str, usize) {
    let before = match usize::try_from(start) {
        Ok(start) => start,
        Err(_) => {
            let from_end = usize::try_from(start.unsigned_abs()).unwrap_or(usize::MAX);
            text.chars().count().saturating_sub(from_end)
        }
    };
    let rest = &text[byte_of(text, before)..];
    let end = usize::try_from(length).map_or(rest.len(), |length| byte_of(rest, length));
    (&rest[..end], before)
}

/// What finds a needle. One that stands in the query is made ready once.
struct Needle(Option<Finder<'static>>);

impl Needle {
    fn maker(needle: Option<&Typed>) -> impl Fn() -> Self + use<> {
        let fixed = text_of_literal(needle).map(|needle| Finder::new(needle).into_owned());
        move || Self(fixed.clone())
    }

    fn of<'a>(&'a self, needle: &'a str) -> Finder<'a> {
        self.0.as_ref().map_or_else(|| Finder::new(needle), Finder::as_ref)
    }
}

/// Where the nth occurrence stands, in characters from the start of the text; -1 if there is none. The length is that
/// in which each of the occurrences is searched, beginning behind the start of the one before.
fn index_of(call: &Call<'_>) -> Result<Value> {
    let needle = call.text(1)?;
    let run = rows::integers_with(Needle::maker(needle.as_ref()), |needle, row| {
        let (text, length) = (row.text(0), row.integer(3));
        let finder = needle.of(row.text(1));
        let (mut stretch, before) = window(text, row.integer(2), length);
        if row.integer(4) < 1 || before > text.chars().count() {
            return Some(-1);
        }
        let mut start = text.len() - text[byte_of(text, before)..].len();
        for occurrence in 1.. {
            let Some(at) = finder.find(stretch.as_bytes()) else { break };
            if occurrence == row.integer(4) {
                return i64::try_from(text[..start + at].chars().count()).ok();
            }
            let Some(found) = text[start + at..].chars().next() else { break };
            start += at + found.len_utf8();
            (stretch, _) = window(&text[start..], 0, length);
        }
        Some(-1)
    });
    let (start, length) = (call.integer_or(2, 0)?, call.integer_or(3, -1)?);
    call.result(Type::Integer, [call.text(0)?, needle, start, length, call.integer_or(4, 1)?], run)
}

/// How often a text stands in another, overlapping ones too.
fn count_of(call: &Call<'_>) -> Result<Value> {
    let needle = call.text(0)?;
    let run = rows::integers_with(Needle::maker(needle.as_ref()), |needle, row| {
        if row.text(0).is_empty() {
            return Some(0);
        }
        i64::try_from(overlapping(row.text(1), &needle.of(row.text(0))).count()).ok()
    });
    call.result(Type::Integer, [needle, call.text(1)?], run)
}

/// The bytes at which a needle begins.
fn overlapping<'a>(text: &'a str, finder: &'a Finder<'_>) -> impl Iterator<Item = usize> + 'a {
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + finder.find(text.as_bytes().get(from..)?)?;
        from = at + text[at..].chars().next().map_or(1, char::len_utf8);
        Some(at)
    })
}

fn replace(call: &Call<'_>) -> Result<Value> {
    let needle = call.text(0)?;
    let run = call.texts_with(Needle::maker(needle.as_ref()), |needle, row, text| {
        let (lookup, rewrite, source) = (row.text(0), row.text(1), row.text(2));
        let mut copied = 0;
        if !lookup.is_empty() {
            for at in needle.of(lookup).find_iter(source.as_bytes()) {
                text.push_str(&source[copied..at]);
                text.push_str(rewrite);
                copied = at + lookup.len();
                if text.len() > TEXT_BYTES_MAX {
                    return None;
                }
            }
        }
        text.push_str(&source[copied..]);
        Some(())
    });
    call.result(Type::String, [needle, call.text(1)?, call.text(2)?], run)
}
