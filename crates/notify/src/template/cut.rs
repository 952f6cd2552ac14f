//! Cuts a template into text and what stands in double braces, and that into words. Trim markers and comments are
//! dealt with here.

use std::fmt;

/// Most bytes of a template.
pub const TEMPLATE_BYTES_MAX: usize = 32 * 1024;

/// What is wrong with a template, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    pub problem: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.problem)
    }
}

/// A piece of a template.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    Text(String),
    /// What stands in double braces, with where they begin.
    Action(Vec<Word>, usize),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Word {
    /// Where it begins, in bytes.
    pub(super) at: usize,
    pub(super) kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Name(String),
    /// A name after a dot.
    Field(String),
    Text(String),
    Number(f64),
    Open,
    Close,
    Pipe,
}

/// Line and column of a place in bytes.
pub(super) fn mistake(text: &str, at: usize, problem: impl Into<String>) -> Mistake {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Mistake {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        problem: problem.into(),
    }
}

pub(super) fn cut(text: &str) -> Result<Vec<Piece>, Mistake> {
    if text.len() > TEMPLATE_BYTES_MAX {
        let problem = format!("a template has at most {TEMPLATE_BYTES_MAX} bytes");
        return Err(mistake(text, 0, problem));
    }
    let mut pieces = Vec::new();
    let mut place = 0;
    let mut trims_next = false;
    while let Some(found) = text[place..].find("{{") {
        let begin = place + found;
        let inner = begin + 2;
        let trims_before = text[inner..].starts_with('-') && starts_with_space(&text[inner + 1..]);
        push_text(&mut pieces, &text[place..begin], trims_next, trims_before);
        let start = if trims_before { inner + 1 } else { inner };
        let (words, end) = action(text, start, begin)?;
        trims_next = text[..end].ends_with('-') && ends_with_space(&text[..end - 1]);
        place = end + 2;
        if let Some(words) = words {
            pieces.push(Piece::Action(words, begin));
        }
    }
    push_text(&mut pieces, &text[place..], trims_next, false);
    Ok(pieces)
}

fn starts_with_space(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_whitespace())
}

fn ends_with_space(text: &str) -> bool {
    text.ends_with(|c: char| c.is_ascii_whitespace())
}

fn push_text(pieces: &mut Vec<Piece>, text: &str, trims_start: bool, trims_end: bool) {
    let text = if trims_start { text.trim_ascii_start() } else { text };
    let text = if trims_end { text.trim_ascii_end() } else { text };
    if !text.is_empty() {
        pieces.push(Piece::Text(text.to_owned()));
    }
}

/// The words up to the closing braces, and where those are. None for a comment.
fn action(text: &str, start: usize, begin: usize) -> Result<(Option<Vec<Word>>, usize), Mistake> {
    if let Some(comment) = text[start..].trim_ascii_start().strip_prefix("/*") {
        let Some(end) = comment.find("*/") else {
            return Err(mistake(text, begin, "the comment has no end */"));
        };
        let after = text.len() - comment.len() + end + 2;
        let rest = text[after..].trim_ascii_start();
        let rest = rest.strip_prefix('-').unwrap_or(rest);
        if !rest.starts_with("}}") {
            return Err(mistake(text, after, "a comment stands alone in its braces"));
        }
        return Ok((None, text.len() - rest.len()));
    }
    let mut words = Vec::new();
    let mut at = start;
    loop {
        let rest = &text[at..];
        let Some(first) = rest.chars().next() else {
            return Err(mistake(text, begin, "the braces {{ have no end }}"));
        };
        if rest.starts_with("}}") {
            return Ok((Some(words), at));
        }
        if rest.starts_with("-}}") && ends_with_space(&text[..at]) {
            return Ok((Some(words), at + 1));
        }
        if first.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let (kind, length) = word(text, at)?;
        words.push(Word { at, kind });
        at += length;
    }
}

fn word(text: &str, at: usize) -> Result<(Kind, usize), Mistake> {
    let rest = &text[at..];
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let name_length = |text: &str| text.find(|c: char| !is_name(c)).unwrap_or(text.len());
    match rest.as_bytes()[0] {
        b'(' => Ok((Kind::Open, 1)),
        b')' => Ok((Kind::Close, 1)),
        b'|' => Ok((Kind::Pipe, 1)),
        b'.' => {
            let length = name_length(&rest[1..]);
            Ok((Kind::Field(rest[1..=length].to_owned()), 1 + length))
        }
        b'"' => quoted(text, at),
        b'`' => match rest[1..].find('`') {
            Some(length) => Ok((Kind::Text(rest[1..=length].to_owned()), length + 2)),
            None => Err(mistake(text, at, "the text has no end `")),
        },
        b'-' | b'+' | b'0'..=b'9' => {
            let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '_');
            let length = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
            let number = rest[..length].parse().ok().filter(|number: &f64| number.is_finite());
            let problem = || mistake(text, at, format!("{:?} is not a number", &rest[..length]));
            Ok((Kind::Number(number.ok_or_else(problem)?), length))
        }
        _ => match name_length(rest) {
            0 => {
                let first: String = rest.chars().take(1).collect();
                Err(mistake(text, at, format!("{first:?} has no meaning here")))
            }
            length => Ok((Kind::Name(rest[..length].to_owned()), length)),
        },
    }
}

/// A text in double quotes. Escapes are those that JSON has too.
fn quoted(text: &str, at: usize) -> Result<(Kind, usize), Mistake> {
    let rest = &text[at + 1..];
    let mut is_escaped = false;
    for (index, c) in rest.char_indices() {
        match c {
            '"' if !is_escaped => {
                let literal = &text[at..at + index + 2];
                let read = serde_json::from_str(literal)
                    .map_err(|_| mistake(text, at, "the text has an escape that is not known"))?;
                return Ok((Kind::Text(read), index + 2));
            }
            '\n' => break,
            _ => is_escaped = c == '\\' && !is_escaped,
        }
    }
    Err(mistake(text, at, "the text has no end \""))
}
