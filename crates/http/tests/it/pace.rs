//! The pace of background jobs as a test has it: time passes when the test says so, and who is due then has done its step
//! before the test goes on.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::time::Duration;

use tidegauge_app::jobs::pace::{Pace, Ticks};
use tokio::sync::watch;

/// Until when each job waits; none while it is at work.
type Waiting = BTreeMap<&'static str, Option<Duration>>;

#[derive(Clone, Debug)]
pub(crate) struct ManualPace {
    now: watch::Sender<Duration>,
    waiting: watch::Sender<Waiting>,
}

impl ManualPace {
    pub(crate) fn new() -> Self {
        Self { now: watch::Sender::new(Duration::ZERO), waiting: watch::Sender::new(Waiting::new()) }
    }

    /// Lets time pass. A job that is due more than once in it is done once.
    pub(crate) async fn advance(&self, by: Duration) {
        self.now.send_modify(|now| *now += by);
        self.settle().await;
    }

    /// Waits until all that is due is done.
    pub(crate) async fn settle(&self) {
        let now = *self.now.borrow();
        let is_later = |until: &Option<Duration>| until.is_some_and(|until| until > now);
        let mut waiting = self.waiting.subscribe();
        let settled = waiting.wait_for(|waiting| waiting.values().all(is_later)).await;
        assert!(settled.is_ok());
    }

    fn note(&self, job: &'static str, until: Option<Duration>) {
        self.waiting.send_modify(|waiting| {
            waiting.insert(job, until);
        });
    }
}

impl Pace for ManualPace {
    fn ticks(&self, job: &'static str, period: Duration) -> Box<dyn Ticks> {
        self.note(job, None);
        Box::new(ManualTicks { pace: self.clone(), job, period, due: Duration::ZERO })
    }
}

struct ManualTicks {
    pace: ManualPace,
    job: &'static str,
    period: Duration,
    due: Duration,
}

impl Ticks for ManualTicks {
    fn next(&mut self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            let due = self.due;
            self.pace.note(self.job, Some(due));
            let mut clock = self.pace.now.subscribe();
            let now = clock.wait_for(|now| *now >= due).await.map_or(due, |now| *now);
            self.pace.note(self.job, None);
            self.due = now + self.period;
        })
    }
}
