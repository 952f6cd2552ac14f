//! Statements of SQL as maps of their parts, and back.

mod expressions;
mod format;
mod lexer;
mod parser;
mod words;

use tidegauge_lang::tree::Type;

use super::call::{Call, Function, function};
use crate::error::Result;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] =
    &[function("parse_sql", 1, 1, parse_sql), function("format_sql", 1, 1, format_sql)];

/// Null for what cannot be read.
fn parse_sql(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| {
        text.push_str(&parser::parse(row.text(0))?.to_string());
        Some(())
    });
    call.result(Type::Map, [call.text(0)?], run)
}

/// Null for what is no statement.
fn format_sql(call: &Call<'_>) -> Result<Value> {
    let run = call.texts(|row, text| format::statement(&serde_json::from_str(row.text(0)).ok()?, text));
    call.result(Type::String, [call.json(0)?], run)
}
