//! Points of exponential histograms. Bucket i of a side holds values from base^(offset + i) to base^(offset + i + 1),
//! where base is 2^(2^-scale); they are stored as they come, and what they mean is computed by queries.

use tidegauge_ingest::Events;

use super::points::{element, is_not_recorded, write_array};
use crate::json_text::JsonText;
use crate::protobuf::{Broken, Message};
use crate::slot::Slot;

#[derive(Debug)]
pub(super) struct Exponential {
    count: Slot,
    sum: Slot,
    min: Slot,
    max: Slot,
    scale: Slot,
    zero_count: Slot,
    zero_threshold: Slot,
    positive: Side,
    negative: Side,
}

/// The buckets on one side of zero.
#[derive(Debug)]
struct Side {
    offset: Slot,
    counts: Slot,
}

impl Default for Exponential {
    fn default() -> Self {
        Self {
            count: Slot::new("count"),
            sum: Slot::new("sum"),
            min: Slot::new("min"),
            max: Slot::new("max"),
            scale: Slot::new("scale"),
            zero_count: Slot::new("zero_count"),
            zero_threshold: Slot::new("zero_threshold"),
            positive: Side { offset: Slot::new("positive.offset"), counts: Slot::new("positive.counts") },
            negative: Side { offset: Slot::new("negative.offset"), counts: Slot::new("negative.counts") },
        }
    }
}

impl Exponential {
    pub(super) fn write(&mut self, message: &[u8], events: &mut Events<'_>) -> Result<(), Broken> {
        if is_not_recorded(message, 10)? {
            return Ok(());
        }
        let (mut count, mut scale, mut zero_count, mut zero_threshold) = (0, 0, 0, 0.0);
        for field in Message::new(message) {
            match field? {
                (4, value) => count = value.fixed64()?,
                (5, value) => self.sum.float(value.double()?, events),
                (6, value) => scale = value.zigzag()?,
                (7, value) => zero_count = value.fixed64()?,
                (8, value) => self.positive.write(value.bytes()?, events)?,
                (9, value) => self.negative.write(value.bytes()?, events)?,
                (12, value) => self.min.float(value.double()?, events),
                (13, value) => self.max.float(value.double()?, events),
                (14, value) => zero_threshold = value.double()?,
                _ => {}
            }
        }
        self.count.unsigned(count, events);
        self.scale.integer(scale, events);
        self.zero_count.unsigned(zero_count, events);
        self.zero_threshold.float(zero_threshold, events);
        Ok(())
    }
}

impl Side {
    fn write(&mut self, message: &[u8], events: &mut Events<'_>) -> Result<(), Broken> {
        let (mut offset, mut counts) = (0, JsonText::default());
        for field in Message::new(message) {
            match field? {
                (1, value) => offset = value.zigzag()?,
                (2, value) => value.each_varint(|count| element(&mut counts).unsigned(count))?,
                _ => {}
            }
        }
        if counts.len() > 0 {
            self.offset.integer(offset, events);
            write_array(&mut self.counts, counts, events);
        }
        Ok(())
    }
}
