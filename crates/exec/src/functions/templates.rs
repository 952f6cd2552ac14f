//! The template of a text: what stays the same in texts that a program writes again and again. Of a stored field it is
//! read as a column of its own, which the binder sees to.

use tidegauge_lang::tree::Type;
use tidegauge_model::template::{Splitter, write_shown};

use super::call::{Call, Function, function};
use crate::error::Result;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[function("template", 1, 1, template)];

fn template(call: &Call<'_>) -> Result<Value> {
    let run = call.texts_with(Splitter::default, |splitter, row, text| {
        splitter.split(row.text(0));
        write_shown(splitter.template(), text);
        Some(())
    });
    call.result(Type::String, [call.text(0)?], run)
}
