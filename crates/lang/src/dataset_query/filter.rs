//! The filter of a query: a tree of comparisons, each of one field with one value, which becomes an expression.

use tidegauge_model::{Rule, Violation};

use super::{Filter, Value, times};
use crate::Span;
use crate::datetime;
use crate::parser::{HEIGHT_MAX, balanced};
use crate::tree::{BinaryOperator, Expr, ExprKind, Literal, TextTest};

/// How deep filters may stand in each other.
const DEPTH_MAX: usize = 100;

/// How many filters and values a filter may have in all.
const NODES_MAX: usize = 10_000;

#[derive(Clone, Copy)]
enum Operator {
    And,
    Or,
    Not,
    Exists { is_negated: bool },
    Equality { is_negated: bool },
    Order(BinaryOperator),
    Text { test: TextTest, is_negated: bool },
}

const fn text(test: TextTest, is_negated: bool) -> Operator {
    Operator::Text { test, is_negated }
}

/// Every operator by each of its names.
const OPERATORS: &[(&str, Operator)] = &[
    ("and", Operator::And),
    ("or", Operator::Or),
    ("not", Operator::Not),
    ("==", Operator::Equality { is_negated: false }),
    ("eq", Operator::Equality { is_negated: false }),
    ("!=", Operator::Equality { is_negated: true }),
    ("ne", Operator::Equality { is_negated: true }),
    ("exists", Operator::Exists { is_negated: false }),
    ("not-exists", Operator::Exists { is_negated: true }),
    (">", Operator::Order(BinaryOperator::Greater)),
    ("gt", Operator::Order(BinaryOperator::Greater)),
    (">=", Operator::Order(BinaryOperator::GreaterOrEqual)),
    ("gte", Operator::Order(BinaryOperator::GreaterOrEqual)),
    ("<", Operator::Order(BinaryOperator::Less)),
    ("lt", Operator::Order(BinaryOperator::Less)),
    ("<=", Operator::Order(BinaryOperator::LessOrEqual)),
    ("lte", Operator::Order(BinaryOperator::LessOrEqual)),
    ("starts-with", text(TextTest::StartsWith, false)),
    ("not-starts-with", text(TextTest::StartsWith, true)),
    ("ends-with", text(TextTest::EndsWith, false)),
    ("not-ends-with", text(TextTest::EndsWith, true)),
    ("contains", text(TextTest::Contains, false)),
    ("not-contains", text(TextTest::Contains, true)),
    ("has", text(TextTest::Has, false)),
    ("not-has", text(TextTest::Has, true)),
    ("regexp", text(TextTest::Matches, false)),
    ("not-regexp", text(TextTest::Matches, true)),
];

/// The expression of a filter. `None` keeps every row.
pub(super) fn translate(filter: &Filter, now: i64) -> Result<Option<Expr>, Violation> {
    let mut translation = Translation { now, nodes: 0 };
    let expr = translation.filter(filter, "filter", 1)?;
    match expr {
        Some(expr) if height(&expr) > HEIGHT_MAX => {
            let problem = "must have fewer filters inside each other: join them in one list of children";
            Err(Violation::new("filter", Rule::Maximum, problem))
        }
        expr => Ok(expr),
    }
}

struct Translation {
    now: i64,
    nodes: usize,
}

impl Translation {
    fn filter(&mut self, filter: &Filter, path: &str, depth: usize) -> Result<Option<Expr>, Violation> {
        self.count(path)?;
        if depth > DEPTH_MAX {
            return Err(too_deep(path));
        }
        let is_unset = filter.op.is_empty() && filter.children.is_empty() && filter.field.is_empty();
        if is_unset {
            return Ok(None);
        }
        let found = OPERATORS.iter().find(|(name, _)| name.eq_ignore_ascii_case(filter.op.trim()));
        let Some((_, operator)) = found else {
            let names: Vec<&str> = OPERATORS.iter().map(|(name, _)| *name).collect();
            return Err(Violation::one_of(format!("{path}.op"), &names));
        };
        match operator {
            Operator::And | Operator::Or | Operator::Not => self.children(*operator, filter, path, depth),
            _ => self.comparison(*operator, filter, path).map(Some),
        }
    }

