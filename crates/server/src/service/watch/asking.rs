//! Asks the query of a monitor about windows of time, as whom the monitor reads, in the lane of monitors.

use std::time::Duration;

use tidegauge_model::Timestamp;
use tidegauge_model::monitor::{Definition, MonitorKind};
use tidegauge_watch::{Readings, Window};

use super::readings;
use crate::app::App;
use crate::service::query::apl::check::{self, Asked, Runnable};
use crate::service::{Caller, Result};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The query of a definition, understood.
pub(super) struct Asking<'a> {
    app: &'a App,
    caller: &'a Caller,
    definition: &'a Definition,
    runnable: Runnable,
}

impl<'a> Asking<'a> {
    pub(super) async fn new(app: &'a App, caller: &'a Caller, definition: &'a Definition) -> Result<Self> {
        let runnable = check::understood(app, caller, &definition.query).await?;
        Ok(Self { app, caller, definition, runnable })
    }

    /// The readings of a run, with those of earlier days where they tell what is expected, and what they cost.
    pub(super) async fn readings(&self, at: Timestamp, window: Window) -> Result<(Readings, u64)> {
        let (mut readings, mut cost) = self.once(at, window).await?;
        if self.definition.kind != MonitorKind::AnomalyDetection {
            return Ok((readings, cost));
        }
        for days in 1..=self.definition.compare_days {
            let back = DAY * days;
            let earlier = Window { start: window.start.minus(back), end: window.end.minus(back) };
            let (found, more) = self.once(at.minus(back), earlier).await?;
            readings::add_earlier(&mut readings, &found);
            cost += more;
        }
        Ok((readings, cost))
    }

    async fn once(&self, at: Timestamp, window: Window) -> Result<(Readings, u64)> {
        if window.start >= window.end {
            return Ok((readings::none(self.definition), 0));
        }
        let asked = Asked {
            range: (window.start, window.end),
            moment: at,
            is_oldest_first: self.definition.kind == MonitorKind::MatchEvent,
        };
        let (answer, cost) = self.runnable.ask(self.app, self.caller, asked).await?;
        Ok((readings::of(self.definition, window, &answer), cost))
    }
}
