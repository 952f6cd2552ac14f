//! The inside of `dynamic(…)`: JSON, and beside it texts in single quotes, timespans and times, which become texts,
//! and another `dynamic(…)`. The result is JSON without blanks.

use super::strings;
use crate::{Diagnostic, Span, datetime, timespan};

/// How deep arrays and maps may stand in each other.
const DEPTH_MAX: usize = 100;

/// Reads one value and the parenthesis that closes it. Gives the value as JSON and where the parenthesis ends.
pub(super) fn read(text: &str, inside: usize) -> Result<(String, usize), Diagnostic> {
    let mut reader = Reader { text, place: inside, json: String::new() };
    reader.value(0)?;
    reader.expect(')', "write `)` after the value")?;
    Ok((reader.json, reader.place))
}

/// Writes a text as JSON.
pub(crate) fn push_json_string(json: &mut String, value: &str) {
    json.push('"');
    for character in value.chars() {
        match character {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            control if control < ' ' => json.push_str(&format!("\\u{:04x}", control as u32)),
            other => json.push(other),
        }
    }
    json.push('"');
}

struct Reader<'a> {
    text: &'a str,
    place: usize,
    json: String,
}

impl Reader<'_> {
    fn skip_blanks(&mut self) {
        let rest = &self.text[self.place..];
        self.place += rest.len() - rest.trim_start().len();
    }

    fn peek(&mut self) -> Option<char> {
        self.skip_blanks();
        self.text[self.place..].chars().next()
    }

    fn expect(&mut self, wanted: char, hint: &str) -> Result<(), Diagnostic> {
        if self.peek() == Some(wanted) {
            self.place += wanted.len_utf8();
            return Ok(());
        }
        Err(self.unexpected(hint))
    }

    /// What stands at the present place is not what may stand there.
    fn unexpected(&self, hint: &str) -> Diagnostic {
        let found = self.text[self.place..].chars().next();
        let end = self.place + found.map_or(0, char::len_utf8);
        let message = match found {
            Some(found) => format!("unexpected `{}` in `dynamic(…)`", found.escape_debug()),
            None => "`dynamic(` is never closed".to_owned(),
        };
        Diagnostic::new(message, Span::new(self.place, end)).with_hint(hint)
    }

    fn value(&mut self, depth: usize) -> Result<(), Diagnostic> {
        if depth > DEPTH_MAX {
            let span = Span::new(self.place, self.place);
            let message = format!("the value is nested more than {DEPTH_MAX} deep");
            return Err(Diagnostic::new(message, span).with_hint("flatten it"));
        }
        match self.peek() {
            Some('[') => self.array(depth),
            Some('{') => self.map(depth),
            Some('"' | '\'' | '@') => self.string(),
            _ => self.word(depth),
        }
    }

    fn array(&mut self, depth: usize) -> Result<(), Diagnostic> {
        self.place += 1;
        self.json.push('[');
        if self.peek() != Some(']') {
            loop {
                self.value(depth + 1)?;
                if self.peek() != Some(',') {
                    break;
                }
                self.place += 1;
                if self.peek() == Some(']') {
                    return Err(self.unexpected("remove the `,` before it"));
                }
                self.json.push(',');
            }
        }
        self.expect(']', "write `,` between elements and `]` after the last")?;
        self.json.push(']');
        Ok(())
    }

    fn map(&mut self, depth: usize) -> Result<(), Diagnostic> {
        self.place += 1;
        self.json.push('{');
        if self.peek() != Some('}') {
            loop {
                if !matches!(self.peek(), Some('"' | '\'')) {
                    return Err(self.unexpected("write the key in quotes"));
                }
                self.string()?;
                self.expect(':', "write `:` between a key and its value")?;
                self.json.push(':');
                self.value(depth + 1)?;
                if self.peek() != Some(',') {
                    break;
                }
                self.place += 1;
                self.json.push(',');
            }
        }
        self.expect('}', "write `,` between members and `}` after the last")?;
        self.json.push('}');
        Ok(())
    }

    fn string(&mut self) -> Result<(), Diagnostic> {
        if !strings::begins_string(&self.text[self.place..]) {
            return Err(self.unexpected("write \" or ' around a text"));
        }
        let text = strings::read(self.text, self.place);
        if let Some(diagnostic) = text.diagnostics.into_iter().next() {
            return Err(diagnostic);
        }
        self.place = text.end;
        push_json_string(&mut self.json, &text.value);
        Ok(())
    }

    /// A constant, a number, a timespan or a time: what has no quotes.
    fn word(&mut self, depth: usize) -> Result<(), Diagnostic> {
        let rest = &self.text[self.place..];
        if rest.starts_with("dynamic(") {
            self.place += "dynamic(".len();
            self.value(depth + 1)?;
            return self.expect(')', "write `)` after the value");
        }
        if let Some(body) = rest.strip_prefix("datetime(").and_then(|rest| rest.split_once(')')) {
            let time = datetime::read_in_query(body.0.trim_matches(['"', '\'', ' ']));
            if let Some(time) = time {
                push_json_string(&mut self.json, &datetime::print(datetime::clamped(time)));
                self.place += "datetime()".len() + body.0.len();
                return Ok(());
            }
        }
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '+' | '-' | '_');
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let word = &rest[..length];
        if matches!(word, "null" | "true" | "false") || is_json_number(word) {
            self.json.push_str(word);
        } else if !word.is_empty() && timespan::read(word).is_some() {
            push_json_string(&mut self.json, word);
        } else if word.is_empty() {
            return Err(
                self.unexpected("write a number, a text in quotes, true, false, null, an array or a map")
            );
        } else {
            let span = Span::new(self.place, self.place + length);
            let message = format!("`{word}` is no value in `dynamic(…)`");
            return Err(Diagnostic::new(message, span).with_hint(format!("write \"{word}\" for a text")));
        }
        self.place += length;
        Ok(())
    }
}

/// Whether a word is a number by the rules of JSON, so that it can stand in the result as it is.
fn is_json_number(word: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let word = word.strip_prefix('-').unwrap_or(word);
    let (mantissa, exponent) = match word.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (word, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let is_whole = digits(whole) && (whole == "0" || !whole.starts_with('0'));
    is_whole
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|exponent| digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)))
}
