//! Events as columns: what must hold for them whoever made them, and some to begin with.

use std::sync::Arc;

use tidegauge_model::{Column, Columns, FieldKind, Values};

/// What every reader of columns relies on.
pub fn check(columns: &Columns) {
    for column in &columns.columns {
        assert_eq!(column.rows.len(), column.values.len(), "{}", column.field);
        assert!(column.rows.is_sorted_by(|one, next| one < next), "{}", column.field);
        assert!(column.rows.last().is_none_or(|row| (*row as usize) < columns.rows()), "{}", column.field);
        if let Values::String(texts)
        | Values::Array(texts)
        | Values::Map(texts)
        | Values::LongInteger(texts) = &column.values
        {
            let all = std::str::from_utf8(&texts.bytes).expect("texts are valid UTF-8");
            assert_eq!(all.len(), texts.ends.last().map_or(0, |end| *end as usize));
            assert!(texts.ends.iter().all(|end| all.is_char_boundary(*end as usize)));
        }
    }
}

/// Some events of every kind, of which not all have each field.
pub fn sample(rows: u32) -> Columns {
    let mut columns =
        Columns { times: (0..i64::from(rows)).map(|row| row * 1_000_001).collect(), columns: Vec::new() };
    for (number, kind) in FieldKind::ALL.into_iter().enumerate() {
        let mut column = Column::new(Arc::from(format!("field {number}")), kind);
        let step = 1 + number as u32 % 3;
        for row in (0..rows).filter(|row| row % step == 0) {
            column.rows.push(row);
            add(&mut column.values, row);
        }
        columns.columns.push(column);
    }
    // PostgreSQL stores no name with a zero in it: this one goes with the rest.
    let mut odd = Column::new(Arc::from("o\0d"), FieldKind::Integer);
    odd.rows = (0..rows).collect();
    odd.values = Values::Integer((0..i64::from(rows)).collect());
    columns.columns.push(odd);
    columns
}

fn add(values: &mut Values, row: u32) {
    match values {
        Values::Boolean(values) => values.push(row.is_multiple_of(2)),
        Values::Integer(values) => values.push(i64::from(row) - 3),
        Values::Float(values) => values.push(f64::from(row) / 4.0),
        Values::String(texts) => {
            texts.push(format!("request {row} of user usr_{row:08x} took {}.5 ms", row * 7).as_bytes());
        }
        Values::Array(texts) => texts.push(format!("[{row},\"ä\"]").as_bytes()),
        Values::Map(texts) => texts.push(format!("{{\"a\":{row}}}").as_bytes()),
        Values::LongInteger(texts) => texts.push(format!("{}0000000000000000000", row + 9).as_bytes()),
    }
}
