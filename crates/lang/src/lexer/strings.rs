//! Texts in quotes: with escapes, raw after `@`, hidden after `h`, and over several lines between triple marks.

use super::state::Lexer;
use super::token::TokenKind;
use crate::tree::Literal;
use crate::{Diagnostic, Span};

/// What is wrong with a text that has no end.
pub(crate) const UNCLOSED: &str = "the text is never closed";

/// Marks around texts over several lines, which have no escapes.
const MULTI_LINE: [&str; 2] = ["```", "~~~"];

/// Whether a text literal stands here, with its marks before the quote.
pub(super) fn begins_string(rest: &str) -> bool {
    let after = rest.strip_prefix(['h', 'H']).unwrap_or(rest);
    if MULTI_LINE.iter().any(|mark| after.starts_with(mark)) {
        return true;
    }
    after.strip_prefix('@').unwrap_or(after).starts_with(['"', '\''])
}

/// A text that was read: its value, where it ends, and what is wrong in it.
pub(super) struct Text {
    pub(super) value: String,
    pub(super) end: usize,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Lexer<'_> {
    pub(super) fn string(&mut self) -> TokenKind {
        let Text { value, end, diagnostics } = read(self.text, self.place);
        self.place = end;
        self.diagnostics.extend(diagnostics);
        TokenKind::Literal(Literal::String(value))
    }
}

/// Reads the text literal that begins at a place.
pub(super) fn read(text: &str, start: usize) -> Text {
    let mut place = start;
    if text[place..].starts_with(['h', 'H']) {
        place += 1;
    }
    if let Some(mark) = MULTI_LINE.iter().find(|mark| text[place..].starts_with(**mark)) {
        return multi_line(text, start, place + mark.len(), mark);
    }
    let is_raw = text[place..].starts_with('@');
    if is_raw {
        place += 1;
    }
    let Some(quote) = text[place..].chars().next() else {
        return Text { value: String::new(), end: text.len(), diagnostics: Vec::new() };
    };
    if is_raw { raw(text, start, place + 1, quote) } else { escaped(text, start, quote, place + 1) }
}

fn multi_line(text: &str, start: usize, inside: usize, mark: &str) -> Text {
    match text[inside..].find(mark) {
        Some(length) => {
            let value = text[inside..inside + length].to_owned();
            Text { value, end: inside + length + mark.len(), diagnostics: Vec::new() }
        }
        None => unclosed(text, start, text[inside..].to_owned(), text.len(), mark),
    }
}

/// A backslash is itself here, and a doubled quote is one quote.
fn raw(text: &str, start: usize, inside: usize, quote: char) -> Text {
    let mut value = String::new();
    let mut characters = text[inside..].char_indices().peekable();
    while let Some((offset, character)) = characters.next() {
        if character == '\n' {
            return unclosed(text, start, value, inside + offset, &quote.to_string());
        }
        if character == quote {
            if characters.peek().is_none_or(|(_, next)| *next != quote) {
                return Text { value, end: inside + offset + 1, diagnostics: Vec::new() };
            }
            characters.next();
        }
        value.push(character);
    }
    unclosed(text, start, value, text.len(), &quote.to_string())
}

fn escaped(text: &str, start: usize, quote: char, inside: usize) -> Text {
    let mut value = String::new();
    let mut diagnostics = Vec::new();
    let mut place = inside;
    while let Some(character) = text[place..].chars().next() {
        match character {
            '\n' => break,
            '\\' => match escape(&text[place..]) {
                Ok((decoded, length)) => {
                    value.push(decoded);
                    place += length;
                }
                Err(length) => {
                    let sequence = &text[place..place + length];
                    diagnostics.push(unknown_escape(sequence, Span::new(place, place + length)));
                    value.push_str(sequence);
                    place += length;
                }
            },
            _ if character == quote => return Text { value, end: place + 1, diagnostics },
            _ => {
                value.push(character);
                place += character.len_utf8();
            }
        }
    }
    let mut text = unclosed(text, start, value, place, &quote.to_string());
    diagnostics.append(&mut text.diagnostics);
    Text { diagnostics, ..text }
}

/// The character that an escape stands for and the escape's length, or the length of what is none.
fn escape(rest: &str) -> Result<(char, usize), usize> {
    let Some(letter) = rest.chars().nth(1) else { return Err(rest.len()) };
    let simple = match letter {
        '\\' | '"' | '\'' | '/' => letter,
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        '0' => '\0',
        'u' => return unicode_escape(rest),
        '\n' => return Err(1),
        _ => return Err(1 + letter.len_utf8()),
    };
    Ok((simple, 2))
}

/// `\uXXXX`, or two of them that make one character together.
fn unicode_escape(rest: &str) -> Result<(char, usize), usize> {
    let unit = |place: usize| -> Option<u32> {
        let digits = rest.get(place..place + 6)?.strip_prefix("\\u")?;
        digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
    };
    let first = unit(0).ok_or(2_usize)?;
    if let Some(character) = char::from_u32(first) {
        return Ok((character, 6));
    }
    let second = unit(6).filter(|second| (0xdc00..0xe000).contains(second)).ok_or(6_usize)?;
    let code = 0x1_0000 + ((first & 0x3ff) << 10) + (second & 0x3ff);
    char::from_u32(code).filter(|_| first < 0xdc00).map(|character| (character, 12)).ok_or(6)
}

fn unknown_escape(sequence: &str, span: Span) -> Diagnostic {
    let hint = match sequence.chars().nth(1) {
        Some('u') => "write four hexadecimal digits after it, such as `\\u00e4`".to_owned(),
        _ => format!("write `\\{sequence}` for a backslash, or put `@` before the quote"),
    };
    Diagnostic::new(format!("`{sequence}` is no escape"), span).with_hint(hint)
}

fn unclosed(text: &str, start: usize, value: String, end: usize, mark: &str) -> Text {
    // Only the beginning is marked: the rest of the line may be long, and is often the innocent part.
    let mark_end = start + text[start..].find(['"', '\'', '`', '~']).unwrap_or(0) + mark.len();
    let hint = if end < text.len() {
        format!("write {mark} at its end, or \\n for a line break in it")
    } else {
        format!("write {mark} at its end")
    };
    let diagnostic = Diagnostic::new(UNCLOSED, Span::new(start, mark_end)).with_hint(hint);
    Text { value, end, diagnostics: vec![diagnostic] }
}
