//! How a column is encoded, decided from a sample of its values. Columns that questions group and filter by are left
//! uncompressed, because decoding is what such questions cost; long and distinct texts are compressed, because they
//! are what the disk costs.

use std::hash::BuildHasher;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use hashbrown::{DefaultHashBuilder, HashSet};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};

use super::{Effort, ROW_GROUP_ROWS};

/// How many values are looked at.
const SAMPLE: usize = 8192;

/// Texts up to this length on average may be ids, which are looked up by value.
const ID_BYTES_MAX: usize = 64;

/// Up to this size a row group keeps a dictionary.
const DICTIONARY_BYTES_MAX: usize = 2 << 20;

const BLOOM_FALSE_POSITIVES: f64 = 0.02;

/// The properties with which a column is written.
pub(super) fn properties(array: &ArrayRef, effort: Effort) -> WriterProperties {
    let builder = WriterProperties::builder()
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_dictionary_page_size_limit(DICTIONARY_BYTES_MAX)
        .set_write_batch_size(4096);
    match array.data_type() {
        DataType::Timestamp(..) | DataType::Int32 => delta(builder).build(),
        DataType::Int64 => integers(builder, array).build(),
        DataType::Float64 => floats(builder, array, effort).build(),
        DataType::LargeUtf8 => texts(builder, array, effort).build(),
        _ => builder.set_dictionary_enabled(false).build(),
    }
}

fn delta(builder: WriterPropertiesBuilder) -> WriterPropertiesBuilder {
    builder.set_dictionary_enabled(false).set_encoding(Encoding::DELTA_BINARY_PACKED)
}

fn zstd(effort: Effort, fresh: i32, merged: i32) -> Compression {
    let level = if effort == Effort::Fresh { fresh } else { merged };
    Compression::ZSTD(ZstdLevel::try_new(level).unwrap_or_default())
}

fn integers(builder: WriterPropertiesBuilder, array: &ArrayRef) -> WriterPropertiesBuilder {
    let values = array.as_primitive::<Int64Type>();
    let sample = Sample::of(array, |row| values.value(row).cast_unsigned(), |_| 8);
    if sample.repeats() { builder } else { delta(builder) }
}

fn floats(builder: WriterPropertiesBuilder, array: &ArrayRef, effort: Effort) -> WriterPropertiesBuilder {
    let values = array.as_primitive::<arrow_array::types::Float64Type>();
    let sample = Sample::of(array, |row| values.value(row).to_bits(), |_| 8);
    if sample.repeats() {
        return builder;
    }
    match effort {
        Effort::Fresh => builder.set_dictionary_enabled(false).set_encoding(Encoding::PLAIN),
        Effort::Merged => builder
            .set_dictionary_enabled(false)
            .set_encoding(Encoding::BYTE_STREAM_SPLIT)
            .set_compression(zstd(effort, 1, 1)),
    }
}

fn texts(builder: WriterPropertiesBuilder, array: &ArrayRef, effort: Effort) -> WriterPropertiesBuilder {
    let values = array.as_string::<i64>();
    let hasher = DefaultHashBuilder::default();
    let sample = Sample::of(array, |row| hasher.hash_one(values.value(row)), |row| values.value(row).len());
    if sample.repeats() {
        return builder.set_encoding(Encoding::DELTA_LENGTH_BYTE_ARRAY);
    }
    let builder = builder
        .set_dictionary_enabled(false)
        .set_encoding(Encoding::DELTA_LENGTH_BYTE_ARRAY)
        .set_compression(zstd(effort, 1, 3));
    if sample.bytes_each() > ID_BYTES_MAX {
        return builder;
    }
    builder
        .set_bloom_filter_enabled(true)
        .set_bloom_filter_fpp(BLOOM_FALSE_POSITIVES)
        .set_bloom_filter_max_ndv(ROW_GROUP_ROWS as u64)
}

/// What some of the values say of all.
struct Sample {
    looked_at: usize,
    distinct: usize,
    bytes: usize,
}

impl Sample {
    fn of(array: &dyn Array, hash: impl Fn(usize) -> u64, bytes: impl Fn(usize) -> usize) -> Self {
        let step = (array.len() / SAMPLE).max(1);
        let mut seen = HashSet::with_capacity(SAMPLE);
        let mut sample = Self { looked_at: 0, distinct: 0, bytes: 0 };
        for row in (0..array.len()).step_by(step).filter(|row| array.is_valid(*row)) {
            sample.looked_at += 1;
            sample.bytes += bytes(row);
            seen.insert(hash(row));
        }
        sample.distinct = seen.len();
        sample
    }

    /// Whether values come back often enough for a dictionary.
    fn repeats(&self) -> bool {
        self.distinct * 2 <= self.looked_at
    }

    fn bytes_each(&self) -> usize {
        self.bytes / self.looked_at.max(1)
    }
}
