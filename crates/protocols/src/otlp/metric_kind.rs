//! The kinds of metrics, by the fields that hold their points.

/// What the points of a metric are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Gauge,
    Sum,
    Histogram,
    Exponential,
    Summary,
}

impl Kind {
    pub(super) fn of(number: u32) -> Option<Self> {
        match number {
            5 => Some(Self::Gauge),
            7 => Some(Self::Sum),
            9 => Some(Self::Histogram),
            10 => Some(Self::Exponential),
            11 => Some(Self::Summary),
            _ => None,
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Gauge => "gauge",
            Self::Sum => "sum",
            Self::Histogram => "histogram",
            Self::Exponential => "exponential_histogram",
            Self::Summary => "summary",
        }
    }
}
