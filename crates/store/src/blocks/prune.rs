//! Tests on values of a column, and whether anything between two bounds can pass them. Where kinds of number meet,
//! the doubtful values are let through: only what certainly fails is left out.

use std::cmp::Ordering;

use crate::segment::Bound;

/// A test on a value. No row without a value passes any.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Predicate<'a> {
    Equal(Scalar<'a>),
    /// This value or a greater one.
    AtLeast(Scalar<'a>),
    /// A greater value.
    Above(Scalar<'a>),
    /// This value or a lesser one.
    AtMost(Scalar<'a>),
    /// A lesser value.
    Below(Scalar<'a>),
    StartsWith(&'a str),
    /// Any value.
    IsPresent,
}

/// A value to compare with. Strings are compared byte by byte.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar<'a> {
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

impl Predicate<'_> {
    /// Whether a value between these bounds can pass.
    pub(super) fn may_pass(&self, min: Option<&Bound>, max: Option<&Bound>) -> bool {
        match self {
            Self::Equal(scalar) => may_reach(max, scalar) && may_go_down_to(min, scalar),
            Self::AtLeast(scalar) => may_reach(max, scalar),
            Self::Above(scalar) => may_pass_beyond(max, scalar, Ordering::Greater),
            Self::AtMost(scalar) => may_go_down_to(min, scalar),
            Self::Below(scalar) => may_pass_beyond(min, scalar, Ordering::Less),
            Self::StartsWith(prefix) => may_start_with(min, max, prefix.as_bytes()),
            Self::IsPresent => true,
        }
    }

    /// The text that a value has to be equal to.
    pub(super) fn equal_text(&self) -> Option<&str> {
        match self {
            Self::Equal(Scalar::String(text)) => Some(text),
            _ => None,
        }
    }
}

fn may_reach(max: Option<&Bound>, scalar: &Scalar<'_>) -> bool {
    compare(max, scalar).is_none_or(|comparison| comparison.order != Ordering::Less)
}

fn may_go_down_to(min: Option<&Bound>, scalar: &Scalar<'_>) -> bool {
    compare(min, scalar).is_none_or(|comparison| comparison.order != Ordering::Greater)
}

fn may_pass_beyond(bound: Option<&Bound>, scalar: &Scalar<'_>, wanted: Ordering) -> bool {
    compare(bound, scalar).is_none_or(|comparison| {
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
fn compare(bound: Option<&Bound>, scalar: &Scalar<'_>) -> Option<Comparison> {
    let exact = |order: Ordering| Some(Comparison { order, is_exact: true });
    // Rounding keeps the order, so that a value beyond a bound stays beyond it or becomes equal to it.
    let rounded = |order: Option<Ordering>| order.map(|order| Comparison { order, is_exact: false });
    match (bound?, scalar) {
        (Bound::Boolean(bound), Scalar::Boolean(scalar)) => exact(bound.cmp(scalar)),
        (Bound::Integer(bound), Scalar::Integer(scalar)) => exact(bound.cmp(scalar)),
        (Bound::Float(bound), Scalar::Float(scalar)) => bound.partial_cmp(scalar).and_then(exact),
        (Bound::Integer(bound), Scalar::Float(scalar)) => rounded((*bound as f64).partial_cmp(scalar)),
        (Bound::Float(bound), Scalar::Integer(scalar)) => rounded(bound.partial_cmp(&(*scalar as f64))),
        (Bound::String(bound), Scalar::String(scalar)) => exact(bound.as_slice().cmp(scalar.as_bytes())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integers(min: i64, max: i64, test: Predicate<'_>) -> bool {
        test.may_pass(Some(&Bound::Integer(min)), Some(&Bound::Integer(max)))
    }

    #[test]
    fn what_lies_outside_of_the_bounds_cannot_pass() {
        let scalar = Scalar::Integer;
        assert!(integers(1, 5, Predicate::Equal(scalar(5))) && !integers(1, 5, Predicate::Equal(scalar(6))));
        assert!(
            integers(1, 5, Predicate::AtLeast(scalar(5))) && !integers(1, 5, Predicate::Above(scalar(5)))
        );
        assert!(integers(1, 5, Predicate::AtMost(scalar(1))) && !integers(1, 5, Predicate::Below(scalar(1))));
        assert!(
            integers(1, 5, Predicate::IsPresent) && integers(1, 5, Predicate::Equal(Scalar::String("x")))
        );
    }

    #[test]
    fn numbers_of_another_kind_are_given_the_benefit_of_the_doubt() {
        let large = (1 << 53) + 1;
        assert!(integers(large, large, Predicate::Equal(Scalar::Float(9_007_199_254_740_992.0))));
        assert!(integers(1, 5, Predicate::Above(Scalar::Float(5.0))));
        assert!(!integers(1, 5, Predicate::Above(Scalar::Float(5.5))));
        assert!(integers(1, 5, Predicate::Equal(Scalar::Float(f64::NAN))));
    }

    #[test]
    fn a_prefix_is_looked_for_between_texts() {
        let of = |text: &str| Bound::String(text.as_bytes().to_vec());
        let may = |prefix| Predicate::StartsWith(prefix).may_pass(Some(&of("bcd")), Some(&of("bf")));
        assert!(may("") && may("b") && may("bd") && may("bcd") && may("bf"));
        assert!(!may("a") && !may("bcc") && !may("bfa") && !may("c"));
    }
}
