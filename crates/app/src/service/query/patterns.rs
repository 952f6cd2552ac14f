//! The patterns of a field of a dataset: the templates of its texts with how often, since when and until when they
//! occur. Asked of the engine as two queries in text, so that rights, limits and costs are those of queries.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, Int64Array, StringViewArray};
use std::collections::HashMap;
use std::fmt::Write;
use tidegauge_engine::{Answer, Table};
use tidegauge_lang::tree::{Literal, Type};
use tidegauge_model::{Action, DatasetArea, Violation};

use super::apl::{self, AplInput};
use super::quoting::{literal, quoted};
use super::{Queried, RunOptions};
use crate::app::App;
use crate::service::quota_remaining::QuotaRemaining;
use crate::service::{Caller, Result, datasets};

/// Which patterns are asked for.
#[derive(Debug)]
pub struct PatternsInput {
    pub dataset: String,
    pub field: String,
    /// RFC 3339, or relative to now; none is open.
    pub start_time: Option<String>,
    pub end_time: Option<String>,
    pub limit: usize,
    pub bypasses_cache: bool,
}

/// The patterns that were found, the most frequent first.
#[derive(Debug)]
pub struct Patterns {
    pub patterns: Vec<Pattern>,
    /// In gigabytes times milliseconds.
    pub cost: u64,
    pub quota_remaining: QuotaRemaining,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// With `<*>` for each variable.
    pub text: String,
    pub count: u64,
    /// The times of the first and the last event that has it, in nanoseconds since 1970.
    pub first: i64,
    pub last: i64,
    /// A text that has it, of the last event or of another at the same time.
    pub example: Option<String>,
}

/// Finds the patterns of a field.
pub async fn find(app: &App, caller: &Caller, input: PatternsInput) -> Result<Patterns> {
    caller.check_dataset(&input.dataset, DatasetArea::Query, Action::Read)?;
    datasets::find_state(app, caller, &input.dataset).await?.ok_or_else(datasets::not_found)?;
    if input.field.is_empty() {
        return Err(Violation::required("field").in_query().into());
    }
    let counted = ask(app, caller, &input, counting(&input)).await?;
    let mut found = Patterns {
        patterns: counted.answer.tables.first().map(patterns_of).unwrap_or_default(),
        cost: counted.cost,
        quota_remaining: counted.quota_remaining,
    };
    if found.patterns.is_empty() {
        return Ok(found);
    }
    // Texts are read of the last moment of each pattern alone.
    let shown = ask(app, caller, &input, examples(&input, &found.patterns)).await?;
    found.cost += shown.cost;
    found.quota_remaining = shown.quota_remaining;
    let mut examples = examples_of(&shown.answer);
    for pattern in &mut found.patterns {
        pattern.example = examples.remove(&pattern.text);
    }
    Ok(found)
}

async fn ask(app: &App, caller: &Caller, input: &PatternsInput, text: String) -> Result<Queried> {
    let run_options = RunOptions { bypasses_cache: input.bypasses_cache, ..RunOptions::default() };
    let (start_time, end_time) = (input.start_time.clone(), input.end_time.clone());
    apl::query(app, caller, AplInput { text, start_time, end_time, run_options, ..AplInput::default() }).await
}

fn counting(input: &PatternsInput) -> String {
    let (dataset, field, limit) = (quoted(&input.dataset), quoted(&input.field), input.limit);
    format!(
        "{dataset} | where isnotnull({field}) \
         | summarize n = count(), first = min(_time), last = max(_time) by pattern = template({field}) \
         | sort by n desc, pattern asc | take {limit}"
    )
}

fn examples(input: &PatternsInput, patterns: &[Pattern]) -> String {
    let (dataset, field) = (quoted(&input.dataset), quoted(&input.field));
    let mut times = String::new();
    for pattern in patterns {
        let comma = if times.is_empty() { "" } else { ", " };
        // Writing to a text does not fail.
        let _ = write!(times, "{comma}{}", literal(Literal::Datetime(pattern.last)));
    }
    format!(
        "{dataset} | where _time in ({times}) and isnotnull({field}) \
         | summarize example = max(tostring({field})) by pattern = template({field}) | take 50000"
    )
}

fn patterns_of(table: &Table) -> Vec<Pattern> {
    let texts = column(table, "pattern", Type::String, |array| array.as_string_view_opt().cloned());
    let number =
        |name, kind| column(table, name, kind, |array| array.as_primitive_opt::<Int64Type>().cloned());
    let counts: Option<Int64Array> = number("n", Type::Integer);
    let times = number("first", Type::Datetime).zip(number("last", Type::Datetime));
    let (Some(texts), Some(counts), Some((first, last))) = (texts, counts, times) else { return Vec::new() };
    let pattern = |row: usize| Pattern {
        text: StringViewArray::value(&texts, row).to_owned(),
        count: u64::try_from(counts.value(row)).unwrap_or_default(),
        first: first.value(row),
        last: last.value(row),
        example: None,
    };
    (0..table.rows).map(pattern).collect()
}

/// A text for each pattern.
fn examples_of(answer: &Answer) -> HashMap<String, String> {
    let text = |table, name| column(table, name, Type::String, |array| array.as_string_view_opt().cloned());
    let Some(table) = answer.tables.first() else { return HashMap::new() };
    let Some((patterns, examples)) = text(table, "pattern").zip(text(table, "example")) else {
        return HashMap::new();
    };
    let pairs = patterns.iter().zip(examples.iter());
    pairs.filter_map(|(pattern, example)| Some((pattern?.to_owned(), example?.to_owned()))).collect()
}

fn column<T>(table: &Table, name: &str, kind: Type, read: impl Fn(&dyn Array) -> Option<T>) -> Option<T> {
    let field = table.fields.iter().find(|field| field.name == name)?;
    let (_, values) = field.values.iter().find(|(own, _)| *own == kind)?;
    read(values)
}
