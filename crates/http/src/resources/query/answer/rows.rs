//! The rows of an answer's first table, one a line: as comma-separated values and as JSON objects.

use tidegauge_app::service::Error;
use tidegauge_engine::{Answer, Field};

use super::columns::Column;
use super::json::write_string;
use super::shown::{MAIN, table};
use super::text::{Text, Written};

/// About how long a value is, to ask for memory once.
const CELL_BYTES: usize = 12;

/// How comma-separated values are written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Csv {
    pub(super) has_names: bool,
    /// Whether texts that a spreadsheet would compute have an apostrophe before them. Programs want them as they are.
    pub(super) is_for_people: bool,
}

pub(super) fn write_csv(answer: &Answer, csv: Csv) -> Result<Written, Error> {
    let mut out = Text::of(answer, CELL_BYTES);
    let Some(table) = table(answer, MAIN) else { return out.finish() };
    let columns = columns(&table.fields)?;
    let mut cell = Vec::new();
    if csv.has_names {
        write_line(&mut out, columns.len(), |place, out| {
            cell.clear();
            cell.extend_from_slice(columns[place].name.as_bytes());
            guard(&mut cell, csv.is_for_people);
            write_cell(out, &cell);
        });
    }
    for row in 0..table.rows {
        write_line(&mut out, columns.len(), |place, out| {
            let column = &columns[place];
            cell.clear();
            column.write_plain(row, &mut cell);
            guard(&mut cell, csv.is_for_people && column.is_text(row));
            write_cell(out, &cell);
        });
        out.settle();
    }
    out.finish()
}

/// Puts an apostrophe before what a spreadsheet would take for a formula.
fn guard(cell: &mut Vec<u8>, is_text: bool) {
    if is_text && cell.first().is_some_and(|first| b"=+-@\t\r".contains(first)) {
        cell.insert(0, b'\'');
    }
}

pub(super) fn write_ndjson(answer: &Answer) -> Result<Written, Error> {
    let mut out = Text::of(answer, CELL_BYTES);
    let Some(table) = table(answer, MAIN) else { return out.finish() };
    let columns = columns(&table.fields)?;
    let keys: Vec<Vec<u8>> = columns.iter().map(|column| key(column.name)).collect();
    for row in 0..table.rows {
        out.push(b'{');
        for (place, (column, key)) in columns.iter().zip(&keys).enumerate() {
            if place > 0 {
                out.push(b',');
            }
            out.extend_from_slice(key);
            column.write(row, &mut out);
        }
        out.extend_from_slice(b"}\n");
        out.settle();
    }
    out.finish()
}

fn columns(fields: &[Field]) -> Result<Vec<Column<'_>>, Error> {
    fields.iter().map(Column::of).collect()
}

fn key(name: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(name.len() + 3);
    write_string(&mut key, name);
    key.push(b':');
    key
}

fn write_line(out: &mut Vec<u8>, cells: usize, mut write: impl FnMut(usize, &mut Vec<u8>)) {
    for place in 0..cells {
        if place > 0 {
            out.push(b',');
        }
        write(place, out);
    }
    out.extend_from_slice(b"\r\n");
}

/// Writes a cell, in quotes where it has what would end it.
fn write_cell(out: &mut Vec<u8>, cell: &[u8]) {
    let is_quoted = cell.iter().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r'))
        || cell.first() == Some(&b' ')
        || cell.last() == Some(&b' ');
    if !is_quoted {
        out.extend_from_slice(cell);
        return;
    }
    out.push(b'"');
    for byte in cell {
        if *byte == b'"' {
            out.push(b'"');
        }
        out.push(*byte);
    }
    out.push(b'"');
}
