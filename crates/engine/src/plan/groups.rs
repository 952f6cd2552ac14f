//! Groups: the keys, the aggregates with their arguments, and the order and number of groups.

use std::sync::Arc;

use datafusion_expr::AggregateUDF;
use tidegauge_aggregates as aggregates;
use tidegauge_bind::Scope;
use tidegauge_exec::Value;
use tidegauge_exec::expr::Typed;
use tidegauge_exec::kernels::{convert, digits, logic};
use tidegauge_exec::types::arrow_type;
use tidegauge_exec::words::{conversion, type_names};
use tidegauge_lang::tree::{AggregateCall, AggregateFunction, Bucket, NamedAggregate, SortKey, Type};

use crate::error::{invalid, invalid_with};
use crate::{AggregateInfo, Result};

/// Which groups are wanted, and what of them.
#[derive(Clone, Debug)]
pub(crate) struct GroupsPlan {
    pub(crate) keys: Vec<(String, Typed)>,
    pub(crate) aggregates: Vec<PlannedAggregate>,
    /// The length of time buckets, and the time that they are made of.
    pub(crate) bucket: Option<(Bucket, Typed)>,
    /// Columns of the totals to sort by: keys first, then aggregates.
    pub(crate) order: Vec<(usize, bool)>,
    pub(crate) sorted_by: Vec<SortKey>,
    pub(crate) limit: usize,
    /// Whether nobody sees in which order the groups are, if all of them are wanted.
    pub(crate) is_in_any_order: bool,
    /// The places of keys of which the last aggregates tell whether integers are among their values.
    pub(super) told_keys: Vec<usize>,
}

/// An aggregate with the columns it reads.
#[derive(Clone, Debug)]
pub(crate) struct PlannedAggregate {
    pub(crate) name: String,
    pub(crate) info: AggregateInfo,
    pub(crate) function: Arc<AggregateUDF>,
    /// None counts rows.
    pub(crate) arguments: Vec<Typed>,
    pub(crate) shape: Shape,
}

/// How the values of an aggregate become those of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// They are of this type already.
    As(Type),
    /// The same, with zero in the place of null.
    OrZero(Type),
    /// Integers and floats apart.
    Numbers,
    /// JSON texts of numbers, some of them integers beyond 64 bits.
    NumberTexts,
    /// Lists of numbers, which become JSON text of values of this type.
    List(Type),
    /// Divided by the seconds of the bucket or of the range.
    PerSecond,
    /// How much counters rose, in this type, to which comes what they rose since the bucket before. The time of points is
    /// the first argument.
    Counter(Type),
    /// The same of numbers, divided by the seconds.
    CounterRate,
}

impl GroupsPlan {
    /// The places of the inputs that keys and aggregates read.
    pub(crate) fn inputs(&self) -> Vec<usize> {
        let keys = self.keys.iter().map(|(_, key)| key);
        Typed::inputs_of(keys.chain(self.aggregates.iter().flat_map(|aggregate| &aggregate.arguments)))
    }

    /// Groups by these keys, of which all are wanted, in the order of their keys.
    pub(crate) fn new(keys: Vec<(String, Typed)>, aggregates: Vec<PlannedAggregate>) -> Self {
        Self {
            keys,
            aggregates,
            bucket: None,
            order: Vec::new(),
            sorted_by: Vec::new(),
            limit: usize::MAX,
            is_in_any_order: false,
            told_keys: Vec::new(),
        }
    }

    /// Whether a column of the totals holds JSON texts of single values.
    pub(crate) fn is_json(&self, place: usize) -> bool {
        match self.keys.get(place) {
            Some((_, key)) => key.kind == Type::Dynamic,
            None => {
                let aggregate = self.aggregates.get(place - self.keys.len());
                let is_text = |shape| matches!(shape, Shape::As(Type::Dynamic) | Shape::NumberTexts);
                aggregate.is_some_and(|aggregate| is_text(aggregate.shape))
            }
        }
    }

