//! The labels of a series, and its samples as events.

use std::borrow::Cow;

use tidegauge_ingest::Events;

use super::histogram::Histograms;
use super::stale::is_stale;
use super::written::Written;
use crate::answer::Problem;
use crate::json_text::JsonText;
use crate::protobuf::{Message, Value, text};
use crate::rest::TextFields;
use crate::series_name::{Part, SeriesName};
use crate::slot::Slot;

/// The label that holds the name of the metric.
const NAME: &str = "__name__";

/// A series has no more labels: they are held while its samples are read, and a label of a few bytes takes much more there.
const LABELS_MAX: usize = 1024;

/// Labels are written for each sample, and in 2.0 texts are said once and referred to, so that a small request may mean a
/// great deal of text: so many bytes for each byte that the request may have.
const TEXT_FOR_EACH_BYTE: usize = 4;

const TYPES: [&str; 8] =
    ["", "counter", "gauge", "histogram", "gaugehistogram", "summary", "info", "stateset"];

/// What is said once for all samples of a series.
#[derive(Debug, Default)]
pub(super) struct Labels<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) pairs: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    kind: &'static str,
    unit: Cow<'a, str>,
    /// What tells the series from others.
    series: String,
    /// When a counter began; zero if that is not known.
    pub(super) start_ms: i64,
    /// A name whose value did not come yet.
    pending: Option<Cow<'a, str>>,
    /// Of names and values together.
    bytes: usize,
}

/// What the labels of a request may still take, each time that they are read or written.
#[derive(Debug)]
pub(super) struct Text {
    left: usize,
}

impl Text {
    /// For a request that may have so many bytes.
    pub(super) fn of(bytes_max: usize) -> Self {
        Self { left: bytes_max.saturating_mul(TEXT_FOR_EACH_BYTE) }
    }

    /// `false` if there is not so much left.
    fn take(&mut self, bytes: usize) -> bool {
        let left = self.left.checked_sub(bytes);
        self.left = left.unwrap_or_default();
        left.is_some()
    }
}

impl<'a> Labels<'a> {
    /// Labels that stand one by one in field 1 of a message.
    pub(super) fn of_messages(message: &'a [u8]) -> Result<Self, Problem> {
        let mut labels = Self::default();
        for field in Message::new(message) {
            if let (1, value) = field? {
                labels.add_message(value.bytes()?)?;
            }
        }
        Ok(labels.named())
    }

