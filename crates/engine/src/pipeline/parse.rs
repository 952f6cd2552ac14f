//! `parse` and `parse-where`: texts taken apart by a pattern. Both read a text once for all columns.

use tidegauge_exec::expr::Typed;
use tidegauge_exec::kernels::extract::pattern::{Groups, Plain};
use tidegauge_exec::kernels::extract::{Extracted, extracted};
use tidegauge_exec::kernels::logic;
use tidegauge_lang::tree::{Column, Parse, ParseMode, ParsePart, Type};
use tidegauge_lang::{Diagnostic, Span};

use super::relation::Relation;
use crate::error::invalid_regex;
use crate::{Error, Result};

/// Flags of regular expressions.
const FLAGS: &str = "imsUx";

/// Adds the columns of a pattern. Where a text does not fit they are null.
pub(super) fn parse(relation: &mut Relation, parse: &Parse) -> Result<()> {
    columns(relation, parse).map(|_| ())
}

/// As [`parse`], without the rows whose text does not fit.
pub(super) fn parse_where(relation: &mut Relation, parse: &Parse) -> Result<()> {
    let is_found = columns(relation, parse)?;
    relation.keep(is_found);
    Ok(())
}

fn columns(relation: &mut Relation, parse: &Parse) -> Result<Typed> {
    relation.touch();
    relation.totals = None;
    let text = relation.scope.bind(&parse.of)?.text()?;
    let text = text.unwrap_or_else(|| logic::null(Type::String));
    if let Some(flags) = &parse.flags {
        check_flags(flags, parse)?;
    }
    let (columns, extracted) = match parse.mode {
        ParseMode::Regex => {
            let flags = parse.flags.as_deref().unwrap_or_default();
            let (groups, columns) = Groups::new(&parse.pattern, flags)
                .map_err(|error| invalid_regex(parse.of.span, " of `parse`", &error))?;
            let extracted = extracted(text, &columns, true, groups)?;
            (columns, extracted)
        }
        ParseMode::Simple | ParseMode::Relaxed => {
            let columns: Vec<Column> = parse.pattern.iter().filter_map(column).cloned().collect();
            let is_strict = parse.mode == ParseMode::Simple;
            let extracted = extracted(text, &columns, is_strict, Plain::new(&parse.pattern))?;
            (columns, extracted)
        }
    };
    Ok(define(relation, &columns, extracted))
}

/// Gives columns their names.
pub(super) fn define(relation: &mut Relation, columns: &[Column], extracted: Extracted) -> Typed {
    for (column, typed) in columns.iter().zip(extracted.columns) {
        relation.about.aggregates.remove(&column.name);
        relation.scope.define(&column.name, typed.into());
    }
    extracted.is_found
}

fn column(part: &ParsePart) -> Option<&Column> {
    match part {
        ParsePart::Column(column) => Some(column),
        ParsePart::Skip | ParsePart::Text(_) => None,
    }
}

fn check_flags(flags: &str, parse: &Parse) -> Result<()> {
    if parse.mode != ParseMode::Regex {
        let message = "`flags` are those of regular expressions";
        return Err(invalid(parse.of.span, message.to_owned(), "write `kind=regex` before them"));
    }
    match flags.chars().find(|flag| !FLAGS.contains(*flag)) {
        None => Ok(()),
        Some(flag) => {
            let hint =
                "write `i` for any case, `s` for `.` at ends of lines, `m` for lines, `U` for shortest";
            Err(invalid(parse.of.span, format!("`{flag}` is no flag of a regular expression"), hint))
        }
    }
}

fn invalid(span: Span, message: String, hint: &str) -> Error {
    Error::Invalid(vec![Diagnostic::new(message, span).with_hint(hint)])
}
