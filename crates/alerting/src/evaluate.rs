//! Whether the numbers of a group are a reason to tell: against a fixed threshold here, against what is expected in
//! `anomaly`. What follows from it is decided in `step`.

use tidegauge_model::monitor::{Definition, MonitorKind, Operator};

use crate::anomaly;
use crate::outcome::Reason;
use crate::samples::Series;
use crate::verdict::Verdict;

/// Judges a series. None if it has no numbers.
pub(crate) fn verdict(definition: &Definition, series: &Series) -> Option<Verdict> {
    match definition.kind {
        MonitorKind::AnomalyDetection => anomaly::verdict(definition, series),
        MonitorKind::Threshold | MonitorKind::MatchEvent => threshold(definition, series),
    }
}

/// The worse of two, which stands for both.
pub(crate) fn worse(one: Verdict, other: Verdict) -> Verdict {
    let rank = |verdict: &Verdict| (verdict.is_positive, verdict.excess);
    let (one_is_positive, one_excess) = rank(&one);
    let (other_is_positive, other_excess) = rank(&other);
    let is_other_worse =
        other_is_positive.cmp(&one_is_positive).then(other_excess.total_cmp(&one_excess)).is_gt();
    if is_other_worse { other } else { one }
}

fn threshold(definition: &Definition, series: &Series) -> Option<Verdict> {
    let operator = definition.operator.unwrap_or(Operator::Above);
    let limit = definition.threshold;
    let of = |value: f64| {
        let is_positive = is_out(operator, value, limit);
        let reason = if is_positive { Reason::Crossed } else { Reason::Within };
        Verdict { is_positive, value, excess: excess(operator, value, limit), reason }
    };
    let values = series.points.iter().map(|point| point.value).filter(|value| value.is_finite());
    values.map(of).reduce(worse)
}

/// Whether a value is on the side that is told.
pub(crate) fn is_out(operator: Operator, value: f64, limit: f64) -> bool {
    match operator {
        Operator::Below => value < limit,
        Operator::BelowOrEqual => value <= limit,
        Operator::Above => value > limit,
        Operator::AboveOrEqual => value >= limit,
        Operator::AboveOrBelow => value != limit,
    }
}

fn excess(operator: Operator, value: f64, limit: f64) -> f64 {
    match operator {
        Operator::Below | Operator::BelowOrEqual => limit - value,
        Operator::Above | Operator::AboveOrEqual => value - limit,
        Operator::AboveOrBelow => (value - limit).abs(),
    }
}
