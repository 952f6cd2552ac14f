//! Times written as a count since 1970, whose unit follows from their magnitude: seconds below 1e11 (the year 5138),
//! then milliseconds, microseconds and nanoseconds.

/// Nanoseconds in the unit of a number, and how many digits after the point it can use.
fn unit(magnitude: u64) -> (i64, usize) {
    match magnitude {
        0..100_000_000_000 => (1_000_000_000, 9),
        100_000_000_000..100_000_000_000_000 => (1_000_000, 6),
        100_000_000_000_000..100_000_000_000_000_000 => (1_000, 3),
        _ => (1, 0),
    }
}

pub(super) fn from_integer(number: i64) -> Option<i64> {
    number.checked_mul(unit(number.unsigned_abs()).0)
}

/// For numbers written with an exponent.
pub(super) fn from_float(number: f64) -> Option<i64> {
    // Both bounds are powers of two, which a float holds exactly.
    if !(number >= i64::MIN as f64 && number < i64::MAX as f64) {
        return None;
    }
    let whole = number.trunc() as i64;
    let (factor, _) = unit(whole.unsigned_abs());
    let fraction = ((number - number.trunc()) * factor as f64).round() as i64;
    whole.checked_mul(factor)?.checked_add(fraction)
}

/// Digits with an optional sign and fraction. Digits beyond nanoseconds are cut.
pub(super) fn from_text(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let point = digits.iter().position(|byte| *byte == b'.');
    let (whole, fraction) = match point {
        Some(point) => (&digits[..point], &digits[point + 1..]),
        None => (digits, &digits[..0]),
    };
    if whole.is_empty() || (point.is_some() && fraction.is_empty()) {
        return None;
    }
    let number = decimal(whole)?;
    let (factor, places) = unit(number);
    if !fraction.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let parts = decimal(&fraction[..fraction.len().min(places)])? as i64;
    let scale = 10_i64.pow((places - fraction.len().min(places)) as u32);
    let total = i128::from(number) * i128::from(factor) + i128::from(parts * scale);
    i64::try_from(if negative { -total } else { total }).ok()
}

fn decimal(digits: &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for byte in digits {
        if !byte.is_ascii_digit() {
            return None;
        }
        number = number.checked_mul(10)?.checked_add(u64::from(byte - b'0'))?;
    }
    Some(number)
}