    /// Whether a column of the totals is zero where there is nothing.
    pub(crate) fn is_zero_of_nothing(&self, place: usize) -> bool {
        let aggregate = place.checked_sub(self.keys.len()).and_then(|place| self.aggregates.get(place));
        aggregate.is_some_and(|aggregate| matches!(aggregate.shape, Shape::OrZero(_)))
    }

    /// Whether an aggregate keeps values in the order of their rows.
    pub(crate) fn is_ordered(&self) -> bool {
        self.aggregates.iter().any(|aggregate| matches!(aggregate.info.name, "makelist" | "makelistif"))
    }

    /// Sorts groups by keys and aggregates; what is neither is left out.
    pub(crate) fn sort(&mut self, keys: &[SortKey]) {
        let names = self.keys.iter().map(|(name, _)| name).chain(self.aggregates.iter().map(|a| &a.name));
        let names: Vec<&String> = names.collect();
        let place = |key: &SortKey| {
            let place = names.iter().position(|name| **name == key.field)?;
            Some((place, key.is_descending))
        };
        self.order = keys.iter().filter_map(place).collect();
        self.sorted_by = keys.to_vec();
    }
}

/// Plans an aggregate of a JSON query.
pub(crate) fn planned(scope: &mut Scope, named: &NamedAggregate) -> Result<PlannedAggregate> {
    let call = &named.call;
    let value = match &call.of {
        Some(of) => Some(scope.bind(of)?),
        None => None,
    };
    let (function, arguments, shape) = match (&call.function, &value) {
        (AggregateFunction::Count, None) => (aggregates::count(), Vec::new(), Shape::As(Type::Integer)),
        (AggregateFunction::Count, Some(value)) => {
            (aggregates::count(), vec![or_null(value.key()?, Type::String)], Shape::As(Type::Integer))
        }
        (_, None) => return Err(invalid(call.span, "this aggregation needs a field")),
        (function, Some(value)) => of_field(scope, call, function, value)?,
    };
    Ok(PlannedAggregate { name: named.name.clone(), info: info(call), function, arguments, shape })
}

type Parts = (Arc<AggregateUDF>, Vec<Typed>, Shape);

pub(super) fn of_field(
    scope: &mut Scope,
    call: &AggregateCall,
    function: &AggregateFunction,
    value: &Value,
) -> Result<Parts> {
    use AggregateFunction as F;
    let json = || Ok::<_, crate::Error>(or_null(value.json()?, Type::Dynamic));
    let json_key = || Ok::<_, crate::Error>(or_null(value.json_key()?, Type::Dynamic));
    let is_stored = scope.is_of_dataset();
    let notices = &scope.surroundings().notices.clone();
    let float = || numbers(call, value, is_stored).map(|number| or_null(number, Type::Float));
    let as_array = Shape::As(Type::Array);
    Ok(match function {
        F::Count => (aggregates::count(), vec![json()?], Shape::As(Type::Integer)),
        F::Distinct => {
            (aggregates::distinct(), vec![or_null(value.key()?, Type::String)], Shape::As(Type::Integer))
        }
        F::Sum => {
            let number = or_null(number_or_span(call, value)?, Type::Float);
            let kind = number.kind;
            (aggregates::sum(&arrow_type(kind)), vec![number], Shape::As(kind))
        }
        F::Avg => average(call, value)?,
        F::Min | F::Max => extreme(*function == F::Min, value, is_stored)?,
        F::TopK(k) => (aggregates::topk(*k as usize), vec![json_key()?], as_array),
        F::Percentiles(list) => (aggregates::percentiles(list), vec![float()?], Shape::List(Type::Float)),
        F::Histogram(bins) => (aggregates::histogram(*bins as usize), vec![float()?], as_array),
        F::Stdev => (aggregates::stdev(), vec![float()?], Shape::As(Type::Float)),
        F::Variance => (aggregates::variance(), vec![float()?], Shape::As(Type::Float)),
        F::ArgMin(other) | F::ArgMax(other) => {
            let payload = match other {
                Some(other) => or_null(scope.bind(other)?.json()?, Type::Dynamic),
                None => json()?,
            };
            let key = or_null(comparable(value)?, Type::Float);
            let is_min = matches!(function, F::ArgMin(_));
            let udf = if is_min { aggregates::argmin() } else { aggregates::argmax() };
            (udf, vec![key, payload], Shape::As(Type::Dynamic))
        }
        F::MakeSet(max) => (aggregates::makeset_with(*max, notices), vec![json_key()?], as_array),
        F::MakeList(max) => (aggregates::makelist_with(*max as usize, notices), vec![json()?], as_array),
        F::Rate => (aggregates::sum(&arrow_type(Type::Float)), vec![float()?], Shape::PerSecond),
        F::Computed(_) => return Err(invalid(call.span, "an aggregate that is computed stands by itself")),
    })
}

