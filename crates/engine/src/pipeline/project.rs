//! `project` and its kin: which fields there are, under which names, in which order.

use std::cmp::Ordering;

use tidegauge_bind::unknown_field;
use tidegauge_exec::Value;
use tidegauge_exec::operators::member::has_maps;
use tidegauge_lang::tree::{NamePattern, Named, Renamed, ReorderBy, Reordered, Type};
use tidegauge_model::columns::TIME_FIELD;

use super::relation::Relation;
use crate::error::invalid_with;
use crate::{Error, Result};

pub(super) fn project(relation: &mut Relation, fields: &[Named]) -> Result<()> {
    let bound = |relation: &mut Relation| {
        let mut projected = Vec::with_capacity(fields.len());
        for field in fields {
            projected.push((field.name.clone(), relation.scope.bind(&field.expr)?));
        }
        relation.list(projected);
        Ok::<(), Error>(())
    };
    if let Some(totals) = &mut relation.totals
        && bound(totals).is_err()
    {
        relation.totals = None;
    }
    bound(relation)?;
    let fields = relation.scope.fields()?;
    forget_what_is_gone(relation, &fields);
    // What is left are columns like any others.
    relation.about.aggregates.clear();
    relation.about.groups.clear();
    Ok(())
}

pub(super) fn away(relation: &mut Relation, patterns: &[NamePattern]) -> Result<()> {
    relist(relation, |fields| {
        check(patterns, fields)?;
        fields.retain(|(name, _)| !patterns.iter().any(|pattern| pattern.fits(name)));
        Ok(())
    })
}

pub(super) fn keep(relation: &mut Relation, patterns: &[NamePattern]) -> Result<()> {
    relist(relation, |fields| {
        check(patterns, fields)?;
        fields.retain(|(name, _)| patterns.iter().any(|pattern| pattern.fits(name)));
        Ok(())
    })
}

pub(super) fn rename(relation: &mut Relation, renamed: &[Renamed]) -> Result<()> {
    // A field of a dataset may be known to no event yet, and has a name for others nevertheless.
    for pair in renamed {
        if relation.scope.is_open() && !relation.scope.has(&pair.from) {
            let value = relation.scope.field(&pair.from, pair.span)?;
            relation.scope.define(&pair.from, value);
        }
    }
    let names = relation.about.clone();
    relist(relation, |fields| {
        for pair in renamed {
            check(&[NamePattern { parts: vec![pair.from.clone()], span: pair.span }], fields)?;
        }
        // All at once, so that two can change their names.
        let new_names: Vec<&str> = renamed.iter().map(|pair| pair.name.as_str()).collect();
        let old_names: Vec<&str> = renamed.iter().map(|pair| pair.from.as_str()).collect();
        fields.retain(|(name, _)| old_names.contains(&name.as_str()) || !new_names.contains(&name.as_str()));
        for (name, _) in fields.iter_mut() {
            if let Some(pair) = renamed.iter().find(|pair| pair.from == *name) {
                name.clone_from(&pair.name);
            }
        }
        Ok(())
    })?;
    let now = |name: &String| new_name(name, renamed);
    let about = &mut relation.about;
    about.groups = names.groups.iter().filter_map(now).collect();
    let aggregates = names.aggregates.into_iter().filter_map(|(name, info)| Some((now(&name)?, info)));
    about.aggregates = aggregates.collect();
    Ok(())
}

/// What a field is called afterwards; nothing where another one took its name.
fn new_name(name: &String, renamed: &[Renamed]) -> Option<String> {
    let own = renamed.iter().find(|pair| pair.from == *name).map(|pair| pair.name.clone());
    own.or_else(|| (!renamed.iter().any(|pair| pair.name == *name)).then(|| name.clone()))
}

pub(super) fn reorder(relation: &mut Relation, order: &[Reordered]) -> Result<()> {
    let patterns: Vec<NamePattern> = order.iter().map(|item| item.pattern.clone()).collect();
    relist(relation, |fields| {
        check(&patterns, fields)?;
        let mut rest = std::mem::take(fields);
        let is_all = |item: &Reordered| item.pattern.parts.iter().all(String::is_empty);
        // What is named after a `*` comes after all others.
        let mut last = Vec::new();
        let mut is_behind = false;
        for item in order {
            if is_all(item) && item.order.is_none() {
                is_behind = true;
                continue;
            }
            let (mut picked, others): (Vec<_>, Vec<_>) =
                rest.into_iter().partition(|(name, _)| item.pattern.fits(name));
            rest = others;
            if let Some(by) = item.order {
                picked.sort_by(|(a, _), (b, _)| compare(by, a, b));
            }
            if is_behind { last.extend(picked) } else { fields.extend(picked) }
        }
        fields.extend(rest);
        fields.extend(last);
        Ok(())
    })
}

