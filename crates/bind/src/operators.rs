//! Operators between two or more expressions.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use tidegauge_exec::expr::Typed;
use tidegauge_exec::kernels::{arithmetic, logic, text};
use tidegauge_exec::operators::compare;
use tidegauge_exec::words::type_names;
use tidegauge_exec::{Error, Result, Value, invalid_regex, invalid_with};
use tidegauge_lang::Span;
use tidegauge_lang::tree::{BinaryOperator, Expr, TextTest, Type};

use crate::scope::Scope;
use crate::words::computation;

impl Scope {
    pub(super) fn binary(
        &mut self,
        span: Span,
        operator: BinaryOperator,
        left: &Expr,
        right: &Expr,
    ) -> Result<Value> {
        use BinaryOperator::{And, Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual, Or};
        let mut sides = || {
            let values = (self.bind(left)?, self.bind(right)?);
            self.check_comparison(span, &values.0, &values.1)?;
            self.tell_of_text_with_number(left, &values.0, &values.1);
            self.tell_of_text_with_number(right, &values.1, &values.0);
            Ok::<_, Error>(values)
        };
        match operator {
            And => Ok(Typed::all(vec![self.condition(left)?, self.condition(right)?]).into()),
            Or => Ok(Typed::any(vec![self.condition(left)?, self.condition(right)?]).into()),
            Equal => {
                let (left, right) = sides()?;
                Ok(compare::equal(&left, &right)?.into())
            }
            NotEqual => {
                let (left, right) = sides()?;
                Ok(logic::not(compare::equal(&left, &right)?)?.into())
            }
            Less | LessOrEqual | Greater | GreaterOrEqual => {
                let (left, right) = sides()?;
                Ok(compare::ordered(&left, &right, operator)?.into())
            }
            _ => self.arithmetic(span, operator, left, right),
        }
    }

    fn arithmetic(
        &mut self,
        span: Span,
        operator: BinaryOperator,
        left: &Expr,
        right: &Expr,
    ) -> Result<Value> {
        let (left, right) = (self.bind(left)?, self.bind(right)?);
        if left.is_null() || right.is_null() {
            return Ok(Value::NULL);
        }
        let computed = match (operand(&left)?, operand(&right)?) {
            (Some(left), Some(right)) => arithmetic::binary(left, right, operator)?,
            _ => None,
        };
        computed.map(Value::from).ok_or_else(|| {
            let message = format!("cannot compute with {} and {}", type_names(&left), type_names(&right));
            invalid_with(span, message, computation(&left, &right))
        })
    }

    /// The right side of a test of text. A regular expression is checked before any row is read.
    pub(super) fn bind_needle(&mut self, test: TextTest, needle: &Expr) -> Result<Value> {
        let value = self.bind(needle)?;
        if test == TextTest::Matches
            && let Some(literal) = value.of_type(Type::String).and_then(Typed::as_literal)
            && literal.is_valid(0)
            && let Err(error) = text::regex(literal.as_string_view().value(0))
        {
            return Err(invalid_regex(needle.span, "", &error));
        }
        Ok(value)
    }

    pub(super) fn is_between(&mut self, value: &Expr, low: &Expr, high: &Expr) -> Result<Typed> {
        let (named, span) = (value, value.span.to(high.span));
        let value = self.bind(value)?;
        let (low, high) = (self.bind(low)?, self.bind(high)?);
        self.tell_of_text_with_number(named, &value, &low);
        self.check_comparison(span, &value, &low)?;
        self.check_comparison(span, &value, &high)?;
        Ok(Typed::all(vec![
            compare::ordered(&value, &low, BinaryOperator::GreaterOrEqual)?,
            compare::ordered(&value, &high, BinaryOperator::LessOrEqual)?,
        ]))
    }
}

/// What can be computed with: a time, a timespan, or the numbers of a value.
fn operand(value: &Value) -> Result<Option<Typed>> {
    for kind in [Type::Datetime, Type::Timespan] {
        if let Some(typed) = value.of_type(kind) {
            return Ok(Some(typed.clone()));
        }
    }
    value.number()
}
