//! Definitions, runs and samples in few words.

use tidegauge_alerting::{
    GroupKey, NotificationKind, Outcome, Point, Run, Samples, Series, State, Window, evaluate,
};
use tidegauge_model::monitor::{Definition, MonitorKind, Operator};
use tidegauge_model::{MonitorId, Timestamp};

pub(crate) const MINUTE: i64 = 60_000_000;

pub(crate) fn definition(kind: MonitorKind) -> Definition {
    Definition {
        name: "errors".to_owned(),
        description: "what to do".to_owned(),
        kind,
        query: "['web'] | summarize count()".to_owned(),
        operator: Some(Operator::Above),
        threshold: 5.0,
        interval_minutes: 1,
        range_minutes: 5,
        delay_seconds: 0,
        notifiers: Vec::new(),
        alerts_on_no_data: false,
        notifies_by_group: false,
        is_resolvable: true,
        notifies_every_run: false,
        skips_resolved: false,
        after_positives: 1,
        of_runs: 1,
        tolerance: 3.0,
        compare_days: 0,
        column: None,
        is_disabled: false,
        disabled_until: None,
    }
}

pub(crate) fn threshold() -> Definition {
    definition(MonitorKind::Threshold)
}

pub(crate) fn monitor() -> MonitorId {
    MonitorId::from("mon_1")
}

/// The run of the minute.
pub(crate) fn run(minute: i64) -> Run {
    let at = Timestamp::from_micros(minute * MINUTE);
    let window = Window { start: Timestamp::from_micros((minute - 5) * MINUTE), end: at };
    Run { monitor: monitor(), at, window }
}

pub(crate) fn key(host: &str) -> GroupKey {
    vec![("host".to_owned(), host.to_owned())]
}

/// One number for the whole.
pub(crate) fn number(value: f64) -> Samples {
    Samples::Series(vec![Series { points: vec![Point::of(value)], ..Series::default() }])
}

pub(crate) fn nothing() -> Samples {
    Samples::Series(Vec::new())
}

/// A number for each host.
pub(crate) fn hosts(values: &[(&str, f64)]) -> Samples {
    let series = |(host, value): &(&str, f64)| Series {
        key: key(host),
        points: vec![Point::of(*value)],
        earlier: Vec::new(),
    };
    Samples::Series(values.iter().map(series).collect())
}

/// A watch that goes from run to run.
pub(crate) struct Machine {
    pub(crate) definition: Definition,
    pub(crate) state: State,
    pub(crate) minute: i64,
}

impl Machine {
    pub(crate) fn new(definition: Definition) -> Self {
        Self { definition, state: State::default(), minute: 100 }
    }

    /// The next run. Its state goes through the stored form, as it does in the service.
    pub(crate) fn next(&mut self, samples: &Samples) -> Outcome {
        let outcome = evaluate(&self.definition, &self.state, &run(self.minute), samples);
        self.minute += 1;
        self.state = State::from_text(&outcome.state.to_text()).unwrap();
        assert_eq!(self.state, outcome.state);
        outcome
    }

    /// What the next run tells, with its group.
    pub(crate) fn notifications(&mut self, samples: &Samples) -> Vec<(NotificationKind, String)> {
        let outcome = self.next(samples);
        let host = |key: &GroupKey| key.first().map(|(_, host)| host.clone()).unwrap_or_default();
        outcome
            .notifications
            .iter()
            .map(|notification| (notification.kind, host(&notification.group)))
            .collect()
    }

    pub(crate) fn kinds(&mut self, samples: &Samples) -> Vec<NotificationKind> {
        self.notifications(samples).into_iter().map(|(kind, _)| kind).collect()
    }
}
