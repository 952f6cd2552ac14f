//! What an order means to an operator, and the exact order of an integer and a float.

use std::cmp::Ordering;

use tidegauge_lang::tree::BinaryOperator;

/// Whether an operator is true of two values that stand in this order.
#[inline]
pub fn holds(operator: BinaryOperator, order: Ordering) -> bool {
    match operator {
        BinaryOperator::Equal => order.is_eq(),
        BinaryOperator::NotEqual => order.is_ne(),
        BinaryOperator::Less => order.is_lt(),
        BinaryOperator::LessOrEqual => order.is_le(),
        BinaryOperator::Greater => order.is_gt(),
        _ => order.is_ge(),
    }
}

/// The order of an integer and a float, exactly. None for what is no number.
#[inline]
pub fn integer_to_float(integer: i64, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    if float >= 9_223_372_036_854_775_808.0 {
        return Some(Ordering::Less);
    }
    if float < -9_223_372_036_854_775_808.0 {
        return Some(Ordering::Greater);
    }
    let whole = float.trunc();
    let order = integer.cmp(&(whole as i64));
    Some(order.then_with(|| 0.0_f64.partial_cmp(&(float - whole)).unwrap_or(Ordering::Equal)))
}