    fn count(&mut self, path: &str) -> Result<(), Violation> {
        self.nodes += 1;
        if self.nodes <= NODES_MAX {
            return Ok(());
        }
        let problem = format!("must not have more than {NODES_MAX} filters and values in all");
        Err(Violation::new(path, Rule::TooManyItems, problem))
    }

    fn children(
        &mut self,
        operator: Operator,
        filter: &Filter,
        path: &str,
        depth: usize,
    ) -> Result<Option<Expr>, Violation> {
        if filter.children.is_empty() && !matches!(operator, Operator::And) {
            let problem = "must have at least one filter";
            return Err(Violation::new(format!("{path}.children"), Rule::TooFewItems, problem));
        }
        let mut operands = Vec::with_capacity(filter.children.len());
        let mut keeps_all = false;
        for (place, child) in filter.children.iter().enumerate() {
            match self.filter(child, &format!("{path}.children.{place}"), depth + 1)? {
                Some(expr) => operands.push(expr),
                None => keeps_all = true,
            }
        }
        Ok(match operator {
            // One child that keeps every row is enough for that.
            Operator::Or if keeps_all => None,
            Operator::Or => balanced(BinaryOperator::Or, operands),
            Operator::Not => Some(match balanced(BinaryOperator::And, operands) {
                Some(all) => expr(ExprKind::Not(Box::new(all))),
                None => literal(Literal::Boolean(false)),
            }),
            _ => balanced(BinaryOperator::And, operands),
        })
    }

    fn comparison(&mut self, operator: Operator, filter: &Filter, path: &str) -> Result<Expr, Violation> {
        if filter.field.is_empty() {
            return Err(Violation::required(format!("{path}.field")));
        }
        let field = || expr(ExprKind::Field(filter.field.clone()));
        let value_path = format!("{path}.value");
        match operator {
            Operator::Exists { is_negated } => Ok(exists(field(), is_negated)),
            Operator::Equality { is_negated } => match &filter.value {
                Value::Array(values) => self.any_of(values, filter, is_negated, &value_path),
                value => self.equality(value, filter, is_negated, &value_path),
            },
            Operator::Order(binary) => {
                let right = match (&filter.value, is_time(&filter.field)) {
                    (Value::Null, _) => return Err(Violation::required(value_path)),
                    (value, true) => self.time(value, &value_path)?,
                    (Value::Integer(number), _) => Literal::Integer(*number),
                    (Value::Float(number), _) => Literal::Float(*number),
                    (Value::LongInteger(digits), _) => Literal::LongInteger(digits.clone()),
                    (Value::String(text), _) => Literal::String(text.clone()),
                    _ => return Err(Violation::wrong_type(value_path, "a number or a string")),
                };
                Ok(binary_of(binary, field(), right))
            }
            Operator::Text { test, is_negated } => {
                let wanted = as_text(&filter.value, &value_path)?;
                // A pattern says itself whether case counts.
                let is_case_sensitive = test == TextTest::Matches || filter.case_sensitive.unwrap_or(false);
                Ok(text_test(test, is_negated, is_case_sensitive, field(), wanted))
            }
            Operator::And | Operator::Or | Operator::Not => Ok(expr(ExprKind::Error)),
        }
    }

