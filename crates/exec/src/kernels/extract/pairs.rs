//! Keys with values, as `parse-kv` finds them: between delimiters, as words beside each other, or by a regular
//! expression. Of a key that comes twice the first value counts; blanks around keys and values do not.

use std::borrow::Cow;

use regex::Regex;

use super::{Extract, Found};

/// Which keys are wanted, and how they are found.
#[derive(Debug)]
pub struct Pairs {
    pub keys: Vec<String>,
    pub form: Form,
    pub quotes: Quotes,
}

#[derive(Debug)]
pub enum Form {
    Delimited {
        pair: String,
        key_value: String,
        /// Whether a value goes on up to the next key.
        is_greedy: bool,
    },
    /// Every mark that is neither letter nor digit is a delimiter.
    Words,
    /// The first group is the key, the second the value.
    Regex(Regex),
}

/// What stands around texts that hold delimiters, and what stands before a mark that is none of these.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quotes {
    pub around: Option<(char, char)>,
    pub escape: Option<char>,
}

impl Quotes {
    /// A text in quotes at the start of another one, and what is behind it.
    fn take<'t>(self, text: &'t str) -> Option<(Cow<'t, str>, &'t str)> {
        let (open, close) = self.around?;
        let inner = text.strip_prefix(open)?;
        let mut plain: Option<String> = None;
        let mut copied = 0;
        let mut characters = inner.char_indices();
        while let Some((at, character)) = characters.next() {
            if Some(character) == self.escape {
                let so_far = plain.get_or_insert_default();
                so_far.push_str(&inner[copied..at]);
                copied = at + character.len_utf8();
                characters.next();
            } else if character == close {
                let last = &inner[copied..at];
                let whole = match plain {
                    Some(so_far) => Cow::Owned(so_far + last),
                    None => Cow::Borrowed(last),
                };
                return Some((whole, &inner[at + close.len_utf8()..]));
            }
        }
        None
    }
}

impl Extract for Pairs {
    fn extract<'t>(&self, text: &'t str, found: &mut [Option<Found<'t>>]) -> bool {
        let mut put = |key: &str, value: Cow<'t, str>| {
            let place = self.keys.iter().position(|known| known == key);
            if let Some(slot) = place.and_then(|place| found.get_mut(place))
                && slot.is_none()
            {
                *slot = Some(Found::Text(value));
            }
        };
        match &self.form {
            Form::Delimited { pair, key_value, is_greedy } => {
                self.delimited(text, (pair, key_value, *is_greedy), &mut put);
            }
            Form::Words => self.words(text, &mut put),
            Form::Regex(regex) => {
                for captures in regex.captures_iter(text) {
                    if let (Some(key), Some(value)) = (captures.get(1), captures.get(2)) {
                        put(key.as_str().trim(), Cow::Borrowed(value.as_str().trim()));
                    }
                }
            }
        }
        true
    }
}

impl Pairs {
    fn delimited<'t>(
        &self,
        text: &'t str,
        (pair, key_value, is_greedy): (&str, &str, bool),
        put: &mut impl FnMut(&str, Cow<'t, str>),
    ) {
        let mut rest = text;
        while !rest.trim_start().is_empty() {
            let quoted = self.quotes.take(rest.trim_start());
            let (key, behind) = match quoted {
                Some((key, behind)) => (key, behind),
                None => {
                    let end = first_of(rest, pair, key_value).unwrap_or(rest.len());
                    (Cow::Borrowed(&rest[..end]), &rest[end..])
                }
            };
            let Some(value) = behind.trim_start().strip_prefix(key_value).or(behind.strip_prefix(key_value))
            else {
                // No key: it goes on behind the next delimiter.
                rest = behind.find(pair).map_or("", |at| &behind[at + pair.len()..]);
                continue;
            };
            if let Some((value, behind)) = self.quotes.take(value.trim_start()) {
                put(key.trim(), value);
                rest = behind.find(pair).map_or("", |at| &behind[at + pair.len()..]);
                continue;
            }
            let end = if is_greedy { end_of_greedy(value, pair, key_value) } else { value.find(pair) };
            let end = end.unwrap_or(value.len());
            put(key.trim(), Cow::Borrowed(value[..end].trim()));
            rest = value.get(end + pair.len()..).unwrap_or_default();
        }
    }

    /// Words beside each other: a wanted key, and the word behind it.
    fn words<'t>(&self, text: &'t str, put: &mut impl FnMut(&str, Cow<'t, str>)) {
        let mut rest = text;
        while let Some((word, behind)) = self.word(rest) {
            rest = behind;
            if self.keys.iter().any(|key| *key == word)
                && let Some((value, behind)) = self.word(behind)
            {
                put(&word, value);
                rest = behind;
            }
        }
    }

    /// The next word or text in quotes, and what is behind it.
    fn word<'t>(&self, text: &'t str) -> Option<(Cow<'t, str>, &'t str)> {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let open = self.quotes.around.map(|(open, _)| open);
        let mut rest = text;
        loop {
            let start = rest.find(|c: char| is_word(c) || Some(c) == open)?;
            rest = &rest[start..];
            if let Some(quoted) = self.quotes.take(rest) {
                return Some(quoted);
            }
            let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            if end > 0 {
                return Some((Cow::Borrowed(&rest[..end]), &rest[end..]));
            }
            // A quote that nothing closes.
            rest = &rest[rest.chars().next().map_or(1, char::len_utf8)..];
        }
    }
}

/// Where the first of two delimiters begins.
fn first_of(text: &str, one: &str, other: &str) -> Option<usize> {
    match (text.find(one), text.find(other)) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

/// The last delimiter of pairs before the next key. None where there is no more key.
fn end_of_greedy(value: &str, pair: &str, key_value: &str) -> Option<usize> {
    let next = value.find(key_value)?;
    value[..next].trim_end().rfind(pair)
}
