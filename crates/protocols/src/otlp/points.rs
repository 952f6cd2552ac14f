//! Points of metrics: what all of them have, and the values of numbers, histograms and summaries.

use tidegauge_ingest::Events;

use super::any::pair;
use super::attributes::Attributes;
use super::metric_kind::Kind;
use super::spans::{at, id, write_attributes};
use crate::answer::Problem;
use crate::json_text::JsonText;
use crate::protobuf::{Broken, Message, Value};
use crate::series_name::{Part, SeriesName};
use crate::slot::Slot;

/// The bit that says that a point has no value.
const NOT_RECORDED: u64 = 1;

/// Which fields of a point hold what all kinds have.
struct Numbers {
    attributes: u32,
    flags: u32,
    exemplars: u32,
}

fn numbers(kind: Kind) -> Numbers {
    match kind {
        Kind::Gauge | Kind::Sum => Numbers { attributes: 7, flags: 8, exemplars: 5 },
        Kind::Histogram => Numbers { attributes: 9, flags: 10, exemplars: 8 },
        Kind::Exponential => Numbers { attributes: 1, flags: 10, exemplars: 11 },
        // A summary has no exemplars.
        Kind::Summary => Numbers { attributes: 7, flags: 8, exemplars: u32::MAX },
    }
}

/// Times, attributes, flags and exemplars.
#[derive(Debug)]
pub(super) struct Head {
    start_time: Slot,
    not_recorded: Slot,
    exemplars: Slot,
}

impl Default for Head {
    fn default() -> Self {
        Self {
            start_time: Slot::new("start_time"),
            not_recorded: Slot::new("not_recorded"),
            exemplars: Slot::new("exemplars"),
        }
    }
}

impl Head {
    /// Tells what the attributes say of the series of the point.
    pub(super) fn write<'a>(
        &mut self,
        kind: Kind,
        message: &'a [u8],
        attributes: &mut Attributes<'a>,
        events: &mut Events<'_>,
    ) -> Result<SeriesName, Problem> {
        let mut series = SeriesName::default();
        let numbers = numbers(kind);
        let depth_max = events.limits().depth_max;
        let mut exemplars = JsonText::default();
        attributes.start();
        for field in Message::new(message) {
            let (number, value) = field?;
            match number {
                2 => self.start_time.count(value.fixed64()?, events),
                3 => at(events, [value.fixed64()?, 0]),
                _ if number == numbers.attributes => {
                    series.add(Part::Attribute, value.bytes()?);
                    let (name, value) = pair(value.bytes()?)?;
                    attributes.put(&name, value, events)?;
                }
                _ if number == numbers.flags && value.varint()? & NOT_RECORDED != 0 => {
                    self.not_recorded.boolean(true, events);
                }
                _ if number == numbers.exemplars => {
                    write_exemplar(value.bytes()?, &mut exemplars, depth_max)?;
                }
                _ => {}
            }
        }
        attributes.write(events);
        if exemplars.len() > 0 {
            exemplars.close(']');
            self.exemplars.array(exemplars.as_str(), events);
        }
        Ok(series)
    }
}

fn write_exemplar(message: &[u8], out: &mut JsonText, depth_max: usize) -> Result<(), Broken> {
    if out.len() == 0 {
        out.open('[');
    }
    out.separate();
    out.open('{');
    for field in Message::new(message) {
        match field? {
            (2, value) => {
                out.name("timestamp");
                out.unsigned(value.fixed64()?);
            }
            (3, value) => {
                out.name("value");
                out.float(value.double()?);
            }
            (6, value) => {
                out.name("value");
                out.integer(value.fixed64()? as i64);
            }
            (number @ (4 | 5), value) => {
                if let Some(id) = id(value.bytes()?) {
                    out.name(if number == 4 { "span_id" } else { "trace_id" });
                    out.string(&id);
                }
            }
            _ => {}
        }
    }
    write_attributes(message, 7, out, depth_max)?;
    out.close('}');
    Ok(())
}

