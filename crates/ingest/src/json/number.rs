//! Numbers: integers as they are, however long, and floats that are the nearest to what is written.

use super::cursor::{Cursor, Stop};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Integer(i64),
    Float(f64),
    /// Beyond 64 bits, so that its digits are kept; with the float next to it.
    LongInteger(f64),
    /// Beyond what a float can hold, written as a float: it is infinite, and that is null.
    Infinite,
    /// An integer beyond what a float can hold.
    TooLarge,
}

/// Powers of ten that a float holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// So many digits always fit 64 bits.
const EXACT_DIGITS: usize = 19;

/// Reads the number at the cursor, which stands at a digit or a minus.
#[inline]
pub(super) fn number(cursor: &mut Cursor<'_>) -> Result<Number, Stop> {
    let start = cursor.position;
    let negative = cursor.input[start] == b'-';
    cursor.position += usize::from(negative);
    let digits_start = cursor.position;
    let mut mantissa = 0_u64;
    let digits = digits(cursor, &mut mantissa)?;
    if digits > 1 && cursor.input[digits_start] == b'0' {
        cursor.position = digits_start;
        return Err(Stop::Malformed("a number must not start with a zero"));
    }
    if let Some(b'.' | b'e' | b'E') = cursor.input.get(cursor.position) {
        return float(cursor, start, mantissa, digits);
    }
    if digits < EXACT_DIGITS && (mantissa != 0 || !negative) {
        let value = mantissa as i64;
        return Ok(Number::Integer(if negative { -value } else { value }));
    }
    Ok(long_integer(&cursor.input[start..cursor.position]))
}

/// One digit at least; more are added to the mantissa, which is only right up to [`EXACT_DIGITS`].
#[inline]
fn digits(cursor: &mut Cursor<'_>, mantissa: &mut u64) -> Result<usize, Stop> {
    let start = cursor.position;
    let mut position = start;
    while let Some(byte) = cursor.input.get(position) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        *mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
        position += 1;
    }
    cursor.position = position;
    if position == cursor.input.len() && !cursor.complete {
        return Err(Stop::More);
    }
    if position == start {
        return Err(if position == cursor.input.len() {
            Stop::More
        } else {
            Stop::Malformed("expected a digit")
        });
    }
    Ok(position - start)
}

/// The fraction and the exponent of a number whose whole part was read.
fn float(cursor: &mut Cursor<'_>, start: usize, mut mantissa: u64, whole: usize) -> Result<Number, Stop> {
    let mut total_digits = whole;
    let mut exponent = 0_i64;
    if cursor.input[cursor.position] == b'.' {
        cursor.position += 1;
        let fraction = digits(cursor, &mut mantissa)?;
        total_digits += fraction;
        exponent = -(fraction as i64);
    }
    if let Some(b'e' | b'E') = cursor.input.get(cursor.position) {
        cursor.position += 1;
        let sign = cursor.input.get(cursor.position).copied();
        cursor.position += usize::from(matches!(sign, Some(b'+' | b'-')));
        let mut written = 0;
        let length = digits(cursor, &mut written)?;
        // A longer exponent is left to the exact way below.
        let written = if length < 10 { written as i64 } else { i64::from(u32::MAX) };
        exponent += if sign == Some(b'-') { -written } else { written };
    }
    let negative = cursor.input[start] == b'-';
    if total_digits <= EXACT_DIGITS && mantissa <= 1 << 53 && exponent.unsigned_abs() < POWERS.len() as u64 {
        let power = POWERS[exponent.unsigned_abs() as usize];
        let value = if exponent < 0 { mantissa as f64 / power } else { mantissa as f64 * power };
        return Ok(Number::Float(if negative { -value } else { value }));
    }
    Ok(nearest_float(&cursor.input[start..cursor.position]))
}

#[cold]
fn long_integer(text: &[u8]) -> Number {
    match std::str::from_utf8(text).ok().and_then(|text| text.parse::<i64>().ok()) {
        // Only a float knows minus zero.
        Some(0) => Number::Float(-0.0),
        Some(value) => Number::Integer(value),
        None => match nearest_float(text) {
            Number::Float(nearest) => Number::LongInteger(nearest),
            _ => Number::TooLarge,
        },
    }
}

fn nearest_float(text: &[u8]) -> Number {
    match std::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok()) {
        Some(value) if value.is_finite() => Number::Float(value),
        _ => Number::Infinite,
    }
}
