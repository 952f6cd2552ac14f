//! An answer in tables: what the server says, and the ways to show it. What a terminal is like is handed in.

pub mod arrow;
pub mod chart;
pub mod delimited;
pub mod table;
pub mod value;

use serde::Deserialize;

use value::Value;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Answer {
    pub status: Status,
    pub tables: Vec<Table>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Status {
    /// In microseconds.
    pub elapsed_time: u64,
    pub rows_examined: u64,
    pub is_partial: bool,
    pub messages: Option<Vec<Message>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Message {
    pub msg: String,
}

/// One table, column by column.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Table {
    pub name: String,
    pub fields: Vec<Field>,
    pub groups: Option<Vec<Group>>,
    pub columns: Vec<Vec<Value>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Field {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Group {
    pub name: String,
}

const NULL: Value = Value::Null;

impl Answer {
    /// The table to show: the first one. Sums over all time may stand behind it.
    pub fn table(&self) -> Option<&Table> {
        self.tables.iter().find(|table| table.name != "_totals")
    }
}

impl Table {
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// A value; null where the server sent too few.
    pub fn value(&self, column: usize, row: usize) -> &Value {
        self.columns.get(column).and_then(|values| values.get(row)).unwrap_or(&NULL)
    }
}

impl Field {
    pub fn is_number(&self) -> bool {
        self.kind.split('|').all(|kind| matches!(kind, "integer" | "float" | "long" | "int" | "real"))
    }
}

/// What stands below an answer: how many rows there are and what the work was.
pub fn summary(answer: &Answer) -> String {
    let rows = answer.table().map_or(0, Table::rows);
    let word = if rows == 1 { "row" } else { "rows" };
    let micros = answer.status.elapsed_time;
    let time = match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..1_000_000 => format!("{}.{} ms", micros / 1_000, micros % 1_000 / 100),
        _ => format!("{}.{:02} s", micros / 1_000_000, micros % 1_000_000 / 10_000),
    };
    let partial = if answer.status.is_partial { ", cut short" } else { "" };
    format!("{rows} {word} in {time}, {} events examined{partial}", answer.status.rows_examined)
}
