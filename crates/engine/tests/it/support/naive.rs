//! A second engine, for tests: the JSON query by its documents, over a plain list of events, without any thought of
//! speed. It shares nothing with the engine, so that a mistake would have to be made twice.

mod aggregate;
mod compare;
mod filter;
mod value;
mod virtual_field;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use super::house::SECOND;
use super::reply::{nanoseconds, time_text};
pub(crate) use compare::compare;
pub(crate) use filter::text_test;
pub(crate) use value::Kind;
pub(crate) use virtual_field::EXPRESSIONS;

/// An event: its fields by their flattened names. Its number tells when it came in.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) number: usize,
    pub(crate) time: i64,
    pub(crate) data: BTreeMap<String, Json>,
}

impl Row {
    fn field(&self, name: &str) -> Json {
        match name {
            "_time" => Json::from(time_text(self.time)),
            _ => self.data.get(name).cloned().unwrap_or_default(),
        }
    }
}

/// A JSON query. Its cursor is the number of an event, since identities depend on the store.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    pub(crate) body: Json,
    pub(crate) cursor: Option<(usize, bool)>,
    /// How long buckets are, in nanoseconds, for queries with aggregations.
    pub(crate) step: i64,
}

/// What the answer must be.
#[derive(Debug, Default)]
pub(crate) struct Expected {
    /// Numbers of events and what is shown of them.
    pub(crate) events: Vec<(usize, BTreeMap<String, Json>)>,
    pub(crate) series: Vec<ExpectedGroup>,
    pub(crate) totals: Vec<ExpectedGroup>,
    pub(crate) matched: u64,
    pub(crate) in_range: u64,
    pub(crate) groups: u64,
}

#[derive(Debug)]
pub(crate) struct ExpectedGroup {
    pub(crate) start: Option<i64>,
    pub(crate) keys: Vec<Json>,
    pub(crate) results: Vec<aggregate::Result>,
}

/// What is known of a whole dataset: the types of each field.
pub(crate) struct Schema(BTreeMap<String, BTreeSet<Kind>>);

impl Schema {
    fn of(rows: &[Row]) -> Self {
        let mut kinds: BTreeMap<String, BTreeSet<Kind>> = BTreeMap::new();
        for row in rows {
            for (name, value) in &row.data {
                kinds.entry(name.clone()).or_default().extend(Kind::of(value));
            }
        }
        Self(kinds)
    }

    pub(crate) fn kinds(&self, field: &str) -> BTreeSet<Kind> {
        self.0.get(field).cloned().unwrap_or_default()
    }

    pub(crate) fn is_number(&self, field: &str) -> bool {
        self.kinds(field).is_empty() || self.has_numbers(field)
    }

    pub(crate) fn has_numbers(&self, field: &str) -> bool {
        let is_number = |kind: &Kind| matches!(kind, Kind::Integer | Kind::Float | Kind::LongInteger);
        self.kinds(field).iter().any(is_number)
    }
}

/// Answers a query; none if it cannot be answered because an aggregation needs numbers.
pub(crate) fn answer(rows: &[Row], query: &Query) -> Option<Expected> {
    let body = &query.body;
    let mut rows = rows.to_vec();
    for field in array(&body["virtualFields"]) {
        let compute = virtual_field::function(text(&field["expr"]));
        for row in &mut rows {
            let value = compute(row);
            row.data.insert(text(&field["alias"]).to_owned(), value);
        }
    }
    let schema = Schema::of(&rows);
    let (start, end) = range(body);
    rows.retain(|row| start <= row.time && row.time < end);
    let mut expected = Expected { in_range: rows.len() as u64, ..Expected::default() };
    if body["filter"].is_object() {
        let passes = filter::function(&body["filter"]);
        rows.retain(|row| passes(row) == Some(true));
    }
    expected.matched = rows.len() as u64;
    let limit = body["limit"].as_u64().filter(|limit| *limit > 0).unwrap_or(1000) as usize;
    if array(&body["aggregations"]).is_empty() {
        expected.events = events(rows, query, &schema, limit);
        return Some(expected);
    }
    groups(&rows, query, &schema, limit, &mut expected).then_some(expected)
}

fn range(body: &Json) -> (i64, i64) {
    (nanoseconds(text(&body["startTime"])).unwrap(), nanoseconds(text(&body["endTime"])).unwrap())
}

fn events(
    mut rows: Vec<Row>,
    query: &Query,
    schema: &Schema,
    limit: usize,
) -> Vec<(usize, BTreeMap<String, Json>)> {
    // Those of the same time are as they were sent, whichever way time goes.
    let newest_first = |a: &Row, b: &Row| b.time.cmp(&a.time).then(a.number.cmp(&b.number));
    let order = array(&query.body["order"]);
    match order.first() {
        Some(key) if text(&key["field"]) == "_time" && key["desc"] == false => {
            rows.sort_by_key(|row| (row.time, row.number));
        }
        Some(key) if text(&key["field"]) != "_time" => {
            let by = |a: &Row, b: &Row| {
                order.iter().fold(Ordering::Equal, |so_far, key| {
                    let field = text(&key["field"]);
                    let next = value::order(&a.field(field), &b.field(field), &schema.kinds(field));
                    so_far.then(if key["desc"] == true { next.reverse() } else { next })
                })
            };
            rows.sort_by(|a, b| by(a, b).then_with(|| newest_first(a, b)));
        }
        _ => rows.sort_by(newest_first),
    }
    if let Some((cursor, is_included)) = query.cursor {
        let at = rows.iter().position(|row| row.number == cursor).expect("the cursor is a row of the answer");
        rows.drain(..if is_included { at } else { at + 1 });
    }
    rows.truncate(limit);
    rows.iter().map(|row| (row.number, shown(row, &query.body))).collect()
}

