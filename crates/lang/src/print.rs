//! An expression as text, such that reading the text gives the same expression, spans aside. Parentheses stand only
//! where they are needed. Three things that only the JSON query can say have no text of their own and are written as
//! the nearest there is: `Exists` as `isnotnull(…)`, an equality of texts with their case as `==`, an error as `?`.

mod queries;

use crate::lexer::{begins_literal, begins_word, continues_word};
use crate::parser::{CHAIN_MAX, is_reserved, operators};
use crate::tree::{BinaryOperator, Expr, ExprKind, Literal, TextTest};
use crate::{datetime, timespan};

pub use queries::{print_query, print_stage};

/// Binds tighter than any operator: members, calls, fields, literals.
const TIGHTEST: u8 = operators::UNARY + 1;

/// Prints an expression.
pub fn print_expression(expr: &Expr) -> String {
    let mut printer = Printer::default();
    printer.expr(expr);
    printer.finish()
}

/// A text that is being written.
#[derive(Debug, Default)]
pub(crate) struct Printer {
    text: String,
}

impl Printer {
    pub(crate) fn finish(self) -> String {
        self.text
    }

    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(crate) fn expr(&mut self, expr: &Expr) {
        self.print(expr, operators::LOWEST);
    }

    /// `left == right`.
    pub(crate) fn equality(&mut self, left: &Expr, right: &Expr) {
        self.sides(left, "==", right, operators::EQUALITY, false);
    }

    /// A name, in brackets where it needs them.
    pub(crate) fn name(&mut self, name: &str) {
        self.field(name);
    }

    /// A name behind which a parenthesis may stand, where that of a type would begin a literal.
    pub(crate) fn name_before_value(&mut self, name: &str) {
        if begins_literal(name) {
            self.quoted_name(name);
        } else {
            self.name(name);
        }
    }

    pub(crate) fn quoted_name(&mut self, name: &str) {
        self.text.push_str("['");
        self.escaped(name, '\'');
        self.text.push_str("']");
    }

    pub(crate) fn string(&mut self, value: &str) {
        self.text.push('"');
        self.escaped(value, '"');
        self.text.push('"');
    }

    /// Prints an expression in a place where operators must bind at least so tightly.
    fn print(&mut self, expr: &Expr, lowest: u8) {
        let is_enclosed = precedence_of(&expr.kind) < lowest;
        if is_enclosed {
            self.text.push('(');
        }
        self.bare(expr);
        if is_enclosed {
            self.text.push(')');
        }
    }

