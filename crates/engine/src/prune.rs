//! What a filter says of whole blocks: tests on bounds, presence and bloom filters that leave a block out without
//! reading a row. A test passes whenever it is not certain that no row does.

use tidegauge_bind::Scope;
use tidegauge_lang::tree::{BinaryOperator, Expr, ExprKind, Literal, TextTest};
use tidegauge_model::FieldKind;
use tidegauge_model::columns::TIME_FIELD;
use tidegauge_store::{Block, Predicate, Scalar};

use crate::Result;

/// Lists up to this length leave out blocks.
const LIST_MAX: usize = 1_000;

/// Which blocks can have a row that passes a filter.
#[derive(Clone, Debug)]
pub(crate) enum Prune {
    /// Nothing is known.
    Any,
    AllOf(Vec<Prune>),
    OneOf(Vec<Prune>),
    Time(BinaryOperator, i64),
    Number {
        field: String,
        operator: BinaryOperator,
        value: Number,
    },
    Text {
        field: String,
        test: TextTest,
        needle: String,
    },
    Present {
        field: String,
    },
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    Integer(i64),
    Float(f64),
}

impl Prune {
    /// What a condition says of blocks.
    pub(crate) fn of(expr: &Expr, scope: &Scope) -> Self {
        match &expr.kind {
            ExprKind::Binary { operator: BinaryOperator::And, left, right } => {
                Self::AllOf(vec![Self::of(left, scope), Self::of(right, scope)])
            }
            ExprKind::Binary { operator: BinaryOperator::Or, left, right } => {
                Self::OneOf(vec![Self::of(left, scope), Self::of(right, scope)])
            }
            ExprKind::Binary { operator, left, right } => match (&left.kind, &right.kind) {
                (ExprKind::Field(field), ExprKind::Literal(literal)) => {
                    Self::of_comparison(field, *operator, literal, scope)
                }
                (ExprKind::Literal(literal), ExprKind::Field(field)) => {
                    Self::of_comparison(field, turned(*operator), literal, scope)
                }
                _ => Self::Any,
            },
            ExprKind::Text { test, is_negated: false, is_case_sensitive, left, right } => {
                match (&left.kind, &right.kind) {
                    (ExprKind::Field(field), ExprKind::Literal(Literal::String(needle)))
                        if is_stored(field, scope) =>
                    {
                        Self::of_text(field, *test, *is_case_sensitive, needle)
                    }
                    _ => Self::Any,
                }
            }
            ExprKind::In { value, list, is_negated: false, is_case_sensitive: true } => {
                let ExprKind::Field(field) = &value.kind else { return Self::Any };
                // Some of many values are almost anywhere, and each would be looked for in every block.
                if list.len() > LIST_MAX {
                    return Self::Any;
                }
                let of_element = |element: &Expr| match &element.kind {
                    ExprKind::Literal(literal) => {
                        Self::of_comparison(field, BinaryOperator::Equal, literal, scope)
                    }
                    _ => Self::Any,
                };
                Self::OneOf(list.iter().map(of_element).collect())
            }
            ExprKind::Exists(of) => match &of.kind {
                ExprKind::Field(field) if is_stored(field, scope) => Self::Present { field: field.clone() },
                _ => Self::Any,
            },
            _ => Self::Any,
        }
    }

    fn of_comparison(field: &str, operator: BinaryOperator, literal: &Literal, scope: &Scope) -> Self {
        if operator == BinaryOperator::NotEqual {
            return Self::Any;
        }
        if field == TIME_FIELD
            && !scope.is_computed(field)
            && let Literal::Datetime(time) = literal
        {
            return Self::Time(operator, *time);
        }
        if !is_stored(field, scope) {
            return Self::Any;
        }
        let number = |value: Number| Self::Number { field: field.to_owned(), operator, value };
        match literal {
            Literal::Integer(value) => number(Number::Integer(*value)),
            Literal::Float(value) => number(Number::Float(*value)),
            // Only what has the field can have a number.
            Literal::LongInteger(_) => Self::Present { field: field.to_owned() },
            Literal::String(needle) if operator == BinaryOperator::Equal => {
                Self::of_text(field, TextTest::Equals, true, needle)
            }
            Literal::Boolean(_) => Self::Present { field: field.to_owned() },
            _ => Self::Any,
        }
    }