/// The values of points.
#[derive(Debug)]
pub(super) struct Points {
    value: Slot,
    count: Slot,
    sum: Slot,
    min: Slot,
    max: Slot,
    bounds: Slot,
    counts: Slot,
    quantiles: Slot,
}

impl Default for Points {
    fn default() -> Self {
        Self {
            value: Slot::new("value"),
            count: Slot::new("count"),
            sum: Slot::new("sum"),
            min: Slot::new("min"),
            max: Slot::new("max"),
            bounds: Slot::new("bounds"),
            counts: Slot::new("counts"),
            quantiles: Slot::new("quantiles"),
        }
    }
}

impl Points {
    pub(super) fn number(&mut self, message: &[u8], events: &mut Events<'_>) -> Result<(), Broken> {
        if is_not_recorded(message, 8)? {
            return Ok(());
        }
        for field in Message::new(message) {
            match field? {
                (4, value) => self.value.float(value.double()?, events),
                (6, value) => self.value.integer(value.fixed64()? as i64, events),
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn histogram(&mut self, message: &[u8], events: &mut Events<'_>) -> Result<(), Broken> {
        if is_not_recorded(message, 10)? {
            return Ok(());
        }
        let (mut count, mut bounds, mut counts) = (0, JsonText::default(), JsonText::default());
        for field in Message::new(message) {
            match field? {
                (4, value) => count = value.fixed64()?,
                (5, value) => self.sum.float(value.double()?, events),
                (6, value) => add_counts(value, &mut counts)?,
                (7, value) => {
                    value.each_fixed64(|bits| element(&mut bounds).float(f64::from_bits(bits)))?;
                }
                (11, value) => self.min.float(value.double()?, events),
                (12, value) => self.max.float(value.double()?, events),
                _ => {}
            }
        }
        self.count.unsigned(count, events);
        write_array(&mut self.bounds, bounds, events);
        write_array(&mut self.counts, counts, events);
        Ok(())
    }

    pub(super) fn summary(&mut self, message: &[u8], events: &mut Events<'_>) -> Result<(), Broken> {
        if is_not_recorded(message, 8)? {
            return Ok(());
        }
        let (mut count, mut sum, mut quantiles) = (0, 0.0, JsonText::default());
        for field in Message::new(message) {
            match field? {
                (4, value) => count = value.fixed64()?,
                (5, value) => sum = value.double()?,
                (6, value) => {
                    let (quantile, value) = at_quantile(value.bytes()?)?;
                    let out = element(&mut quantiles);
                    out.open('{');
                    out.name("quantile");
                    out.float(quantile);
                    out.name("value");
                    out.float(value);
                    out.close('}');
                }
                _ => {}
            }
        }
        self.count.unsigned(count, events);
        self.sum.float(sum, events);
        write_array(&mut self.quantiles, quantiles, events);
        Ok(())
    }
}

fn at_quantile(message: &[u8]) -> Result<(f64, f64), Broken> {
    let (mut quantile, mut at) = (0.0, 0.0);
    for field in Message::new(message) {
        match field? {
            (1, value) => quantile = value.double()?,
            (2, value) => at = value.double()?,
            _ => {}
        }
    }
    Ok((quantile, at))
}

/// Whether the flags of a point, which stand in this field, say that it has no value.
pub(super) fn is_not_recorded(message: &[u8], flags: u32) -> Result<bool, Broken> {
    let mut seen = 0;
    for field in Message::new(message) {
        let (number, value) = field?;
        if number == flags {
            seen = value.varint()?;
        }
    }
    Ok(seen & NOT_RECORDED != 0)
}

/// Counts of buckets, of eight bytes each.
fn add_counts(value: Value<'_>, counts: &mut JsonText) -> Result<(), Broken> {
    value.each_fixed64(|count| element(counts).unsigned(count))
}

/// The text of an array, ready for its next element.
pub(super) fn element(array: &mut JsonText) -> &mut JsonText {
    if array.len() == 0 {
        array.open('[');
    }
    array.separate();
    array
}

pub(super) fn write_array(slot: &mut Slot, mut array: JsonText, events: &mut Events<'_>) {
    if array.len() > 0 {
        array.close(']');
        slot.array(array.as_str(), events);
    }
}
