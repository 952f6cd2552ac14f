//! Texts made of other texts. Positions and lengths count characters, not bytes.

use std::cmp::Ordering;

use tidegauge_lang::tree::Type;

use super::call::{Call, Function, MANY, function};
use super::elements;
use super::rows::{self, Row, TEXT_BYTES_MAX};
use crate::error::Result;
use crate::expr::Typed;
use crate::kernels::json;
use crate::notices::Message;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    function("strlen", 1, 1, |call| count(call, |text| text.chars().count())),
    function("string_size", 1, 1, |call| count(call, str::len)),
    function("toupper", 1, 1, |call| written(call, write_upper)),
    function("tolower", 1, 1, |call| written(call, write_lower)),
    function("totitle", 1, 1, |call| written(call, write_title)),
    function("reverse", 1, 1, |call| written(call, |source, text| text.extend(source.chars().rev()))),
    function("quote", 1, 1, |call| written(call, json::write_string)),
    function("strip_ansi_escapes", 1, 1, |call| written(call, write_without_escapes)),
    function("isascii", 1, 1, is_ascii),
    function("strcmp", 2, 2, compare),
    function("strcat", 1, MANY, concatenate),
    function("strcat_delim", 2, MANY, concatenate_with),
    function("strrep", 2, 3, repeat),
    function("substring", 2, 3, substring),
    function("split", 2, 3, split),
    function("trim", 2, 2, |call| trim(call, |text, is_cut| text.trim_matches(is_cut))),
    function("trim_start", 2, 2, |call| trim(call, |text, is_cut| text.trim_start_matches(is_cut))),
    function("trim_end", 2, 2, |call| trim(call, |text, is_cut| text.trim_end_matches(is_cut))),
    function("trim_space", 1, 1, |call| {
        call.result(Type::String, [call.text(0)?], rows::parts(|row| Some(row.text(0).trim())))
    }),
    function("translate", 3, 3, translate),
    function("unicode_codepoints_from_string", 1, 1, code_points),
    function("unicode_codepoints_to_string", 1, MANY, from_code_points),
];

fn count(call: &Call<'_>, count: fn(&str) -> usize) -> Result<Value> {
    let run = rows::integers(move |row| i64::try_from(count(row.text(0))).ok());
    call.result(Type::Integer, [call.text(0)?], run)
}

fn written(call: &Call<'_>, write: fn(&str, &mut String)) -> Result<Value> {
    let run = call.texts(move |row, text| {
        write(row.text(0), text);
        Some(())
    });
    call.result(Type::String, [call.text(0)?], run)
}

fn write_upper(source: &str, text: &mut String) {
    if source.is_ascii() {
        text.push_str(source);
        text.make_ascii_uppercase();
    } else {
        text.extend(source.chars().flat_map(char::to_uppercase));
    }
}

fn write_lower(source: &str, text: &mut String) {
    if source.is_ascii() {
        text.push_str(source);
        text.make_ascii_lowercase();
    } else {
        // As a whole, because the last sigma of a word has a form of its own.
        text.push_str(&source.to_lowercase());
    }
}

fn write_title(source: &str, text: &mut String) {
    let mut characters = source.chars();
    text.extend(characters.next().into_iter().flat_map(char::to_uppercase));
    text.push_str(characters.as_str());
}

/// Without the sequences that colour text or move the cursor of a terminal.
fn write_without_escapes(source: &str, text: &mut String) {
    const ESCAPE: char = '\u{1b}';
    const BELL: char = '\u{7}';
    let mut parts = source.split(ESCAPE);
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let is_last = |c: char| ('@'..='~').contains(&c);
        let rest = match part.chars().next() {
            Some('[') => part[1..].find(is_last).map_or("", |last| &part[last + 2..]),
            Some(']') => part.split_once(BELL).map_or("", |(_, rest)| rest),
            Some('(' | ')' | '#' | '%') => part.char_indices().nth(2).map_or("", |(at, _)| &part[at..]),
            Some(single) => &part[single.len_utf8()..],
            None => "",
        };
        text.push_str(rest);
    }
}

fn is_ascii(call: &Call<'_>) -> Result<Value> {
    call.result(Type::Boolean, [call.text(0)?], rows::booleans(|row| Some(row.text(0).is_ascii())))
}

fn compare(call: &Call<'_>) -> Result<Value> {
    let run = rows::integers(|row| {
        Some(match row.text(0).cmp(row.text(1)) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        })
    });
    call.result(Type::Integer, [call.text(0)?, call.text(1)?], run)
}

fn texts_of(call: &Call<'_>) -> Result<Vec<Option<Typed>>> {
    (0..call.count()).map(|place| call.text(place)).collect()
}

/// Null is the empty text.
fn concatenate(call: &Call<'_>) -> Result<Value> {
    let run = call.texts_of_all(|row, text| {
        (0..row.count())
            .filter(|place| !row.is_null(*place))
            .for_each(|place| text.push_str(row.text(place)));
        Some(())
    });
    call.result_of_all(Type::String, texts_of(call)?, run)
}

