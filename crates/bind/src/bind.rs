//! From the tree's expressions to typed ones: names become columns of the scan or what was computed before, and each
//! operator gets its arguments in the types it needs. What cannot be is told with its place in the query.

use std::sync::atomic::Ordering;

use tidegauge_exec::expr::Typed;
use tidegauge_exec::kernels::{arithmetic, logic};
use tidegauge_exec::operators::{member, text};
use tidegauge_exec::words::{conversion, type_names};
use tidegauge_exec::{Error, Result, Value, functions, invalid, invalid_with};
use tidegauge_lang::Span;
use tidegauge_lang::tree::{Expr, ExprKind, Type};

use crate::scope::Scope;

/// How long the constants of a query may be together. They live as long as the query and no budget counts them.
const CONSTANTS_MIB_MAX: usize = 64;

/// How much all long constants may come to that were ever computed for a query. An expression is bound several times at
/// most, so this is met only where many stages make long constants, each of which alone is short enough.
const COMPUTED_MIB_MAX: usize = 4 * CONSTANTS_MIB_MAX;

/// Constants up to this length are only counted together with longer ones.
const CONSTANT_BYTES_LEAST: usize = 4 << 10;

impl Scope {
    /// Binds an expression. What is found wrong by who does not know the text has the place of the innermost one.
    pub fn bind(&mut self, expr: &Expr) -> Result<Value> {
        self.bound(expr).map_err(|error| error.at(expr.span))
    }

    fn bound(&mut self, expr: &Expr) -> Result<Value> {
        match &expr.kind {
            ExprKind::Literal(literal) => Ok(Value::literal(literal)),
            ExprKind::Field(name) => self.field(name, expr.span),
            ExprKind::Member { of, key } => Ok(member::member(&self.bind(of)?, &self.bind(key)?)?),
            ExprKind::Negate(of) => self.negate(of),
            ExprKind::Not(of) => Ok(logic::not(self.condition(of)?)?.into()),
            ExprKind::Exists(of) => Ok(self.bind(of)?.exists()?.into()),
            ExprKind::Text { left, .. } | ExprKind::Binary { left, .. }
                if matches!(left.kind, ExprKind::AllFields) =>
            {
                self.in_any_field(expr)
            }
            ExprKind::Binary { operator, left, right } => self.binary(expr.span, *operator, left, right),
            ExprKind::Text { test, is_negated, is_case_sensitive, left, right } => {
                let (left, right) = (self.bind(left)?, self.bind_needle(*test, right)?);
                let passes = text::test(*test, *is_case_sensitive, &left, &right)?;
                negated(passes, *is_negated)
            }
            ExprKind::In { value, list, is_negated, is_case_sensitive } => {
                let passes = self.is_among(value, list, *is_case_sensitive)?;
                negated(passes, *is_negated)
            }
            ExprKind::HasAny { value, list, is_case_sensitive } => {
                Ok(self.has_any(value, list, *is_case_sensitive)?.into())
            }
            ExprKind::Between { value, low, high, is_negated } => {
                let passes = self.is_between(value, low, high)?;
                negated(passes, *is_negated)
            }
            ExprKind::Call { function, arguments } => self.call(expr.span, function, arguments),
            // Alone it is what `search *` says: every row.
            ExprKind::AllFields => Ok(logic::constant(true).into()),
            ExprKind::Named { value, .. } => self.bind(value),
            ExprKind::Table(_) => Err(invalid(expr.span, "a table can stand after `in` alone")),
            ExprKind::Error => Err(invalid(expr.span, "this part of the query cannot be understood")),
        }
    }

    /// Binds an expression that must be true or false.
    pub fn condition(&mut self, expr: &Expr) -> Result<Typed> {
        let value = self.bind(expr)?;
        if value.is_null() {
            return Ok(logic::null(Type::Boolean));
        }
        value.condition()?.ok_or_else(|| {
            let message = format!("a condition must be true or false, and this is {}", type_names(&value));
            invalid_with(expr.span, message, conversion("true or false", &value))
        })
    }

    fn negate(&mut self, of: &Expr) -> Result<Value> {
        let value = self.bind(of)?;
        let number = match value.of_type(Type::Timespan) {
            Some(timespan) => Some(timespan.clone()),
            None => value.number()?,
        };
        match number {
            Some(number) => Ok(arithmetic::negate(number)?.into()),
            None if value.is_null() => Ok(Value::NULL),
            None => {
                let message = format!("only a number can be negated, and this is {}", type_names(&value));
                Err(invalid_with(of.span, message, conversion("a number", &value)))
            }
        }
    }

    fn call(&mut self, span: Span, function: &str, arguments: &[Expr]) -> Result<Value> {
        if let Some(value) = self.special(span, function, arguments)? {
            return Ok(value);
        }
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.bind(argument)?);
        }
        match functions::call(function, &values, span, self.surroundings().around())? {
            Some(value) => {
                // Short ones are not worth looking at all the others.
                let length = value.literal_bytes();
                if length > CONSTANT_BYTES_LEAST {
                    let named = self.surroundings().constants.values().map(Value::literal_bytes);
                    check_constants(length.saturating_add(named.sum()), span)?;
                    self.check_computed(length, span)?;
                }
                Ok(value)
            }
            None => Err(invalid(span, format!("function '{function}' not found"))),
        }
    }
}

impl Scope {
    /// Refuses one more long constant where the query has made too many.
    fn check_computed(&self, length: usize, span: Span) -> Result<()> {
        let before = self.surroundings().computed_bytes.fetch_add(length, Ordering::Relaxed);
        if before.saturating_add(length) > COMPUTED_MIB_MAX << 20 {
            return Err(too_long(span));
        }
        Ok(())
    }
}

pub(crate) fn negated(passes: Typed, is_negated: bool) -> Result<Value> {
    Ok(if is_negated { logic::not(passes)? } else { passes }.into())
}

/// Refuses constants that are too long together.
pub fn check_constants(bytes: usize, span: Span) -> Result<()> {
    if bytes > CONSTANTS_MIB_MAX << 20 {
        return Err(too_long(span));
    }
    Ok(())
}

fn too_long(span: Span) -> Error {
    let message = format!("the constants of the query have more than {CONSTANTS_MIB_MAX} MiB together");
    invalid_with(span, message, "write shorter ones, or fewer")
}
