//! `parse-kv`: keys and their values taken out of texts.

use tidegauge_exec::kernels::extract::extracted;
use tidegauge_exec::kernels::extract::pairs::{Form, Pairs, Quotes};
use tidegauge_exec::kernels::{logic, text};
use tidegauge_lang::tree::{Column, ParseKeyValue, Type};
use tidegauge_lang::{Diagnostic, Span};

use super::parse::define;
use super::relation::Relation;
use crate::error::invalid_regex;
use crate::{Error, Result};

/// Adds a column for each key; null where a text does not have it.
pub(super) fn parse_kv(relation: &mut Relation, parse: &ParseKeyValue) -> Result<()> {
    relation.touch();
    relation.totals = None;
    let span = parse.of.span;
    let text = relation.scope.bind(&parse.of)?.text()?;
    let text = text.unwrap_or_else(|| logic::null(Type::String));
    let keys: Vec<String> = parse.keys.iter().map(|key| key.name.clone()).collect();
    let pairs = Pairs { keys, form: form(parse, span)?, quotes: quotes(parse, span)? };
    let columns: Vec<Column> = parse.keys.clone();
    let extracted = extracted(text, &columns, false, pairs)?;
    define(relation, &columns, extracted);
    Ok(())
}

fn form(parse: &ParseKeyValue, span: Span) -> Result<Form> {
    let has_delimiter = parse.pair_delimiter.is_some() || parse.kv_delimiter.is_some();
    if let Some(source) = &parse.regex {
        if has_delimiter || parse.is_greedy {
            let hint = "leave the delimiters and `greedy` out, or the regular expression";
            return Err(invalid(span, "`regex` excludes delimiters".to_owned(), hint));
        }
        let hint = "write one group for the key and one for the value: `(\\w+)=(\\w+)`";
        let regex = text::regex(source).map_err(|error| invalid_regex(span, " of `parse-kv`", &error))?;
        if regex.captures_len() != 3 {
            let message = "the regular expression of `parse-kv` needs two groups".to_owned();
            return Err(invalid(span, message, hint));
        }
        return Ok(Form::Regex(regex));
    }
    if !has_delimiter && !parse.is_greedy {
        return Ok(Form::Words);
    }
    let pair = parse.pair_delimiter.as_deref().unwrap_or(" ");
    let key_value = parse.kv_delimiter.as_deref().unwrap_or("=");
    if pair.is_empty() || key_value.is_empty() {
        let hint = "write what stands between pairs, and between a key and its value";
        return Err(invalid(span, "a delimiter of `parse-kv` is empty".to_owned(), hint));
    }
    let is_greedy = parse.is_greedy;
    Ok(Form::Delimited { pair: pair.to_owned(), key_value: key_value.to_owned(), is_greedy })
}

fn quotes(parse: &ParseKeyValue, span: Span) -> Result<Quotes> {
    let around = match parse.quote.as_deref().map(|quote| quote.chars().collect::<Vec<char>>()) {
        None => None,
        Some(marks) => match marks[..] {
            [both] => Some((both, both)),
            [open, close] => Some((open, close)),
            _ => {
                let hint = "write one mark for both ends, or the opening and the closing one: `quote=\"()\"`";
                let message = "`quote` is one mark or two".to_owned();
                return Err(invalid(span, message, hint));
            }
        },
    };
    let mut escapes = parse.escape.as_deref().unwrap_or_default().chars();
    let escape = escapes.next();
    if escapes.next().is_some() {
        let message = "`escape` is one mark".to_owned();
        return Err(invalid(span, message, "write `escape=\"\\\\\"` for a backslash"));
    }
    Ok(Quotes { around, escape })
}

fn invalid(span: Span, message: String, hint: &str) -> Error {
    Error::Invalid(vec![Diagnostic::new(message, span).with_hint(hint)])
}
