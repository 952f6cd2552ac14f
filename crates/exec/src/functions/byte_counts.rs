//! Numbers of bytes as people write them: `8.36 MB`.

use std::fmt::Write;

use tidegauge_lang::tree::Type;

use super::call::{Call, Function, function};
use super::rows;
use crate::error::Result;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] =
    &[function("format_bytes", 1, 4, format_bytes), function("parse_bytes", 1, 2, parse_bytes)];

const UNITS: [&str; 7] = ["Bytes", "KB", "MB", "GB", "TB", "PB", "EB"];

/// How many there are in the next unit: powers of two, or of ten.
fn step(base: i64) -> Option<f64> {
    match base {
        2 => Some(1_024.0),
        10 => Some(1_000.0),
        _ => None,
    }
}

/// In the unit that is asked for, or the largest of which there is at least one.
fn format_bytes(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        let (bytes, step) = (row.float(0), step(row.integer(3))?);
        let digits = usize::try_from(row.integer(1).clamp(0, 15)).ok()?;
        let power = match row.text(2) {
            "" => (0..UNITS.len() - 1).find(|power| bytes.abs() < step.powi(*power as i32 + 1)),
            unit => Some(unit_power(unit)?),
        };
        let power = power.unwrap_or(UNITS.len() - 1);
        let digits = if power == 0 { 0 } else { digits };
        let _ = write!(text, "{:.digits$} {}", bytes / step.powi(power as i32), UNITS[power]);
        bytes.is_finite().then_some(())
    });
    let (digits, unit, base) = (call.integer_or(1, 0)?, call.text_or(2, "")?, call.integer_or(3, 2)?);
    call.result(Type::String, [call.float(0)?, digits, unit, base], run)
}

fn unit_power(unit: &str) -> Option<usize> {
    let unit = unit.to_ascii_uppercase();
    match unit.as_str() {
        "" | "B" | "BYTE" | "BYTES" => Some(0),
        // `KiB` is one way to write `KB`.
        _ => UNITS.iter().position(|known| *known == unit || *known == unit.replacen('I', "", 1)),
    }
}

/// What cannot be read is no bytes.
fn parse_bytes(call: &Call<'_>) -> Result<Value> {
    let run = rows::integers(|row| {
        let step = step(row.integer(1))?;
        Some(bytes(row.text(0), step).unwrap_or(0))
    });
    call.result(Type::Integer, [call.text(0)?, call.integer_or(1, 2)?], run)
}

fn bytes(text: &str, step: f64) -> Option<i64> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let power = unit_power(unit.trim())?;
    if power == 0
        && let Ok(whole) = number.parse()
    {
        return Some(whole);
    }
    let number: f64 = number.parse().ok()?;
    let bytes = number * step.powi(i32::try_from(power).ok()?);
    (bytes < 9_223_372_036_854_775_808.0).then_some(bytes as i64)
}
