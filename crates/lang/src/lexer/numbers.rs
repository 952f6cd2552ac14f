//! Numbers: integers, hexadecimal ones, floats, and timespans, which are numbers with a unit.

use super::continues_word;
use super::state::Lexer;
use super::token::TokenKind;
use crate::suggest;
use crate::tree::Literal;
use crate::{Diagnostic, Span, timespan};

impl Lexer<'_> {
    /// Reads what begins with a digit.
    pub(super) fn number(&mut self) -> TokenKind {
        let start = self.place;
        if self.rest().starts_with("0x") || self.rest().starts_with("0X") {
            return self.hexadecimal(start);
        }
        let has_fraction = self.skip_decimal();
        let has_exponent = self.skip_exponent();
        let number_end = self.place;
        if self.rest().starts_with(continues_word) {
            return self.timespan(start, number_end, has_exponent);
        }
        let digits = &self.text[start..number_end];
        if has_fraction || has_exponent {
            return self.float(digits.parse().ok(), start);
        }
        match Literal::number(digits) {
            Some(literal) => TokenKind::Literal(literal),
            None => self.float(None, start),
        }
    }

    fn skip_digits(&mut self) -> usize {
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        self.place += digits;
        digits
    }

    /// Digits and a fraction, which may be a dot alone. One before a dot or a name is left: it may be the `..` of a range.
    fn skip_decimal(&mut self) -> bool {
        self.skip_digits();
        let after = self.rest().strip_prefix('.');
        let is_range_or_name = |rest: &str| {
            rest.starts_with(|c: char| !c.is_ascii_digit() && (matches!(c, '.' | '[') || continues_word(c)))
        };
        let has_fraction = after.is_some_and(|rest| !is_range_or_name(rest));
        if has_fraction {
            self.place += 1;
            self.skip_digits();
        }
        has_fraction
    }

    fn skip_exponent(&mut self) -> bool {
        let rest = self.rest().as_bytes();
        let length = match rest {
            [b'e' | b'E', b'+' | b'-', digit, ..] if digit.is_ascii_digit() => 2,
            [b'e' | b'E', digit, ..] if digit.is_ascii_digit() => 1,
            _ => return false,
        };
        self.place += length;
        self.skip_digits();
        true
    }

    fn hexadecimal(&mut self, start: usize) -> TokenKind {
        self.place += 2;
        let length = self.rest().find(|c| !continues_word(c)).unwrap_or(self.rest().len());
        let digits = &self.text[self.place..self.place + length];
        self.place += length;
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            let span = Span::new(start, self.place);
            let message = format!("`{}` is no number", &self.text[start..self.place]);
            self.report(Diagnostic::new(message, span).with_hint("write `0x` and the digits 0-9 and a-f"));
            return TokenKind::Unknown;
        }
        // All sixteen digits are a number too: the one with the same bits.
        let number = u64::from_str_radix(digits, 16).ok().map(u64::cast_signed);
        self.integer(number, start)
    }

    fn float(&mut self, number: Option<f64>, start: usize) -> TokenKind {
        if let Some(number) = number.filter(|number| number.is_finite()) {
            return TokenKind::Literal(Literal::Float(number));
        }
        let span = Span::new(start, self.place);
        let hint = "write one below 1.8e308, or `real(+inf)`";
        self.report(Diagnostic::new("the number does not fit a float", span).with_hint(hint));
        TokenKind::Unknown
    }

    fn integer(&mut self, number: Option<i64>, start: usize) -> TokenKind {
        if let Some(number) = number {
            return TokenKind::Literal(Literal::Integer(number));
        }
        let span = Span::new(start, self.place);
        let hint = "write at most sixteen digits after `0x`, or the number in decimal digits";
        self.report(Diagnostic::new("the integer does not fit 64 bits", span).with_hint(hint));
        TokenKind::Unknown
    }

    /// A number with letters after it, perhaps followed by more of them, such as `1h30m`.
    fn timespan(&mut self, start: usize, number_end: usize, has_exponent: bool) -> TokenKind {
        let is_part = |c: char| continues_word(c) && c != '_';
        let mut unit_start = number_end;
        let mut is_known = !has_exponent;
        loop {
            let rest = &self.text[unit_start..];
            let unit_end = unit_start + rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
            let unit = &self.text[unit_start..unit_end];
            if timespan::unit(unit).is_none() {
                self.skip_word_from(unit_start);
                return self.unknown_unit(start, unit_start);
            }
            self.place = unit_end;
            if !self.rest().starts_with(is_part) {
                break;
            }
            self.skip_decimal();
            unit_start = self.place;
        }
        if self.rest().starts_with('_') {
            self.skip_word_from(self.place);
            is_known = false;
        }
        let text = &self.text[start..self.place];
        match timespan::read(text).filter(|_| is_known) {
            Some(nanoseconds) => TokenKind::Literal(Literal::Timespan(nanoseconds)),
            None => {
                let span = Span::new(start, self.place);
                let message = format!("`{text}` is no timespan of at most 292 years");
                self.report(
                    Diagnostic::new(message, span).with_hint("write one such as `90s`, `1.5h` or `7d`"),
                );
                TokenKind::Unknown
            }
        }
    }

    fn skip_word_from(&mut self, place: usize) {
        let rest = &self.text[place..];
        self.place = place + rest.find(|c| !continues_word(c)).unwrap_or(rest.len());
    }

    fn unknown_unit(&mut self, start: usize, unit_start: usize) -> TokenKind {
        let unit = &self.text[unit_start..self.place];
        if unit.is_empty() {
            let text = &self.text[start..self.place];
            let message = format!("the last number of `{text}` has no unit of time");
            let hint = format!("write one after it, such as `{text}m`");
            self.report(Diagnostic::new(message, Span::new(start, self.place)).with_hint(hint));
            return TokenKind::Unknown;
        }
        let message = format!("`{unit}` is no unit of time");
        let hint = match suggest::nearest(unit, timespan::unit_names()) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None if unit.starts_with('_') => "write the digits of a number without `_`".to_owned(),
            None => format!(
                "write w, d, h, m, s, ms, us or ns; a name that begins with a digit is written ['{}']",
                &self.text[start..self.place]
            ),
        };
        self.report(Diagnostic::new(message, Span::new(unit_start, self.place)).with_hint(hint));
        TokenKind::Unknown
    }
}
