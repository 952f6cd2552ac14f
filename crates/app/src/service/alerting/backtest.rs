//! What a monitor would have done: every run that would have been due in a stretch of the past goes through the same
//! machine as live runs do, and nobody is told. Where samples come from is in `windows`.

mod partial_plan;
mod window_partials;
mod windows;

use std::collections::BTreeMap;
use std::time::Duration;

use tidegauge_alerting::{
    GroupKey, NotificationKind, Outcome, Run, State, Window, evaluate, first_run_after, reason_text, window,
};
use tidegauge_engine::Lane;
use tidegauge_model::monitor::{AlertState, Definition};
use tidegauge_model::{ErrorKind, MonitorId, Rule, Timestamp, Violation};

use super::monitor_query::MonitorQuery;
pub use super::progress::{Progress, SoFar};
use crate::app::App;
use crate::service::monitors::{self, MonitorInput};
use crate::service::{Caller, Error, Result};

/// How far apart the ends of a backtest may be.
const LENGTH_MAX: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// How many alerts and values an answer has.
const ALERTS_MAX: usize = 10_000;
const VALUES_MAX: usize = 1_000;

/// What is to be tried.
#[derive(Debug)]
pub struct BacktestInput {
    pub monitor: MonitorInput,
    /// Another definition to compare it with.
    pub compare: Option<MonitorInput>,
    pub start: Timestamp,
    pub end: Timestamp,
}

/// What would have happened.
#[derive(Clone, Debug, Default)]
pub struct Backtest {
    pub runs: usize,
    /// How many messages each notifier would have got.
    pub notifications: usize,
    /// All alerts, also those beyond the ones that are listed.
    pub opened: usize,
    pub alerts: Vec<Alert>,
    pub values: Vec<Value>,
    /// In gigabytes times milliseconds.
    pub cost: u64,
    /// Whether one query served many runs.
    pub is_joined: bool,
}

/// An alert that would have been.
#[derive(Clone, Debug, PartialEq)]
pub struct Alert {
    pub group: GroupKey,
    pub opened: Timestamp,
    pub closed: Option<Timestamp>,
    pub value: Option<f64>,
    pub reason: String,
}

/// What a run would have found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    pub at: Timestamp,
    pub value: Option<f64>,
    pub state: AlertState,
}

/// Tries one definition, or two, within the time that a query may take, and tells `progress` how far it is.
pub async fn backtest(
    app: &App,
    caller: &Caller,
    input: BacktestInput,
    progress: &Progress,
) -> Result<(Backtest, Option<Backtest>)> {
    let (start, end) = (input.start, input.end.min(caller.now));
    if start >= end {
        return Err(
            Violation::new("endTime", Rule::Minimum, "must be after startTime, which must be past").into()
        );
    }
    if end.minus(LENGTH_MAX) > start {
        let message = "a backtest looks at 90 days at most";
        return Err(
            Error::new(ErrorKind::Invalid, message).hint("move startTime and endTime closer together")
        );
    }
    let (definition, _) = monitors::tried(app, caller, input.monitor).await?;
    let compare = match input.compare {
        Some(input) => {
            let tried = monitors::tried(app, caller, input).await;
            Some(tried.map_err(|error| error.within("compare"))?.0)
        }
        None => None,
    };
    let parts = 1 + u64::from(compare.is_some());
    let both = async {
        let first = replay(app, caller, &definition, (start, end), progress.of_part(0, parts)).await?;
        let second = match &compare {
            Some(compare) => {
                Some(replay(app, caller, compare, (start, end), progress.of_part(1, parts)).await?)
            }
            None => None,
        };
        Ok((first, second))
    };
    let limit = app.queries.limits.time_max;
    tokio::time::timeout(limit, both).await.unwrap_or_else(|_| Err(took_too_long(limit)))
}

fn took_too_long(limit: Duration) -> Error {
    let message =
        format!("the backtest took longer than {} s, which is the time of a query", limit.as_secs());
    Error::new(ErrorKind::TimedOut, message).hint(
        "ask for a shorter time or a longer interval, or let the query end with `summarize` of count, countif, sum, \
         sumif, min, max or avg",
    )
}