type Fields = Vec<(String, Value)>;

/// Changes the list of fields, of the totals too.
fn relist(relation: &mut Relation, change: impl Fn(&mut Fields) -> Result<()>) -> Result<()> {
    if let Some(totals) = &mut relation.totals {
        let mut fields = totals.scope.fields()?;
        match change(&mut fields) {
            Ok(()) => totals.relist(fields),
            Err(_) => relation.totals = None,
        }
    }
    let mut fields = relation.scope.fields()?;
    change(&mut fields)?;
    relation.about.groups.retain(|group| fields.iter().any(|(name, _)| name == group));
    forget_what_is_gone(relation, &fields);
    relation.relist(fields);
    Ok(())
}

/// What is told of a table says nothing of columns that it does not have.
fn forget_what_is_gone(relation: &mut Relation, fields: &Fields) {
    let has = |wanted: &str| fields.iter().any(|(name, _)| name == wanted);
    relation.about.sorted_by.retain(|key| has(&key.field));
    if !has(TIME_FIELD) {
        relation.about.bucket = None;
    }
}

/// Refuses names that no field has, and what leads into maps. Other patterns may fit none.
pub(super) fn check(patterns: &[NamePattern], fields: &Fields) -> Result<()> {
    for pattern in patterns {
        if fields.iter().any(|(known, _)| pattern.fits(known)) {
            continue;
        }
        if let Some(map) = map_of(pattern, fields) {
            let written = pattern.parts.join("*");
            let message = format!(
                "\"{written}\" leads into the map \"{map}\", and only whole fields can be named here"
            );
            let hint =
                format!("name `{map}`, or give what is inside a name before this: `extend a = {map}.a`");
            return Err(invalid_with(pattern.span, message, hint));
        }
        let Some(name) = pattern.plain() else { continue };
        let names: Vec<String> = fields.iter().map(|(name, _)| name.clone()).collect();
        return Err(unknown_field(name, pattern.span, &names, names.iter().map(String::as_str)).into());
    }
    Ok(())
}

/// The map that a pattern leads into: a field that its name begins with, up to a dot.
fn map_of<'a>(pattern: &'a NamePattern, fields: &Fields) -> Option<&'a str> {
    let start = pattern.parts.first()?;
    let is_map = |name: &str| {
        let holds_maps = |value: &Value| has_maps(value) || value.of_type(Type::Dynamic).is_some();
        fields.iter().any(|(known, value)| known == name && holds_maps(value))
    };
    start.rmatch_indices('.').map(|(dot, _)| &start[..dot]).find(|name| is_map(name))
}

fn compare(by: ReorderBy, a: &str, b: &str) -> Ordering {
    match by {
        ReorderBy::Ascending => a.cmp(b),
        ReorderBy::Descending => b.cmp(a),
        ReorderBy::GrannyAscending => by_numbers(a, b),
        ReorderBy::GrannyDescending => by_numbers(b, a),
    }
}

/// The order of names with the numbers in them as numbers: `a9` before `a50`.
fn by_numbers(mut a: &str, mut b: &str) -> Ordering {
    loop {
        let (text_a, digits_a, rest_a) = split(a);
        let (text_b, digits_b, rest_b) = split(b);
        let digits = |text: &str| text.trim_start_matches('0').to_owned();
        let (number_a, number_b) = (digits(digits_a), digits(digits_b));
        let order = text_a.cmp(text_b);
        let order = order.then(number_a.len().cmp(&number_b.len())).then(number_a.cmp(&number_b));
        if order != Ordering::Equal || (rest_a.is_empty() && rest_b.is_empty()) {
            return order.then_with(|| a.cmp(b));
        }
        (a, b) = (rest_a, rest_b);
    }
}

/// A name up to its first number, the number, and what follows.
fn split(name: &str) -> (&str, &str, &str) {
    let start = name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len());
    let (text, rest) = name.split_at(start);
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, rest) = rest.split_at(end);
    (text, digits, rest)
}
