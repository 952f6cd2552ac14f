//! Metrics: one event for each point, with what is said once for all points of a metric in each of them. How the
//! points of each kind are written is in `points` and `exponential`.

use std::borrow::Cow;

use tidegauge_ingest::Events;

use super::attributes::{Attributes, Owner};
use super::exponential::Exponential;
use super::metric_kind::Kind;
use super::origin::{Origin, each};
use super::points::{Head, Points};
use crate::answer::Problem;
use crate::protobuf::Message;
use crate::series_name::{Part, SeriesName};
use crate::slot::Slot;

const TEMPORALITIES: [&str; 3] = ["", "delta", "cumulative"];

pub(super) fn read(body: &[u8], events: &mut Events<'_>) -> Result<(), Problem> {
    let mut metrics = Metrics::new(events);
    each(body, events, |metric, origin, events| metrics.metric(metric, origin, events))
}

#[derive(Debug)]
struct Metrics<'a> {
    attributes: Attributes<'a>,
    head: Head,
    points: Points,
    exponential: Exponential,
    metric: Slot,
    kind: Slot,
    unit: Slot,
    temporality: Slot,
    is_monotonic: Slot,
    series: Slot,
}

/// What is said once for the points of a metric.
#[derive(Debug)]
struct Description<'a> {
    name: Cow<'a, str>,
    unit: Cow<'a, str>,
    kind: Kind,
    temporality: &'static str,
    is_monotonic: Option<bool>,
}

impl Description<'_> {
    /// What a metric says of its series: all that makes it another metric.
    fn series(&self) -> SeriesName {
        let mut name = SeriesName::default();
        name.add_pair(Part::Metric, "name", &self.name);
        name.add_pair(Part::Metric, "unit", &self.unit);
        name.add_pair(Part::Metric, self.kind.word(), self.temporality);
        if self.is_monotonic == Some(true) {
            name.add(Part::Metric, b"is_monotonic");
        }
        name
    }
}

impl<'a> Metrics<'a> {
    fn new(events: &Events<'_>) -> Self {
        Self {
            attributes: Attributes::new(Owner::Event, events),
            head: Head::default(),
            points: Points::default(),
            exponential: Exponential::default(),
            metric: Slot::new("metric"),
            kind: Slot::new("type"),
            unit: Slot::new("unit"),
            temporality: Slot::new("temporality"),
            is_monotonic: Slot::new("is_monotonic"),
            series: Slot::new("series"),
        }
    }

    fn metric(
        &mut self,
        message: &'a [u8],
        origin: &mut Origin<'a>,
        events: &mut Events<'_>,
    ) -> Result<(), Problem> {
        let (mut name, mut unit, mut data) = (Cow::Borrowed(""), Cow::Borrowed(""), None);
        for field in Message::new(message) {
            let (number, value) = field?;
            match number {
                1 => name = value.text()?,
                3 => unit = value.text()?,
                _ => {
                    if let Some(kind) = Kind::of(number) {
                        data = Some((kind, value.bytes()?));
                    }
                }
            }
        }
        let Some((kind, data)) = data else { return Ok(()) };
        let mut described = Description { name, unit, kind, temporality: "", is_monotonic: None };
        for field in Message::new(data) {
            match field? {
                (2, value) if kind != Kind::Gauge && kind != Kind::Summary => {
                    let number = usize::try_from(value.varint()?).unwrap_or_default();
                    described.temporality = TEMPORALITIES.get(number).copied().unwrap_or_default();
                }
                (3, value) if kind == Kind::Sum => described.is_monotonic = Some(value.varint()? != 0),
                _ => {}
            }
        }
        if kind == Kind::Sum && described.is_monotonic.is_none() {
            described.is_monotonic = Some(false);
        }
        for point in super::origin::inner(data, 1) {
            self.point(point?, &described, origin, events)?;
        }
        Ok(())
    }

    fn point(
        &mut self,
        message: &'a [u8],
        described: &Description<'_>,
        origin: &mut Origin<'a>,
        events: &mut Events<'_>,
    ) -> Result<(), Problem> {
        events.start();
        if described.name.is_empty() {
            events.fail(|| "the metric of this point has no name; give it one".to_owned());
        }
        if events.fits(message.len()) {
            origin.write(events);
            self.metric.text(&described.name, events);
            self.kind.string(described.kind.word(), events);
            self.unit.text(&described.unit, events);
            self.temporality.text(described.temporality, events);
            if let Some(is_monotonic) = described.is_monotonic {
                self.is_monotonic.boolean(is_monotonic, events);
            }
            let of_point = self.head.write(described.kind, message, &mut self.attributes, events)?;
            let series = origin.series().and(described.series()).and(of_point);
            self.series.string(&series.text(), events);
            match described.kind {
                Kind::Gauge | Kind::Sum => self.points.number(message, events)?,
                Kind::Histogram => self.points.histogram(message, events)?,
                Kind::Exponential => self.exponential.write(message, events)?,
                Kind::Summary => self.points.summary(message, events)?,
            }
        }
        events.end()?;
        Ok(())
    }
}