    /// Equal to one of the values, or to none of them.
    fn any_of(
        &mut self,
        values: &[Value],
        filter: &Filter,
        is_negated: bool,
        path: &str,
    ) -> Result<Expr, Violation> {
        let mut operands = Vec::with_capacity(values.len());
        for (place, value) in values.iter().enumerate() {
            self.count(path)?;
            operands.push(self.equality(value, filter, is_negated, &format!("{path}.{place}"))?);
        }
        let operator = if is_negated { BinaryOperator::And } else { BinaryOperator::Or };
        Ok(balanced(operator, operands).unwrap_or_else(|| literal(Literal::Boolean(is_negated))))
    }

    fn equality(
        &mut self,
        value: &Value,
        filter: &Filter,
        is_negated: bool,
        path: &str,
    ) -> Result<Expr, Violation> {
        let field = expr(ExprKind::Field(filter.field.clone()));
        let binary = if is_negated { BinaryOperator::NotEqual } else { BinaryOperator::Equal };
        let right = match value {
            Value::Null => return Ok(exists(field, !is_negated)),
            value if is_time(&filter.field) => self.time(value, path)?,
            Value::Boolean(value) => Literal::Boolean(*value),
            Value::Integer(number) => Literal::Integer(*number),
            Value::Float(number) => Literal::Float(*number),
            Value::LongInteger(digits) => Literal::LongInteger(digits.clone()),
            Value::String(text) => {
                let is_case_sensitive = filter.case_sensitive.unwrap_or(true);
                return Ok(text_test(TextTest::Equals, is_negated, is_case_sensitive, field, text.clone()));
            }
            Value::Array(_) | Value::Object(_) => {
                return Err(Violation::wrong_type(path, "a string, a number, a boolean or null"));
            }
        };
        Ok(binary_of(binary, field, right))
    }

    fn time(&self, value: &Value, path: &str) -> Result<Literal, Violation> {
        let Value::String(text) = value else { return Err(Violation::not_a_timestamp(path)) };
        let time = times::read(text, self.now).ok_or_else(|| Violation::not_a_timestamp(path))?;
        Ok(Literal::Datetime(datetime::clamped(time)))
    }
}

fn too_deep(path: &str) -> Violation {
    Violation::new(path, Rule::Maximum, format!("must not be nested more than {DEPTH_MAX} deep"))
}

/// Fields that hold times, whatever is stored.
fn is_time(field: &str) -> bool {
    matches!(field, "_time" | "_sysTime")
}

fn expr(kind: ExprKind) -> Expr {
    Expr::new(kind, Span::default())
}

fn literal(literal: Literal) -> Expr {
    expr(ExprKind::Literal(literal))
}

fn exists(field: Expr, is_negated: bool) -> Expr {
    let exists = expr(ExprKind::Exists(Box::new(field)));
    if is_negated { expr(ExprKind::Not(Box::new(exists))) } else { exists }
}

fn binary_of(operator: BinaryOperator, left: Expr, right: Literal) -> Expr {
    expr(ExprKind::Binary { operator, left: Box::new(left), right: Box::new(literal(right)) })
}

fn text_test(test: TextTest, is_negated: bool, is_case_sensitive: bool, left: Expr, right: String) -> Expr {
    let right = Box::new(literal(Literal::String(right)));
    expr(ExprKind::Text { test, is_negated, is_case_sensitive, left: Box::new(left), right })
}

/// The text that a value is searched as.
fn as_text(value: &Value, path: &str) -> Result<String, Violation> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        Value::LongInteger(digits) => Ok(digits.clone()),
        Value::Boolean(value) => Ok(value.to_string()),
        Value::Null => Err(Violation::required(path)),
        Value::Array(_) | Value::Object(_) => Err(Violation::wrong_type(path, "a string")),
    }
}

/// How high an expression is that a filter became. Filters are nested at most [`DEPTH_MAX`] deep and joined to low
/// trees, so that this may recurse.
fn height(expr: &Expr) -> usize {
    let below = match &expr.kind {
        ExprKind::Binary { left, right, .. } => height(left).max(height(right)),
        ExprKind::Not(operand) => height(operand),
        _ => 1,
    };
    below + 1
}
