//! Literals that name their type: `datetime(2026-07-01)`, `long(-3)`, `timespan(1.02:00:00)`, `dynamic([1])` and
//! `T(null)`. What stands in the parentheses is read by the type's own rules, never as an expression.

use super::state::Lexer;
use super::token::TokenKind;
use super::{dynamic, strings};
use crate::tree::Literal;
use crate::{Diagnostic, Span, datetime, timespan};

/// The type that a literal names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LiteralType {
    Boolean,
    Integer,
    Float,
    String,
    Datetime,
    Timespan,
    Dynamic,
}

/// The type of this name.
pub(super) fn literal_type(word: &str) -> Option<LiteralType> {
    Some(match word {
        "bool" | "boolean" => LiteralType::Boolean,
        "int" | "long" => LiteralType::Integer,
        "real" | "double" => LiteralType::Float,
        "string" => LiteralType::String,
        "datetime" | "date" => LiteralType::Datetime,
        "timespan" | "time" => LiteralType::Timespan,
        "dynamic" => LiteralType::Dynamic,
        _ => return None,
    })
}

impl LiteralType {
    /// What it holds, an example, and the function that makes a value of this type from any other.
    fn advice(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Boolean => ("true or false", "bool(true)", "tobool"),
            Self::Integer => ("a whole number", "long(-3)", "tolong"),
            Self::Float => ("a number", "real(1.5)", "toreal"),
            Self::String => ("null", "string(null)", "tostring"),
            Self::Datetime => ("a time", "datetime(2026-07-01T10:00:00Z)", "todatetime"),
            Self::Timespan => ("a timespan", "timespan(1h)", "totimespan"),
            Self::Dynamic => ("JSON", "dynamic([1, 2])", "parse_json"),
        }
    }
}

impl Lexer<'_> {
    /// Reads the parentheses after the name of a type. The name has been read; an opening parenthesis follows.
    pub(super) fn typed_literal(&mut self, literal_type: LiteralType, start: usize) -> TokenKind {
        let open = self.place + (self.rest().len() - self.rest().trim_start().len());
        if literal_type == LiteralType::Dynamic {
            return self.dynamic_literal(open + 1);
        }
        let Some(close) = closing(self.text, open + 1) else {
            self.place = self.text.len();
            let span = Span::new(open, open + 1);
            self.report(
                Diagnostic::new("`(` is never closed", span).with_hint("write `)` after the literal"),
            );
            return TokenKind::Unknown;
        };
        self.place = close + 1;
        let body = self.text[open + 1..close].trim();
        if body == "null" {
            return TokenKind::Literal(Literal::Null);
        }
        let literal = if literal_type == LiteralType::String { None } else { read_body(literal_type, body) };
        if let Some(literal) = literal {
            return TokenKind::Literal(literal);
        }
        let name = self.text[start..open].trim_end();
        let (content, example, function) = literal_type.advice();
        let message = format!("`{name}(…)` does not hold {content}");
        let hint = format!("write it as in `{example}`, or `{function}(…)` to convert a value");
        self.report(Diagnostic::new(message, Span::new(start, self.place)).with_hint(hint));
        TokenKind::Unknown
    }

    fn dynamic_literal(&mut self, inside: usize) -> TokenKind {
        match dynamic::read(self.text, inside) {
            Ok((json, end)) => {
                self.place = end;
                let literal = if json == "null" { Literal::Null } else { Literal::Dynamic(json) };
                TokenKind::Literal(literal)
            }
            Err(diagnostic) => {
                self.place = closing(self.text, inside).map_or(self.text.len(), |close| close + 1);
                self.report(diagnostic);
                TokenKind::Unknown
            }
        }
    }
}

/// The literal of a type that a body is, which may stand in quotes.
fn read_body(literal_type: LiteralType, body: &str) -> Option<Literal> {
    let unquoted = if strings::begins_string(body) {
        let text = strings::read(body, 0);
        (text.end == body.len() && text.diagnostics.is_empty()).then_some(text.value)?
    } else {
        body.to_owned()
    };
    let body = unquoted.trim();
    match literal_type {
        LiteralType::Boolean => boolean(body).map(Literal::Boolean),
        LiteralType::Integer => integer(body).map(Literal::Integer),
        LiteralType::Float => float(body).map(Literal::Float),
        LiteralType::Datetime => {
            datetime::read_in_query(body).map(|time| Literal::Datetime(datetime::clamped(time)))
        }
        LiteralType::Timespan => timespan::read(body).map(Literal::Timespan),
        LiteralType::String | LiteralType::Dynamic => None,
    }
}

fn boolean(body: &str) -> Option<bool> {
    match body {
        "true" | "True" | "TRUE" | "1" => Some(true),
        "false" | "False" | "FALSE" | "0" => Some(false),
        _ => None,
    }
}

fn integer(body: &str) -> Option<i64> {
    match body.strip_prefix("0x").or_else(|| body.strip_prefix("0X")) {
        Some(digits) if !digits.starts_with(['+', '-']) => {
            u64::from_str_radix(digits, 16).ok().map(u64::cast_signed)
        }
        Some(_) => None,
        None => body.parse().ok(),
    }
}

fn float(body: &str) -> Option<f64> {
    match body {
        "nan" | "NaN" => Some(f64::NAN),
        "+inf" | "inf" => Some(f64::INFINITY),
        "-inf" => Some(f64::NEG_INFINITY),
        _ if body.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')) => {
            body.parse().ok().filter(|number: &f64| number.is_finite())
        }
        _ => None,
    }
}

/// The place of the parenthesis that closes the one before `inside`, over nested ones and texts.
fn closing(text: &str, inside: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut is_escaped = false;
    for (offset, byte) in text.as_bytes().iter().enumerate().skip(inside) {
        match (quote, byte) {
            (Some(_), _) if is_escaped => is_escaped = false,
            (Some(_), b'\\') => is_escaped = true,
            (Some(open), byte) if open == *byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(*byte),
            (None, b'(') => depth += 1,
            (None, b')') if depth == 0 => return Some(offset),
            (None, b')') => depth -= 1,
            (None, _) => {}
        }
    }
    None
}
