//! The samples of many runs: from partial aggregates of stretches of time where the query allows that, from the events
//! themselves where events are told, and else from one query for each run, some at a time.

use futures_util::FutureExt;
use futures_util::future::join_all;
use tidegauge_alerting::{MatchedEvent, Samples, Window};
use tidegauge_model::Timestamp;
use tidegauge_model::monitor::{Definition, MonitorKind};

use super::window_partials::{WindowPartials, is_cut, too_much};
use crate::service::Result;
use crate::service::alerting::monitor_query::{DAY, EVENTS_MAX, MonitorQuery};
use crate::service::alerting::progress::Progress;
use crate::service::alerting::samples;

/// How many queries a backtest may ask where each run needs its own.
const QUERIES_MAX: usize = 5_000;

/// How many of them at once.
const QUERIES_AT_ONCE: usize = 4;

/// How many events that match may be kept.
const EVENTS_KEPT_MAX: usize = 200_000;

/// Where the samples of runs come from.
pub(super) enum Windows<'a> {
    WindowPartials(Box<WindowPartials<'a>>),
    /// In the order of time.
    Events(Vec<MatchedEvent>),
    /// For each run in turn.
    Asked(std::vec::IntoIter<Samples>),
}

/// What was read, and what that cost.
pub(super) struct Read<'a> {
    pub(super) windows: Windows<'a>,
    pub(super) cost: u64,
    /// Whether one query served many runs.
    pub(super) is_joined: bool,
}

/// Reads what the runs need.
pub(super) async fn read<'a>(
    definition: &'a Definition,
    monitor_query: &MonitorQuery<'_>,
    runs: &[(Timestamp, Window)],
    progress: &Progress,
) -> Result<Read<'a>> {
    let (Some((_, first)), Some((_, last))) = (runs.first(), runs.last()) else {
        return Ok(Read { windows: Windows::Events(Vec::new()), cost: 0, is_joined: true });
    };
    let whole = Window { start: first.start, end: last.end };
    if definition.kind == MonitorKind::MatchEvent {
        let (events, cost) = events(monitor_query, whole, progress).await?;
        return Ok(Read { windows: Windows::Events(events), cost, is_joined: true });
    }
    if let Some(mut window_partials) = WindowPartials::plan(definition, monitor_query).await? {
        let days = if definition.kind == MonitorKind::AnomalyDetection { definition.compare_days } else { 0 };
        let whole = Window { start: whole.start.minus(DAY * days), end: whole.end };
        let cost = window_partials.read(monitor_query, whole, progress).await?;
        return Ok(Read {
            windows: Windows::WindowPartials(Box::new(window_partials)),
            cost,
            is_joined: true,
        });
    }
    let (answers, cost) = asked(definition, monitor_query, runs, progress).await?;
    Ok(Read { windows: Windows::Asked(answers.into_iter()), cost, is_joined: false })
}

impl Windows<'_> {
    /// The samples of the next run.
    pub(super) fn next(&mut self, definition: &Definition, window: Window) -> Samples {
        match self {
            Self::WindowPartials(window_partials) => {
                let mut samples = window_partials.samples(window);
                let is_anomaly = definition.kind == MonitorKind::AnomalyDetection;
                for days in 1..=if is_anomaly { definition.compare_days } else { 0 } {
                    let (start, end) = (window.start.minus(DAY * days), window.end.minus(DAY * days));
                    samples::add_earlier(&mut samples, &window_partials.samples(Window { start, end }));
                }
                samples
            }
            Self::Events(events) => {
                let from = events.partition_point(|event| event.time < window.start);
                let to = events.partition_point(|event| event.time < window.end);
                Samples::Events(events[from..to].iter().take(EVENTS_MAX).cloned().collect())
            }
            Self::Asked(answers) => answers.next().unwrap_or_else(|| samples::none(definition)),
        }
    }
}

async fn asked(
    definition: &Definition,
    monitor_query: &MonitorQuery<'_>,
    runs: &[(Timestamp, Window)],
    progress: &Progress,
) -> Result<(Vec<Samples>, u64)> {
    let days = if definition.kind == MonitorKind::AnomalyDetection { definition.compare_days } else { 0 };
    if runs.len().saturating_mul(1 + days as usize) > QUERIES_MAX {
        let message = format!(
            "the query cannot be computed for many runs at once, and a backtest asks at most {QUERIES_MAX} queries"
        );
        return Err(too_much(&message).hint(
            "ask for a shorter time or a longer interval, or let the query end with `summarize` of count, countif, \
             sum, sumif, min, max or avg",
        ));
    }
    let (mut samples, mut cost) = (Vec::with_capacity(runs.len()), 0);
    for some in runs.chunks(QUERIES_AT_ONCE) {
        let mut answers = Vec::with_capacity(some.len());
        for (at, window) in some {
            answers.push(monitor_query.samples(*at, *window).boxed());
        }
        for answer in join_all(answers).await {
            let (found, more) = answer?;
            samples.push(found);
            cost += more;
        }
        progress.reach(samples.len() as u64, runs.len() as u64);
    }
    Ok((samples, cost))
}

/// The events of a stretch of time that match, day by day, or in shorter parts where a day has many.
async fn events(
    monitor_query: &MonitorQuery<'_>,
    whole: Window,
    progress: &Progress,
) -> Result<(Vec<MatchedEvent>, u64)> {
    let (mut events, mut cost): (Vec<MatchedEvent>, u64) = (Vec::new(), 0);
    let (mut start, mut length) = (whole.start, DAY);
    while start < whole.end {
        let end = start.plus(length).min(whole.end);
        let window = Window { start, end };
        let (answer, more) = monitor_query.events(window).await?;
        cost += more;
        let Samples::Events(found) = monitor_query.read(window, &answer) else { break };
        if is_cut(&answer) || found.len() >= MonitorQuery::EVENTS_AT_ONCE {
            let shorter = length / 4;
            if shorter < std::time::Duration::from_millis(1) {
                return Err(too_much("more events match at one moment than a backtest can hold"));
            }
            length = shorter;
            continue;
        }
        events.extend(found.into_iter().map(|event| MatchedEvent { json: String::new(), ..event }));
        if events.len() > EVENTS_KEPT_MAX {
            return Err(too_much("more events match than a backtest can hold")
                .hint("filter more with `| where …`, or count the events in a Threshold monitor"));
        }
        start = end;
        progress.reach_in(whole, start);
    }
    events.sort_by(|one, other| (one.time, &one.id).cmp(&(other.time, &other.id)));
    Ok((events, cost))
}
