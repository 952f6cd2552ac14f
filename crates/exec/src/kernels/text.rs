//! Tests of text: substrings, prefixes, suffixes, whole words and regular expressions, with or without case.

pub mod fold;
pub mod wanted;
mod word;

use std::sync::Arc;

use arrow_array::builder::{BooleanBufferBuilder, BooleanBuilder};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, StringViewArray};
use arrow_buffer::BooleanBuffer;
use arrow_string::like;
use memchr::memmem;
use regex::{Regex, RegexBuilder};
use tidegauge_lang::tree::TextTest;

use super::{convert, json};
use crate::error::Result;
use crate::expr::{At, Kernel, Typed, Values};

/// How large a compiled regular expression may be, in bytes.
const REGEX_BYTES_MAX: usize = 4 << 20;

/// The text that an expression is, if it stands in the query.
pub fn literal_text(typed: &Typed) -> Option<&str> {
    let literal = typed.as_literal().filter(|literal| literal.is_valid(0))?;
    literal.as_string_view_opt().map(|texts| texts.value(0))
}

/// The words of a text, in their order.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    word::all(text)
}

/// Whether a text is one word and nothing else, in the form in which it is looked for.
pub fn is_single_word(text: &str, is_case_sensitive: bool) -> bool {
    let is_word = |text: &str| word::all(text).next() == Some(text);
    if is_case_sensitive { is_word(text) } else { is_word(&fold::folded(text)) }
}

/// Reads a regular expression within the bounds that all have.
pub fn regex(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).size_limit(REGEX_BYTES_MAX).dfa_size_limit(REGEX_BYTES_MAX).build()
}

/// How a test is called.
pub(crate) fn name(test: TextTest) -> &'static str {
    match test {
        TextTest::Equals => "equals",
        TextTest::Contains => "contains",
        TextTest::StartsWith => "startswith",
        TextTest::EndsWith => "endswith",
        TextTest::Has => "has",
        TextTest::HasPrefix => "hasprefix",
        TextTest::HasSuffix => "hassuffix",
        TextTest::Matches => "matches regex",
    }
}

/// Which texts pass a test.
pub(crate) fn kernel(test: TextTest, is_case_sensitive: bool, needle: &Typed) -> Kernel {
    if is_case_sensitive {
        match test {
            TextTest::Equals => {
                return literal_text(needle).map_or_else(|| arrow(arrow_ord::cmp::eq), wanted::one_text);
            }
            TextTest::StartsWith => return arrow(like::starts_with),
            TextTest::EndsWith => return arrow(like::ends_with),
            _ => {}
        }
    }
    // Almost always one needle for all rows: what it needs is made ready once.
    let literal = needle.as_literal().filter(|literal| literal.is_valid(0));
    if let Some(literal) = literal {
        let matcher = Matcher::new(test, is_case_sensitive, literal.as_string_view().value(0));
        return Arc::new(move |values: &[Values], at| {
            matched(values[0].array().as_string_view(), &matcher, at)
        });
    }
    Arc::new(move |values: &[Values], at| {
        let (texts, needles, rows) = (&values[0], &values[1], at.rows);
        let mut result = BooleanBuilder::with_capacity(rows);
        // Needles often repeat, and a regular expression takes long to be made ready.
        let mut last: Option<(&str, Matcher)> = None;
        for row in 0..rows {
            if texts.is_null(row) || needles.is_null(row) {
                result.append_value(false);
                continue;
            }
            let needle = needles.array().as_string_view().value(needles.place(row));
            let text = texts.array().as_string_view().value(texts.place(row));
            let matcher = match last.take() {
                Some((known, matcher)) if known == needle => matcher,
                _ => {
                    // One for each row can take milliseconds each.
                    at.look_now(row)?;
                    Matcher::new(test, is_case_sensitive, needle)
                }
            };
            result.append_value(matcher.is_match(text));
            last = Some((needle, matcher));
            at.look(text.len(), row)?;
        }
        Ok(Arc::new(result.finish()) as ArrayRef)
    })
}

type ArrowTest = fn(
    &dyn arrow_array::Datum,
    &dyn arrow_array::Datum,
) -> std::result::Result<arrow_array::BooleanArray, arrow_schema::ArrowError>;

fn arrow(run: ArrowTest) -> Kernel {
    Arc::new(move |values: &[Values], _| Ok(Arc::new(run(&values[0], &values[1])?) as ArrayRef))
}

/// From so many texts on, a test has its working memory for itself: threads that share a regular expression wait for it.
const OWN_REGEX_TEXTS: usize = 1 << 10;

/// About so many bytes are searched between two looks at the clock.
const SEARCHED_BYTES: usize = 1 << 20;

