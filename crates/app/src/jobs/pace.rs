//! How time passes for background jobs: as on this machine, or as a test has it, which then sees what is done when without
//! waiting for it.

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use tokio::time::{Interval, MissedTickBehavior, interval};

/// Tells jobs when they are due.
pub trait Pace: Debug + Send + Sync {
    /// The ticks of a job that is done once in a period.
    fn ticks(&self, job: &'static str, period: Duration) -> Box<dyn Ticks>;
}

/// When one job is due: at once, and then after each period.
pub trait Ticks: Send {
    /// Waits until it is. Who asks has done what was due before.
    fn next(&mut self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}

/// The pace of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct MachinePace;

impl Pace for MachinePace {
    fn ticks(&self, _: &'static str, period: Duration) -> Box<dyn Ticks> {
        Box::new(MachineTicks { period, interval: None })
    }
}

struct MachineTicks {
    period: Duration,
    interval: Option<Interval>,
}

impl Ticks for MachineTicks {
    fn next(&mut self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            // Made where it is waited for: the timer is one of the threads that the job runs on.
            let period = self.period;
            let interval = self.interval.get_or_insert_with(|| {
                let mut interval = interval(period);
                interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
                interval
            });
            interval.tick().await;
        })
    }
}
