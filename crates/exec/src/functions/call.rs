//! One call of a function while it is bound: its arguments in the types that it needs, its result, and the words for
//! what does not fit. An argument that is null in every row makes the result of most functions null.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, Int64Array, StringViewArray};
use tidegauge_lang::Span;
use tidegauge_lang::tree::Type;

use super::rows::{self, Row, Told};
use crate::error::{Error, Result, invalid_with};
use crate::expr::{Kernel, Typed};
use crate::kernels::{convert, logic, times};
use crate::lookup::Lookup;
use crate::notices::Notices;
use crate::value::Value;
use crate::words::{conversion, type_names};

/// A function of one row.
#[derive(Clone, Copy)]
pub(super) struct Function {
    pub(super) name: &'static str,
    /// The fewest and the most arguments.
    pub(super) least: usize,
    pub(super) most: usize,
    pub(super) bind: fn(&Call<'_>) -> Result<Value>,
}

/// The most arguments that a function with a repeating parameter takes.
pub(super) const MANY: usize = 64;

pub(super) const fn function(
    name: &'static str,
    least: usize,
    most: usize,
    bind: fn(&Call<'_>) -> Result<Value>,
) -> Function {
    Function { name, least, most, bind }
}

impl Function {
    pub(super) fn count_message(&self, given: usize) -> String {
        let Self { name, least, most, .. } = self;
        let takes = match (least, most) {
            (0, 0) => "no arguments".to_owned(),
            (1, 1) => "1 argument".to_owned(),
            (least, most) if least == most => format!("{least} arguments"),
            (least, most) => format!("{least} to {most} arguments"),
        };
        format!("`{name}` takes {takes}, and {given} are given")
    }
}

pub(super) struct Call<'a> {
    pub(super) name: &'static str,
    pub(super) span: Span,
    /// The moment of the query, in nanoseconds since 1970.
    pub(super) now: i64,
    pub(super) lookup: &'a Lookup,
    pub(super) notices: &'a Notices,
    pub(super) arguments: &'a [Value],
}

impl Call<'_> {
    pub(super) fn count(&self) -> usize {
        self.arguments.len()
    }

    /// An argument as it is; null where it is left out.
    pub(super) fn value(&self, place: usize) -> &Value {
        const NULL: &Value = &Value::NULL;
        self.arguments.get(place).unwrap_or(NULL)
    }

    /// The text of an argument, whatever it is. None where it is null in every row.
    pub(super) fn text(&self, place: usize) -> Result<Option<Typed>> {
        self.value(place).text()
    }

    pub(super) fn text_or(&self, place: usize, default: &str) -> Result<Option<Typed>> {
        if place < self.count() { self.text(place) } else { Ok(Some(literal_text(default))) }
    }

    pub(super) fn number(&self, place: usize) -> Result<Option<Typed>> {
        let number = self.value(place).number()?;
        self.required(place, number, "a number")
    }

    pub(super) fn float(&self, place: usize) -> Result<Option<Typed>> {
        self.number(place)?.map(convert::to_float).transpose()
    }

    /// A number without its fraction.
    pub(super) fn integer(&self, place: usize) -> Result<Option<Typed>> {
        self.number(place)?.map(convert::parse_integer).transpose()
    }

    pub(super) fn integer_or(&self, place: usize, default: i64) -> Result<Option<Typed>> {
        if place < self.count() { self.integer(place) } else { Ok(Some(literal_integer(default))) }
    }

    /// A time. Dynamic values give the times that their texts say.
    pub(super) fn datetime(&self, place: usize) -> Result<Option<Typed>> {
        let value = self.value(place);
        let dynamic =
            value.of_type(Type::Dynamic).cloned().map(|dynamic| times::parse(convert::to_text(dynamic)?));
        let times = value.datetime().into_iter().chain(dynamic.transpose()?).collect();
        let time = logic::first_of(times)?;
        self.required(place, time, "a datetime")
    }

    pub(super) fn timespan(&self, place: usize) -> Result<Option<Typed>> {
        let timespan = self.value(place).of_type(Type::Timespan).cloned();
        self.required(place, timespan, "a timespan")
    }

