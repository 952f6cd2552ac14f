//! Times as Fluentd and Fluent Bit write them: seconds, or an extension of seconds and nanoseconds; since Fluent Bit
//! 2.2 in an array with metadata behind it.

use super::values::{skip, skip_all};
use super::{Broken, Head};

/// Of Fluentd, and that of MessagePack itself.
const EVENT_TIME: i8 = 0;
const TIMESTAMP: i8 = -1;

/// Takes a time off the input, in nanoseconds since 1970; nothing if there is something else.
pub(crate) fn read_time(input: &mut &[u8]) -> Result<Option<i64>, Broken> {
    let head = Head::take(input)?;
    Ok(match head {
        Head::Integer(seconds) => seconds.checked_mul(1_000_000_000),
        Head::Float(seconds) => {
            let nanoseconds = (seconds * 1e9).round();
            (nanoseconds.abs() < 9.2e18).then_some(nanoseconds as i64)
        }
        Head::Extension(EVENT_TIME | TIMESTAMP, bytes) => extension(bytes),
        Head::Array(count) if count > 0 => {
            let time = match Head::take(input)? {
                Head::Integer(seconds) => seconds.checked_mul(1_000_000_000),
                Head::Extension(EVENT_TIME | TIMESTAMP, bytes) => extension(bytes),
                head => {
                    skip_all(head, input)?;
                    None
                }
            };
            for _ in 1..count {
                skip(input)?;
            }
            time
        }
        head => {
            skip_all(head, input)?;
            None
        }
    })
}

fn extension(bytes: &[u8]) -> Option<i64> {
    let (seconds, rest) = bytes.split_first_chunk::<4>()?;
    let (nanoseconds, _) = rest.split_first_chunk::<4>()?;
    let (seconds, nanoseconds) = (u32::from_be_bytes(*seconds), u32::from_be_bytes(*nanoseconds));
    Some(i64::from(seconds) * 1_000_000_000 + i64::from(nanoseconds))
}
