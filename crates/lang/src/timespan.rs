//! Timespans as text: numbers with units (`90s`, `1h30m`), and the clock form (`1.02:30:00`). Exact: no floating
//! point between the digits and the nanoseconds.

/// Every spelling of a unit, with its nanoseconds. The first spelling is the one that is printed.
const UNITS: &[(&[&str], i64)] = &[
    (&["w", "week", "weeks"], 7 * 86_400_000_000_000),
    (&["d", "day", "days"], 86_400_000_000_000),
    (&["h", "hr", "hrs", "hour", "hours"], 3_600_000_000_000),
    (&["m", "min", "mins", "minute", "minutes"], 60_000_000_000),
    (&["s", "sec", "secs", "second", "seconds"], 1_000_000_000),
    (&["ms", "milli", "millis", "millisecond", "milliseconds"], 1_000_000),
    (&["us", "µs", "μs", "micro", "micros", "microsecond", "microseconds"], 1_000),
    (&["tick", "ticks"], 100),
    (&["ns", "nano", "nanos", "nanosecond", "nanoseconds"], 1),
];

/// Units that are printed: weeks are for input alone, and nobody reads ticks.
const PRINTED: [&str; 7] = ["d", "h", "m", "s", "ms", "us", "ns"];

/// The nanoseconds of a unit.
pub(crate) fn unit(word: &str) -> Option<i64> {
    UNITS.iter().find(|(spellings, _)| spellings.contains(&word)).map(|(_, nanoseconds)| *nanoseconds)
}

/// Every spelling of every unit.
pub(crate) fn unit_names() -> impl Iterator<Item = &'static str> {
    UNITS.iter().flat_map(|(spellings, _)| spellings.iter().copied())
}

/// Reads numbers with units one after the other, or the clock form, with or without a sign.
pub fn read(text: &str) -> Option<i64> {
    let text = text.trim();
    let (is_negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let nanoseconds = if rest.contains(':') { clock(rest)? } else { sum_of_units(rest)? };
    i64::try_from(if is_negative { -nanoseconds } else { nanoseconds }).ok()
}

/// Prints the shortest form in one unit, which [`read`] and the lexer read.
pub(crate) fn print(nanoseconds: i64) -> String {
    let fits = |name: &&str| unit(name).is_some_and(|unit| nanoseconds % unit == 0);
    let name =
        if nanoseconds == 0 { "s" } else { PRINTED.into_iter().find(|name| fits(name)).unwrap_or("ns") };
    format!("{}{name}", nanoseconds / unit(name).unwrap_or(1))
}

/// A decimal number of a unit, in nanoseconds. What is below a nanosecond is cut.
pub(crate) fn scaled(number: &str, unit: i64) -> Option<i128> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let is_digits = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    // Nineteen digits hold every number of nanoseconds, and their product with a unit fits.
    if !is_digits(whole) || !is_digits(fraction) || whole.trim_start_matches('0').len() > 19 {
        return None;
    }
    let fraction = fraction.get(..18).unwrap_or(fraction);
    let parse = |digits: &str| digits.parse::<i128>().ok();
    let parts = 10_i128.pow(u32::try_from(fraction.len()).ok()?);
    Some(parse(whole)? * i128::from(unit) + parse(fraction)? * i128::from(unit) / parts)
}

fn sum_of_units(text: &str) -> Option<i128> {
    let mut rest = text;
    let mut sum = 0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').filter(|end| *end > 0)?;
        let (number, after) = rest.split_at(digits);
        let end = after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len());
        let (word, after) = after.split_at(end);
        sum += scaled(number, unit(word)?)?;
        rest = after;
    }
    (!text.is_empty()).then_some(sum)
}

/// `hh:mm`, `hh:mm:ss` or `d.hh:mm:ss`, the seconds with a fraction.
fn clock(text: &str) -> Option<i128> {
    let mut parts = text.split(':');
    let (first, minutes, seconds) = (parts.next()?, parts.next()?, parts.next().unwrap_or("0"));
    let (days, hours) = first.split_once('.').unwrap_or(("0", first));
    let below = |number: &str, limit: i64| number.parse::<i64>().is_ok_and(|number| number < limit);
    let second = seconds.split('.').next()?;
    if parts.next().is_some() || !below(hours, 24) || !below(minutes, 60) || !below(second, 60) {
        return None;
    }
    Some(
        scaled(days, unit("d")?)?
            + scaled(hours, unit("h")?)?
            + scaled(minutes, unit("m")?)?
            + scaled(seconds, unit("s")?)?,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000_000;

    #[test]
    fn reads_units_and_clocks() {
        for (text, expected) in [
            ("1s", SECOND),
            ("1.5h", 5_400 * SECOND),
            ("0.1s", SECOND / 10),
            ("1h30m", 5_400 * SECOND),
            ("-2d", -172_800 * SECOND),
            ("+1w", 604_800 * SECOND),
            ("10min", 600 * SECOND),
            ("3ticks", 300),
            ("7nanoseconds", 7),
            ("2µs", 2_000),
            ("00:00:01.5", 1_500_000_000),
            ("0.12:34:56.7", 45_296_700_000_000),
            ("-1.00:00", -86_400 * SECOND),
            ("1ms", 1_000_000),
            ("9223372036854775807ns", i64::MAX),
            ("-9223372036854775808ns", i64::MIN),
        ] {
            assert_eq!(read(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn refuses_what_is_no_timespan() {
        for text in [
            "",
            "-",
            "5",
            "h",
            "5y",
            "5 h",
            "1..5h",
            ".h",
            "1h-30m",
            "24:00",
            "00:60",
            "00:00:60",
            "1:2:3:4",
            ":",
            "99999999999999999999ns",
            "9223372036854775808ns",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_printed_reads_back() {
        for (nanoseconds, text) in
            [(0, "0s"), (5_400 * SECOND, "90m"), (-SECOND, "-1s"), (1_500, "1500ns"), (86_400 * SECOND, "1d")]
        {
            assert_eq!((print(nanoseconds).as_str(), read(text)), (text, Some(nanoseconds)));
        }
        for nanoseconds in [i64::MIN, i64::MAX, 1, -7_000] {
            assert_eq!(read(&print(nanoseconds)), Some(nanoseconds));
        }
    }
}
