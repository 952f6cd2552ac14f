//! What commands print: their answer on standard output, and beside it what a person who waits wants to know.

use std::io::Write;

use serde::Serialize;
use serde_json::Value;

use crate::client::answer::table::{self, Screen};
use crate::client::answer::value::Value as Shown;
use crate::client::answer::{Field, Table};
use crate::client::oauth::http::printable;

pub fn line(text: &str) {
    // Whoever reads may have had enough, as `head` does.
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Writes an answer as it is. False if whoever reads has had enough.
pub fn bytes(answer: &[u8]) -> anyhow::Result<bool> {
    let mut out = std::io::stdout().lock();
    match out.write_all(answer).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Prints a value as indented JSON.
pub fn json(value: &impl Serialize) -> anyhow::Result<()> {
    line(&serde_json::to_string_pretty(value)?);
    Ok(())
}

/// A list for people: a row for each thing, below the names of the columns. What is not there is a dash.
#[derive(Debug)]
pub struct List {
    names: Vec<&'static str>,
    rows: Vec<Vec<String>>,
    /// What is said when there is nothing to list.
    none: &'static str,
}

impl List {
    pub fn new<const COLUMNS: usize>(names: [&'static str; COLUMNS], none: &'static str) -> Self {
        Self { names: names.to_vec(), rows: Vec::new(), none }
    }

    pub fn add<const COLUMNS: usize>(&mut self, row: [String; COLUMNS]) {
        debug_assert_eq!(COLUMNS, self.names.len());
        self.rows.push(row.map(|cell| if cell.is_empty() { "-".to_owned() } else { cell }).to_vec());
    }

    /// Prints the rows, or says that there are none.
    pub fn print(&self) -> anyhow::Result<()> {
        if self.rows.is_empty() {
            note(self.none);
            return Ok(());
        }
        bytes(self.text().as_bytes()).map(|_| ())
    }

    /// The columns side by side. Nothing is cut off, because ids and names are for copying.
    fn text(&self) -> String {
        let column = |place: usize| -> Vec<Shown> {
            self.rows.iter().map(|row| Shown::from(row.get(place).map_or("", String::as_str))).collect()
        };
        let field = |name: &&str| Field { name: (*name).to_owned(), kind: "string".to_owned() };
        let table = Table {
            fields: self.names.iter().map(field).collect(),
            columns: (0..self.names.len()).map(column).collect(),
            ..Table::default()
        };
        table::show(&table, Screen::default(), None).text
    }
}

/// One thing for people: a line for each of its properties.
pub fn record(lines: &[(&str, String)]) {
    let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    for (name, value) in lines {
        let value = if value.is_empty() { "-".to_owned() } else { printable(value) };
        line(&format!("{name:<width$}  {value}"));
    }
}

/// So many of something.
pub fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// A text of a thing in JSON, as it can be shown; empty where there is none.
pub fn text_of(thing: &Value, key: &str) -> String {
    printable(thing[key].as_str().unwrap_or_default())
}

/// Something for the person who waits, not part of the answer.
pub fn note(text: &str) {
    // Nobody may be there to read it, which must not end the work.
    let _ = writeln!(std::io::stderr(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_names_and_whole_values() {
        let mut list = List::new(["id", "state", "name"], "there is nothing");
        list.add(["mon_1".to_owned(), String::new(), "x".repeat(300)]);
        list.add(["m".to_owned(), "muted".to_owned(), "a\u{1b}b".to_owned()]);
        let expected = format!("id     state  name\nmon_1  -      {}\nm      muted  a·b\n", "x".repeat(300));
        assert_eq!(list.text(), expected);
    }
}
