//! Frames read back as they were written, and damaged ones end in an error.

use std::sync::Arc;

use bytes::Bytes;
use tidegauge_model::{Column, Columns, FieldKind, Values};

use super::decode::BatchValues;
use super::{Encoder, IdempotencyKey, Receipt, WalBatch};

fn column(field: &str, kind: FieldKind, rows: &[u32], fill: impl Fn(&mut Values)) -> Column {
    let mut column = Column::new(Arc::from(field), kind);
    column.rows = rows.to_vec();
    fill(&mut column.values);
    column
}

fn sample() -> Columns {
    let strings = |values: &mut Values| {
        if let Values::String(strings) | Values::Map(strings) = values {
            strings.push("größe".as_bytes());
            strings.push(b"");
        }
    };
    Columns {
        times: vec![3, -1, 2],
        columns: vec![
            column("n", FieldKind::Integer, &[0, 1, 2], |values| {
                *values = Values::Integer(vec![1, -2, i64::MAX])
            }),
            column("unused", FieldKind::Float, &[], |_| ()),
            column("ok", FieldKind::Boolean, &[1], |values| *values = Values::Boolean(vec![true])),
            column("name", FieldKind::String, &[0, 2], strings),
            column("map", FieldKind::Map, &[1, 2], strings),
        ],
    }
}

fn receipt() -> Receipt {
    let key = IdempotencyKey { key: "k1".to_owned(), fingerprint: 7, answer: "{}".to_owned() };
    Receipt { arrival: 99, raw_bytes: 1234, key: Some(key) }
}

#[test]
fn a_frame_reads_back_as_it_was_written() {
    let written = Encoder::encode(&sample(), receipt());
    let read = WalBatch::decode(written.encoded().clone()).unwrap();
    assert_eq!(read.rows(), 3);
    assert_eq!(*read.receipt().as_ref(), receipt());
    assert_eq!(read.times().as_ref(), [3, -1, 2]);
    let names: Vec<&str> = read.columns().iter().map(|column| read.name(column)).collect();
    assert_eq!(names, ["n", "ok", "name", "map"]);
    for (a, b) in written.columns().iter().zip(read.columns()) {
        assert_eq!(format!("{a:?}"), format!("{b:?}"));
    }
    assert!(read.present(&read.columns()[0]).is_none());
    assert_eq!(read.present(&read.columns()[2]).unwrap().as_ref(), [0, 2]);
    let BatchValues::Text { ends, bytes } = read.values(&read.columns()[2]) else { panic!("text") };
    assert_eq!((ends.as_ref(), bytes), (&[7, 7][..], "größe".as_bytes()));
}

#[test]
fn a_frame_that_is_cut_or_altered_is_an_error_and_no_panic() {
    let bytes = Encoder::encode(&sample(), receipt()).encoded().to_vec();
    for len in 0..bytes.len() - 8 {
        let cut = WalBatch::decode(Bytes::copy_from_slice(&bytes[..len]));
        assert!(cut.is_err(), "cut at {len}");
    }
    for position in 0..bytes.len() {
        let mut altered = bytes.clone();
        altered[position] ^= 0xff;
        if let Ok(frame) = WalBatch::decode(Bytes::from(altered)) {
            for column in frame.columns() {
                let _ = (frame.name(column), frame.present(column), frame.values(column));
            }
        }
    }
}
