//! `redact`: what regular expressions find in texts is replaced. Texts inside arrays and maps stay as they are.

use tidegauge_exec::Value;
use tidegauge_exec::kernels::redact::{Redaction, Replacement};
use tidegauge_exec::kernels::text;
use tidegauge_lang::tree::{NamePattern, Redact, Type};

use super::project::check;
use super::relation::Relation;
use crate::Result;
use crate::error::{invalid_regex, invalid_with};

pub(super) fn redact(relation: &mut Relation, redact: &Redact) -> Result<()> {
    let redaction = redaction(redact)?;
    relation.totals = None;
    let plain: Option<Vec<&str>> = redact.fields.iter().map(NamePattern::plain).collect();
    if let Some(names) = plain.filter(|names| !names.is_empty()) {
        relation.touch();
        for (name, pattern) in names.into_iter().zip(&redact.fields) {
            let value = redacted(&relation.scope.field(name, pattern.span)?, &redaction)?;
            relation.scope.define(name, value);
        }
        return Ok(());
    }
    let mut fields = relation.scope.fields()?;
    check(&redact.fields, &fields)?;
    for (name, value) in &mut fields {
        if redact.fields.is_empty() || redact.fields.iter().any(|pattern| pattern.fits(name)) {
            *value = redacted(value, &redaction)?;
        }
    }
    // All fields are listed, so that none comes to light that was not known here.
    relation.list(fields);
    Ok(())
}

/// A value with its texts replaced.
fn redacted(value: &Value, redaction: &Redaction) -> Result<Value> {
    let mut variants = Vec::with_capacity(value.variants.len());
    for variant in &value.variants {
        variants.push(match variant.kind {
            Type::String => redaction.of(variant.clone())?,
            _ => variant.clone(),
        });
    }
    Ok(Value { variants })
}

fn redaction(redact: &Redact) -> Result<Redaction> {
    let mut patterns = Vec::with_capacity(redact.patterns.len());
    for pattern in &redact.patterns {
        let regex =
            text::regex(pattern).map_err(|error| invalid_regex(redact.span, " of `redact`", &error))?;
        if redact.is_groups && regex.captures_len() < 2 {
            let message = format!("the regular expression \"{pattern}\" has no group");
            let hint = "put what is replaced in parentheses, or leave `redactGroups` out";
            return Err(invalid_with(redact.span, message, hint));
        }
        patterns.push(regex);
    }
    let token = redact.token.as_deref().unwrap_or("*");
    let mut marks = token.chars();
    let replacement = match (redact.is_hash, marks.next(), marks.next()) {
        (true, _, _) => Replacement::Hash,
        (false, Some(mark), None) => Replacement::Mark(mark),
        _ => Replacement::Text(token.to_owned()),
    };
    Ok(Redaction { patterns, replacement, is_groups: redact.is_groups })
}
