//! Native histograms, in the layout that exponential histograms of OTLP have, so that one function reads both. Buckets
//! come as spans with gaps between them and counts as differences; a gap is filled with zeros, if it is not too wide.

use tidegauge_ingest::Events;

use super::stale::is_stale;
use crate::json_text::JsonText;
use crate::protobuf::{Broken, Message, Value, unzigzag};
use crate::slot::Slot;

/// Buckets of one side with the gaps between them. Prometheus itself keeps a few hundred.
const BUCKETS_MAX: usize = 8192;

/// The schema of histograms whose bounds are listed.
const CUSTOM: i64 = -53;

#[derive(Debug)]
pub(super) struct Histograms {
    count: Slot,
    sum: Slot,
    scale: Slot,
    zero_count: Slot,
    zero_threshold: Slot,
    positive: SideSlots,
    negative: SideSlots,
    bounds: Slot,
    counts: Slot,
}

#[derive(Debug)]
struct SideSlots {
    offset: Slot,
    counts: Slot,
}

impl Default for Histograms {
    fn default() -> Self {
        Self {
            count: Slot::new("count"),
            sum: Slot::new("sum"),
            scale: Slot::new("scale"),
            zero_count: Slot::new("zero_count"),
            zero_threshold: Slot::new("zero_threshold"),
            positive: SideSlots {
                offset: Slot::new("positive.offset"),
                counts: Slot::new("positive.counts"),
            },
            negative: SideSlots {
                offset: Slot::new("negative.offset"),
                counts: Slot::new("negative.counts"),
            },
            bounds: Slot::new("bounds"),
            counts: Slot::new("counts"),
        }
    }
}

/// A count, of whole observations or of parts of them.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Count {
    Whole(i64),
    Part(f64),
}

impl Count {
    fn write(self, slot: &mut Slot, events: &mut Events<'_>) {
        match self {
            Self::Whole(count) => slot.integer(count, events),
            Self::Part(count) => slot.float(count, events),
        }
    }
}

/// The buckets on one side of zero as they come.
#[derive(Debug, Default)]
struct Side {
    spans: Vec<(i64, u64)>,
    counts: Vec<Count>,
}

impl Side {
    fn add_span(&mut self, message: &[u8]) -> Result<(), Broken> {
        let (mut offset, mut length) = (0, 0);
        for field in Message::new(message) {
            match field? {
                (1, value) => offset = value.zigzag()?,
                (2, value) => length = value.varint()?,
                _ => {}
            }
        }
        if self.spans.len() < BUCKETS_MAX {
            self.spans.push((offset, length));
        }
        Ok(())
    }

    fn add_deltas(&mut self, value: Value<'_>) -> Result<(), Broken> {
        let counts = &mut self.counts;
        value.each_varint(|delta| {
            let before = if let Some(Count::Whole(count)) = counts.last() { *count } else { 0 };
            if counts.len() <= BUCKETS_MAX {
                counts.push(Count::Whole(before.wrapping_add(unzigzag(delta))));
            }
        })
    }

    fn add_counts(&mut self, value: Value<'_>) -> Result<(), Broken> {
        let counts = &mut self.counts;
        value.each_fixed64(|bits| {
            if counts.len() <= BUCKETS_MAX {
                counts.push(Count::Part(f64::from_bits(bits)));
            }
        })
    }

    /// Where the first bucket is, and the counts from there on; nothing if there are too many or they do not fit.
    fn dense(&self) -> Option<(i64, JsonText)> {
        let first = self.spans.first().map_or(0, |(offset, _)| *offset);
        let mut text = JsonText::default();
        let mut counts = self.counts.iter();
        let mut buckets = 0;
        text.open('[');
        for (number, (offset, length)) in self.spans.iter().enumerate() {
            let gap = if number == 0 { 0 } else { usize::try_from(*offset).ok()? };
            let length = usize::try_from(*length).ok()?;
            buckets += gap.checked_add(length).filter(|added| *added <= BUCKETS_MAX)?;
            if buckets > BUCKETS_MAX {
                return None;
            }
            for _ in 0..gap {
                text.separate();
                text.integer(0);
            }
            for _ in 0..length {
                text.separate();
                match counts.next()? {
                    Count::Whole(count) => text.integer(*count),
                    Count::Part(count) => text.float(*count),
                }
            }
        }
        text.close(']');
        counts.next().is_none().then_some((first, text))
    }
}

