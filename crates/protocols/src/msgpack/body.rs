//! Bodies of MessagePack on the ingest route: pairs of a time and a record one after the other, as Fluent Bit sends
//! them unless it is told otherwise, records alone, or an array of either.

use tidegauge_ingest::Events;

use super::{Head, Values, read_time};
use crate::answer::Problem;

/// Reads the body of a request. The answer is that of the ingest route.
pub fn read(body: &[u8], events: &mut Events<'_>) -> Result<(), Problem> {
    events.take_unreadable_times();
    let mut values = Values::default();
    let mut input = body;
    while !input.is_empty() {
        let mut ahead = input;
        match Head::take(&mut ahead)? {
            Head::Array(count) if !begins_with_time(ahead, count) => {
                input = ahead;
                for _ in 0..count {
                    record(&mut input, &mut values, events)?;
                }
            }
            _ => record(&mut input, &mut values, events)?,
        }
    }
    Ok(())
}

/// Whether an array of so many values is a pair of a time and a record, and no array of records.
fn begins_with_time(mut inner: &[u8], count: u32) -> bool {
    if count != 2 {
        return false;
    }
    match Head::take(&mut inner) {
        Ok(Head::Integer(_) | Head::Float(_) | Head::Extension(..)) => true,
        // A time with metadata behind it: `[[time, {}], {}]`.
        Ok(Head::Array(2)) => {
            matches!(Head::take(&mut inner), Ok(Head::Extension(..) | Head::Integer(_)))
                && matches!(Head::take(&mut inner), Ok(Head::Map(0)))
        }
        _ => false,
    }
}

fn record(input: &mut &[u8], values: &mut Values, events: &mut Events<'_>) -> Result<(), Problem> {
    let start = input.len();
    let mut ahead = *input;
    let mut time = None;
    if let Head::Array(count) = Head::take(&mut ahead)? {
        if count != 2 {
            return Err(Problem::malformed("an event must be a map, or an array of a time and a map"));
        }
        *input = ahead;
        time = read_time(input)?;
    }
    events.start();
    values.read_map(input, events)?;
    if let Some(time) = time {
        events.time(time);
    }
    events.fits(start - input.len());
    events.end()?;
    Ok(())
}
