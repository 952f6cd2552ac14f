//! Rows of several keys as one text, and back.

use super::*;

/// A row of one column of each type.
type Row = (Option<String>, Option<i64>, Option<f64>, Option<bool>);

/// Values on both sides of every length come back as they were, and different rows are different texts.
#[test]
fn rows_come_back_as_they_were() {
    let lengths = [0, 1, 12, 13, 15, 16, NEAR_MAX - 1, NEAR_MAX, NEAR_MAX + 1, NEAR_MAX + 2, 70_000];
    let mut texts: Vec<Option<String>> = lengths.iter().map(|length| Some("a".repeat(*length))).collect();
    texts.extend(lengths.iter().map(|length| Some("é".repeat(*length))));
    texts.push(None);
    let numbers = [0, 1, -1, 255, 256, 65_535, 65_536, i64::MAX, i64::MIN];
    let floats = [0.0, 1.5, -1.5, f64::MAX, f64::MIN_POSITIVE, f64::INFINITY];
    let mut rows: Vec<Row> = Vec::new();
    for (place, text) in texts.iter().enumerate() {
        for number in numbers.iter().map(|number| Some(*number)).chain([None]) {
            let float = floats.get(place % 7).copied();
            rows.push((text.clone(), number, float, [None, Some(true), Some(false)][place % 3]));
        }
    }
    let columns: Vec<ArrayRef> = vec![
        Arc::new(rows.iter().map(|row| row.0.clone()).collect::<StringViewArray>()),
        Arc::new(rows.iter().map(|row| row.1).collect::<Int64Array>()),
        Arc::new(rows.iter().map(|row| row.2).collect::<Float64Array>()),
        Arc::new(rows.iter().map(|row| row.3).collect::<BooleanArray>()),
    ];
    let kinds: Vec<DataType> = columns.iter().map(|column| column.data_type().clone()).collect();
    let joined = Joined::new(&columns);
    let mut builders: Vec<Builder> = kinds.iter().map(|kind| Builder::new(kind, rows.len())).collect();
    let mut seen = hashbrown::HashMap::new();
    for (row, values) in rows.iter().enumerate() {
        let mut rest = joined.text(row);
        // Different values are different texts, whatever they are.
        let said = format!("{values:?}");
        assert_eq!(seen.entry(rest.to_vec()).or_insert_with(|| said.clone()), &said);
        builders.iter_mut().for_each(|builder| rest = builder.read(rest));
        assert!(rest.is_empty());
    }
    let back: Vec<ArrayRef> = builders.into_iter().map(Builder::finish).collect();
    assert_eq!(back, columns);
}