    fn bare(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Literal(literal) => self.literal(literal),
            ExprKind::Field(name) => self.field(name),
            ExprKind::AllFields => self.text.push('*'),
            ExprKind::Named { name, value } => {
                self.field(name);
                self.text.push_str(" = ");
                self.print(value, operators::LOWEST);
            }
            ExprKind::Table(query) => self.query(query, " | "),
            ExprKind::Member { of, key } => {
                self.print(of, TIGHTEST);
                self.text.push('[');
                self.print(key, operators::LOWEST);
                self.text.push(']');
            }
            ExprKind::Negate(operand) => self.negation(operand),
            ExprKind::Binary { operator: operator @ (BinaryOperator::And | BinaryOperator::Or), .. } => {
                self.chain(expr, *operator);
            }
            ExprKind::Binary { operator, left, right } => {
                let (name, own) = symbol(*operator);
                self.sides(left, name, right, own, is_left_associative(*operator));
            }
            ExprKind::Text { test, is_negated, is_case_sensitive, left, right } => {
                let own = precedence_of(&expr.kind);
                self.sides(left, &test_name(*test, *is_negated, *is_case_sensitive), right, own, false);
            }
            ExprKind::In { value, list, is_negated, is_case_sensitive } => {
                let name = format!(
                    "{}in{}",
                    if *is_negated { "!" } else { "" },
                    if *is_case_sensitive { "" } else { "~" }
                );
                self.membership(value, &name, list);
            }
            ExprKind::HasAny { value, list, is_case_sensitive } => {
                self.membership(value, if *is_case_sensitive { "has_any_cs" } else { "has_any" }, list);
            }
            ExprKind::Between { value, low, high, is_negated } => {
                self.print(value, operators::EQUALITY + 1);
                self.text.push_str(if *is_negated { " !between (" } else { " between (" });
                self.print(low, operators::LOWEST);
                self.text.push_str(" .. ");
                self.print(high, operators::LOWEST);
                self.text.push(')');
            }
            ExprKind::Call { function, arguments } => self.call(function, arguments),
            ExprKind::Exists(operand) => self.call("isnotnull", std::slice::from_ref(operand)),
            ExprKind::Not(operand) => self.call("not", std::slice::from_ref(operand)),
            ExprKind::Error => self.text.push('?'),
        }
    }

    fn sides(&mut self, left: &Expr, name: &str, right: &Expr, own: u8, is_left_associative: bool) {
        self.print(left, if is_left_associative { own } else { own + 1 });
        self.text.push(' ');
        self.text.push_str(name);
        self.text.push(' ');
        self.print(right, own + 1);
    }

    /// `and` and `or` as they lean to the left. The parser balances what is longer than a chain may be, so a longer
    /// one is cut by parentheses.
    fn chain(&mut self, expr: &Expr, chained: BinaryOperator) {
        let (name, own) = symbol(chained);
        let mut operands = Vec::new();
        let mut rest = expr;
        while let ExprKind::Binary { operator, left, right } = &rest.kind {
            if *operator != chained || operands.len() + 1 == CHAIN_MAX {
                break;
            }
            operands.push(&**right);
            rest = left;
        }
        self.print(rest, own + 1);
        for operand in operands.into_iter().rev() {
            self.text.push(' ');
            self.text.push_str(name);
            self.text.push(' ');
            self.print(operand, own + 1);
        }
    }

    /// A minus before a number would be read as part of it.
    fn negation(&mut self, operand: &Expr) {
        self.text.push('-');
        let is_signed = matches!(
            &operand.kind,
            ExprKind::Negate(_)
                | ExprKind::Literal(
                    Literal::Integer(_) | Literal::Float(_) | Literal::LongInteger(_) | Literal::Timespan(_)
                )
        );
        self.print(operand, if is_signed { u8::MAX } else { operators::UNARY });
    }

    fn membership(&mut self, value: &Expr, name: &str, list: &[Expr]) {
        self.print(value, operators::EQUALITY + 1);
        self.text.push(' ');
        self.call(&format!("{name} "), list);
    }

    fn call(&mut self, name: &str, arguments: &[impl std::borrow::Borrow<Expr>]) {
        self.text.push_str(name);
        self.text.push('(');
        for (place, argument) in arguments.iter().enumerate() {
            if place > 0 {
                self.text.push_str(", ");
            }
            self.print(argument.borrow(), operators::LOWEST);
        }
        self.text.push(')');
    }

    fn field(&mut self, name: &str) {
        if is_plain_name(name) {
            self.text.push_str(name);
            return;
        }
        self.quoted_name(name);
    }

    fn literal(&mut self, literal: &Literal) {
        let text = match literal {
            Literal::Null => "null".to_owned(),
            Literal::Boolean(value) => value.to_string(),
            Literal::Integer(i64::MIN) => format!("long({})", i64::MIN),
            Literal::Integer(value) => value.to_string(),
            Literal::Float(value) if value.is_nan() => "real(nan)".to_owned(),
            Literal::Float(value) if value.is_infinite() => {
                if *value > 0.0 { "real(+inf)" } else { "real(-inf)" }.to_owned()
            }
            Literal::Float(value) => format!("{value:?}"),
            Literal::LongInteger(digits) => digits.clone(),
            Literal::String(value) => return self.string(value),
            Literal::Datetime(time) => format!("datetime({})", datetime::print(*time)),
            Literal::Timespan(i64::MIN) => format!("timespan({})", timespan::print(i64::MIN)),
            Literal::Timespan(value) => timespan::print(*value),
            Literal::Dynamic(json) => format!("dynamic({json})"),
        };
        self.text.push_str(&text);
    }

    pub(crate) fn escaped(&mut self, value: &str, quote: char) {
        for character in value.chars() {
            match character {
                '\\' => self.text.push_str("\\\\"),
                '\n' => self.text.push_str("\\n"),
                '\r' => self.text.push_str("\\r"),
                '\t' => self.text.push_str("\\t"),
                control if control < ' ' => self.text.push_str(&format!("\\u{:04x}", control as u32)),
                _ => {
                    if character == quote {
                        self.text.push('\\');
                    }
                    self.text.push(character);
                }
            }
        }
    }
}

