//! A table as CSV, and as one JSON object on each line.

use serde_json::{Map, Value};

use super::{Table, text_of};

/// CSV with a line of names. Nulls are empty.
pub fn csv(table: &Table) -> String {
    let mut out = String::new();
    let names = table.fields.iter().map(|field| quoted(&field.name));
    line(&mut out, names);
    for row in 0..table.rows() {
        line(&mut out, (0..table.fields.len()).map(|column| quoted(&text_of(table.value(column, row)))));
    }
    out
}

pub fn ndjson(table: &Table) -> String {
    let mut out = String::new();
    for row in 0..table.rows() {
        let mut object = Map::new();
        for (column, field) in table.fields.iter().enumerate() {
            object.insert(field.name.clone(), table.value(column, row).clone());
        }
        out.push_str(&Value::Object(object).to_string());
        out.push('\n');
    }
    out
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
        assert_eq!(csv(&table), "\"a,b\",n\n\"x \"\"y\"\"\",1\n,\"{\"\"k\"\":2}\"\n");
        assert_eq!(ndjson(&table), "{\"a,b\":\"x \\\"y\\\"\",\"n\":1}\n{\"a,b\":null,\"n\":{\"k\":2}}\n");
    }
}
