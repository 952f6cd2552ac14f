//! Tests on values of a column, and whether anything between two bounds can pass them. Where kinds of number meet,
//! the doubtful values are let through: only what certainly fails is left out.

use std::cmp::Ordering;

use crate::segment::Bound;

/// A test on a value. No row without a value passes any.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Test<'a> {
    Equal(Probe<'a>),
    /// This value or a greater one.
    AtLeast(Probe<'a>),
    /// A greater value.
    Above(Probe<'a>),
    /// This value or a lesser one.
    AtMost(Probe<'a>),
    /// A lesser value.
    Below(Probe<'a>),
    StartsWith(&'a str),
    /// Any value.
    IsPresent,
}

/// A value to compare with. Texts are compared byte by byte.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Probe<'a> {
    Boolean(bool),
    Integer(i64),
    Float(f64),
    String(&'a str),
}

/// How a bound lies to a probe.
struct Comparison {
    order: Ordering,
    /// Whether values that are equal here are surely equal, and not only neighbours that a conversion made equal.
    is_exact: bool,
}

impl Test<'_> {
    /// Whether a value between these bounds can pass.
    pub(super) fn may_pass(&self, min: Option<&Bound>, max: Option<&Bound>) -> bool {
        match self {
            Self::Equal(probe) => may_reach(max, probe) && may_go_down_to(min, probe),
            Self::AtLeast(probe) => may_reach(max, probe),
            Self::Above(probe) => may_pass_beyond(max, probe, Ordering::Greater),
            Self::AtMost(probe) => may_go_down_to(min, probe),
            Self::Below(probe) => may_pass_beyond(min, probe, Ordering::Less),
            Self::StartsWith(prefix) => may_start_with(min, max, prefix.as_bytes()),
            Self::IsPresent => true,
        }
    }

    /// The text that a value has to be equal to.
    pub(super) fn equal_text(&self) -> Option<&str> {
        match self {
            Self::Equal(Probe::String(text)) => Some(text),
            _ => None,
        }
    }
}

fn may_reach(max: Option<&Bound>, probe: &Probe<'_>) -> bool {
    compare(max, probe).is_none_or(|comparison| comparison.order != Ordering::Less)
}

fn may_go_down_to(min: Option<&Bound>, probe: &Probe<'_>) -> bool {
    compare(min, probe).is_none_or(|comparison| comparison.order != Ordering::Greater)
}

fn may_pass_beyond(bound: Option<&Bound>, probe: &Probe<'_>, wanted: Ordering) -> bool {
    compare(bound, probe).is_none_or(|comparison| {
        comparison.order == wanted || (comparison.order == Ordering::Equal && !comparison.is_exact)
    })
}

fn may_start_with(min: Option<&Bound>, max: Option<&Bound>, prefix: &[u8]) -> bool {
    let reaches = match max {
        Some(Bound::String(max)) => max.as_slice() >= prefix,
        _ => true,
    };
    let goes_down = match min {
        Some(Bound::String(min)) => &min[..min.len().min(prefix.len())] <= prefix,
        _ => true,
    };
    reaches && goes_down
}

/// `None` when nothing can be said.
fn compare(bound: Option<&Bound>, probe: &Probe<'_>) -> Option<Comparison> {
    let exact = |order: Ordering| Some(Comparison { order, is_exact: true });
    // Rounding keeps the order, so that a value beyond a bound stays beyond it or becomes equal to it.
    let rounded = |order: Option<Ordering>| order.map(|order| Comparison { order, is_exact: false });
    match (bound?, probe) {
        (Bound::Boolean(bound), Probe::Boolean(probe)) => exact(bound.cmp(probe)),
        (Bound::Integer(bound), Probe::Integer(probe)) => exact(bound.cmp(probe)),
        (Bound::Float(bound), Probe::Float(probe)) => bound.partial_cmp(probe).and_then(exact),
        (Bound::Integer(bound), Probe::Float(probe)) => rounded((*bound as f64).partial_cmp(probe)),
        (Bound::Float(bound), Probe::Integer(probe)) => rounded(bound.partial_cmp(&(*probe as f64))),
        (Bound::String(bound), Probe::String(probe)) => exact(bound.as_slice().cmp(probe.as_bytes())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integers(min: i64, max: i64, test: Test<'_>) -> bool {
        test.may_pass(Some(&Bound::Integer(min)), Some(&Bound::Integer(max)))
    }

    #[test]
    fn what_lies_outside_of_the_bounds_cannot_pass() {
        let probe = Probe::Integer;
        assert!(integers(1, 5, Test::Equal(probe(5))) && !integers(1, 5, Test::Equal(probe(6))));
        assert!(integers(1, 5, Test::AtLeast(probe(5))) && !integers(1, 5, Test::Above(probe(5))));
        assert!(integers(1, 5, Test::AtMost(probe(1))) && !integers(1, 5, Test::Below(probe(1))));
        assert!(integers(1, 5, Test::IsPresent) && integers(1, 5, Test::Equal(Probe::String("x"))));
    }

    #[test]
    fn numbers_of_another_kind_are_given_the_benefit_of_the_doubt() {
        let large = (1 << 53) + 1;
        assert!(integers(large, large, Test::Equal(Probe::Float(9_007_199_254_740_992.0))));
        assert!(integers(1, 5, Test::Above(Probe::Float(5.0))));
        assert!(!integers(1, 5, Test::Above(Probe::Float(5.5))));
        assert!(integers(1, 5, Test::Equal(Probe::Float(f64::NAN))));
    }

    #[test]
    fn a_prefix_is_looked_for_between_texts() {
        let of = |text: &str| Bound::String(text.as_bytes().to_vec());
        let may = |prefix| Test::StartsWith(prefix).may_pass(Some(&of("bcd")), Some(&of("bf")));
        assert!(may("") && may("b") && may("bd") && may("bcd") && may("bf"));
        assert!(!may("a") && !may("bcc") && !may("bfa") && !may("c"));
    }
}
