//! How a column is encoded, decided from its values. Columns that questions group and filter by are left uncompressed,
//! because decoding is what such questions cost; long and distinct strings are compressed, because they are what the
//! disk costs. A segment from compaction is kept for long, so more work goes into its size.

use std::hash::BuildHasher;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use hashbrown::{DefaultHashBuilder, HashSet};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};

use super::{CompactionTier, ROW_GROUP_ROWS};

/// How many strings are looked at.
const SAMPLE: usize = 8192;

/// How many bytes of text are compressed to find the level.
const TRIAL_BYTES: usize = 256 << 10;

/// A harder level has to save at least one part in so many to be taken.
const WORTH: usize = 100;

/// Strings up to this length on average may be ids, which are looked up by value.
const ID_BYTES_MAX: usize = 64;

/// Up to this size a row group keeps a dictionary.
const DICTIONARY_BYTES_MAX: usize = 2 << 20;

/// Sizes of the filter are powers of two: this asks for about a byte per value, which errs less than it says.
const BLOOM_FALSE_POSITIVES: f64 = 0.05;

/// Pages of text: a query that needs one row decodes one page, and larger ones compress hardly better.
const TEXT_PAGE_BYTES: usize = 4 << 20;
const TEXT_PAGE_ROWS: usize = 4 << 10;

/// The properties with which a column is written.
pub(super) fn properties(array: &ArrayRef, tier: CompactionTier) -> WriterProperties {
    let builder = WriterProperties::builder()
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_dictionary_page_size_limit(DICTIONARY_BYTES_MAX)
        .set_write_batch_size(4096);
    match array.data_type() {
        DataType::Timestamp(..) | DataType::Int32 => delta(builder).build(),
        DataType::Int64 => integers(builder, array, tier).build(),
        DataType::Float64 => floats(builder, array, tier).build(),
        DataType::LargeUtf8 => strings(builder, array, tier).build(),
        _ => builder.set_dictionary_enabled(false).build(),
    }
}

/// Whether a column of strings is stored text by text, so that knowing their templates can pay.
pub(super) fn may_have_templates(array: &ArrayRef) -> bool {
    let sample = Sample::of(array);
    sample.looked_at > 0 && !sample.has_few_values()
}

fn delta(builder: WriterPropertiesBuilder) -> WriterPropertiesBuilder {
    builder.set_dictionary_enabled(false).set_encoding(Encoding::DELTA_BINARY_PACKED)
}

fn zstd(level: i32) -> Compression {
    Compression::ZSTD(ZstdLevel::try_new(level).unwrap_or_default())
}

/// The levels of compression that are tried for text.
fn levels(tier: CompactionTier) -> &'static [i32] {
    match tier {
        CompactionTier::Fresh => &[1],
        CompactionTier::Merged => &[1, 2, 6],
        CompactionTier::Settled => &[1, 2, 6, 9, 12],
    }
}

/// A dictionary of numbers is worth compressing; their codes are not, and cost next to nothing to pass through.
fn dictionary(builder: WriterPropertiesBuilder, tier: CompactionTier) -> WriterPropertiesBuilder {
    if tier == CompactionTier::Fresh { builder } else { builder.set_compression(zstd(1)) }
}

fn integers(
    builder: WriterPropertiesBuilder,
    array: &ArrayRef,
    tier: CompactionTier,
) -> WriterPropertiesBuilder {
    let values = array.as_primitive::<Int64Type>();
    let seen = Counted::of(array, |row| values.value(row).cast_unsigned());
    let delta_bits = delta_bits(values.values());
    if seen.dictionary_bits() <= f64::from(delta_bits) { dictionary(builder, tier) } else { delta(builder) }
}

/// How many bits each step from one number to the next takes beside the least step. Steps that leave the range wrap, as
/// they do where they are written; how far they lie apart takes up to 64 bits, the sign among them.
fn delta_bits(values: &[i64]) -> u32 {
    let steps = values.windows(2).take(ROW_GROUP_ROWS).map(|pair| pair[1].wrapping_sub(pair[0]));
    let (min, max) = steps.fold((i64::MAX, i64::MIN), |(min, max), step| (min.min(step), max.max(step)));
    // Without a step there is none greater than another.
    if min >= max { 0 } else { u64::BITS - max.abs_diff(min).leading_zeros() }
}