/// The least or the greatest value.
fn extreme(is_least: bool, value: &Value, is_stored: bool) -> Result<Parts> {
    if value.has_long_integers() || has_inside(value) {
        let udf = if is_least { aggregates::argmin() } else { aggregates::argmax() };
        let (mut ranks, mut texts) = (Vec::new(), Vec::new());
        for mut number in value.only_numbers().variants {
            if number.kind == Type::Float {
                number = convert::finite(number)?;
            }
            texts.push(match number.kind {
                Type::Float => convert::float_to_json(number.clone())?,
                _ => convert::to_json(number.clone())?,
            });
            ranks.push(digits::rank_of_end(number, is_least)?);
        }
        let key = or_null(logic::first_of(ranks)?, Type::String);
        let json = or_null(logic::first_of(texts)?, Type::Dynamic);
        return Ok((udf, vec![key, json], Shape::NumberTexts));
    }
    if mixes_numbers(value) {
        let udf = if is_least { aggregates::least() } else { aggregates::greatest() };
        let of = |kind: Type| or_null(value.of_type(kind).cloned(), kind);
        return Ok((udf, vec![of(Type::Integer), of(Type::Float)], Shape::Numbers));
    }
    if is_dynamic(value) {
        let udf = if is_least { aggregates::argmin() } else { aggregates::argmax() };
        let key = or_null(comparable(value)?, Type::String);
        let json = or_null(value.json()?, Type::Dynamic);
        return Ok((udf, vec![key, json], Shape::As(Type::Dynamic)));
    }
    let typed = or_null(comparable(value)?, Type::Float);
    // What is no number, or infinite, would win or lose by the order of rows.
    let is_finite = typed.kind != Type::Float || (is_stored && typed.as_input().is_some());
    let typed = if is_finite { typed } else { convert::finite(typed)? };
    let kind = typed.kind;
    let udf = if is_least { aggregates::min() } else { aggregates::max() };
    Ok((udf, vec![typed], Shape::As(kind)))
}

pub(super) fn average(call: &AggregateCall, value: &Value) -> Result<Parts> {
    for kind in [Type::Datetime, Type::Timespan] {
        if let Some(typed) = value.of_type(kind) {
            return Ok((aggregates::avg_time(), vec![typed.clone()], Shape::As(kind)));
        }
    }
    let number = or_null(number_or_span(call, value)?, Type::Float);
    Ok((aggregates::avg(&arrow_type(number.kind)), vec![number], Shape::As(Type::Float)))
}

fn mixes_numbers(value: &Value) -> bool {
    value.of_type(Type::Integer).is_some() && value.of_type(Type::Float).is_some()
}

/// Whether some of its values are inside of maps, and others are not: then all numbers count, and exactly.
fn has_inside(value: &Value) -> bool {
    value.variants.len() > 1 && value.of_type(Type::Dynamic).is_some()
}

pub(super) fn or_null(typed: Option<Typed>, kind: Type) -> Typed {
    typed.unwrap_or_else(|| logic::null(kind))
}