/// Whether a name can stand without brackets: words with dots between them, the first not taken by the language.
fn is_plain_name(name: &str) -> bool {
    let is_word = |word: &str| {
        let mut characters = word.chars();
        characters.next().is_some_and(begins_word) && characters.all(|c| continues_word(c) || c == '$')
    };
    name.split('.').all(is_word) && name.split('.').next().is_some_and(|first| !is_reserved(first))
}

fn precedence_of(kind: &ExprKind) -> u8 {
    match kind {
        ExprKind::Binary { operator, .. } => symbol(*operator).1,
        ExprKind::Text { test: TextTest::Equals, is_case_sensitive: true, .. } => operators::EQUALITY,
        ExprKind::Text { .. } => operators::TEXT,
        ExprKind::In { .. } | ExprKind::HasAny { .. } | ExprKind::Between { .. } => operators::EQUALITY,
        ExprKind::Negate(_) => operators::UNARY,
        ExprKind::Literal(Literal::Integer(value) | Literal::Timespan(value)) if *value < 0 => {
            operators::UNARY
        }
        ExprKind::Literal(Literal::Float(value)) if value.is_sign_negative() => operators::UNARY,
        ExprKind::Literal(Literal::LongInteger(digits)) if digits.starts_with('-') => operators::UNARY,
        ExprKind::Literal(_)
        | ExprKind::Field(_)
        | ExprKind::AllFields
        | ExprKind::Named { .. }
        | ExprKind::Table(_)
        | ExprKind::Member { .. }
        | ExprKind::Call { .. }
        | ExprKind::Exists(_)
        | ExprKind::Not(_)
        | ExprKind::Error => TIGHTEST,
    }
}

fn symbol(operator: BinaryOperator) -> (&'static str, u8) {
    match operator {
        BinaryOperator::Or => ("or", operators::OR),
        BinaryOperator::And => ("and", operators::AND),
        BinaryOperator::Equal => ("==", operators::EQUALITY),
        BinaryOperator::NotEqual => ("!=", operators::EQUALITY),
        BinaryOperator::Less => ("<", operators::RELATION),
        BinaryOperator::LessOrEqual => ("<=", operators::RELATION),
        BinaryOperator::Greater => (">", operators::RELATION),
        BinaryOperator::GreaterOrEqual => (">=", operators::RELATION),
        BinaryOperator::Add => ("+", operators::SUM),
        BinaryOperator::Subtract => ("-", operators::SUM),
        BinaryOperator::Multiply => ("*", operators::PRODUCT),
        BinaryOperator::Divide => ("/", operators::PRODUCT),
        BinaryOperator::Modulo => ("%", operators::PRODUCT),
    }
}

fn is_left_associative(operator: BinaryOperator) -> bool {
    matches!(symbol(operator).1, operators::SUM | operators::PRODUCT)
}

fn test_name(test: TextTest, is_negated: bool, is_case_sensitive: bool) -> String {
    let negation = if is_negated { "!" } else { "" };
    match (test, is_case_sensitive) {
        (TextTest::Equals, true) => if is_negated { "!=" } else { "==" }.to_owned(),
        (TextTest::Equals, false) => if is_negated { "!~" } else { "=~" }.to_owned(),
        (TextTest::Matches, _) => format!("{negation}matches regex"),
        _ => format!("{negation}{}", operators::test_word(test, is_case_sensitive).unwrap_or("contains")),
    }
}