/// A histogram as it comes.
#[derive(Debug)]
struct Histogram {
    count: Count,
    sum: f64,
    schema: i64,
    zero_threshold: f64,
    zero_count: Count,
    positive: Side,
    negative: Side,
    /// The text of an array.
    bounds: JsonText,
}

impl Histogram {
    fn read(message: &[u8]) -> Result<Self, Broken> {
        let mut histogram = Self {
            count: Count::Whole(0),
            sum: 0.0,
            schema: 0,
            zero_threshold: 0.0,
            zero_count: Count::Whole(0),
            positive: Side::default(),
            negative: Side::default(),
            bounds: JsonText::default(),
        };
        let bounds = &mut histogram.bounds;
        bounds.open('[');
        for field in Message::new(message) {
            match field? {
                (1, value) => histogram.count = Count::Whole(value.varint()? as i64),
                (2, value) => histogram.count = Count::Part(value.double()?),
                (3, value) => histogram.sum = value.double()?,
                (4, value) => histogram.schema = value.zigzag()?,
                (5, value) => histogram.zero_threshold = value.double()?,
                (6, value) => histogram.zero_count = Count::Whole(value.varint()? as i64),
                (7, value) => histogram.zero_count = Count::Part(value.double()?),
                (8, value) => histogram.negative.add_span(value.bytes()?)?,
                (9, value) => histogram.negative.add_deltas(value)?,
                (10, value) => histogram.negative.add_counts(value)?,
                (11, value) => histogram.positive.add_span(value.bytes()?)?,
                (12, value) => histogram.positive.add_deltas(value)?,
                (13, value) => histogram.positive.add_counts(value)?,
                (16, value) => value.each_fixed64(|bits| {
                    bounds.separate();
                    bounds.float(f64::from_bits(bits));
                })?,
                _ => {}
            }
        }
        bounds.close(']');
        Ok(histogram)
    }
}

impl Histograms {
    pub(super) fn write(
        &mut self,
        message: &[u8],
        kind: &mut Slot,
        stale: &mut Slot,
        events: &mut Events<'_>,
    ) -> Result<(), Broken> {
        let histogram = Histogram::read(message)?;
        if is_stale(histogram.sum) {
            stale.boolean(true, events);
            return Ok(());
        }
        histogram.count.write(&mut self.count, events);
        self.sum.float(histogram.sum, events);
        let (Some(positive), Some(negative)) = (histogram.positive.dense(), histogram.negative.dense())
        else {
            events.fail(|| format!("its buckets do not fit its spans, or there are more than {BUCKETS_MAX}"));
            return Ok(());
        };
        if histogram.schema == CUSTOM {
            kind.string("histogram", events);
            self.bounds.array(histogram.bounds.as_str(), events);
            self.write_custom(positive, events);
            return Ok(());
        }
        kind.string("exponential_histogram", events);
        self.scale.integer(histogram.schema, events);
        histogram.zero_count.write(&mut self.zero_count, events);
        self.zero_threshold.float(histogram.zero_threshold, events);
        for (slots, (first, counts)) in [(&mut self.positive, positive), (&mut self.negative, negative)] {
            if counts.as_str() != "[]" {
                // Bucket i ends at base^i there, and begins at base^i here.
                slots.offset.integer(first.saturating_sub(1), events);
                slots.counts.array(counts.as_str(), events);
            }
        }
        Ok(())
    }

    /// Buckets are counted from the first bound, so those before the first span are empty.
    fn write_custom(&mut self, (first, counts): (i64, JsonText), events: &mut Events<'_>) {
        match usize::try_from(first) {
            Ok(0) => self.counts.array(counts.as_str(), events),
            Ok(empty) if empty <= BUCKETS_MAX => {
                let zeros = "0,".repeat(empty);
                let filled = counts.as_str().replacen('[', &format!("[{zeros}"), 1);
                self.counts.array(&filled, events);
            }
            _ => events.fail(|| "its first bucket is out of range".to_owned()),
        }
    }
}
