//! The labels of a series, and its samples as events.

use std::borrow::Cow;

use tidegauge_ingest::Events;

use super::Written;
use super::histogram::Histograms;
use crate::answer::Problem;
use crate::protobuf::{Message, Value, text};
use crate::rest::TextFields;
use crate::slot::Slot;

/// The label that holds the name of the metric.
const NAME: &str = "__name__";

/// The bits of the value that says that a series has ended.
const STALE: u64 = 0x7ff0_0000_0000_0002;

const TYPES: [&str; 8] =
    ["", "counter", "gauge", "histogram", "gaugehistogram", "summary", "info", "stateset"];

/// What is said once for all samples of a series.
#[derive(Debug, Default)]
pub(super) struct Labels<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) pairs: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    kind: &'static str,
    unit: Cow<'a, str>,
    /// When a counter began; zero if that is not known.
    pub(super) start_ms: i64,
    /// A name whose value did not come yet.
    pending: Option<Cow<'a, str>>,
}

impl<'a> Labels<'a> {
    fn add(&mut self, name: Cow<'a, str>, value: Cow<'a, str>) {
        if name == NAME { self.name = value } else { self.pairs.push((name, value)) }
    }

    pub(super) fn add_message(&mut self, message: &'a [u8]) -> Result<(), Problem> {
        let (mut name, mut label) = (Cow::Borrowed(""), Cow::Borrowed(""));
        for field in Message::new(message) {
            match field? {
                (1, value) => name = value.text()?,
                (2, value) => label = value.text()?,
                _ => {}
            }
        }
        self.add(name, label);
        Ok(())
    }

    /// References come in pairs, which may be cut between two fields.
    pub(super) fn add_references(&mut self, value: Value<'_>, symbols: &[&'a [u8]]) -> Result<(), Problem> {
        let mut is_known = true;
        value.each_varint(|reference| {
            let symbol = usize::try_from(reference).ok().and_then(|place| symbols.get(place));
            match (symbol, self.pending.take()) {
                (None, _) => is_known = false,
                (Some(symbol), None) => self.pending = Some(text(symbol)),
                (Some(symbol), Some(name)) => self.add(name, text(symbol)),
            }
        })?;
        if is_known { Ok(()) } else { Err(Problem::malformed("a label refers to no symbol")) }
    }

    pub(super) fn check_references(&self) -> Result<(), Problem> {
        match self.pending {
            Some(_) => Err(Problem::malformed("a label has no value: references must come in pairs")),
            None => Ok(()),
        }
    }

    pub(super) fn describe(&mut self, message: &[u8], symbols: &[&'a [u8]]) -> Result<(), Problem> {
        for field in Message::new(message) {
            match field? {
                (1, value) => {
                    let number = usize::try_from(value.varint()?).unwrap_or_default();
                    self.kind = TYPES.get(number).copied().unwrap_or_default();
                }
                (4, value) => {
                    let place = usize::try_from(value.varint()?).unwrap_or(usize::MAX);
                    self.unit = symbols.get(place).map(|symbol| text(symbol)).unwrap_or_default();
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Writes samples.
#[derive(Debug)]
pub(super) struct Samples {
    pub(super) written: Written,
    labels: TextFields,
    histograms: Histograms,
    metric: Slot,
    kind: Slot,
    unit: Slot,
    start_time: Slot,
    value: Slot,
    stale: Slot,
}

impl Default for Samples {
    fn default() -> Self {
        Self {
            written: Written::default(),
            labels: TextFields::new("labels.", "labels.custom"),
            histograms: Histograms::default(),
            metric: Slot::new("metric"),
            kind: Slot::new("type"),
            unit: Slot::new("unit"),
            start_time: Slot::new("start_time"),
            value: Slot::new("value"),
            stale: Slot::new("stale"),
        }
    }
}

impl Samples {
    pub(super) fn sample(
        &mut self,
        message: &[u8],
        labels: &Labels<'_>,
        events: &mut Events<'_>,
    ) -> Result<(), Problem> {
        let (mut sample, mut time_ms, mut start_ms) = (0.0_f64, 0, labels.start_ms);
        for field in Message::new(message) {
            match field? {
                (1, value) => sample = value.double()?,
                (2, value) => time_ms = value.varint()? as i64,
                (3, value) => start_ms = value.varint()? as i64,
                _ => {}
            }
        }
        self.start(labels, time_ms, start_ms, events);
        self.kind.text(labels.kind, events);
        if sample.to_bits() == STALE {
            self.stale.boolean(true, events);
        } else {
            self.value.float(sample, events);
        }
        self.written.samples += u64::from(self.end(events)?);
        Ok(())
    }

    pub(super) fn histogram(
        &mut self,
        message: &[u8],
        labels: &Labels<'_>,
        events: &mut Events<'_>,
    ) -> Result<(), Problem> {
        let mut time_ms = 0;
        for field in Message::new(message) {
            if let (15, value) = field? {
                time_ms = value.varint()? as i64;
            }
        }
        self.start(labels, time_ms, labels.start_ms, events);
        if events.fits(message.len()) {
            self.histograms.write(message, &mut self.kind, &mut self.stale, events)?;
        }
        self.written.histograms += u64::from(self.end(events)?);
        Ok(())
    }

    fn start(&mut self, labels: &Labels<'_>, time_ms: i64, start_ms: i64, events: &mut Events<'_>) {
        events.start();
        self.labels.start();
        if labels.name.is_empty() {
            events.fail(|| "the series has no label \"__name__\"".to_owned());
        }
        match time_ms.checked_mul(1_000_000) {
            Some(time) => events.time(time),
            None => events.fail(|| format!("its time {time_ms} ms is out of range")),
        }
        self.metric.text(&labels.name, events);
        self.unit.text(&labels.unit, events);
        if let Some(start) = start_ms.checked_mul(1_000_000).filter(|start| *start != 0) {
            self.start_time.integer(start, events);
        }
        for (name, value) in &labels.pairs {
            self.labels.put(name, value, events);
        }
    }

    fn end(&mut self, events: &mut Events<'_>) -> Result<bool, Problem> {
        self.labels.end(events);
        Ok(events.end()?)
    }
}

/// Whether a sum is the value that says that a series has ended.
pub(super) fn is_stale(sum: f64) -> bool {
    sum.to_bits() == STALE
}
