//! The rows of an answer's first table, one a line: as comma-separated values and as JSON objects.

use std::collections::HashMap;

use tidegauge_app::service::Error;
use tidegauge_engine::{Answer, Field};
use tidegauge_model::ErrorKind;

use super::columns::Column;
use super::json::write_string;
use super::shown::{MAIN, table};
use super::text::{Text, Written};

/// About how long a value is, to ask for memory once.
const CELL_BYTES: usize = 12;

/// How comma-separated values are written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Csv<'a> {
    /// The names that stand above these rows already; where there are none, the names are written first.
    pub(super) below: Option<&'a [String]>,
    /// Whether texts that a spreadsheet would compute have an apostrophe before them. Programs want them as they are.
    pub(super) is_for_people: bool,
}

pub(super) fn write_csv(answer: &Answer, csv: Csv<'_>) -> Result<Written, Error> {
    let mut out = Text::of(answer, CELL_BYTES);
    let Some(table) = table(answer, MAIN) else { return out.finish() };
    let mut columns: Vec<Option<Column<'_>>> = columns(&table.fields)?.into_iter().map(Some).collect();
    let mut cell = Vec::new();
    if let Some(names) = csv.below {
        columns = in_order_of(names, columns, table.rows)?;
    } else {
        write_line(&mut out, columns.len(), |place, out| {
            cell.clear();
            cell.extend_from_slice(columns[place].as_ref().map_or("", |column| column.name).as_bytes());
            guard(&mut cell, csv.is_for_people);
            write_cell(out, &cell);
        });
    }
    for row in 0..table.rows {
        write_line(&mut out, columns.len(), |place, out| {
            let Some(column) = &columns[place] else { return };
            cell.clear();
            column.write_plain(row, &mut cell);
            guard(&mut cell, csv.is_for_people && column.is_text(row));
            write_cell(out, &cell);
        });
        out.settle();
    }
    out.finish()
}

/// The columns in the order of names that stand above them, none where a name has none. A value without a name would be
/// lost, so it is a mistake.
fn in_order_of<'a>(
    names: &[String],
    columns: Vec<Option<Column<'a>>>,
    rows: usize,
) -> Result<Vec<Option<Column<'a>>>, Error> {
    let mut by_name: HashMap<&str, Column<'a>> =
        columns.into_iter().flatten().map(|column| (column.name, column)).collect();
    let ordered = names.iter().map(|name| by_name.remove(name.as_str())).collect();
    match by_name.values().any(|column| (0..rows).any(|row| !column.is_null(row))) {
        false => Ok(ordered),
        true => {
            let message = "the fields of the dataset changed while the file was written";
            Err(Error::new(ErrorKind::Conflict, message))
        }
    }
}

/// Puts an apostrophe before what a spreadsheet would take for a formula.
fn guard(cell: &mut Vec<u8>, is_text: bool) {
    // Most texts begin with a letter, and are not looked at any further.
    if !is_text || cell.first().is_none_or(u8::is_ascii_alphanumeric) {
        return;
    }
    if is_formula(&String::from_utf8_lossy(cell)) {
        cell.insert(0, b'\'');
    }
}

/// Whether a spreadsheet could compute a text. What it does not show, or takes away when it reads a file, may stand before
/// the first sign.
fn is_formula(text: &str) -> bool {
    let is_passed_over = |sign: char| sign.is_whitespace() || sign.is_control() || is_unseen(sign);
    text.starts_with(['\t', '\r']) || text.trim_start_matches(is_passed_over).starts_with(begins_formula)
}

/// The signs with which a formula begins, in all widths.
fn begins_formula(sign: char) -> bool {
    matches!(
        sign,
        '=' | '+'
            | '-'
            | '@'
            | '\u{2212}'
            | '\u{fe62}'
            | '\u{fe63}'
            | '\u{fe66}'
            | '\u{fe6b}'
            | '\u{ff0b}'
            | '\u{ff0d}'
            | '\u{ff1d}'
            | '\u{ff20}'
    )
}

/// Signs without a width, such as those that join, part or turn others around.
fn is_unseen(sign: char) -> bool {
    matches!(
        sign,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}'
    )
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_spreadsheet_would_compute_has_an_apostrophe_before_it() {
        let guarded = |text: &str, is_text| {
            let mut cell = text.as_bytes().to_vec();
            guard(&mut cell, is_text);
            cell.starts_with(b"'") && cell[1..] == *text.as_bytes()
        };
        for first in [
            "",
            "\n",
            "\t",
            "\r\n",
            " ",
            "  ",
            "\u{a0}",
            "\0",
            "\u{b}",
            "\u{7f}",
            "\u{feff}",
            "\u{200b}\u{202e} ",
        ] {
            for sign in ["=", "+", "-", "@", "\u{ff1d}", "\u{ff0b}", "\u{ff0d}", "\u{ff20}", "\u{fe66}"] {
                assert!(guarded(&format!("{first}{sign}1+1"), true), "{first:?} {sign:?}");
            }
        }
        for plain in ["", "a=1", "1-1", " a", "\u{feff}a", "\u{e4}=1", "'=1", "_-", "[1]", "\n", " "] {
            assert!(!guarded(plain, true), "{plain:?}");
        }
        assert!(guarded("\ta", true), "which some take away");
        assert!(!guarded("-5", false), "a number stays one");
    }
}