fn floats(
    builder: WriterPropertiesBuilder,
    array: &ArrayRef,
    tier: CompactionTier,
) -> WriterPropertiesBuilder {
    /// About what compression leaves of the 64 bits of measured values.
    const COMPRESSED_BITS: f64 = 48.0;
    let values = array.as_primitive::<Float64Type>();
    let seen = Counted::of(array, |row| values.value(row).to_bits());
    if seen.dictionary_bits() < COMPRESSED_BITS {
        return dictionary(builder, tier);
    }
    let builder = builder.set_dictionary_enabled(false);
    match tier {
        CompactionTier::Fresh => builder.set_encoding(Encoding::PLAIN),
        CompactionTier::Merged | CompactionTier::Settled => {
            builder.set_encoding(Encoding::BYTE_STREAM_SPLIT).set_compression(zstd(1))
        }
    }
}

fn strings(
    builder: WriterPropertiesBuilder,
    array: &ArrayRef,
    tier: CompactionTier,
) -> WriterPropertiesBuilder {
    let sample = Sample::of(array);
    if sample.has_few_values() {
        return builder.set_encoding(Encoding::DELTA_LENGTH_BYTE_ARRAY);
    }
    let builder = builder
        .set_dictionary_enabled(false)
        .set_data_page_size_limit(TEXT_PAGE_BYTES)
        .set_data_page_row_count_limit(TEXT_PAGE_ROWS)
        .set_compression(zstd(best_level(array, levels(tier))));
    if sample.bytes / sample.looked_at.max(1) > ID_BYTES_MAX {
        // The length of a long text goes with its wording: left beside it, it is compressed with it.
        return builder.set_encoding(Encoding::PLAIN);
    }
    builder
        .set_encoding(Encoding::DELTA_LENGTH_BYTE_ARRAY)
        .set_bloom_filter_enabled(true)
        .set_bloom_filter_fpp(BLOOM_FALSE_POSITIVES)
        // A filter is made for so many and folded afterwards, and keeps its memory until the file is written.
        .set_bloom_filter_max_ndv((array.len() - array.null_count()).clamp(1, ROW_GROUP_ROWS) as u64)
}

/// The lightest level beyond which nothing noticeable is saved. Random ids gain nothing by a hard one.
fn best_level(array: &ArrayRef, levels: &[i32]) -> i32 {
    let [lightest, harder @ ..] = levels else { return 1 };
    if harder.is_empty() {
        return *lightest;
    }
    let text = trial(array);
    let mut best = (*lightest, compressed_bytes(&text, *lightest));
    for level in harder {
        let bytes = compressed_bytes(&text, *level);
        if bytes < best.1 - best.1 / WORTH {
            best = (*level, bytes);
        }
    }
    best.0
}

/// The strings that compression is tried on, one after the other.
fn trial(array: &ArrayRef) -> Vec<u8> {
    let mut text = Vec::with_capacity(TRIAL_BYTES);
    for value in array.as_string::<i64>().iter().flatten() {
        text.extend_from_slice(value.as_bytes());
        if text.len() >= TRIAL_BYTES {
            break;
        }
    }
    text
}

fn compressed_bytes(text: &[u8], level: i32) -> usize {
    zstd::bulk::compress(text, level).map_or(text.len(), |bytes| bytes.len())
}

/// How many values of the first row group are different.
struct Counted {
    values: usize,
    distinct: usize,
}

impl Counted {
    fn of(array: &dyn Array, bits: impl Fn(usize) -> u64) -> Self {
        let rows = array.len().min(ROW_GROUP_ROWS);
        let mut seen = HashSet::new();
        let mut values = 0;
        for row in (0..rows).filter(|row| array.is_valid(*row)) {
            values += 1;
            seen.insert(bits(row));
        }
        Self { values, distinct: seen.len() }
    }

    /// What a value costs with a dictionary: its code, and its share of the dictionary.
    fn dictionary_bits(&self) -> f64 {
        if self.distinct * 8 > DICTIONARY_BYTES_MAX {
            return f64::INFINITY;
        }
        let code = f64::from(usize::BITS - self.distinct.saturating_sub(1).leading_zeros());
        code + 64.0 * self.distinct as f64 / self.values.max(1) as f64
    }
}

/// What some of the strings say of all.
#[derive(Default)]
struct Sample {
    looked_at: usize,
    distinct: usize,
    bytes: usize,
}

impl Sample {
    /// Whether a dictionary is the better form.
    fn has_few_values(&self) -> bool {
        self.distinct * 2 <= self.looked_at
    }

    fn of(array: &ArrayRef) -> Self {
        let values = array.as_string::<i64>();
        let hasher = DefaultHashBuilder::default();
        let step = (array.len() / SAMPLE).max(1);
        let mut seen = HashSet::with_capacity(SAMPLE);
        let mut sample = Self::default();
        for row in (0..array.len()).step_by(step).filter(|row| array.is_valid(*row)) {
            sample.looked_at += 1;
            sample.bytes += values.value(row).len();
            seen.insert(hasher.hash_one(values.value(row)));
        }
        sample.distinct = seen.len();
        sample
    }
}