fn matched(texts: &StringViewArray, matcher: &Matcher, at: At<'_>) -> Result<ArrayRef> {
    let own = (texts.len() >= OWN_REGEX_TEXTS).then(|| matcher.clone());
    let matcher = own.as_ref().unwrap_or(matcher);
    let is_match = |row: usize| texts.is_valid(row) && matcher.is_match(texts.value(row));
    // What the texts lie in tells how long they are without a look at each; short ones lie in nothing.
    let bytes: usize = texts.data_buffers().iter().map(|buffer| buffer.len()).sum();
    let at_once = (SEARCHED_BYTES / (bytes / texts.len().max(1)).max(1)).max(1);
    let mut bits = BooleanBufferBuilder::new(texts.len());
    for start in (0..texts.len()).step_by(at_once) {
        if start > 0 {
            at.look_now(start)?;
        }
        let count = at_once.min(texts.len() - start);
        bits.append_buffer(&BooleanBuffer::collect_bool(count, |row| is_match(start + row)));
    }
    Ok(Arc::new(BooleanArray::new(bits.finish(), None)))
}

/// A test with its needle. A copy of one with a regular expression has room of its own to search in.
#[derive(Clone, Debug)]
pub enum Matcher {
    Equals(String),
    Prefix(String),
    Suffix(String),
    Find(memmem::Finder<'static>),
    Word {
        finder: memmem::Finder<'static>,
        place: word::Place,
    },
    /// Texts are folded before the test inside.
    Folded(Box<Matcher>),
    Regex(Box<Regex>),
    Never,
}

impl Matcher {
    pub fn new(test: TextTest, is_case_sensitive: bool, needle: &str) -> Self {
        if test == TextTest::Matches {
            return regex(needle).map_or(Self::Never, |regex| Self::Regex(Box::new(regex)));
        }
        if !is_case_sensitive {
            // The regex engine searches without case faster than texts can be folded.
            if test == TextTest::Contains && !needle.is_empty() {
                let folded = RegexBuilder::new(&regex::escape(needle)).case_insensitive(true).build();
                if let Ok(regex) = folded {
                    return Self::Regex(Box::new(regex));
                }
            }
            return Self::Folded(Box::new(Self::new(test, true, &fold::folded(needle))));
        }
        let finder = || memmem::Finder::new(needle).into_owned();
        let word = |place| Self::Word { finder: finder(), place };
        match test {
            TextTest::Equals => Self::Equals(needle.to_owned()),
            TextTest::StartsWith => Self::Prefix(needle.to_owned()),
            TextTest::EndsWith => Self::Suffix(needle.to_owned()),
            TextTest::Has => word(word::Place::Whole),
            TextTest::HasPrefix => word(word::Place::Start),
            TextTest::HasSuffix => word(word::Place::End),
            TextTest::Contains | TextTest::Matches => Self::Find(finder()),
        }
    }

    pub fn is_match(&self, text: &str) -> bool {
        match self {
            Self::Equals(needle) => text == needle,
            Self::Prefix(needle) => text.starts_with(needle.as_str()),
            Self::Suffix(needle) => text.ends_with(needle.as_str()),
            Self::Find(finder) => finder.find(text.as_bytes()).is_some(),
            Self::Word { finder, place } => word::is_in(text, finder, *place),
            Self::Folded(inner) => inner.is_match(&fold::folded(text)),
            Self::Regex(regex) => regex.is_match(text),
            Self::Never => false,
        }
    }
}

/// Whether an array has an element whose text is the needle.
pub(crate) fn elements(is_case_sensitive: bool) -> Kernel {
    Arc::new(move |values: &[Values], at| {
        let (arrays, needles, rows) = (&values[0], &values[1], at.rows);
        let mut result = BooleanBuilder::with_capacity(rows);
        for row in 0..rows {
            if arrays.is_null(row) || needles.is_null(row) {
                result.append_value(false);
                continue;
            }
            let needle = needles.array().as_string_view().value(needles.place(row));
            let json = arrays.array().as_string_view().value(arrays.place(row));
            result.append_value(has_element(json, needle, is_case_sensitive));
            at.look(json.len(), row)?;
        }
        Ok(Arc::new(result.finish()) as ArrayRef)
    })
}

fn has_element(json: &str, needle: &str, is_case_sensitive: bool) -> bool {
    let folded = if is_case_sensitive { needle.to_owned() } else { fold::folded(needle) };
    let mut text = String::new();
    json::elements(json).into_iter().flatten().any(|element| {
        text.clear();
        // A float is found however it is written, and an integer by all of its digits.
        convert::write_dynamic(element, &mut text);
        if is_case_sensitive { text == folded } else { fold::folded(&text) == folded }
    })
}