    /// The JSON text of an argument, whatever it is.
    pub(super) fn json(&self, place: usize) -> Result<Option<Typed>> {
        self.value(place).json()
    }

    /// Where it tells of what is too long.
    pub(super) fn told(&self) -> Told {
        Told { function: self.name, notices: self.notices.clone() }
    }

    /// A kernel that writes a text, or gives none for null.
    pub(super) fn texts(
        &self,
        write: impl Fn(Row<'_, '_>, &mut String) -> Option<()> + Send + Sync + 'static,
    ) -> Kernel {
        rows::texts(self.told(), write)
    }

    /// As [`Self::texts`], with something that the rows at hand share.
    pub(super) fn texts_with<S>(
        &self,
        begin: impl Fn() -> S + Send + Sync + 'static,
        write: impl Fn(&mut S, Row<'_, '_>, &mut String) -> Option<()> + Send + Sync + 'static,
    ) -> Kernel {
        rows::texts_with(self.told(), begin, write)
    }

    /// As [`Self::texts`], for a function that takes nulls.
    pub(super) fn texts_of_all(
        &self,
        write: impl Fn(Row<'_, '_>, &mut String) -> Option<()> + Send + Sync + 'static,
    ) -> Kernel {
        rows::texts_of_all(self.told(), write)
    }

    /// A condition; unknown where the argument is null.
    pub(super) fn condition(&self, place: usize) -> Result<Typed> {
        let condition = self.value(place).condition()?;
        let condition = self.required(place, condition, "true or false")?;
        Ok(condition.unwrap_or_else(|| logic::null(Type::Boolean)))
    }

    /// What an argument gave in the type that the function needs: an error if it is of another.
    pub(super) fn required(&self, place: usize, typed: Option<Typed>, what: &str) -> Result<Option<Typed>> {
        if typed.is_none() && !self.value(place).is_null() {
            return Err(self.mismatch(place, what));
        }
        Ok(typed)
    }

    /// The result; null where one of the arguments is null in every row.
    pub(super) fn result<const N: usize>(
        &self,
        kind: Type,
        arguments: [Option<Typed>; N],
        run: Kernel,
    ) -> Result<Value> {
        let Some(arguments) = arguments.into_iter().collect::<Option<Vec<Typed>>>() else {
            return Ok(Value::NULL);
        };
        Typed::call(self.name, kind, arguments, run).map(Value::from)
    }

    /// The result of a function that also takes nulls: those arguments that are null in every row are an empty text.
    pub(super) fn result_of_all(
        &self,
        kind: Type,
        arguments: Vec<Option<Typed>>,
        run: Kernel,
    ) -> Result<Value> {
        let null = || logic::null(Type::String);
        let arguments = arguments.into_iter().map(|argument| argument.unwrap_or_else(null)).collect();
        Typed::call(self.name, kind, arguments, run).map(Value::from)
    }

    pub(super) fn invalid(&self, message: impl Into<String>, hint: impl Into<String>) -> Error {
        invalid_with(self.span, message, hint)
    }

    pub(super) fn mismatch(&self, place: usize, what: &str) -> Error {
        let is = type_names(self.value(place));
        let message = format!("argument {} of `{}` must be {what}, and it is {is}", place + 1, self.name);
        invalid_with(self.span, message, conversion(what, self.value(place)))
    }
}

/// The text of a literal, for what can be made ready before any row is read.
pub(super) fn text_of_literal(typed: Option<&Typed>) -> Option<&str> {
    let literal = typed?.as_literal()?;
    let texts = literal.as_string_view_opt()?;
    texts.is_valid(0).then(|| texts.value(0))
}

pub(super) fn literal_text(text: &str) -> Typed {
    Typed::literal(Type::String, Arc::new(StringViewArray::from(vec![text])))
}

pub(super) fn literal_integer(integer: i64) -> Typed {
    Typed::literal(Type::Integer, Arc::new(Int64Array::from(vec![integer])))
}
