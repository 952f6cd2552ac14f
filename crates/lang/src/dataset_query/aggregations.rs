//! The aggregations of a query: which there are, what their arguments may be, and how their results are named.

use std::collections::HashSet;

use tidegauge_model::{Rule, Violation};

use super::{Aggregation, DatasetQuery, Value};
use crate::Span;
use crate::tree::{
    AggregateCall, AggregateFunction, Bucket, Expr, ExprKind, Named, NamedAggregate, Summarize,
};

/// Every aggregation by its name, in the order in which they are told.
const OPERATIONS: &[&str] = &[
    "count",
    "distinct",
    "sum",
    "avg",
    "min",
    "max",
    "topk",
    "percentiles",
    "histogram",
    "stdev",
    "variance",
    "argmin",
    "argmax",
    "makeset",
    "rate",
    "makelist",
];

const TOP_DEFAULT: u32 = 10;
const TOP_MAX: u32 = 1_000;
const BINS_DEFAULT: u32 = 10;
const BINS_MAX: u32 = 1_000;
/// What a set or a list holds at most. Who asks for more gets this many.
const LIST_MAX: u32 = 1_048_576;
const PERCENTILES_DEFAULT: [f64; 3] = [50.0, 95.0, 99.0];
const PERCENTILES_MAX: usize = 100;

/// The groups of a query with their aggregates, over buckets of this step.
pub(super) fn summarize(query: &DatasetQuery, step: i64) -> Result<Summarize, Violation> {
    let keys = keys(&query.group_by)?;
    let mut taken: HashSet<String> = keys.iter().map(|key| key.name.clone()).collect();
    let mut aggregates = Vec::with_capacity(query.aggregations.len());
    for (place, aggregation) in query.aggregations.iter().enumerate() {
        let path = format!("aggregations.{place}");
        let call = call(aggregation, &path)?;
        let name = unique_name(aggregation, &taken);
        taken.insert(name.clone());
        aggregates.push(NamedAggregate { name, call });
    }
    Ok(Summarize { aggregates, keys, bucket: Some(Bucket { step }) })
}

/// The fields that rows are grouped by. A field that is named twice counts once.
fn keys(fields: &[String]) -> Result<Vec<Named>, Violation> {
    let mut keys: Vec<Named> = Vec::with_capacity(fields.len());
    for (place, field) in fields.iter().enumerate() {
        if field.is_empty() {
            return Err(Violation::required(format!("groupBy.{place}")));
        }
        if keys.iter().all(|key| key.name != *field) {
            keys.push(Named { name: field.clone(), expr: self::field(field) });
        }
    }
    Ok(keys)
}

/// The alias, or the name of the operation in capitals. When another result or a group's field has that name already,
/// a number follows it: `COUNT`, `COUNT_2`.
fn unique_name(aggregation: &Aggregation, taken: &HashSet<String>) -> String {
    let alias = aggregation.alias.as_deref().filter(|alias| !alias.is_empty());
    let wanted = alias.map_or_else(|| aggregation.op.trim().to_uppercase(), str::to_owned);
    if !taken.contains(&wanted) {
        return wanted;
    }
    let mut number = 2_u64;
    loop {
        let name = format!("{wanted}_{number}");
        if !taken.contains(&name) {
            return name;
        }
        number += 1;
    }
}

