//! The readers of times by themselves, for the fuzz targets. Nobody else should use it.

use crate::TimeLayout;
use crate::time;

/// Reads a time without a layout, in nanoseconds since 1970.
pub fn read_time(text: &[u8]) -> Option<i64> {
    time::read_time(text)
}

/// Reads a time by a layout. What the layout leaves out is that of the arrival.
pub fn read_time_by(layout: &TimeLayout, text: &[u8], arrival_ns: i64) -> Option<i64> {
    time::read_by(layout, text, arrival_ns)
}

/// Reads the time that a line of text begins with.
pub fn read_leading_time(line: &[u8], arrival_ns: i64) -> Option<i64> {
    time::read_leading_time(line, arrival_ns)
}