/// The values that are shown of an event; null and what is absent are the same.
fn shown(row: &Row, body: &Json) -> BTreeMap<String, Json> {
    let project = array(&body["project"]);
    let mut data = row.data.clone();
    if !project.is_empty() {
        let name = |entry: &Json| {
            let alias = text(&entry["alias"]);
            if alias.is_empty() { text(&entry["field"]).to_owned() } else { alias.to_owned() }
        };
        data = project.iter().map(|entry| (name(entry), row.field(text(&entry["field"])))).collect();
    }
    data.retain(|_, value| !value.is_null());
    data
}

/// Fills the groups in; false if an aggregation needs numbers and the field has none.
fn groups(rows: &[Row], query: &Query, schema: &Schema, limit: usize, expected: &mut Expected) -> bool {
    let body = &query.body;
    let calls = array(&body["aggregations"]);
    if !calls.iter().all(|call| aggregate::is_possible(call, schema)) {
        return false;
    }
    let named = array(&body["groupBy"]);
    let fields: Vec<&str> = named.iter().map(text).collect();
    let key_of = |row: &Row| -> Vec<Json> { fields.iter().map(|field| row.field(field)).collect() };
    let mut by_key: BTreeMap<Vec<String>, Vec<&Row>> = BTreeMap::new();
    if fields.is_empty() {
        by_key.insert(Vec::new(), Vec::new());
    }
    for row in rows {
        by_key.entry(key_of(row).iter().map(value::key).collect()).or_default().push(row);
    }
    let (start, end) = range(body);
    let group = |rows: &[&Row], bucket: Option<i64>| {
        let seconds = bucket.map_or((end - start) as f64, |_| query.step as f64) / SECOND as f64;
        let results = calls.iter().map(|call| aggregate::compute(call, rows, schema, seconds));
        let keys = rows.first().map(|row| key_of(row)).unwrap_or_default();
        ExpectedGroup { start: bucket, keys, results: results.collect() }
    };
    let mut totals: Vec<(ExpectedGroup, &Vec<&Row>)> =
        by_key.values().map(|rows| (group(rows, None), rows)).collect();
    expected.groups = totals.len() as u64;
    totals.sort_by(|(a, _), (b, _)| order_of_groups(a, b, body, &fields, schema));
    totals.truncate(limit);
    let mut series: Vec<(i64, usize, ExpectedGroup)> = Vec::new();
    for (place, (_, rows)) in totals.iter().enumerate() {
        let mut buckets: BTreeMap<i64, Vec<&Row>> = BTreeMap::new();
        for row in *rows {
            buckets.entry(row.time.div_euclid(query.step) * query.step).or_default().push(row);
        }
        series.extend(buckets.into_iter().map(|(at, rows)| (at, place, group(&rows, Some(at)))));
    }
    series.sort_by_key(|(at, place, _)| (*at, *place));
    expected.series = series.into_iter().map(|(_, _, group)| group).collect();
    expected.totals = totals.into_iter().map(|(group, _)| group).collect();
    true
}

/// The order that is asked for, or the first aggregation from the greatest on; then that of the keys.
fn order_of_groups(
    a: &ExpectedGroup,
    b: &ExpectedGroup,
    body: &Json,
    fields: &[&str],
    schema: &Schema,
) -> Ordering {
    let calls = array(&body["aggregations"]);
    let by = |name: &str| match fields.iter().position(|field| *field == name) {
        Some(place) => value::order(&a.keys[place], &b.keys[place], &schema.kinds(name)),
        None => {
            let place = calls.iter().position(|call| text(&call["alias"]) == name).unwrap();
            a.results[place].order(&b.results[place])
        }
    };
    let order = array(&body["order"]);
    let asked = match order.as_slice() {
        [] => by(text(&calls[0]["alias"])).reverse(),
        keys => keys.iter().fold(Ordering::Equal, |so_far, key| {
            let next = by(text(&key["field"]));
            so_far.then(if key["desc"] == true { next.reverse() } else { next })
        }),
    };
    fields.iter().zip(a.keys.iter().zip(&b.keys)).fold(asked, |so_far, (field, (a, b))| {
        // A text is before another value that reads the same, and that before the next key is looked at. Numbers
        // that are equal are one group, however they are written.
        so_far.then_with(|| by(field)).then_with(|| b.is_string().cmp(&a.is_string()))
    })
}

pub(crate) fn array(json: &Json) -> Vec<Json> {
    json.as_array().cloned().unwrap_or_default()
}

pub(crate) fn text(json: &Json) -> &str {
    json.as_str().unwrap_or_default()
}