fn call(aggregation: &Aggregation, path: &str) -> Result<AggregateCall, Violation> {
    let op = aggregation.op.trim().to_ascii_lowercase();
    let argument = Argument { value: &aggregation.argument, path };
    let function = match op.as_str() {
        "count" => AggregateFunction::Count,
        "distinct" => AggregateFunction::Distinct,
        "sum" => AggregateFunction::Sum,
        "avg" => AggregateFunction::Avg,
        "min" => AggregateFunction::Min,
        "max" => AggregateFunction::Max,
        "topk" => AggregateFunction::TopK(argument.count(TOP_DEFAULT, TOP_MAX)?),
        "percentiles" => AggregateFunction::Percentiles(argument.percentiles()?),
        "histogram" => AggregateFunction::Histogram(argument.count(BINS_DEFAULT, BINS_MAX)?),
        "stdev" => AggregateFunction::Stdev,
        "variance" => AggregateFunction::Variance,
        "argmin" => AggregateFunction::ArgMin(argument.other_field()?),
        "argmax" => AggregateFunction::ArgMax(argument.other_field()?),
        "makeset" if *argument.value == Value::Null => AggregateFunction::MakeSet(None),
        "makeset" => AggregateFunction::MakeSet(Some(argument.count(LIST_MAX, u32::MAX)?.min(LIST_MAX))),
        "makelist" => AggregateFunction::MakeList(argument.count(LIST_MAX, u32::MAX)?.min(LIST_MAX)),
        "rate" => AggregateFunction::Rate,
        _ => return Err(Violation::one_of(format!("{path}.op"), OPERATIONS)),
    };
    let of = match aggregation.field.as_str() {
        "" | "*" if function == AggregateFunction::Count => None,
        "" | "*" => {
            let problem = "must name a field: only count looks at whole events";
            return Err(Violation::new(format!("{path}.field"), Rule::Required, problem));
        }
        name => Some(field(name)),
    };
    Ok(AggregateCall { function, of, span: Span::default() })
}

fn field(name: &str) -> Expr {
    Expr::new(ExprKind::Field(name.to_owned()), Span::default())
}

/// The argument of an aggregation, and where the aggregation stands.
struct Argument<'a> {
    value: &'a Value,
    path: &'a str,
}

impl Argument<'_> {
    fn wrong(&self, rule: Rule, problem: impl Into<String>) -> Violation {
        Violation::new(format!("{}.argument", self.path), rule, problem)
    }

    /// A number of things, at least one.
    fn count(&self, default: u32, greatest: u32) -> Result<u32, Violation> {
        let count = match self.value {
            Value::Null => return Ok(default),
            Value::Integer(count) => *count,
            Value::Float(count) if count.fract() == 0.0 && count.abs() < 1e15 => *count as i64,
            _ => return Err(self.wrong(Rule::Type, "must be a whole number")),
        };
        if count < 1 {
            return Err(self.wrong(Rule::Minimum, "must be at least 1"));
        }
        match u32::try_from(count) {
            Ok(count) if count <= greatest => Ok(count),
            // Where everything is capped no number is too great.
            _ if greatest == u32::MAX => Ok(u32::MAX),
            _ => Err(self.wrong(Rule::Maximum, format!("must be at most {greatest}"))),
        }
    }

    /// One percentile or several, in the order in which they are asked for.
    fn percentiles(&self) -> Result<Vec<f64>, Violation> {
        let values = match self.value {
            Value::Null => return Ok(PERCENTILES_DEFAULT.to_vec()),
            Value::Array(values) => values.as_slice(),
            value => std::slice::from_ref(value),
        };
        if values.is_empty() || values.len() > PERCENTILES_MAX {
            let problem = format!("must have 1 to {PERCENTILES_MAX} percentiles");
            let rule = if values.is_empty() { Rule::TooFewItems } else { Rule::TooManyItems };
            return Err(self.wrong(rule, problem));
        }
        let percentile = |value: &Value| match value {
            Value::Integer(number) if (0..=100).contains(number) => Some(*number as f64),
            Value::Float(number) if (0.0..=100.0).contains(number) => Some(*number),
            _ => None,
        };
        let percentiles: Option<Vec<f64>> = values.iter().map(percentile).collect();
        percentiles.ok_or_else(|| {
            self.wrong(Rule::Type, "must be a number from 0 to 100, or an array of such numbers")
        })
    }

    /// The name of the field whose value is wanted.
    fn other_field(&self) -> Result<Option<Expr>, Violation> {
        match self.value {
            Value::Null => Ok(None),
            Value::String(name) if name.is_empty() => Ok(None),
            Value::String(name) => Ok(Some(field(name))),
            _ => Err(self.wrong(Rule::Type, "must be the name of a field")),
        }
    }
}
