//! Where and how often a text stands in another, and what it is replaced by.

use memchr::memmem;
use tidegauge_lang::tree::Type;

use super::call::{Call, Function, function};
use super::rows::{self, TEXT_BYTES_MAX};
use super::strings::byte_of;
use crate::Result;
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

/// Where the nth occurrence stands, in characters from the start of the text; -1 if there is none.
fn index_of(call: &Call<'_>) -> Result<Value> {
    let run = rows::integers(|row| {
        let (text, needle) = (row.text(0), row.text(1));
        let (window, before) = window(text, row.integer(2), row.integer(3));
        let Some(occurrence) = usize::try_from(row.integer(4)).ok().filter(|occurrence| *occurrence > 0)
        else {
            return Some(-1);
        };
        let is_within = before <= text.chars().count();
        let found = overlapping(window, needle).nth(occurrence - 1).filter(|_| is_within);
        let Some(at) = found else { return Some(-1) };
        i64::try_from(before + window[..at].chars().count()).ok()
    });
    let (start, length, occurrence) =
        (call.integer_or(2, 0)?, call.integer_or(3, -1)?, call.integer_or(4, 1)?);
    call.result(Type::Integer, [call.text(0)?, call.text(1)?, start, length, occurrence], run)
}

/// How often a text stands in another, overlapping ones too.
fn count_of(call: &Call<'_>) -> Result<Value> {
    let run = rows::integers(|row| {
        if row.text(0).is_empty() {
            return Some(0);
        }
        i64::try_from(overlapping(row.text(1), row.text(0)).count()).ok()
    });
    call.result(Type::Integer, [call.text(0)?, call.text(1)?], run)
}

/// The bytes at which a needle begins.
fn overlapping<'a>(text: &'a str, needle: &'a str) -> impl Iterator<Item = usize> + 'a {
    let finder = memmem::Finder::new(needle);
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + finder.find(text.as_bytes().get(from..)?)?;
        from = at + text[at..].chars().next().map_or(1, char::len_utf8);
        Some(at)
    })
}

fn replace(call: &Call<'_>) -> Result<Value> {
    let run = rows::texts(|row, text| {
        let (lookup, rewrite, source) = (row.text(0), row.text(1), row.text(2));
        if lookup.is_empty() {
            text.push_str(source);
            return Some(());
        }
        let mut copied = 0;
        for at in memmem::find_iter(source.as_bytes(), lookup) {
            text.push_str(&source[copied..at]);
            text.push_str(rewrite);
            copied = at + lookup.len();
            if text.len() > TEXT_BYTES_MAX {
                return None;
            }
        }
        text.push_str(&source[copied..]);
        Some(())
    });
    call.result(Type::String, [call.text(0)?, call.text(1)?, call.text(2)?], run)
}
