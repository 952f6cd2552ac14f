//! Functions with regular expressions. One that stands in the query is read before any row; one that cannot be read is
//! an error there, and gives null where it comes from a row.

use regex::Regex;
use tidegauge_lang::tree::Type;

use super::call::{Call, Function, function, text_of_literal};
use super::elements;
use super::rows::{self, TEXT_BYTES_MAX};
use super::search::window;
use crate::error::{Result, invalid_regex};
use crate::expr::Typed;
use crate::kernels::{json, text};
use crate::notices::Message;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    function("countof_regex", 2, 2, count_of),
    function("indexof_regex", 2, 5, index_of),
    function("extract", 3, 3, extract),
    function("extract_all", 2, 3, extract_all),
    function("replace", 3, 3, replace),
    function("replace_regex", 3, 3, replace),
    function("trim_regex", 2, 2, |call| trim(call, Ends::Both)),
    function("trim_start_regex", 2, 2, |call| trim(call, Ends::Start)),
    function("trim_end_regex", 2, 2, |call| trim(call, Ends::End)),
    function("regex_quote", 1, 1, quote),
];

/// How the pattern of a function becomes the expression that is searched for.
type Frame = fn(&str) -> String;

/// The regular expression of a row: almost always the same for all.
struct Patterns {
    fixed: Option<Regex>,
    frame: Frame,
    last: Option<(String, Option<Regex>)>,
}

impl Patterns {
    /// What makes patterns for the rows at hand, with the literal one read already.
    fn maker(call: &Call<'_>, pattern: Option<&Typed>, frame: Frame) -> Result<impl Fn() -> Self + use<>> {
        let fixed = text_of_literal(pattern).map(|pattern| text::regex(&frame(pattern))).transpose();
        let fixed =
            fixed.map_err(|error| invalid_regex(call.span, &format!(" of `{}`", call.name), &error))?;
        Ok(move || Self { fixed: fixed.clone(), frame, last: None })
    }

    fn get(&mut self, pattern: &str) -> Option<&Regex> {
        if let Some(fixed) = &self.fixed {
            return Some(fixed);
        }
        if self.last.as_ref().is_none_or(|(last, _)| last != pattern) {
            self.last = Some((pattern.to_owned(), text::regex(&(self.frame)(pattern)).ok()));
        }
        self.last.as_ref()?.1.as_ref()
    }
}

fn as_is(pattern: &str) -> String {
    pattern.to_owned()
}

fn count_of(call: &Call<'_>) -> Result<Value> {
    let pattern = call.text(0)?;
    let begin = Patterns::maker(call, pattern.as_ref(), as_is)?;
    let run = rows::integers_with(begin, |patterns, row| {
        i64::try_from(patterns.get(row.text(0))?.find_iter(row.text(1)).count()).ok()
    });
    call.result(Type::Integer, [pattern, call.text(1)?], run)
}

/// Where the nth match begins, in characters; -1 if there is none.
fn index_of(call: &Call<'_>) -> Result<Value> {
    let pattern = call.text(1)?;
    let begin = Patterns::maker(call, pattern.as_ref(), as_is)?;
    let run = rows::integers_with(begin, |patterns, row| {
        let (window, before) = window(row.text(0), row.integer(2), row.integer(4));
        let occurrence = usize::try_from(row.integer(3)).ok()?.checked_sub(1)?;
        match patterns.get(row.text(1))?.find_iter(window).nth(occurrence) {
            Some(found) => i64::try_from(before + window[..found.start()].chars().count()).ok(),
            None => Some(-1),
        }
    });
    let (start, occurrence, length) =
        (call.integer_or(2, 0)?, call.integer_or(3, 1)?, call.integer_or(4, -1)?);
    call.result(Type::Integer, [call.text(0)?, pattern, start, occurrence, length], run)
}

/// What a group of the first match is; the empty text where there is no match or no such group.
fn extract(call: &Call<'_>) -> Result<Value> {
    let pattern = call.text(0)?;
    let begin = Patterns::maker(call, pattern.as_ref(), as_is)?;
    let run = call.texts_with(begin, |patterns, row, text| {
        let pattern = patterns.get(row.text(0))?;
        // A whole match is found faster than its groups.
        let found = match usize::try_from(row.integer(1)) {
            Ok(0) => pattern.find(row.text(2)),
            Ok(group) => pattern.captures(row.text(2)).and_then(|captures| captures.get(group)),
            Err(_) => None,
        };
        text.push_str(found.map_or("", |found| found.as_str()));
        Some(())
    });
    call.result(Type::String, [pattern, call.integer(1)?, call.text(2)?], run)
}

/// How many groups of a match are shown.
const GROUPS_MAX: usize = 16;

const GROUPS_CUT: Message =
    Message::Cut { function: "extract_all", limit: GROUPS_MAX as u64, unit: "groups of a match" };