fn concatenate_with(call: &Call<'_>) -> Result<Value> {
    let part = |row: Row<'_, '_>, place, text: &mut String| {
        if !row.is_null(place) {
            text.push_str(row.text(place));
        }
    };
    let run = call.texts_of_all(move |row, text| {
        for place in 1..row.count() {
            if place > 1 {
                part(row, 0, text);
            }
            part(row, place, text);
        }
        Some(())
    });
    call.result_of_all(Type::String, texts_of(call)?, run)
}

fn repeat(call: &Call<'_>) -> Result<Value> {
    const TIMES_MAX: i64 = 1_024;
    let (notices, told) = (call.notices.clone(), call.told());
    let run = call.texts(move |row, text| {
        let (source, delimiter) = (row.text(0), row.text(2));
        if row.integer(1) > TIMES_MAX {
            notices.tell(Message::Cut { function: "strrep", limit: TIMES_MAX as u64, unit: "repetitions" });
        }
        let times = usize::try_from(row.integer(1).clamp(0, TIMES_MAX)).ok()?;
        if (source.len() + delimiter.len()) * times > TEXT_BYTES_MAX {
            told.too_long();
            return None;
        }
        for time in 0..times {
            if time > 0 {
                text.push_str(delimiter);
            }
            text.push_str(source);
        }
        Some(())
    });
    call.result(Type::String, [call.text(0)?, call.integer(1)?, call.text_or(2, "")?], run)
}

/// From a character on, counted from 0, which a negative number also stands for.
fn substring(call: &Call<'_>) -> Result<Value> {
    let run = rows::parts(|row| {
        let (text, start, length) = (row.text(0), row.integer(1), row.integer(2));
        let start = usize::try_from(start).map_or(0, |start| byte_of(text, start));
        let rest = &text[start..];
        let end = usize::try_from(length).map_or(0, |length| byte_of(rest, length));
        Some(&rest[..end])
    });
    call.result(Type::String, [call.text(0)?, call.integer(1)?, call.integer_or(2, i64::MAX)?], run)
}

/// Where a character begins; the end of the text if it has fewer.
pub(super) fn byte_of(text: &str, character: usize) -> usize {
    if character >= text.len() {
        return text.len();
    }
    if text.as_bytes()[..=character].is_ascii() {
        return character;
    }
    text.char_indices().nth(character).map_or(text.len(), |(at, _)| at)
}

/// The parts between delimiters, or one of them alone; every character where the delimiter is empty.
fn split(call: &Call<'_>) -> Result<Value> {
    let is_one = call.count() == 3;
    let run = call.texts(move |row, text| {
        let (source, delimiter) = (row.text(0), row.text(1));
        let mut parts: Vec<&str> = match delimiter {
            // Splitting by nothing also gives what is before the first and behind the last character.
            "" => source.split("").filter(|part| !part.is_empty()).collect(),
            _ => source.split(delimiter).collect(),
        };
        if is_one {
            let part = usize::try_from(row.integer(2)).ok().and_then(|place| parts.get(place).copied());
            parts = vec![part?];
        }
        elements::write_array(text, parts, json::write_string);
        Some(())
    });
    call.result(Type::Array, [call.text(0)?, call.text(1)?, call.integer_or(2, 0)?], run)
}

/// Without any of the given characters at the ends.
fn trim(
    call: &Call<'_>,
    trim: for<'a, 'b> fn(&'a str, &'b dyn Fn(char) -> bool) -> &'a str,
) -> Result<Value> {
    let run = rows::parts(move |row| {
        let cut = row.text(0);
        Some(trim(row.text(1), &|character| cut.contains(character)))
    });
    call.result(Type::String, [call.text(0)?, call.text(1)?], run)
}

/// Each character that is searched for becomes the one at its place in the replacement, whose last one also stands for
/// the places behind it. An empty replacement deletes.
fn translate(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        let (search, replacement) = (row.text(0), row.text(1));
        for character in row.text(2).chars() {
            match search.chars().position(|searched| searched == character) {
                None => text.push(character),
                Some(place) => {
                    text.extend(replacement.chars().nth(place).or(replacement.chars().next_back()))
                }
            }
        }
        Some(())
    });
    call.result(Type::String, [call.text(0)?, call.text(1)?, call.text(2)?], run)
}

fn code_points(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        elements::write_array(text, row.text(0).chars(), |character, text| {
            text.push_str(&u32::from(character).to_string());
        });
        Some(())
    });
    call.result(Type::Array, [call.text(0)?], run)
}

/// Of numbers, and of arrays of them. Numbers that are no characters are left out.
fn from_code_points(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        let character = |number: &str| number.parse().ok().and_then(char::from_u32);
        for place in 0..row.count() {
            match elements::elements(row.text(place)) {
                Some(numbers) => text.extend(numbers.iter().filter_map(|number| character(number.get()))),
                None => text.push(character(row.text(place))?),
            }
        }
        Some(())
    });
    let numbers = (0..call.count()).map(|place| call.json(place)).collect::<Result<Option<Vec<Typed>>>>()?;
    let Some(numbers) = numbers else { return Ok(Value::NULL) };
    Ok(Typed::call(call.name, Type::String, numbers, run)?.into())
}
