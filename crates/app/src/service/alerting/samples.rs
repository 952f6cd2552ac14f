//! From the table of an answer to samples: which columns are keys, which one is the time, and which have the numbers
//! that are judged. Evaluating them is left to `tidegauge_alerting`.

use std::collections::{BTreeMap, BTreeSet};

use tidegauge_alerting::{GroupKey, MatchedEvent, Point, Samples, Series, Window};
use tidegauge_engine::{Answer, Field, Table};
use tidegauge_lang::tree::Type;
use tidegauge_model::Timestamp;
use tidegauge_model::monitor::{Definition, MonitorKind};

use super::cells::Cells;

/// Aggregates that are 0 where there are no events.
const ZERO_WITHOUT_EVENTS: &[&str] = &["count", "countif", "sum", "sumif", "distinct", "dcount", "rate"];

/// The samples of a run.
pub(super) fn of(definition: &Definition, window: Window, answer: &Answer) -> Samples {
    match (definition.kind, answer.tables.first()) {
        (MonitorKind::MatchEvent, Some(table)) => Samples::Events(events(table)),
        (_, Some(table)) => Samples::Series(series(definition, window, table)),
        (_, None) => none(definition),
    }
}

/// The samples of a run that has nothing to look at.
pub(super) fn none(definition: &Definition) -> Samples {
    match definition.kind {
        MonitorKind::MatchEvent => Samples::Events(Vec::new()),
        MonitorKind::Threshold | MonitorKind::AnomalyDetection => Samples::Series(Vec::new()),
    }
}

/// Puts the numbers of the same time on an earlier day beside the series that they tell about.
pub(super) fn add_earlier(samples: &mut Samples, earlier: &Samples) {
    let (Samples::Series(series), Samples::Series(earlier)) = (samples, earlier) else { return };
    for one in earlier {
        let numbers = one.points.iter().filter(|point| point.is_whole).map(|point| point.value);
        // A group that was there on that day and is not now has no numbers to judge.
        if let Some(known) = series.iter_mut().find(|known| known.key == one.key) {
            known.earlier.extend(numbers);
        }
    }
}

/// Whether all numbers that are judged are 0 where there are no events.
pub(super) fn is_zero_without_events(definition: &Definition, table: &Table) -> bool {
    Columns::of(definition, table).is_zero_without_events
}

fn series(definition: &Definition, window: Window, table: &Table) -> Vec<Series> {
    let columns = Columns::of(definition, table);
    let mut found: BTreeMap<GroupKey, Vec<Point>> = BTreeMap::new();
    let step = columns.step(table);
    for row in 0..table.rows {
        let time = columns.time.as_ref().and_then(|cells| cells.time(row));
        let is_whole = is_whole(time, step, window);
        let key = columns.key(row);
        let points = found.entry(key).or_default();
        for cells in &columns.numbers {
            points.extend(cells.numbers(row).into_iter().map(|value| Point { time, value, is_whole }));
        }
    }
    if definition.kind == MonitorKind::AnomalyDetection
        && columns.is_zero_without_events
        && let Some(step) = step
    {
        found.values_mut().for_each(|points| fill(points, step, window));
    }
    found.into_iter().map(|(key, points)| Series { key, points, earlier: Vec::new() }).collect()
}

/// Whether a stretch of time lies in the window as a whole.
pub(super) fn is_whole(time: Option<Timestamp>, step: Option<i64>, window: Window) -> bool {
    let (Some(time), Some(step)) = (time, step) else { return true };
    let end = time.as_micros().saturating_add(step);
    window.start <= time && end <= window.end.as_micros()
}

/// Adds the stretches of time in which there was nothing, from the first that has something on: what was before is not
/// known to have been nothing.
pub(super) fn fill(points: &mut Vec<Point>, step: i64, window: Window) {
    let known: BTreeSet<i64> = points.iter().filter_map(|point| Some(point.time?.as_micros())).collect();
    let Some(first) = known.first() else { return };
    let mut time = first.saturating_add(step);
    while time.saturating_add(step) <= window.end.as_micros() {
        if !known.contains(&time) {
            points.push(Point { time: Some(Timestamp::from_micros(time)), value: 0.0, is_whole: true });
        }
        time = time.saturating_add(step);
    }
}

/// The columns of a table by what they are for.
struct Columns<'a> {
    keys: Vec<(&'a str, Cells<'a>)>,
    time: Option<Cells<'a>>,
    numbers: Vec<Cells<'a>>,
    is_zero_without_events: bool,
}

impl<'a> Columns<'a> {
    fn of(definition: &Definition, table: &'a Table) -> Self {
        let is_key = |field: &&Field| table.groups.contains(&field.name);
        let is_time = |field: &&Field| field.values.iter().all(|(of, _)| *of == Type::Datetime);
        let (times, keys): (Vec<&Field>, Vec<&Field>) = table.fields.iter().filter(is_key).partition(is_time);
        // Beside a first time, others are keys as any.
        let (time, others) = (times.first().copied(), times.iter().skip(1).copied());
        let evaluated: Vec<&Field> = match &definition.column {
            Some(column) => table.fields.iter().filter(|field| field.name == *column).collect(),
            None => table.fields.iter().filter(|field| !is_key(field)).collect(),
        };
        let is_zero = |field: &&Field| {
            let name = field.aggregate.as_ref().map(|aggregate| aggregate.name);
            name.is_some_and(|name| ZERO_WITHOUT_EVENTS.contains(&name))
        };
        Self {
            keys: keys
                .into_iter()
                .chain(others)
                .map(|field| (field.name.as_str(), Cells::of(field)))
                .collect(),
            time: time.map(Cells::of),
            is_zero_without_events: evaluated.iter().all(is_zero),
            numbers: evaluated.into_iter().map(Cells::of).collect(),
        }
    }

    fn key(&self, row: usize) -> GroupKey {
        self.keys.iter().map(|(name, cells)| ((*name).to_owned(), cells.text(row))).collect()
    }

    /// How long the stretches of time are, in microseconds: as the table says, or as they look.
    fn step(&self, table: &Table) -> Option<i64> {
        if let Some(bucket) = table.bucket {
            return Some((bucket.step / 1_000).max(1));
        }
        let cells = self.time.as_ref()?;
        let times: BTreeSet<i64> =
            (0..table.rows).filter_map(|row| Some(cells.time(row)?.as_micros())).collect();
        let times: Vec<i64> = times.into_iter().collect();
        times.windows(2).map(|pair| pair[1] - pair[0]).min()
    }
}

fn events(table: &Table) -> Vec<MatchedEvent> {
    let cells: Vec<(&str, Cells<'_>)> =
        table.fields.iter().map(|field| (field.name.as_str(), Cells::of(field))).collect();
    let event = |row: usize| {
        let id = table.row_ids.get(row)?;
        let mut event = serde_json::Map::new();
        for (name, cells) in &cells {
            if let Some(value) = cells.json(row) {
                event.insert((*name).to_owned(), value);
            }
        }
        Some(MatchedEvent {
            id: id.to_string(),
            time: Timestamp::from_nanos(id.time),
            json: serde_json::Value::Object(event).to_string(),
        })
    };
    (0..table.rows).filter_map(event).collect()
}
