//! `project` and its kin: which fields there are, under which names, in which order.

use std::cmp::Ordering;

use tidegauge_lang::tree::{NamePattern, Named, Renamed, ReorderBy, Reordered, Type};
use tidegauge_model::columns::TIME_FIELD;

use super::segment::Segment;
use crate::bind::{invalid_with, unknown_field};
use crate::functions::member::has_maps;
use crate::value::Value;
use crate::{Error, Result};

pub(super) fn project(segment: &mut Segment, fields: &[Named]) -> Result<()> {
    let bound = |segment: &mut Segment| {
        let mut projected = Vec::with_capacity(fields.len());
        for field in fields {
            projected.push((field.name.clone(), segment.scope.bind(&field.expr)?));
        }
        segment.list(projected);
        Ok::<(), Error>(())
    };
    if let Some(totals) = &mut segment.totals
        && bound(totals).is_err()
    {
        segment.totals = None;
    }
    bound(segment)?;
    let fields = segment.scope.fields()?;
    forget_what_is_gone(segment, &fields);
    // What is left are columns like any others.
    segment.about.aggregates.clear();
    segment.about.groups.clear();
    Ok(())
}

pub(super) fn away(segment: &mut Segment, patterns: &[NamePattern]) -> Result<()> {
    relist(segment, |fields| {
        check(patterns, fields)?;
        fields.retain(|(name, _)| !patterns.iter().any(|pattern| pattern.fits(name)));
        Ok(())
    })
}

pub(super) fn keep(segment: &mut Segment, patterns: &[NamePattern]) -> Result<()> {
    relist(segment, |fields| {
        check(patterns, fields)?;
        fields.retain(|(name, _)| patterns.iter().any(|pattern| pattern.fits(name)));
        Ok(())
    })
}

pub(super) fn rename(segment: &mut Segment, renamed: &[Renamed]) -> Result<()> {
    // A field of a dataset may be known to no event yet, and has a name for others nevertheless.
    for pair in renamed {
        if segment.scope.is_open() && !segment.scope.has(&pair.from) {
            let value = segment.scope.field(&pair.from, pair.span)?;
            segment.scope.define(&pair.from, value);
        }
    }
    let names = segment.about.clone();
    relist(segment, |fields| {
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
    for pair in renamed {
        if let Some(info) = names.aggregates.get(&pair.from) {
            segment.about.aggregates.remove(&pair.from);
            segment.about.aggregates.insert(pair.name.clone(), info.clone());
        }
        segment.about.groups.iter_mut().filter(|name| **name == pair.from).for_each(|name| {
            name.clone_from(&pair.name);
        });
    }
    Ok(())
}

pub(super) fn reorder(segment: &mut Segment, order: &[Reordered]) -> Result<()> {
    let patterns: Vec<NamePattern> = order.iter().map(|item| item.pattern.clone()).collect();
    relist(segment, |fields| {
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
fn relist(segment: &mut Segment, change: impl Fn(&mut Fields) -> Result<()>) -> Result<()> {
    if let Some(totals) = &mut segment.totals {
        let mut fields = totals.scope.fields()?;
        match change(&mut fields) {
            Ok(()) => totals.relist(fields),
            Err(_) => segment.totals = None,
        }
    }
    let mut fields = segment.scope.fields()?;
    change(&mut fields)?;
    segment.about.groups.retain(|group| fields.iter().any(|(name, _)| name == group));
    forget_what_is_gone(segment, &fields);
    segment.relist(fields);
    Ok(())
}

/// What is told of a table says nothing of columns that it does not have.
fn forget_what_is_gone(segment: &mut Segment, fields: &Fields) {
    let has = |wanted: &str| fields.iter().any(|(name, _)| name == wanted);
    segment.about.sorted_by.retain(|key| has(&key.field));
    if !has(TIME_FIELD) {
        segment.about.bucket = None;
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
        return Err(unknown_field(name, pattern.span, &names, names.iter().map(String::as_str)));
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