/// All matches: of one group a flat array, of several an array for each match.
fn extract_all(call: &Call<'_>) -> Result<Value> {
    let pattern = call.text(0)?;
    let begin = Patterns::maker(call, pattern.as_ref(), as_is)?;
    let notices = call.notices.clone();
    let run = call.texts_with(begin, move |patterns, row, text| {
        let pattern = patterns.get(row.text(0))?;
        let mut groups = groups(pattern, row.text(1))?;
        if groups.len() > GROUPS_MAX {
            notices.tell(GROUPS_CUT);
            groups.truncate(GROUPS_MAX);
        }
        let write_group = |captures: &regex::Captures<'_>, group: usize, text: &mut String| {
            json::write_string(captures.get(group).map_or("", |found| found.as_str()), text);
        };
        elements::write_array(text, pattern.captures_iter(row.text(2)), |captures, text| match groups[..] {
            [only] => write_group(&captures, only, text),
            _ => elements::write_array(text, &groups, |group, text| write_group(&captures, *group, text)),
        });
        Some(())
    });
    let (groups, texts) =
        if call.count() == 3 { (call.json(1)?, call.text(2)?) } else { (Some(no_groups()), call.text(1)?) };
    call.result(Type::Array, [pattern, groups, texts], run)
}

fn no_groups() -> Typed {
    super::call::literal_text("[]")
}

/// The groups that an array names by number or by name: all where it names none, the whole match without groups.
fn groups(pattern: &Regex, chosen: &str) -> Option<Vec<usize>> {
    let count = pattern.captures_len();
    let chosen = elements::elements(chosen)?;
    if chosen.is_empty() {
        return Some(if count == 1 { vec![0] } else { (1..count).collect() });
    }
    let mut name = String::new();
    chosen
        .into_iter()
        .take(GROUPS_MAX + 1)
        .map(|group| {
            name.clear();
            json::write_plain(group.get(), &mut name);
            let by_name = || pattern.capture_names().position(|known| known == Some(name.as_str()));
            name.parse().ok().filter(|number| *number < count).or_else(by_name)
        })
        .collect()
}

/// Every match replaced; `$1` or `\1` in the replacement is the first group.
fn replace(call: &Call<'_>) -> Result<Value> {
    let pattern = call.text(0)?;
    let begin = Patterns::maker(call, pattern.as_ref(), as_is)?;
    let run = call.texts_with(begin, |patterns, row, text| {
        let pattern = patterns.get(row.text(0))?;
        let (rewrite, source) = (row.text(1), row.text(2));
        let mut copied = 0;
        let mut take = |start: usize, end: usize, text: &mut String| {
            text.push_str(&source[copied..start]);
            copied = end;
            (text.len() <= TEXT_BYTES_MAX).then_some(())
        };
        if rewrite.contains(['$', '\\']) {
            for captures in pattern.captures_iter(source) {
                let whole = captures.get(0)?;
                take(whole.start(), whole.end(), text)?;
                expand(&captures, rewrite, text);
            }
        } else {
            for found in pattern.find_iter(source) {
                take(found.start(), found.end(), text)?;
                text.push_str(rewrite);
            }
        }
        take(source.len(), source.len(), text)
    });
    call.result(Type::String, [pattern, call.text(1)?, call.text(2)?], run)
}

/// Writes a replacement with the groups that it names as `$1`, `${name}` or `\1`.
fn expand(captures: &regex::Captures<'_>, rewrite: &str, text: &mut String) {
    let mut rest = rewrite;
    while let Some((before, after)) = rest.split_once('\\') {
        captures.expand(before, text);
        rest = match after.as_bytes().first().filter(|digit| digit.is_ascii_digit()) {
            Some(digit) => {
                let group = captures.get(usize::from(digit - b'0'));
                text.push_str(group.map_or("", |group| group.as_str()));
                &after[1..]
            }
            None => {
                text.push('\\');
                after
            }
        };
    }
    captures.expand(rest, text);
}

#[derive(Clone, Copy, PartialEq)]
enum Ends {
    Start,
    End,
    Both,
}

/// Without what matches at the ends.
fn trim(call: &Call<'_>, ends: Ends) -> Result<Value> {
    let pattern = call.text(0)?;
    let at_start = Patterns::maker(call, pattern.as_ref(), |pattern| format!("\\A(?:{pattern})"))?;
    let at_end = Patterns::maker(call, pattern.as_ref(), |pattern| format!("(?:{pattern})\\z"))?;
    let begin = move || (at_start(), at_end());
    let run = call.texts_with(begin, move |(at_start, at_end), row, text| {
        let mut source = row.text(1);
        if ends != Ends::End
            && let Some(found) = at_start.get(row.text(0))?.find(source)
        {
            source = &source[found.end()..];
        }
        if ends != Ends::Start
            && let Some(found) = at_end.get(row.text(0))?.find(source)
        {
            source = &source[..found.start()];
        }
        text.push_str(source);
        Some(())
    });
    call.result(Type::String, [pattern, call.text(1)?], run)
}

/// A pattern that matches the text itself.
fn quote(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        for character in row.text(0).chars() {
            if r"\.+*?()|[]{}^$".contains(character) {
                text.push('\\');
            }
            text.push(character);
        }
        Some(())
    });
    call.result(Type::String, [call.text(0)?], run)
}
