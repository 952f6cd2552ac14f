//! A table as CSV, and as one JSON object on each line.

use std::collections::HashMap;

use super::Table;
use super::table::clean;

/// CSV with a line of names. Nulls are empty. Values are exact, also those that a spreadsheet takes for formulas: what is
/// put before one of them to hide it would be part of the data for every other reader. On a terminal they are shown as in
/// a table, because nobody reads them back from there.
pub fn csv(table: &Table, is_on_terminal: bool) -> String {
    let cell = |text: &str| if is_on_terminal { quoted(&clean(text)) } else { quoted(text) };
    let mut out = String::new();
    let names = table.fields.iter().map(|field| cell(&field.name));
    line(&mut out, names);
    for row in 0..table.rows() {
        line(&mut out, (0..table.fields.len()).map(|column| cell(&table.value(column, row).to_text())));
    }
    out
}

pub fn ndjson(table: &Table) -> String {
    let columns = named(table);
    let mut out = String::new();
    for row in 0..table.rows() {
        let pairs =
            columns.iter().map(|(name, column)| format!("{name}:{}", table.value(*column, row).to_json()));
        out.push_str(&format!("{{{}}}\n", pairs.collect::<Vec<_>>().join(",")));
    }
    out
}

/// The columns with their names as JSON. An object has each name once: of columns with the same name the last counts.
fn named(table: &Table) -> Vec<(String, usize)> {
    let mut columns: Vec<(String, usize)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (column, field) in table.fields.iter().enumerate() {
        match places.get(field.name.as_str()) {
            Some(place) => columns[*place].1 = column,
            None => {
                places.insert(&field.name, columns.len());
                columns.push((serde_json::Value::from(field.name.as_str()).to_string(), column));
            }
        }
    }
    columns
}

fn line(out: &mut String, cells: impl Iterator<Item = String>) {
    out.push_str(&cells.collect::<Vec<_>>().join(","));
    out.push('\n');
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_quoted_where_they_must_be() {
        let table: Table = serde_json::from_value(json!({
            "fields": [{"name": "a,b", "type": "string"}, {"name": "n", "type": "integer|map"}],
            "columns": [["x \"y\"", null], [1, {"k": 2}]],
        }))
        .unwrap();
        assert_eq!(csv(&table, false), "\"a,b\",n\n\"x \"\"y\"\"\",1\n,\"{\"\"k\"\":2}\"\n");
        assert_eq!(ndjson(&table), "{\"a,b\":\"x \\\"y\\\"\",\"n\":1}\n{\"a,b\":null,\"n\":{\"k\":2}}\n");
    }

    #[test]
    fn values_are_exact_but_on_a_terminal() {
        let hostile = ["=HYPERLINK(\"x\")", "+49 40", "-3", "@a", "\u{1b}[2J", "a\nb"];
        let table: Table = serde_json::from_value(json!({
            "fields": [{"name": "\u{1b}n", "type": "string"}],
            "columns": [hostile],
        }))
        .unwrap();
        let kept = "\u{1b}n\n\"=HYPERLINK(\"\"x\"\")\"\n+49 40\n-3\n@a\n\u{1b}[2J\n\"a\nb\"\n";
        assert_eq!(csv(&table, false), kept);
        let shown = "·n\n\"=HYPERLINK(\"\"x\"\")\"\n+49 40\n-3\n@a\n·[2J\na⏎b\n";
        assert_eq!(csv(&table, true), shown);
    }

    #[test]
    fn every_digit_is_shown_and_every_name_once() {
        let answer = r#"{"fields": [{"name": "n", "type": "integer"}, {"name": "m", "type": "map"}, {"name": "n", "type": "float"}],
            "columns": [[1], [{"k":18446744073709551617}], [340282366920938463463374607431768211456]]}"#;
        let table: Table = serde_json::from_str(answer).unwrap();
        let digits = "340282366920938463463374607431768211456";
        assert_eq!(csv(&table, false), format!("n,m,n\n1,\"{{\"\"k\"\":18446744073709551617}}\",{digits}\n"));
        assert_eq!(ndjson(&table), format!("{{\"n\":{digits},\"m\":{{\"k\":18446744073709551617}}}}\n"));
    }
}
