//! The groups of the form `legacy`: those over all time, each with its number, and the same ones in every bucket of
//! time. A group keeps its number, and one that a limit left out of the totals is in no bucket either.

use std::collections::HashMap;

use tidegauge_app::service::Error;
use tidegauge_engine::Table;
use tidegauge_lang::tree::{Bucket, TimeRange};

use super::columns::Column;
use super::json::{write_comma, write_key, write_member, write_string, write_time};
use super::shown::TIME;
use super::text::Text;

/// Buckets without a group are shown as long as there are not more of all of them.
const BUCKETS_MAX: i128 = 1_000;

/// Writes `buckets`: empty where the answer has no groups.
pub(super) fn write(out: &mut Text, series: Option<&Table>, totals: Option<&Table>) -> Result<(), Error> {
    let Some(totals) = totals else {
        out.extend_from_slice(b"{\"series\":[],\"totals\":[]}");
        return Ok(());
    };
    let whole = Groups::of(totals)?;
    let openings = Openings::of(&whole, totals.rows);
    out.take(openings.memory_bytes());
    out.push(b'{');
    write_key(out, "series");
    match series {
        Some(series) => write_series(out, series, &openings)?,
        None => out.extend_from_slice(b"[]"),
    }
    write_key(out, "totals");
    out.push(b'[');
    for row in 0..totals.rows {
        whole.write_entry(row, openings.of_group(row), out);
        out.settle();
    }
    out.extend_from_slice(b"]}");
    Ok(())
}

/// The columns of a table of groups.
struct Groups<'a> {
    keys: Vec<Column<'a>>,
    /// Each with the bytes before its value.
    aggregates: Vec<(Vec<u8>, Column<'a>)>,
}

impl<'a> Groups<'a> {
    fn of(table: &'a Table) -> Result<Self, Error> {
        let (mut keys, mut aggregates) = (Vec::new(), Vec::new());
        // The first one of the name: a key can have it too.
        let bucket = table.fields.iter().position(|field| field.name == TIME);
        for (place, field) in table.fields.iter().enumerate() {
            let is_bucket = table.bucket.is_some() && bucket == Some(place);
            if field.aggregate.is_some() {
                let mut before = Vec::new();
                before.extend_from_slice(b"{\"op\":");
                write_string(&mut before, &field.name);
                before.extend_from_slice(b",\"value\":");
                aggregates.push((before, Column::of(field)?));
            } else if !is_bucket {
                keys.push(Column::of(field)?);
            }
        }
        Ok(Self { keys, aggregates })
    }

    /// Writes the values that make a group, without their names: the same bytes for the same group.
    fn write_values(&self, row: usize, out: &mut Vec<u8>) {
        for column in &self.keys {
            column.write(row, out);
            out.push(b',');
        }
    }

    /// Writes a group from its brace to the list of its aggregates.
    fn write_opening(&self, row: usize, out: &mut Vec<u8>) {
        out.push(b'{');
        write_member(out, "id", row + 1);
        write_key(out, "group");
        out.push(b'{');
        for column in &self.keys {
            write_key(out, column.name);
            column.write(row, out);
        }
        out.push(b'}');
        write_key(out, "aggregations");
        out.push(b'[');
    }

    fn write_entry(&self, row: usize, opening: &[u8], out: &mut Vec<u8>) {
        write_comma(out);
        out.extend_from_slice(opening);
        for (before, column) in &self.aggregates {
            write_comma(out);
            out.extend_from_slice(before);
            column.write(row, out);
            out.push(b'}');
        }
        out.extend_from_slice(b"]}");
    }
}

/// What stands before the aggregates of each group. It is the same in every bucket, so that it is written once and
/// then copied.
struct Openings {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// The groups by their values.
    groups: HashMap<Vec<u8>, usize>,
}

