//! A table for the eye: columns side by side, numbers to the right, as wide as the terminal is.

use unicode_width::UnicodeWidthChar;

use super::Table;
use super::value::Value;

/// Between two columns.
const GAP: usize = 2;
/// A column that must give way keeps at least so much.
const NARROWEST: usize = 8;
/// A column of numbers or times gives way only beyond this.
const WIDEST_WHOLE: usize = 30;
/// Rows that decide how wide columns are.
const MEASURED_ROWS: usize = 1_000;

/// What it is shown on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Screen {
    /// None where nothing limits it, such as in a file.
    pub width: Option<usize>,
    pub height: Option<usize>,
    pub has_colours: bool,
}

/// A table as text, and what of it is not there.
#[derive(Debug, PartialEq, Eq)]
pub struct Shown {
    pub text: String,
    pub hidden_columns: usize,
    pub hidden_rows: usize,
}

/// Lays a table out, with at most so many rows.
pub fn show(table: &Table, screen: Screen, rows_max: Option<usize>) -> Shown {
    let rows = table.rows().min(rows_max.unwrap_or(usize::MAX));
    let mut columns: Vec<usize> = (0..table.fields.len()).collect();
    let mut widths: Vec<usize> = columns.iter().map(|column| natural(table, *column, rows)).collect();
    if let Some(width) = screen.width {
        if total(&widths) > width {
            leave_out_arrival(table, &mut columns, &mut widths);
        }
        let natural = columns.iter().zip(&widths);
        let least: Vec<usize> = natural.map(|(column, natural)| least(table, *column, *natural)).collect();
        fit(&mut widths, &least, width);
        columns.truncate(widths.len());
    }
    let mut text = String::new();
    let head = |column: &usize| {
        let field = &table.fields[*column];
        Cell { text: clean(&field.name), is_right: field.is_number(), style: Style::Head }
    };
    line(&mut text, &columns.iter().map(head).collect::<Vec<Cell>>(), &widths, screen);
    for row in 0..rows {
        let cells: Vec<Cell> = columns.iter().map(|column| cell(table, *column, row)).collect();
        line(&mut text, &cells, &widths, screen);
    }
    Shown { text, hidden_columns: table.fields.len() - columns.len(), hidden_rows: table.rows() - rows }
}

/// The time of arrival is mostly close to the time of the event, and the first to give way to the other fields.
fn leave_out_arrival(table: &Table, columns: &mut Vec<usize>, widths: &mut Vec<usize>) {
    let has_time = table.fields.iter().any(|field| field.name == "_time");
    if let Some(place) = table.fields.iter().position(|field| field.name == "_sysTime").filter(|_| has_time) {
        columns.remove(place);
        widths.remove(place);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Plain,
    Head,
    Dim,
}

struct Cell {
    text: String,
    is_right: bool,
    style: Style,
}

fn cell(table: &Table, column: usize, row: usize) -> Cell {
    let value = table.value(column, row);
    let is_number = table.fields.get(column).is_some_and(super::Field::is_number);
    match value {
        Value::Null => Cell { text: "null".to_owned(), is_right: is_number, style: Style::Dim },
        _ => Cell {
            text: clean(&value.to_text()),
            is_right: is_number || value.is_number(),
            style: Style::Plain,
        },
    }
}

/// How wide a column would like to be.
fn natural(table: &Table, column: usize, rows: usize) -> usize {
    let name = table.fields.get(column).map_or(0, |field| width_of(&clean(&field.name)));
    let values = (0..rows.min(MEASURED_ROWS)).map(|row| width_of(&cell(table, column, row).text));
    values.max().unwrap_or(0).max(name).max(1)
}

/// How narrow a column may become. Of a number or a time no end can be missed.
fn least(table: &Table, column: usize, natural: usize) -> usize {
    let is_whole =
        table.fields.get(column).is_some_and(|field| field.is_number() || field.kind == "datetime");
    natural.min(if is_whole { WIDEST_WHOLE } else { NARROWEST })
}

/// Leaves out the last columns where there is no room for them, and makes the widest of the others narrower until all
/// fit.
fn fit(widths: &mut Vec<usize>, least: &[usize], width: usize) {
    let mut room = 0;
    let has_room = |least: &&usize| {
        room += **least + GAP;
        room <= width + GAP
    };
    widths.truncate(least.iter().take_while(has_room).count().max(1));
    while total(widths) > width {
        let excess = total(widths) - width;
        let columns = widths.iter().copied().zip(least).filter(|(width, least)| *width > **least);
        let Some(widest) = columns.clone().map(|(width, _)| width).max() else {
            // A single one that is wider than the screen.
            widths.iter_mut().for_each(|it| *it = width.max(1));
            return;
        };
        let stop = |(width, least): (usize, &usize)| if width < widest { width } else { *least };
        let next = columns.clone().map(stop).max().unwrap_or(0);
        let count = columns.filter(|(width, _)| *width == widest).count();
        let cut = (widest - next).min(excess.div_ceil(count)).max(1);
        let is_widest = |(width, least): &(&mut usize, &usize)| **width == widest && **width > **least;
        widths.iter_mut().zip(least).filter(is_widest).for_each(|(it, _)| *it -= cut);
    }
}

/// How wide columns are side by side.
fn total(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
}

fn line(out: &mut String, cells: &[Cell], widths: &[usize], screen: Screen) {
    let mut line = String::new();
    for (place, (cell, width)) in cells.iter().zip(widths).enumerate() {
        if place > 0 {
            line.push_str(&" ".repeat(GAP));
        }
        let text = cut(&cell.text, *width);
        let padding = " ".repeat(width.saturating_sub(width_of(&text)));
        let (before, after) = match cell.style {
            Style::Head if screen.has_colours => ("\u{1b}[1m", "\u{1b}[0m"),
            Style::Dim if screen.has_colours => ("\u{1b}[2m", "\u{1b}[0m"),
            _ => ("", ""),
        };
        if cell.is_right {
            line.push_str(&padding);
        }
        line.push_str(before);
        line.push_str(&text);
        line.push_str(after);
        if !cell.is_right {
            line.push_str(&padding);
        }
    }
    out.push_str(line.trim_end());
    out.push('\n');
}

/// Whatever an event holds must not move the cursor, change colours, or turn the direction of what stands around it.
pub(super) fn clean(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' => '⏎',
        '\t' => ' ',
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '·',
        control if control.is_control() => '·',
        other => other,
    };
    text.chars().map(shown).collect()
}

