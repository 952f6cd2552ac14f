//! Whether an answer is what it must be.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use tidegauge_model::RowId;

use super::aggregate::Result as Wanted;
use super::{Expected, ExpectedGroup, value};
use crate::support::reply::{Group, Reply};

/// Says where an answer differs from what it must be. The identities are those of the events by their numbers.
pub(crate) fn compare(expected: &Expected, reply: &Reply, ids: &[RowId]) -> Result<(), String> {
    if reply.matched != expected.matched {
        return Err(format!("{} rows matched, not {}", reply.matched, expected.matched));
    }
    // Groups may come from blocks that were examined for an earlier question.
    let is_of_groups = expected.events.is_empty();
    if (reply.examined < reply.matched && !is_of_groups) || reply.examined > expected.in_range {
        return Err(format!("{} rows examined of {}", reply.examined, expected.in_range));
    }
    if reply.events.len() != expected.events.len() {
        return Err(format!("{} events, not {}", reply.events.len(), expected.events.len()));
    }
    for (place, (found, (number, data))) in reply.events.iter().zip(&expected.events).enumerate() {
        if found.id != ids[*number] {
            let is = ids.iter().position(|id| *id == found.id);
            return Err(format!("event {place} is number {is:?}, not {number}"));
        }
        let (mut found, mut data) = (found.data.clone(), data.clone());
        // What was computed is a float for all rows where it is one for some.
        if let (Some(own), Some(wanted)) = (found.remove("v"), data.remove("v")) {
            equal(&own, &wanted).map_err(|_| format!("v of event {place} is {own}, not {wanted}"))?;
        }
        // Texts of JSON tell integers from floats and keep the sign of zero.
        let (found, data) = (Json::from_iter(found).to_string(), Json::from_iter(data).to_string());
        if found != data {
            return Err(format!("event {place} (number {number}) is {found}, not {data}"));
        }
    }
    if !expected.totals.is_empty() && reply.groups != expected.groups {
        return Err(format!("{} groups counted, not {}", reply.groups, expected.groups));
    }
    groups("totals", &expected.totals, &reply.totals)?;
    groups("series", &expected.series, &reply.series)
}

fn groups(what: &str, expected: &[ExpectedGroup], found: &[Group]) -> Result<(), String> {
    if expected.len() != found.len() {
        return Err(format!("{} {what}, not {}: {found:?}, not {expected:?}", found.len(), expected.len()));
    }
    for (place, (expected, found)) in expected.iter().zip(found).enumerate() {
        let when = || format!("{what} {place} {:?} {:?}", found.start, found.keys);
        let keys: Vec<String> = found.keys.iter().map(|(_, key)| value::key(key)).collect();
        let wanted: Vec<String> = expected.keys.iter().map(value::key).collect();
        if keys != wanted || found.start != expected.start {
            return Err(format!("{}: must be {:?} {:?}", when(), expected.start, expected.keys));
        }
        for ((name, result), wanted) in found.results.iter().zip(&expected.results) {
            is_met(wanted, result)
                .map_err(|why| format!("{}: {name} is {result}, wanted {wanted:?}: {why}", when()))?;
        }
    }
    Ok(())
}

fn is_met(wanted: &Wanted, found: &Json) -> Result<(), String> {
    match wanted {
        Wanted::Exactly(wanted) => equal(found, wanted),
        Wanted::OneOf(wanted) if wanted.iter().any(|wanted| equal(found, wanted).is_ok()) => Ok(()),
        Wanted::OneOf(_) => Err("it is none of them".to_owned()),
        Wanted::Near(wanted, distance) => match found.as_f64() {
            Some(found) if (found - wanted).abs() <= *distance => Ok(()),
            _ => Err("it is too far away".to_owned()),
        },
        Wanted::Top(counts, most) => top(counts, *most, found),
        Wanted::Some(counts, most) => some(counts, *most, found),
        Wanted::Bins(numbers, bins) => histogram(numbers, *bins, found),
    }
}

/// Numbers are equal whatever their type, in lists too.
fn equal(found: &Json, wanted: &Json) -> Result<(), String> {
    let is_equal = match (found, wanted) {
        (Json::Array(found), Json::Array(wanted)) if found.len() == wanted.len() => {
            found.iter().zip(wanted).all(|(found, wanted)| equal(found, wanted).is_ok())
        }
        (found, wanted) => value::key(found) == value::key(wanted),
    };
    if is_equal { Ok(()) } else { Err("they differ".to_owned()) }
}

fn top(counts: &BTreeMap<String, u64>, most: usize, found: &Json) -> Result<(), String> {
    let entries = found.as_array().ok_or("it is no list")?;
    let mut greatest: Vec<u64> = counts.values().copied().collect();
    greatest.sort_unstable_by(|a, b| b.cmp(a));
    greatest.truncate(most);
    let found: Vec<u64> = entries.iter().filter_map(|entry| entry["count"].as_u64()).collect();
    if found != greatest {
        return Err(format!("the counts must be {greatest:?}"));
    }
    let keys: BTreeMap<String, u64> = entries
        .iter()
        .map(|entry| (value::key(&entry["key"]), entry["count"].as_u64().unwrap_or_default()))
        .collect();
    let is_true = keys.len() == entries.len()
        && keys.iter().all(|(key, count)| counts.get(key) == Some(count))
        && entries.iter().all(|entry| entry["error"] == 0);
    if is_true { Ok(()) } else { Err("a count is wrong".to_owned()) }
}

fn some(counts: &BTreeMap<String, u64>, most: usize, found: &Json) -> Result<(), String> {
    let elements = found.as_array().ok_or("it is no list")?;
    let all: u64 = counts.values().sum();
    if elements.len() != most.min(all as usize) {
        return Err(format!("there must be {} of {all}", most.min(all as usize)));
    }
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    elements.iter().for_each(|element| *found.entry(value::key(element)).or_default() += 1);
    match found.iter().find(|(key, count)| counts.get(*key).is_none_or(|all| *count > all)) {
        Some((key, count)) => Err(format!("{key} is there {count} times")),
        None => Ok(()),
    }
}

fn histogram(numbers: &[f64], bins: usize, found: &Json) -> Result<(), String> {
    let entries = found.as_array().ok_or("it is no list")?;
    let (Some(min), Some(max)) = (numbers.first(), numbers.last()) else {
        return if entries.is_empty() { Ok(()) } else { Err("there are no numbers".to_owned()) };
    };
    let wanted = if min == max { 1 } else { bins };
    if entries.len() != wanted {
        return Err(format!("there must be {wanted} ranges"));
    }
    let width = (max - min) / wanted as f64;
    // The widths of the least numbers have no ninth digit.
    let slack = (width * 1e-9).max(f64::MIN_POSITIVE);
    for (place, entry) in entries.iter().enumerate() {
        let (from, to) = (entry["from"].as_f64().ok_or("from")?, entry["to"].as_f64().ok_or("to")?);
        let begin = min + width * place as f64;
        if (from - begin).abs() > slack || (to - begin - width).abs() > slack {
            return Err(format!("range {place} must begin at {begin}"));
        }
        let is_last = place + 1 == wanted;
        let inside = |slack: f64| {
            let is_in = |value: &&f64| **value >= from - slack && (is_last || **value < to + slack);
            numbers.iter().filter(is_in).count() as u64
        };
        let count = entry["count"].as_u64().ok_or("count")?;
        if count < inside(-slack) || count > inside(slack) {
            return Err(format!("range {place} must have {}", inside(0.0)));
        }
    }
    Ok(())
}