async fn replay(
    app: &App,
    caller: &Caller,
    definition: &Definition,
    (start, end): (Timestamp, Timestamp),
    progress: Progress,
) -> Result<Backtest> {
    let runs = runs(definition, start, end);
    // Not where live monitors wait: thousands of runs of the past must not keep one of now waiting.
    let monitor_query =
        MonitorQuery::new(app, caller, definition, Lane::Export).await?.telling(progress.clone());
    let mut read = windows::read(definition, &monitor_query, &runs, &progress).await?;
    let mut replay = Replay::new(definition, runs.len());
    for (number, (at, window)) in runs.iter().enumerate() {
        let samples = read.windows.next(definition, *window);
        replay.take(Run { monitor: MonitorId::from("backtest"), at: *at, window: *window }, &samples);
        // Thousands of runs are judged in one go; others want to use the thread as well.
        if number % 256 == 255 {
            tokio::task::yield_now().await;
        }
    }
    Ok(Backtest { cost: read.cost, is_joined: read.is_joined, ..replay.ended() })
}

/// The runs that would have been due after the start, up to the end, of a monitor that was made at the start.
fn runs(definition: &Definition, start: Timestamp, end: Timestamp) -> Vec<(Timestamp, Window)> {
    let mut runs: Vec<(Timestamp, Window)> = Vec::new();
    let mut at = first_run_after(definition, start);
    while at <= end {
        // Windows of events join: each begins where the one before it ended.
        let state = runs.last().map_or_else(State::default, |(_, before)| State::seen(before.end));
        runs.push((at, window(definition, at, &state, start)));
        at = first_run_after(definition, at);
    }
    runs
}

/// A monitor on its way through the past.
struct Replay<'a> {
    definition: &'a Definition,
    state: State,
    open: BTreeMap<GroupKey, usize>,
    found: Backtest,
    /// Of so many runs one is among the values.
    thinned: usize,
}

impl<'a> Replay<'a> {
    fn new(definition: &'a Definition, runs: usize) -> Self {
        let found = Backtest { runs, ..Backtest::default() };
        let thinned = runs.div_ceil(VALUES_MAX).max(1);
        Self { definition, state: State::default(), open: BTreeMap::new(), found, thinned }
    }

    fn take(&mut self, run: Run, samples: &tidegauge_alerting::Samples) {
        let outcome = evaluate(self.definition, &self.state, &run, samples);
        self.found.notifications += outcome.notifications.len();
        self.note_alerts(&run, &outcome);
        let place = run.at.as_micros() / i64::from(self.definition.interval_minutes.max(1)) / 60_000_000;
        let is_kept = place.rem_euclid(i64::try_from(self.thinned).unwrap_or(1)) == 0;
        if let Some(check) = outcome.checks.first()
            && (is_kept || check.is_change)
            && self.found.values.len() < 2 * VALUES_MAX
        {
            self.found.values.push(Value { at: run.at, value: check.value, state: check.state });
        }
        self.state = outcome.state;
    }

    fn note_alerts(&mut self, run: &Run, outcome: &Outcome) {
        let is_open: Vec<GroupKey> = match outcome.state.is_matching() {
            true => vec![GroupKey::new()],
            false => outcome.state.open_groups().map(|(key, _)| key.clone()).collect(),
        };
        let closed: Vec<GroupKey> = self.open.keys().filter(|key| !is_open.contains(key)).cloned().collect();
        for key in closed {
            if let Some(alert) = self.open.remove(&key).and_then(|place| self.found.alerts.get_mut(place)) {
                alert.closed = Some(run.at);
            }
        }
        for key in is_open {
            if self.open.contains_key(&key) {
                continue;
            }
            self.found.opened += 1;
            self.open.insert(key.clone(), self.found.alerts.len());
            if self.found.alerts.len() < ALERTS_MAX {
                self.found.alerts.push(self.alert(run, key, outcome));
            }
        }
    }

    fn alert(&self, run: &Run, group: GroupKey, outcome: &Outcome) -> Alert {
        let told = outcome.notifications.iter().find(|notification| {
            notification.kind == NotificationKind::Opened && notification.group == group
        });
        let check = outcome.checks.iter().find(|check| check.group == group).or(outcome.checks.first());
        let (value, reason) = match (told, check) {
            (Some(notification), _) if notification.event.is_none() => {
                (Some(notification.value), Some(&notification.reason))
            }
            (_, Some(check)) => (check.value, Some(&check.reason)),
            _ => (None, None),
        };
        let reason = reason.map(|reason| reason_text(self.definition, reason, value)).unwrap_or_default();
        Alert { group, opened: run.at, closed: None, value, reason }
    }

    fn ended(self) -> Backtest {
        self.found
    }
}
