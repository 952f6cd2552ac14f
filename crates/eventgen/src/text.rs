//! Numbers, ids and times as text, written straight into a buffer.

use tidegauge_model::Timestamp;

const HEX: &[u8; 16] = b"0123456789abcdef";

/// The name of a field, after a comma unless it is the first of its object.
pub fn key(out: &mut Vec<u8>, name: &str) {
    if out.last() != Some(&b'{') {
        out.push(b',');
    }
    quoted(out, name);
    out.push(b':');
}

/// A text that has no character that JSON would escape.
pub fn quoted(out: &mut Vec<u8>, text: &str) {
    quote(out);
    out.extend_from_slice(text.as_bytes());
    quote(out);
}

pub fn quote(out: &mut Vec<u8>) {
    out.push(b'"');
}

pub fn number(out: &mut Vec<u8>, number: u64) {
    let mut digits = [0_u8; 20];
    let mut at = digits.len();
    let mut rest = number;
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// With zeros in front, up to the width.
pub fn padded<const WIDTH: usize>(out: &mut Vec<u8>, number: u64) {
    let mut digits = [b'0'; WIDTH];
    let mut rest = number;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    out.extend_from_slice(&digits);
}

/// Thousandths as a decimal number with three places.
pub fn thousandths(out: &mut Vec<u8>, value: u64) {
    number(out, value / 1_000);
    out.push(b'.');
    padded::<3>(out, value % 1_000);
}

/// The lowest bits, as `WIDTH` hexadecimal digits.
pub fn hex<const WIDTH: usize>(out: &mut Vec<u8>, bits: u64) {
    let mut digits = [b'0'; WIDTH];
    let mut rest = bits;
    for digit in digits.iter_mut().rev() {
        *digit = HEX[(rest & 15) as usize];
        rest >>= 4;
    }
    out.extend_from_slice(&digits);
}

/// RFC 3339 in UTC with microseconds.
pub fn time(out: &mut Vec<u8>, time: Timestamp) {
    const MICROS_PER_DAY: i64 = 86_400_000_000;
    let micros = time.as_micros();
    let (year, month, day) = date(micros.div_euclid(MICROS_PER_DAY));
    let within = micros.rem_euclid(MICROS_PER_DAY) as u64;
    let seconds = within / 1_000_000;
    padded::<4>(out, year);
    out.push(b'-');
    padded::<2>(out, month);
    out.push(b'-');
    padded::<2>(out, day);
    out.push(b'T');
    padded::<2>(out, seconds / 3_600);
    out.push(b':');
    padded::<2>(out, seconds / 60 % 60);
    out.push(b':');
    padded::<2>(out, seconds % 60);
    out.push(b'.');
    padded::<6>(out, within % 1_000_000);
    out.push(b'Z');
}

/// Year, month and day of a day since 1970, counted in years that begin in March so that the leap day is the last.
fn date(day: i64) -> (u64, u64, u64) {
    const DAYS_PER_400_YEARS: i64 = 146_097;
    let since_march_0000 = day + 719_468;
    let cycle = since_march_0000.div_euclid(DAYS_PER_400_YEARS);
    let of_cycle = since_march_0000.rem_euclid(DAYS_PER_400_YEARS);
    let year_of_cycle = (of_cycle - of_cycle / 1_460 + of_cycle / 36_524 - of_cycle / 146_096) / 365;
    let of_year = of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day_of_month = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_cycle + cycle * 400 + i64::from(month <= 2);
    (year.max(0) as u64, month as u64, day_of_month as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl Fn(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_are_written_as_people_write_them() {
        assert_eq!(text(|out| number(out, 0)), "0");
        assert_eq!(text(|out| number(out, u64::MAX)), u64::MAX.to_string());
        assert_eq!(text(|out| thousandths(out, 12_034)), "12.034");
        assert_eq!(text(|out| hex::<4>(out, 0xAB)), "00ab");
    }

    #[test]
    fn times_are_those_of_the_calendar() {
        let far =
            ["1970-01-01T00:00:00.000000Z", "2024-02-29T23:59:59.999999Z", "2100-03-01T00:00:00.000001Z"];
        for expected in far {
            let moment = Timestamp::parse(expected).unwrap();
            assert_eq!(text(|out| time(out, moment)), expected);
        }
        let mut moment = Timestamp::parse("1999-12-31T12:34:56.000001Z").unwrap();
        for _ in 0..2_000 {
            moment = moment.plus(std::time::Duration::from_secs(86_400 * 3 + 1));
            assert_eq!(Timestamp::parse(&text(|out| time(out, moment))).unwrap(), moment);
        }
    }
}
