//! Functions that ask for names or for the query itself, not only for values: whether a field is there, when an event
//! arrived, all fields at once, and what is tested in any of them.

use tidegauge_exec::expr::Typed;
use tidegauge_exec::kernels::logic;
use tidegauge_exec::{ARRIVAL_FIELD, Result, Value, functions, invalid_with};
use tidegauge_lang::Span;
use tidegauge_lang::tree::{Expr, ExprKind, Literal, Type};

use crate::bind::negated;
use crate::scope::Scope;

/// The functions that are bound here, with how many arguments they take. Those that take `*` are in the library too.
pub const SPECIAL: &[(&str, usize)] = &[
    ("bin_auto", 1),
    ("column_ifexists", 2),
    ("cursor_current", 0),
    ("ensure_field", 2),
    ("ingestion_time", 0),
];

impl Scope {
    /// Calls a function that is none of values alone; none where it is one.
    pub(super) fn special(
        &mut self,
        span: Span,
        function: &str,
        arguments: &[Expr],
    ) -> Result<Option<Value>> {
        Ok(Some(match (function, arguments) {
            ("column_ifexists" | "columnifexists", [name, otherwise]) => {
                let name = self.name_of(name)?;
                if self.has(&name) { self.field(&name, span)? } else { self.bind(otherwise)? }
            }
            (tidegauge_lang::OWN_FIELD, [field]) => self.without_constants(|scope| scope.bind(field))?,
            ("ensure_field", [name, kind]) => {
                let name = self.name_of(name)?;
                if self.has(&name) { self.field(&name, span)? } else { logic::null(kind_of(kind)).into() }
            }
            ("ingestion_time", []) if self.has(ARRIVAL_FIELD) => self.field(ARRIVAL_FIELD, span)?,
            ("ingestion_time", []) => logic::null(Type::Datetime).into(),
            ("cursor_current", []) => self.cursor(),
            ("bin_auto", [of]) => self.bin_auto(span, of)?,
            ("template", [of]) => {
                let value = self.bind(of)?;
                // Of a field that has texts alone, templates are known without reading them.
                match value.variants.as_slice() {
                    [only] => match self.template_of(only) {
                        Some(template) => template.into(),
                        None => return Ok(None),
                    },
                    _ => return Ok(None),
                }
            }
            ("pack" | "bag_pack" | "pack_dictionary" | "pack_array", arguments)
                if arguments.iter().any(|argument| matches!(argument.kind, ExprKind::AllFields)) =>
            {
                self.pack(span, function, arguments)?
            }
            _ => return Ok(None),
        }))
    }

    /// A name that is given as a text, or as the field itself.
    fn name_of(&mut self, expr: &Expr) -> Result<String> {
        match &expr.kind {
            ExprKind::Literal(Literal::String(name)) | ExprKind::Field(name) => Ok(name.clone()),
            _ => Err(invalid_with(
                expr.span,
                "the name of a field must stand here as a text",
                "write it in quotes, such as `\"host\"`",
            )),
        }
    }

    /// Times in buckets whose length follows from the range of the query.
    fn bin_auto(&mut self, span: Span, of: &Expr) -> Result<Value> {
        let Some(step) = self.surroundings().auto_step else {
            return Err(invalid_with(span, "`bin_auto` needs a range of time", "write `bin(_time, 1h)`"));
        };
        let arguments = [self.bind(of)?, Value::literal(&Literal::Timespan(step))];
        Ok(functions::call("bin", &arguments, span, self.surroundings().around())?.unwrap_or_default())
    }

    /// All fields of a row in one value.
    fn pack(&mut self, span: Span, function: &str, arguments: &[Expr]) -> Result<Value> {
        let mut values = Vec::new();
        for argument in arguments {
            if !matches!(argument.kind, ExprKind::AllFields) {
                values.push(self.bind(argument)?);
                continue;
            }
            for (name, value) in self.fields()? {
                if function != "pack_array" {
                    values.push(Value::literal(&Literal::String(name)));
                }
                values.push(value);
            }
        }
        Ok(functions::call_with_many(function, &values, span, self.surroundings().around())?
            .unwrap_or_default())
    }

    /// A test of `*`: whether it is true for any field.
    pub(super) fn in_any_field(&mut self, expr: &Expr) -> Result<Value> {
        let mut tests = Vec::new();
        let is_negated = matches!(&expr.kind, ExprKind::Text { is_negated: true, .. });
        for name in self.names() {
            let mut test = expr.clone();
            if let ExprKind::Text { left, is_negated, .. } = &mut test.kind {
                left.kind = ExprKind::Field(name);
                *is_negated = false;
            } else if let ExprKind::Binary { left, .. } = &mut test.kind {
                left.kind = ExprKind::Field(name);
            }
            tests.push(logic::known(self.condition(&test)?)?);
        }
        let passes = if tests.is_empty() { logic::constant(false) } else { Typed::any(tests) };
        negated(passes, is_negated)
    }
}

/// The type that `typeof(…)` names.
fn kind_of(expr: &Expr) -> Type {
    let word = match &expr.kind {
        ExprKind::Call { function, arguments } if function == "typeof" => match arguments.first() {
            Some(Expr { kind: ExprKind::Field(word) | ExprKind::Literal(Literal::String(word)), .. }) => word,
            _ => return Type::Dynamic,
        },
        ExprKind::Field(word) | ExprKind::Literal(Literal::String(word)) => word,
        _ => return Type::Dynamic,
    };
    match word.as_str() {
        "bool" | "boolean" => Type::Boolean,
        "int" | "long" => Type::Integer,
        "real" | "double" => Type::Float,
        "string" => Type::String,
        "datetime" | "date" => Type::Datetime,
        "timespan" | "time" => Type::Timespan,
        _ => Type::Dynamic,
    }
}