pub(super) fn width_of(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// As much of a text as fits.
pub(super) fn cut(text: &str, width: usize) -> String {
    if width_of(text) <= width {
        return text.to_owned();
    }
    let mut shown = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > width {
            break;
        }
        shown.push(c);
    }
    shown.push('…');
    shown
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn table() -> Table {
        serde_json::from_value(json!({
            "name": "0",
            "fields": [{"name": "host", "type": "string"}, {"name": "n", "type": "integer"}, {"name": "note", "type": "string"}],
            "columns": [["a", "größer 漢字", null], [1, 1234, null], ["x\u{1b}[31m\ny", "a long text that has no end", ""]],
        }))
        .unwrap()
    }

    #[test]
    fn columns_are_aligned_and_control_characters_are_shown() {
        let shown = show(&table(), Screen::default(), None);
        let expected = "\
host            n  note
a               1  x·[31m⏎y
größer 漢字  1234  a long text that has no end
null         null
";
        assert_eq!(shown, Shown { text: expected.to_owned(), hidden_columns: 0, hidden_rows: 0 });
    }

    #[test]
    fn a_table_is_as_wide_as_the_screen() {
        for (width, hidden) in [(80, 0), (30, 0), (24, 0), (15, 1), (5, 2)] {
            let shown = show(&table(), Screen { width: Some(width), ..Screen::default() }, Some(2));
            assert_eq!((shown.hidden_columns, shown.hidden_rows), (hidden, 1), "{width}: {}", shown.text);
            for line in shown.text.lines() {
                assert!(width_of(line) <= width, "{width}: {line:?}");
            }
        }
    }

    #[test]
    fn numbers_and_times_are_shown_whole_or_not_at_all() {
        let table: Table = serde_json::from_value(json!({
            "fields": [{"name": "_time", "type": "datetime"}, {"name": "note", "type": "string"}, {"name": "n", "type": "integer"}],
            "columns": [["2026-06-01T12:00:00.123456Z"], ["a long text that has no end"], [123_456_789_012_u64]],
        }))
        .unwrap();
        let shown = |width| show(&table, Screen { width: Some(width), ..Screen::default() }, None);
        let whole = "2026-06-01T12:00:00.123456Z  a long …  123456789012";
        assert_eq!(shown(51).text.lines().nth(1), Some(whole));
        assert_eq!((shown(50).hidden_columns, shown(50).text.contains("123")), (1, true));
        assert!(!shown(50).text.contains("123456789012") && shown(50).text.contains("a long text that has"));
    }

    #[test]
    fn the_time_of_arrival_gives_way_first() {
        let table: Table = serde_json::from_value(json!({
            "fields": [{"name": "_sysTime", "type": "datetime"}, {"name": "_time", "type": "datetime"}, {"name": "host", "type": "string"}],
            "columns": [["2026-06-01T12:00:01Z"], ["2026-06-01T12:00:00Z"], ["a\u{202e}b"]],
        }))
        .unwrap();
        let shown = |width| show(&table, Screen { width: Some(width), ..Screen::default() }, None);
        assert_eq!((shown(48).hidden_columns, shown(47).hidden_columns), (0, 1));
        assert_eq!(shown(47).text, "_time                 host\n2026-06-01T12:00:00Z  a·b\n");
    }

    #[test]
    fn nulls_are_dim_where_there_are_colours() {
        let shown = show(&table(), Screen { has_colours: true, ..Screen::default() }, None);
        assert!(shown.text.contains("\u{1b}[2mnull\u{1b}[0m"));
    }
}