    /// Labels that are references to symbols, in field 1 of a message.
    pub(super) fn of_references(
        message: &[u8],
        symbols: &[&'a [u8]],
        left: &mut Text,
    ) -> Result<Self, Problem> {
        let mut labels = Self::default();
        for field in Message::new(message) {
            if let (1, value) = field? {
                labels.add_references(value, symbols, left)?;
            }
        }
        if labels.pending.is_some() {
            return Err(Problem::malformed("a label has no value: references must come in pairs"));
        }
        Ok(labels.named())
    }

    fn named(mut self) -> Self {
        let mut series = SeriesName::default();
        series.add_pair(Part::Label, NAME, &self.name);
        self.pairs.iter().for_each(|(name, value)| series.add_pair(Part::Label, name, value));
        self.series = series.text();
        self
    }

    /// `false` if there are too many.
    fn add(&mut self, name: Cow<'a, str>, value: Cow<'a, str>) -> bool {
        self.bytes += name.len() + value.len();
        if name == NAME {
            self.name = value;
            return true;
        }
        let fits = self.pairs.len() < LABELS_MAX;
        if fits {
            self.pairs.push((name, value));
        }
        fits
    }

    fn add_message(&mut self, message: &'a [u8]) -> Result<(), Problem> {
        let (mut name, mut label) = (Cow::Borrowed(""), Cow::Borrowed(""));
        for field in Message::new(message) {
            match field? {
                (1, value) => name = value.text()?,
                (2, value) => label = value.text()?,
                _ => {}
            }
        }
        if self.add(name, label) { Ok(()) } else { Err(too_many()) }
    }

    /// References come in pairs, which may be cut between two fields.
    fn add_references(
        &mut self,
        value: Value<'_>,
        symbols: &[&'a [u8]],
        left: &mut Text,
    ) -> Result<(), Problem> {
        let (mut is_known, mut fits, mut is_enough) = (true, true, true);
        value.each_varint(|reference| {
            let symbol = usize::try_from(reference).ok().and_then(|place| symbols.get(place));
            is_enough = is_enough && left.take(symbol.map_or(0, |symbol| symbol.len()));
            if !fits || !is_enough {
                return;
            }
            match (symbol, self.pending.take()) {
                (None, _) => is_known = false,
                (Some(symbol), None) => self.pending = Some(text(symbol)),
                (Some(symbol), Some(name)) => fits = self.add(name, text(symbol)),
            }
        })?;
        if !is_enough {
            return Err(too_much_text());
        }
        if !fits {
            return Err(too_many());
        }
        if is_known { Ok(()) } else { Err(Problem::malformed("a label refers to no symbol")) }
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

fn too_many() -> Problem {
    Problem::malformed(format!("a series has more than {LABELS_MAX} labels"))
}

fn too_much_text() -> Problem {
    Problem::too_large(
        "the labels of the request, written for each sample, are too long: send it in smaller parts",
    )
}

/// Writes samples.
#[derive(Debug)]
pub(super) struct Samples {
    pub(super) left: Text,
    pub(super) written: Written,
    labels: TextFields,
    histograms: Histograms,
    metric: Slot,
    kind: Slot,
    unit: Slot,
    start_time: Slot,
    value: Slot,
    stale: Slot,
    series: Slot,
    exemplars: Slot,
}

impl Samples {
    /// For a request that may have so many bytes.
    pub(super) fn of(bytes_max: usize) -> Self {
        Self {
            left: Text::of(bytes_max),
            written: Written::default(),
            labels: TextFields::new("labels.", "labels.custom"),
            histograms: Histograms::default(),
            metric: Slot::new("metric"),
            kind: Slot::new("type"),
            unit: Slot::new("unit"),
            start_time: Slot::new("start_time"),
            value: Slot::new("value"),
            stale: Slot::new("stale"),
            series: Slot::new("series"),
            exemplars: Slot::new("exemplars"),
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
        self.start(labels, time_ms, start_ms, events)?;
        self.kind.text(labels.kind, events);
        if is_stale(sample) {
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
        let (mut time_ms, mut start_ms) = (0, labels.start_ms);
        for field in Message::new(message) {
            match field? {
                (15, value) => time_ms = value.varint()? as i64,
                (17, value) => start_ms = value.varint()? as i64,
                _ => {}
            }
        }
        self.start(labels, time_ms, start_ms, events)?;
        if events.fits(message.len()) {
            self.histograms.write(message, &mut self.kind, &mut self.stale, events)?;
        }
        self.written.histograms += u64::from(self.end(events)?);
        Ok(())
    }

    /// An observation that stands for others: an event at its time, without a value of the series.
    pub(super) fn exemplar(
        &mut self,
        message: &[u8],
        labels: &Labels<'_>,
        of_exemplar: &Labels<'_>,
        events: &mut Events<'_>,
    ) -> Result<(), Problem> {
        let (mut observed, mut time_ms) = (0.0_f64, 0);
        for field in Message::new(message) {
            match field? {
                (2, value) => observed = value.double()?,
                (3, value) => time_ms = value.varint()? as i64,
                _ => {}
            }
        }
        self.start(labels, time_ms, 0, events)?;
        self.kind.text(labels.kind, events);
        let mut text = JsonText::default();
        text.open('[');
        write_exemplar(observed, time_ms, of_exemplar, &mut text);
        text.close(']');
        self.exemplars.array(text.as_str(), events);
        self.written.exemplars += u64::from(self.end(events)?);
        Ok(())
    }

    fn start(
        &mut self,
        labels: &Labels<'_>,
        time_ms: i64,
        start_ms: i64,
        events: &mut Events<'_>,
    ) -> Result<(), Problem> {
        if !self.left.take(labels.bytes) {
            return Err(too_much_text());
        }
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
        self.series.string(&labels.series, events);
        if let Some(start) = start_ms.checked_mul(1_000_000).filter(|start| *start != 0) {
            self.start_time.integer(start, events);
        }
        for (name, value) in &labels.pairs {
            self.labels.put(name, value, events);
        }
        Ok(())
    }

    fn end(&mut self, events: &mut Events<'_>) -> Result<bool, Problem> {
        self.labels.end(events);
        Ok(events.end()?)
    }
}

/// As those of OTLP are written.
fn write_exemplar(observed: f64, time_ms: i64, labels: &Labels<'_>, out: &mut JsonText) {
    let is_id = |name: &str| matches!(name, "trace_id" | "span_id");
    out.separate();
    out.open('{');
    out.name("timestamp");
    out.integer(time_ms.saturating_mul(1_000_000));
    out.name("value");
    out.float(observed);
    for (name, value) in labels.pairs.iter().filter(|(name, _)| is_id(name)) {
        out.name(name);
        out.string(value);
    }
    if labels.pairs.iter().any(|(name, _)| !is_id(name)) {
        out.name("attributes");
        out.open('{');
        for (name, value) in labels.pairs.iter().filter(|(name, _)| !is_id(name)) {
            out.name(name);
            out.string(value);
        }
        out.close('}');
    }
    out.close('}');
}
