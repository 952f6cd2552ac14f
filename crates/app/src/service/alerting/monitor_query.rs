//! Asks the query of a monitor about windows of time, as whom the monitor reads.

use std::time::Duration;

use tidegauge_alerting::{Samples, Window, first_run_after};
use tidegauge_engine::{Answer, Lane};
use tidegauge_lang::tree::{Query, Stage};
use tidegauge_model::Timestamp;
use tidegauge_model::monitor::{Definition, MonitorKind};

use super::progress::Progress;
use super::samples;
use crate::app::App;
use crate::service::query::apl::check::{self, Asked, Runnable};
use crate::service::{Caller, Result};

pub(super) const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// How many events of one window are looked at. Far fewer are told.
pub(super) const EVENTS_MAX: usize = 1_000;

/// The query of a definition, understood.
pub(super) struct MonitorQuery<'a> {
    app: &'a App,
    caller: &'a Caller,
    definition: &'a Definition,
    runnable: Runnable,
    lane: Lane,
    progress: Progress,
}

impl<'a> MonitorQuery<'a> {
    /// `lane` is where its queries wait their turn.
    pub(super) async fn new(
        app: &'a App,
        caller: &'a Caller,
        definition: &'a Definition,
        lane: Lane,
    ) -> Result<Self> {
        let runnable = check::understood(app, caller, &definition.query).await?;
        Ok(Self { app, caller, definition, runnable, lane, progress: Progress::default() })
    }

    /// The same, telling of each answer.
    pub(super) fn telling(self, progress: Progress) -> Self {
        Self { progress, ..self }
    }

    /// The samples of a run, with those of earlier days where they tell what is expected, and what they cost.
    pub(super) async fn samples(&self, at: Timestamp, window: Window) -> Result<(Samples, u64)> {
        let (mut samples, mut cost) = self.once(at, window).await?;
        if self.definition.kind != MonitorKind::AnomalyDetection {
            return Ok((samples, cost));
        }
        for days in 1..=self.definition.compare_days {
            let back = DAY * days;
            let earlier = Window { start: window.start.minus(back), end: window.end.minus(back) };
            let (found, more) = self.once(at.minus(back), earlier).await?;
            samples::add_earlier(&mut samples, &found);
            cost += more;
        }
        Ok((samples, cost))
    }

    async fn once(&self, at: Timestamp, window: Window) -> Result<(Samples, u64)> {
        if window.start >= window.end {
            return Ok((samples::none(self.definition), 0));
        }
        let (answer, cost) = self.answer(at, window, None).await?;
        Ok((samples::of(self.definition, window, &answer), cost))
    }

    /// The answer for a window, of the query or of other stages over the same events, and what it cost.
    pub(super) async fn answer(
        &self,
        at: Timestamp,
        window: Window,
        stages: Option<Vec<Stage>>,
    ) -> Result<(Answer, u64)> {
        let is_of_events = self.definition.kind == MonitorKind::MatchEvent;
        let asked = Asked {
            range: (window.start, window.end),
            moment: at,
            is_oldest_first: is_of_events,
            rows: is_of_events.then_some(EVENTS_MAX),
            lane: self.lane,
        };
        let found = match stages {
            Some(stages) => self.runnable.with_stages(stages).ask(self.app, self.caller, asked).await?,
            None => self.runnable.ask(self.app, self.caller, asked).await?,
        };
        self.progress.note_query(found.1);
        Ok(found)
    }

    /// How many events an answer to `events` has at most.
    pub(super) const EVENTS_AT_ONCE: usize = 20_000;

    /// As many of the events of a window as can be looked at in one go.
    pub(super) async fn events(&self, window: Window) -> Result<(Answer, u64)> {
        let (range, rows) = ((window.start, window.end), Some(Self::EVENTS_AT_ONCE));
        let asked = Asked { range, moment: window.end, is_oldest_first: true, rows, lane: self.lane };
        let found = self.runnable.ask(self.app, self.caller, asked).await?;
        self.progress.note_query(found.1);
        Ok(found)
    }

    /// The samples in an answer.
    pub(super) fn read(&self, window: Window, answer: &Answer) -> Samples {
        samples::of(self.definition, window, answer)
    }

    /// The query with its names settled.
    pub(super) fn query(&self) -> &Query {
        self.runnable.query()
    }

    /// A window as long as any, where nobody sends events: a century ahead.
    pub(super) fn window_without_events(&self) -> Window {
        let start = first_run_after(self.definition, self.caller.now.plus(DAY * 36_500));
        Window { start, end: start.plus(self.definition.range()) }
    }
}
