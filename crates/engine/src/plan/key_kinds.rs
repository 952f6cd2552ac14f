//! Whether keys of groups are shown as integers or as floats. Equal numbers are one group however they came, so beside
//! integers beyond 64 bits a whole float is a key with all of its digits. Where all values of a group came as floats it is
//! shown as one: an aggregate that nobody asked for tells whether an integer was among them.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, StringViewArray};
use tidegauge_aggregates as aggregates;
use tidegauge_exec::Value;
use tidegauge_exec::expr::Typed;
use tidegauge_exec::kernels::digits::Number;
use tidegauge_exec::kernels::{cellwise, digits, json, logic};
use tidegauge_lang::tree::Type;

use super::groups::{GroupsPlan, PlannedAggregate, Shape};
use crate::answer::Table;
use crate::{AggregateInfo, Error, Result};

/// Whether each number of a key is an integer, as 1 or 0. None where the key itself tells.
pub(crate) fn is_integer(key: &Value) -> Result<Option<Typed>> {
    if !key.has_long_integers() || key.of_type(Type::Float).is_none() {
        return Ok(None);
    }
    let parts = key.only_numbers().variants.into_iter().map(|number| {
        let run = match number.kind {
            Type::Float => cellwise::integers(|_, _| Some(0)),
            Type::Dynamic => cellwise::integers(|array, row| {
                let number = Number::of_json(array.as_string_view().value(row))?;
                Some(i64::from(!matches!(number, Number::Float(_))))
            }),
            _ => cellwise::integers(|_, _| Some(1)),
        };
        Typed::call("is_integer", Type::Integer, vec![number], run)
    });
    Ok(logic::first_of(parts.collect::<tidegauge_exec::Result<Vec<Typed>>>()?)?)
}

impl GroupsPlan {
    /// Has it told whether a key's values are integers. Nothing is planned after that.
    pub(crate) fn tell_kind(&mut self, place: usize, is_integer: Typed) {
        self.told_keys.push(place);
        self.aggregates.push(PlannedAggregate {
            name: format!("is_integer {place}"),
            info: AggregateInfo { name: "max", fields: Vec::new(), arguments: Vec::new() },
            function: aggregates::max(),
            arguments: vec![is_integer],
            shape: Shape::As(Type::Integer),
        });
    }

    /// Leaves out what tells it, and shows the keys by it.
    pub(crate) fn show_kinds(&self, tables: &mut [Table]) -> Result<()> {
        for table in tables {
            let first_told = table.fields.len().checked_sub(self.told_keys.len()).ok_or_else(unexpected)?;
            let told = table.fields.split_off(first_told);
            let first_key = usize::from(table.bucket.is_some());
            for (place, told) in self.told_keys.iter().zip(told) {
                let key = table.fields.get_mut(first_key + place).ok_or_else(unexpected)?;
                if let ([(_, keys)], [(_, told)]) = (key.values.as_mut_slice(), told.values.as_slice()) {
                    *keys = shown(keys, told)?;
                }
            }
        }
        Ok(())
    }
}

/// Keys beyond 64 bits as floats where no integer was among their values.
fn shown(keys: &ArrayRef, told: &ArrayRef) -> Result<ArrayRef> {
    let texts = keys.as_string_view_opt().ok_or_else(unexpected)?;
    let told = told.as_primitive_opt::<Int64Type>().ok_or_else(unexpected)?;
    let shown = texts.iter().zip(told.iter()).map(|(text, told)| {
        let text = text?;
        Some(match Number::of_json(text) {
            Some(Number::Long(of)) if told == Some(0) => {
                let mut float = String::new();
                json::write_float_json(digits::float(of), &mut float);
                Cow::Owned(float)
            }
            _ => Cow::Borrowed(text),
        })
    });
    Ok(Arc::new(shown.collect::<StringViewArray>()))
}

fn unexpected() -> Error {
    Error::Internal { message: "groups do not tell of the kinds of their keys".to_owned() }
}
