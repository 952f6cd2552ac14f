//! What is known of stretches of time, and the samples of windows put together from it. A stretch is as long as the
//! windows, their distances and the query's own stretches have in common, so that each of those is made of whole ones.

use std::collections::{BTreeMap, HashMap};

use tidegauge_alerting::{GroupKey, Point, Samples, Series, Window};
use tidegauge_engine::{Answer, Message};
use tidegauge_model::monitor::{Definition, MonitorKind};
use tidegauge_model::{ErrorKind, Timestamp};

use super::partial_plan::{Merge, PartialPlan};
use crate::service::alerting::cells::Cells;
use crate::service::alerting::monitor_query::MonitorQuery;
use crate::service::alerting::progress::Progress;
use crate::service::alerting::samples;
use crate::service::{Error, Result};

/// How many stretches are asked for at once, to begin with.
const STRETCHES: i64 = 8_000;

/// How many rows may be kept of all stretches together.
const ROWS_MAX: usize = 3_000_000;

/// Partials of stretches of time.
pub(super) struct WindowPartials<'a> {
    definition: &'a Definition,
    partial_plan: PartialPlan,
    /// How long the query's own stretches are, in microseconds.
    bin: Option<i64>,
    /// Which results are judged.
    evaluated: Vec<Merge>,
    is_zero_without_events: bool,
    /// The samples of a window without events.
    empty: Samples,
    groups: Vec<GroupKey>,
    /// In the order of time.
    rows: Vec<Row>,
}

struct Row {
    time: i64,
    group: usize,
    partials: Vec<Option<f64>>,
}

impl<'a> WindowPartials<'a> {
    /// Finds out whether the query can be computed in stretches, by its shape and by what it answers of no events.
    pub(super) async fn plan(
        definition: &'a Definition,
        monitor_query: &MonitorQuery<'_>,
    ) -> Result<Option<Self>> {
        let Some(partial_plan) = PartialPlan::of(monitor_query.query()) else { return Ok(None) };
        let window = monitor_query.window_without_events();
        let (answer, _) = monitor_query.answer(window.end, window, None).await?;
        let Some(table) = answer.tables.first() else { return Ok(None) };
        let bin = table.bucket.map(|bucket| bucket.step / 1_000);
        let results: Vec<&str> = table
            .fields
            .iter()
            .map(|field| field.name.as_str())
            .filter(|name| !is_key(table, name))
            .collect();
        if partial_plan.has_bins != bin.is_some()
            || bin == Some(0)
            || results.len() != partial_plan.results.len()
        {
            return Ok(None);
        }
        let is_judged = |name: &str| definition.column.as_ref().is_none_or(|column| column == name);
        let evaluated: Vec<Merge> = results
            .iter()
            .zip(&partial_plan.results)
            .filter(|(name, _)| is_judged(name))
            .map(|(_, merge)| *merge)
            .collect();
        if evaluated.is_empty() {
            return Ok(None);
        }
        Ok(Some(Self {
            definition,
            bin,
            evaluated,
            is_zero_without_events: samples::is_zero_without_events(definition, table),
            empty: samples::of(definition, window, &answer),
            partial_plan,
            groups: Vec::new(),
            rows: Vec::new(),
        }))
    }

    /// How long stretches are, in microseconds.
    fn stretch(&self) -> i64 {
        let micros = |duration: std::time::Duration| i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
        let definition = self.definition;
        let parts = [micros(definition.interval()), micros(definition.range()), micros(definition.delay())];
        parts.into_iter().chain(self.bin).fold(0, common)
    }

    /// Reads what is to be known of a stretch of time, and tells what that cost.
    pub(super) async fn read(
        &mut self,
        monitor_query: &MonitorQuery<'_>,
        whole: Window,
        progress: &Progress,
    ) -> Result<u64> {
        let stretch = self.stretch();
        let stages = self.partial_plan.stages(stretch.saturating_mul(1_000));
        let mut places: HashMap<GroupKey, usize> = HashMap::new();
        let (mut start, mut count, mut cost) = (whole.start.as_micros(), STRETCHES, 0);
        while start < whole.end.as_micros() {
            let end = start.saturating_add(stretch.saturating_mul(count)).min(whole.end.as_micros());
            let window = Window { start: Timestamp::from_micros(start), end: Timestamp::from_micros(end) };
            let (answer, more) = monitor_query.answer(window.end, window, Some(stages.clone())).await?;
            cost += more;
            if is_cut(&answer) {
                if count == 1 {
                    return Err(too_much("the query has more groups at once than a backtest can hold"));
                }
                count = (count / 4).max(1);
                continue;
            }
            self.take(&answer, &mut places);
            if self.rows.len() > ROWS_MAX {
                return Err(too_much("the query has more groups than a backtest can hold for this time"));
            }
            start = end;
            progress.reach_in(whole, window.end);
        }
        self.rows.sort_by_key(|row| row.time);
        Ok(cost)
    }