    fn of_text(field: &str, test: TextTest, is_case_sensitive: bool, needle: &str) -> Self {
        let is_bounded = is_case_sensitive && matches!(test, TextTest::Equals | TextTest::StartsWith);
        if is_bounded {
            return Self::Text { field: field.to_owned(), test, needle: needle.to_owned() };
        }
        Self::Present { field: field.to_owned() }
    }

    /// Whether a block can have a row that passes.
    pub(crate) async fn may_pass(&self, block: &Block) -> Result<bool> {
        match self {
            Self::Any => Ok(true),
            Self::AllOf(parts) => {
                for part in parts {
                    if !Box::pin(part.may_pass(block)).await? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Self::OneOf(parts) => {
                for part in parts {
                    if Box::pin(part.may_pass(block)).await? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Self::Time(operator, time) => Ok(match operator {
                BinaryOperator::Less => block.min_time() < *time,
                BinaryOperator::LessOrEqual => block.min_time() <= *time,
                BinaryOperator::Greater => block.max_time() > *time,
                BinaryOperator::GreaterOrEqual => block.max_time() >= *time,
                _ => block.min_time() <= *time && *time <= block.max_time(),
            }),
            Self::Number { field, operator, value } => may_hold_number(block, field, *operator, *value).await,
            Self::Text { field, test, needle } => may_hold_text(block, field, *test, needle).await,
            Self::Present { field } => Ok(!block.kinds(field).is_empty()),
        }
    }
}

fn is_stored(field: &str, scope: &Scope) -> bool {
    // In a map there may be what no bound of a column knows of.
    !scope.is_computed(field) && scope.is_stored(field) && !scope.may_be_inside(field)
}

fn turned(operator: BinaryOperator) -> BinaryOperator {
    match operator {
        BinaryOperator::Less => BinaryOperator::Greater,
        BinaryOperator::LessOrEqual => BinaryOperator::GreaterOrEqual,
        BinaryOperator::Greater => BinaryOperator::Less,
        BinaryOperator::GreaterOrEqual => BinaryOperator::LessOrEqual,
        other => other,
    }
}

async fn may_hold_number(
    block: &Block,
    field: &str,
    operator: BinaryOperator,
    value: Number,
) -> Result<bool> {
    let kinds = block.kinds(field);
    if kinds.contains(FieldKind::LongInteger) {
        // The bounds of digits are those of texts.
        return Ok(true);
    }
    for kind in [FieldKind::Integer, FieldKind::Float] {
        if !kinds.contains(kind) {
            continue;
        }
        let probe = match (kind, value) {
            (FieldKind::Integer, Number::Integer(value)) => Scalar::Integer(value),
            (FieldKind::Float, Number::Float(value)) => Scalar::Float(value),
            // The neighbours of a rounded number might lie on the other side of a bound.
            (_, Number::Integer(value)) if value.unsigned_abs() <= 1 << 53 => Scalar::Float(value as f64),
            _ => return Ok(true),
        };
        let test = match operator {
            BinaryOperator::Equal => Predicate::Equal(probe),
            BinaryOperator::Less => Predicate::Below(probe),
            BinaryOperator::LessOrEqual => Predicate::AtMost(probe),
            BinaryOperator::Greater => Predicate::Above(probe),
            BinaryOperator::GreaterOrEqual => Predicate::AtLeast(probe),
            _ => return Ok(true),
        };
        if block.may_pass(field, kind, &test).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

async fn may_hold_text(block: &Block, field: &str, test: TextTest, needle: &str) -> Result<bool> {
    let kinds = block.kinds(field);
    if kinds.iter().any(|kind| kind != FieldKind::String) {
        // Other kinds are compared by their text, of which no bounds are known.
        return Ok(true);
    }
    if kinds.is_empty() {
        return Ok(false);
    }
    let test = match test {
        TextTest::StartsWith => Predicate::StartsWith(needle),
        _ => Predicate::Equal(Scalar::String(needle)),
    };
    Ok(block.may_pass(field, FieldKind::String, &test).await?)
}