/// The finite numbers of a field as floats; those that are stored are finite. A field that never was a number is an
/// error, one that nobody sent is null.
pub(super) fn numbers(call: &AggregateCall, value: &Value, is_stored: bool) -> Result<Option<Typed>> {
    match value.float()? {
        None if !value.is_null() => Err(no_number(call, value)),
        Some(number) if !is_stored || number.as_input().is_none() => Ok(Some(convert::finite(number)?)),
        number => Ok(number),
    }
}

pub(super) fn number_or_span(call: &AggregateCall, value: &Value) -> Result<Option<Typed>> {
    match (value.of_type(Type::Timespan), value.number()?) {
        (Some(timespan), _) => Ok(Some(timespan.clone())),
        (None, None) if !value.is_null() => Err(no_number(call, value)),
        (None, number) => Ok(number),
    }
}

fn no_number(call: &AggregateCall, value: &Value) -> crate::Error {
    let name = info(call).name;
    let message = format!("{name} needs numbers, and the field is {}", type_names(value));
    invalid_with(call.span, message, conversion("a number", value))
}

/// Whether nothing is known of the type but at run time.
fn is_dynamic(value: &Value) -> bool {
    matches!(value.variants.as_slice(), [only] if only.kind == Type::Dynamic)
}

/// A column whose order is that of the values.
pub(crate) fn comparable(value: &Value) -> Result<Option<Typed>> {
    match value.variants.as_slice() {
        [only] if only.kind == Type::Dynamic => Ok(Some(convert::dynamic_rank(only.clone())?)),
        _ if value.has_long_integers() || has_inside(value) => numbers_in_order(value),
        [only] => Ok(Some(only.clone())),
        _ if mixes_numbers(value) => numbers_in_order(value),
        _ => match value.number()? {
            Some(number) => Ok(Some(number)),
            None => Ok(value.text()?),
        },
    }
}

/// Numbers as texts in their order.
pub(super) fn numbers_in_order(value: &Value) -> Result<Option<Typed>> {
    let kinds = [Type::Integer, Type::Float, Type::LongInteger, Type::Dynamic].into_iter();
    let ranks = kinds.filter_map(|kind| value.of_type(kind)).map(|number| match number.kind {
        Type::Integer | Type::Float => convert::rank(number.clone()),
        _ => digits::rank(number.clone()),
    });
    Ok(logic::first_of(ranks.collect::<tidegauge_exec::Result<Vec<Typed>>>()?)?)
}

/// What is told of an aggregate.
pub(crate) fn info(call: &AggregateCall) -> AggregateInfo {
    use AggregateFunction as F;
    let (name, arguments) = match &call.function {
        F::Count => ("count", Vec::new()),
        F::Distinct => ("distinct", Vec::new()),
        F::Sum => ("sum", Vec::new()),
        F::Avg => ("avg", Vec::new()),
        F::Min => ("min", Vec::new()),
        F::Max => ("max", Vec::new()),
        F::TopK(k) => ("topk", vec![k.to_string()]),
        F::Percentiles(list) => ("percentiles", list.iter().map(ToString::to_string).collect()),
        F::Histogram(bins) => ("histogram", vec![bins.to_string()]),
        F::Stdev => ("stdev", Vec::new()),
        F::Variance => ("variance", Vec::new()),
        F::ArgMin(_) => ("argmin", Vec::new()),
        F::ArgMax(_) => ("argmax", Vec::new()),
        F::MakeSet(max) => ("makeset", vec![max.unwrap_or(aggregates::SET_DEFAULT).to_string()]),
        F::MakeList(max) => ("makelist", vec![max.to_string()]),
        F::Rate => ("rate", Vec::new()),
        F::Computed(_) => ("computed", Vec::new()),
    };
    let field = call.of.as_ref().and_then(|of| match &of.kind {
        tidegauge_lang::tree::ExprKind::Field(name) => Some(name.clone()),
        _ => None,
    });
    AggregateInfo { name, fields: field.into_iter().collect(), arguments }
}