    fn take(&mut self, answer: &Answer, places: &mut HashMap<GroupKey, usize>) {
        let Some(table) = answer.tables.first() else { return };
        let named = |name: &str| table.fields.iter().find(|field| field.name == name).map(Cells::of);
        let Some(time) = named(tidegauge_model::columns::TIME_FIELD) else { return };
        let partials: Vec<Option<Cells<'_>>> =
            (0..self.partial_plan.partials()).map(|place| named(&PartialPlan::partial_name(place))).collect();
        let keys: Vec<(&str, Cells<'_>)> = table
            .fields
            .iter()
            .filter(|field| is_key(table, &field.name) && field.name != tidegauge_model::columns::TIME_FIELD)
            .map(|field| (field.name.as_str(), Cells::of(field)))
            .collect();
        for row in 0..table.rows {
            let Some(time) = time.time(row) else { continue };
            let key: GroupKey =
                keys.iter().map(|(name, cells)| ((*name).to_owned(), cells.text(row))).collect();
            let next = self.groups.len();
            let group = *places.entry(key).or_insert_with_key(|key| {
                self.groups.push(key.clone());
                next
            });
            let number = |cells: &Option<Cells<'_>>| cells.as_ref()?.numbers(row).first().copied();
            self.rows.push(Row {
                time: time.as_micros(),
                group,
                partials: partials.iter().map(number).collect(),
            });
        }
    }

    /// The samples of a window.
    pub(super) fn samples(&self, window: Window) -> Samples {
        let (start, end) = (window.start.as_micros(), window.end.as_micros());
        let from = self.rows.partition_point(|row| row.time < start);
        let to = self.rows.partition_point(|row| row.time < end);
        if from == to {
            return self.empty.clone();
        }
        // By group, and in it by the query's own stretches.
        let mut sums: BTreeMap<(usize, i64), Vec<Sums>> = BTreeMap::new();
        for row in &self.rows[from..to] {
            let bin = self.bin.map_or(0, |bin| row.time.div_euclid(bin) * bin);
            let known =
                sums.entry((row.group, bin)).or_insert_with(|| vec![Sums::default(); row.partials.len()]);
            for (sums, partial) in known.iter_mut().zip(&row.partials) {
                sums.add(*partial);
            }
        }
        let mut series: BTreeMap<usize, Vec<Point>> = BTreeMap::new();
        for ((group, bin), sums) in &sums {
            let time = self.bin.map(|_| Timestamp::from_micros(*bin));
            let is_whole = samples::is_whole(time, self.bin, window);
            let points = self.evaluated.iter().filter_map(|merge| merged(*merge, sums));
            let points = points.map(|value| Point { time, value, is_whole });
            series.entry(*group).or_default().extend(points);
        }
        if self.definition.kind == MonitorKind::AnomalyDetection
            && self.is_zero_without_events
            && let Some(bin) = self.bin
        {
            series.values_mut().for_each(|points| samples::fill(points, bin, window));
        }
        let of = |(group, points)| Series { key: self.key(group), points, earlier: Vec::new() };
        Samples::Series(series.into_iter().map(of).collect())
    }

    fn key(&self, group: usize) -> GroupKey {
        self.groups.get(group).cloned().unwrap_or_default()
    }
}

/// What a partial comes to over several stretches.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    sum: Option<f64>,
    min: Option<f64>,
    max: Option<f64>,
}

impl Sums {
    fn add(&mut self, partial: Option<f64>) {
        let Some(number) = partial else { return };
        self.sum = Some(self.sum.unwrap_or(0.0) + number);
        self.min = Some(self.min.map_or(number, |known| known.min(number)));
        self.max = Some(self.max.map_or(number, |known| known.max(number)));
    }
}

fn merged(merge: Merge, sums: &[Sums]) -> Option<f64> {
    match merge {
        Merge::Sum(place) => sums[place].sum,
        Merge::Min(place) => sums[place].min,
        Merge::Max(place) => sums[place].max,
        Merge::Mean(sum, count) => {
            let count = sums[count].sum.filter(|count| *count > 0.0)?;
            Some(sums[sum].sum? / count)
        }
    }
}

fn is_key(table: &tidegauge_engine::Table, name: &str) -> bool {
    table.groups.iter().any(|key| key == name)
}

/// Whether rows are missing.
pub(super) fn is_cut(answer: &Answer) -> bool {
    answer.continues_at.is_some()
        || answer.messages.iter().any(|message| matches!(message, Message::RowsCut(_)))
}

pub(super) fn too_much(message: &str) -> Error {
    Error::new(ErrorKind::Invalid, message)
        .hint("ask for a shorter time, or for a definition with a longer interval or fewer groups")
}

/// The greatest length that both are multiples of.
fn common(one: i64, other: i64) -> i64 {
    if other == 0 { one } else { common(other, one % other) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_a_common_part() {
        assert_eq!([300, 60, 0, 90].into_iter().fold(0, common), 30);
        assert_eq!(common(0, 60), 60);
    }
}
