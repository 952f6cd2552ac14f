//! Reads a body with the reader of events, whole and in pieces, which must come to the same.

use tidegauge_ingest::{FieldGate, Limits, Malformed, Options, Outcome, Reader};
use tidegauge_model::{Column, Columns};

use crate::cut;
use crate::events::check;

/// When every request arrives: 2026-11-15T00:00:00Z.
pub const ARRIVAL: i64 = 1_794_700_800_000_000_000;

/// Refuses fields whose names begin with `z`.
struct Gate;

impl FieldGate for Gate {
    fn admit(&self, field: &str) -> bool {
        !field.starts_with('z')
    }
}

/// What became of a body.
pub type Read = Result<(Outcome, Columns), Malformed>;

/// Small limits, so that short bodies reach them, or the usual ones.
pub fn limits(choice: u8) -> Limits {
    match choice % 4 {
        0 => Limits::default(),
        1 => Limits { event_bytes_max: 24, ..Limits::default() },
        2 => Limits { events_max: 3, string_bytes_max: 8, name_bytes_max: 8, ..Limits::default() },
        _ => Limits { depth_max: 3, columns_bytes_max: 200, failures_listed_max: 1, ..Limits::default() },
    }
}

fn read(reader: &mut Reader, options: &Options, pieces: &[&[u8]]) -> Read {
    reader.begin(options.clone(), ARRIVAL);
    for piece in pieces {
        reader.feed(piece, &Gate)?;
    }
    let outcome = reader.finish(&Gate)?;
    let mut columns = reader.columns().clone();
    check(&columns);
    assert_eq!(outcome.ingested, columns.rows() as u64);
    // A reader keeps the columns of fields that it knows from before.
    columns.columns.retain(|column| !column.rows.is_empty());
    let key = |column: &Column| (column.field.to_string(), column.values.kind());
    columns.columns.sort_by_key(key);
    Ok((outcome, columns))
}

/// Reads a body whole, in pieces, and again by a reader that knows it, and checks that it comes to the same.
pub fn read_however(options: &Options, limits: &Limits, body: &[u8], seed: u8) -> Read {
    let whole = read(&mut Reader::new(limits.clone()), options, &[body]);
    let mut reader = Reader::new(limits.clone());
    let in_pieces = read(&mut reader, options, &cut(body, seed));
    assert_eq!(in_pieces, whole, "pieces make a difference");
    assert_eq!(read(&mut reader, options, &[body]), whole, "what the reader knows makes a difference");
    match &whole {
        Err(error) => check_place(error, body),
        Ok((outcome, columns)) => {
            assert!(outcome.failures.len() as u64 <= outcome.failed);
            assert!(outcome.failures.len() <= limits.failures_listed_max);
            assert!(outcome.failures.iter().all(|failure| failure.index < outcome.ingested + outcome.failed));
            assert!(columns.rows() <= limits.events_max);
        }
    }
    whole
}

/// Line and column must be those of the offset, and the offset inside the body or at its end.
fn check_place(error: &Malformed, body: &[u8]) {
    let before = body.get(..error.offset as usize).expect("the offset is inside the body");
    let line = before.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
    let mark = if line == 1 && body.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(mark, |at| at + 1);
    assert_eq!((error.line, error.column), (line, (before.len() - start) as u64 + 1), "{error}");
}