impl Openings {
    fn of(totals: &Groups<'_>, rows: usize) -> Self {
        let (mut bytes, mut ends, mut groups) = (Vec::new(), Vec::with_capacity(rows), HashMap::new());
        for row in 0..rows {
            totals.write_opening(row, &mut bytes);
            ends.push(bytes.len());
            let mut values = Vec::new();
            totals.write_values(row, &mut values);
            groups.insert(values, row);
        }
        Self { bytes, ends, groups }
    }

    /// What it takes; the values of a group are about as long as what stands before its aggregates.
    fn memory_bytes(&self) -> usize {
        2 * self.bytes.len()
    }

    fn of_group(&self, group: usize) -> &[u8] {
        &self.bytes[group.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[group]]
    }
}

/// A row of the table of groups over time.
struct Entry {
    start: i64,
    group: usize,
    row: usize,
}

fn write_series(out: &mut Text, series: &Table, openings: &Openings) -> Result<(), Error> {
    let groups = Groups::of(series)?;
    let starts = series.fields.iter().find(|field| field.name == TIME).map(Column::of).transpose()?;
    let mut entries = Vec::with_capacity(series.rows);
    let mut scratch = Vec::new();
    for row in 0..series.rows {
        scratch.clear();
        groups.write_values(row, &mut scratch);
        let known = openings.groups.get(scratch.as_slice());
        let start = starts.as_ref().and_then(|starts| starts.time(row));
        if let (Some(group), Some(start)) = (known, start) {
            entries.push(Entry { start, group: *group, row });
        }
    }
    entries.sort_unstable_by_key(|entry| (entry.start, entry.group));
    let step = series.bucket.map_or(1, |bucket| bucket.step.max(1));
    let buckets = Buckets { groups, openings, step };
    let mut rest = entries.as_slice();
    out.push(b'[');
    for start in starts_of(series, &entries) {
        // A group in a bucket outside of the range would be a fault of ours; it is shown nevertheless.
        while let Some(odd) = rest.first().filter(|entry| entry.start < start) {
            rest = buckets.write(out, odd.start, rest);
        }
        rest = buckets.write(out, start, rest);
    }
    while let Some(odd) = rest.first() {
        rest = buckets.write(out, odd.start, rest);
    }
    out.push(b']');
    Ok(())
}

/// The beginnings of the buckets to show: all of the range, or only those with groups where there are too many.
fn starts_of(series: &Table, entries: &[Entry]) -> Vec<i64> {
    let of_range = series.bucket.zip(series.range).and_then(|(bucket, range)| all_starts(bucket, range));
    of_range.unwrap_or_else(|| {
        let mut starts: Vec<i64> = entries.iter().map(|entry| entry.start).collect();
        starts.dedup();
        starts
    })
}

fn all_starts(bucket: Bucket, range: TimeRange) -> Option<Vec<i64>> {
    let step = i128::from(bucket.step.max(1));
    let first = i128::from(range.start).div_euclid(step);
    let last = i128::from(range.end).saturating_sub(1).div_euclid(step);
    if last - first >= BUCKETS_MAX {
        return None;
    }
    // The first bucket may begin before the earliest time that there is.
    Some((first..=last).map(|number| i64::try_from(number * step).unwrap_or(i64::MIN)).collect())
}

/// What buckets are written from.
struct Buckets<'a> {
    groups: Groups<'a>,
    openings: &'a Openings,
    step: i64,
}

impl Buckets<'_> {
    /// Writes a bucket with the entries that begin with it, and hands back the others.
    fn write<'e>(&self, out: &mut Text, start: i64, entries: &'e [Entry]) -> &'e [Entry] {
        let own = entries.partition_point(|entry| entry.start <= start);
        write_comma(out);
        out.push(b'{');
        write_key(out, "startTime");
        write_time(out, start);
        write_key(out, "endTime");
        write_time(out, start.saturating_add(self.step));
        write_key(out, "groups");
        out.push(b'[');
        for entry in &entries[..own] {
            self.groups.write_entry(entry.row, self.openings.of_group(entry.group), out);
            out.settle();
        }
        out.extend_from_slice(b"]}");
        &entries[own..]
    }
}
