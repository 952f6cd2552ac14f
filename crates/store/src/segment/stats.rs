//! What is known of a segment's columns without reading it: how many rows have each and between which bounds its
//! values lie. Kept in the catalogue as one compressed text, decoded only when a query asks for it.

use parquet::data_type::{AsBytes, ByteArray};
use parquet::file::metadata::ParquetMetaData;
use parquet::file::statistics::Statistics;
use serde::{Deserialize, Serialize};
use tidegauge_catalog::columns::SYSTEM_COLUMNS;

use super::Description;
use crate::{Error, Result};

/// Statistics of a segment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SegmentStats {
    pub columns: Vec<ColumnStats>,
    /// Fields that are in the overflow column `_rest`.
    pub rest: Vec<String>,
}

/// Statistics of one typed column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnStats {
    /// The column's stable number in its dataset.
    pub number: u32,
    /// How many rows have a value.
    pub count: u64,
    pub min: Option<Bound>,
    pub max: Option<Bound>,
}

/// A bound of a column's values. A text may be cut: then it is still below, or above, all values.
#[derive(Clone, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
pub enum Bound {
    Boolean(bool),
    Integer(i64),
    Float(#[serde(with = "bits")] f64),
    String(Vec<u8>),
}

/// Floats as their bits: a decimal text may read back as a neighbour, and a bound must not move inwards.
mod bits {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        value.to_bits().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        u64::deserialize(deserializer).map(f64::from_bits)
    }
}

impl SegmentStats {
    /// The statistics that the file itself has.
    pub(super) fn of_file(metadata: &ParquetMetaData, description: &Description) -> Self {
        let described = description.columns.iter().map(|column| column.number);
        let numbers = SYSTEM_COLUMNS.iter().map(|(number, _)| *number).chain(described);
        let column = |(place, number): (usize, u32)| {
            let mut stats = ColumnStats::new(number, 0);
            for (index, group) in metadata.row_groups().iter().enumerate() {
                let statistics = group.column(place).statistics();
                let nulls = statistics.and_then(Statistics::null_count_opt).unwrap_or(0);
                stats.count += u64::try_from(group.num_rows()).unwrap_or(0).saturating_sub(nulls);
                stats.add(statistics, index == 0);
            }
            stats
        };
        Self {
            columns: numbers.enumerate().map(column).collect(),
            rest: description.rest.iter().map(|(field, _, _)| field.clone()).collect(),
        }
    }

    pub fn encode(&self) -> Result<Vec<u8>> {
        let text = serde_json::to_vec(self)
            .map_err(|source| Error::caused(tidegauge_model::ErrorKind::Internal, "statistics", source))?;
        zstd::bulk::compress(&text, 1).map_err(|source| Error::disk("compress statistics", source))
    }

    pub fn decode(bytes: &[u8]) -> Result<Self> {
        const STATS_BYTES_MAX: usize = 64 << 20;
        let damaged = || Error::corrupt("the statistics of a segment cannot be read");
        let text = zstd::bulk::decompress(bytes, STATS_BYTES_MAX).map_err(|_| damaged())?;
        serde_json::from_slice(&text).map_err(|_| damaged())
    }
}

impl ColumnStats {
    pub(super) fn new(number: u32, count: u64) -> Self {
        Self { number, count, min: None, max: None }
    }

    /// Widens the bounds by those of one more row group.
    pub(super) fn add(&mut self, statistics: Option<&Statistics>, is_first: bool) {
        let (min, max) = statistics.map_or((None, None), bounds);
        let widen =
            |old: Option<Bound>, new: Option<Bound>, take_new: fn(&Bound, &Bound) -> bool| match (old, new) {
                (Some(old), Some(new)) => Some(if take_new(&new, &old) { new } else { old }),
                _ => None,
            };
        if is_first {
            (self.min, self.max) = (min, max);
            return;
        }
        self.min = widen(self.min.take(), min, |new, old| new < old);
        self.max = widen(self.max.take(), max, |new, old| new > old);
    }
}

/// The least and the greatest value that a row group has, or what lies outside of them.
pub(crate) fn bounds(statistics: &Statistics) -> (Option<Bound>, Option<Bound>) {
    let text = |value: &ByteArray| Bound::String(value.as_bytes().to_vec());
    match statistics {
        Statistics::Boolean(s) => {
            (s.min_opt().copied().map(Bound::Boolean), s.max_opt().copied().map(Bound::Boolean))
        }
        Statistics::Int64(s) => {
            (s.min_opt().copied().map(Bound::Integer), s.max_opt().copied().map(Bound::Integer))
        }
        Statistics::Double(s) => {
            (s.min_opt().copied().map(Bound::Float), s.max_opt().copied().map(Bound::Float))
        }
        Statistics::ByteArray(s) => (s.min_opt().map(text), s.max_opt().map(text)),
        _ => (None, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_read_back_and_damage_is_an_error() {
        let stats = SegmentStats {
            columns: vec![ColumnStats {
                number: 16,
                count: 3,
                min: Some(Bound::Integer(i64::MIN)),
                max: Some(Bound::String(vec![0xff, 0])),
            }],
            rest: vec!["a.b".to_owned()],
        };
        let bytes = stats.encode().unwrap();
        assert_eq!(SegmentStats::decode(&bytes).unwrap(), stats);
        assert!(SegmentStats::decode(&bytes[..bytes.len() - 3]).is_err());
        assert!(SegmentStats::decode(b"").is_err());
    }
}
