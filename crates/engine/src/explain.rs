//! What was planned, for people: the tree of the query, one step on a line in the order in which rows pass, with what
//! the scan reads. And what each step took.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tidegauge_bind::Scope;
use tidegauge_exec::InputColumn;
use tidegauge_lang::print_expression;
use tidegauge_lang::tree::{Named, NamedAggregate, Query, SortKey, Stage, Summarize};
use tidegauge_model::{duration, time};

use crate::context::{Scanned, Work};
use crate::counters::Counters;
use crate::plan::aggregate_info;
use crate::{Answer, Explanation, StepFigures};

/// The plan with what each step took. The steps of scans are sums over their threads.
pub(crate) fn explained(query: &Query, work: &Work, answer: &Answer) -> Explanation {
    let sum = |count: fn(&Counters) -> &AtomicU64| -> u64 {
        work.scans.iter().map(|scan| count(&scan.counters).load(Ordering::Relaxed)).sum()
    };
    let of_threads = |count: fn(&Counters) -> &AtomicU64| Duration::from_nanos(sum(count));
    let step =
        |name: &str, rows: u64, elapsed: Duration| StepFigures { name: name.to_owned(), rows, elapsed };
    let rows: u64 = answer.tables.iter().map(|table| table.rows as u64).sum();
    let figures = &answer.figures;
    let running = figures.elapsed.saturating_sub(work.planning + work.finding);
    let by_filter = sum(|counters| &counters.blocks_skipped);
    Explanation {
        plan: plan_text(query, work),
        steps: vec![
            step("plan", 0, work.planning),
            step("find blocks", 0, work.finding),
            step("run", rows, running),
            step("skip blocks (threads)", 0, of_threads(|counters| &counters.nanos_skipping)),
            step(
                "read columns (threads)",
                figures.rows_examined,
                of_threads(|counters| &counters.nanos_reading),
            ),
            step("filter (threads)", figures.rows_matched, of_threads(|counters| &counters.nanos_filtering)),
        ],
        skipped: vec![("time", figures.blocks_skipped - by_filter), ("filter", by_filter)],
    }
}

fn plan_text(query: &Query, work: &Work) -> String {
    let mut lines: Vec<String> = work.scans.iter().map(scan_text).collect();
    lines.extend(query.stages.iter().map(stage_text));
    lines.join("\n")
}

fn scan_text(scan: &Scanned) -> String {
    let mut text = format!("scan {} columns={}", scan.dataset, scan.columns);
    let edge = |nanos: i64| time::Timestamp::from_nanos(nanos).to_string();
    if scan.range.start > i64::MIN {
        let _ = write!(text, " from={}", edge(scan.range.start));
    }
    if scan.range.end < i64::MAX {
        let _ = write!(text, " to={}", edge(scan.range.end));
    }
    text
}

/// The columns that a scan reads, in words.
pub(crate) fn column_names(scope: &Scope) -> String {
    let names = scope.inputs().iter().map(|column| match column {
        InputColumn::Time => "_time".to_owned(),
        InputColumn::Arrival => "_sysTime".to_owned(),
        InputColumn::Sequence => "_sequence".to_owned(),
        InputColumn::Index => "_index".to_owned(),
        InputColumn::Cursor => "_cursor".to_owned(),
        InputColumn::Template(field) => format!("template({field})"),
        InputColumn::Field(field, kind) => format!("{field}:{}", kind.as_str()),
    });
    let names: Vec<String> = names.collect();
    if names.is_empty() { "none".to_owned() } else { names.join(",") }
}

fn stage_text(stage: &Stage) -> String {
    match stage {
        Stage::Filter(condition) => format!("where {}", print_expression(condition)),
        Stage::Extend(fields) => format!("extend {}", named_text(fields)),
        Stage::Project(fields) => format!("project {}", named_text(fields)),
        Stage::Summarize(summarize) => summarize_text(summarize),
        Stage::Sort(keys) => format!("sort by {}", joined(keys, sort_text)),
        Stage::Limit(limit) => format!("limit {limit}"),
        Stage::After(cursor) => {
            format!("after {}{}", cursor.row, if cursor.is_included { " and itself" } else { "" })
        }
        other => tidegauge_lang::print_stage(other),
    }
}

fn summarize_text(summarize: &Summarize) -> String {
    let aggregate = |named: &NamedAggregate| {
        let info = aggregate_info(&named.call);
        let arguments: Vec<String> =
            named.call.of.iter().map(print_expression).chain(info.arguments).collect();
        format!("{} = {}({})", named.name, info.name, arguments.join(", "))
    };
    let bucket = summarize.bucket.map(|bucket| format!("bin(_time, {})", duration::to_text(bucket.step)));
    let keys: Vec<String> = bucket.into_iter().chain(summarize.keys.iter().map(one_named)).collect();
    let by = if keys.is_empty() { String::new() } else { format!(" by {}", keys.join(", ")) };
    format!("summarize {}{by}", joined(&summarize.aggregates, aggregate))
}

fn sort_text(key: &SortKey) -> String {
    format!("{} {}", key.field, if key.is_descending { "desc" } else { "asc" })
}

fn named_text(fields: &[Named]) -> String {
    joined(fields, one_named)
}

fn one_named(field: &Named) -> String {
    let text = print_expression(&field.expr);
    if text == field.name { text } else { format!("{} = {text}", field.name) }
}

fn joined<T>(parts: &[T], text: impl Fn(&T) -> String) -> String {
    parts.iter().map(text).collect::<Vec<String>>().join(", ")
}
