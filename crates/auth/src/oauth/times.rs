//! Times in tokens: seconds since 1970 as JSON numbers, which some issuers write with a fraction.

use std::time::Duration;

use serde_json::Value;
use tidegauge_model::Timestamp;

/// The most that clocks may differ, whatever a setting says.
pub const LEEWAY_MAX: Duration = Duration::from_secs(60);

/// The last second of the year 9999; what lies behind it is a mistake or an attempt to overflow something.
const SECONDS_MAX: f64 = 253_402_300_799.0;

/// Reads a time, if it is one.
pub fn read(value: &Value) -> Option<Timestamp> {
    let seconds = value.as_f64()?;
    // Seconds in this range times a million are whole numbers that a float holds exactly enough.
    (0.0..=SECONDS_MAX).contains(&seconds).then(|| Timestamp::from_micros((seconds * 1e6) as i64))
}

/// A leeway within its bound.
pub fn bounded(leeway: Duration) -> Duration {
    leeway.min(LEEWAY_MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reads_seconds_and_refuses_what_is_no_time() {
        assert_eq!(read(&json!(1_700_000_000)).unwrap().as_micros(), 1_700_000_000_000_000);
        assert_eq!(read(&json!(1.5)).unwrap().as_micros(), 1_500_000);
        for bad in [json!(-1), json!("1700000000"), json!(1e300), json!(u64::MAX), json!(null), json!([1])] {
            assert!(read(&bad).is_none(), "{bad}");
        }
    }
}
