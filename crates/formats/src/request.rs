//! The `request` of a query in text, as the form `legacy` repeats it: what was understood, in the words of the JSON
//! query, as far as they have words for it.

use tidegauge_app::service::query::TextQuery;
use tidegauge_engine::{AggregateInfo, Table};
use tidegauge_model::duration;

use super::json::{write_key, write_list, write_member, write_string, write_text_member, write_time};
use super::members::{write_sort_key, write_start};
use super::shown::{MAIN, Shown, TIME, table};

/// The aggregations that every reader of a request knows. One that a reader does not know would cost it the answer.
const KNOWN: [&str; 14] = [
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
];

pub(super) fn write_member_of(out: &mut Vec<u8>, shown: &Shown<'_>, text: &TextQuery) {
    let main = table(shown.answer, MAIN);
    let resolution = main.and_then(|table| table.bucket).map(|bucket| duration::to_text(bucket.step));
    write_key(out, "request");
    out.push(b'{');
    write_key(out, "startTime");
    write_start(out, text.range.start);
    write_key(out, "endTime");
    write_time(out, text.range.end);
    write_text_member(out, "resolution", resolution.as_deref().unwrap_or("auto"));
    write_key(out, "aggregations");
    write_aggregations(out, main);
    write_key(out, "groupBy");
    let groups = main.iter().flat_map(|table| &table.groups).filter(|name| *name != TIME);
    write_list(out, groups, |out, name| write_string(out, name));
    write_key(out, "filter");
    out.extend_from_slice(b"null");
    write_key(out, "order");
    write_list(out, main.iter().flat_map(|table| &table.order), write_sort_key);
    write_member(out, "limit", main.map_or(0, |table| table.rows));
    for name in ["virtualFields", "project"] {
        write_key(out, name);
        out.extend_from_slice(b"[]");
    }
    write_text_member(out, "cursor", text.cursor.as_deref().unwrap_or_default());
    write_member(out, "includeCursor", text.includes_cursor);
    write_text_member(out, "continuationToken", shown.continuation_token.unwrap_or_default());
    out.push(b'}');
}

fn write_aggregations(out: &mut Vec<u8>, main: Option<&Table>) {
    let fields = main.iter().flat_map(|table| &table.fields);
    let known = fields.filter_map(|field| {
        let aggregate = field.aggregate.as_ref()?;
        KNOWN.contains(&aggregate.name).then_some((field.name.as_str(), aggregate))
    });
    write_list(out, known, |out, (alias, aggregate)| write_aggregation(out, alias, aggregate));
}

fn write_aggregation(out: &mut Vec<u8>, alias: &str, aggregate: &AggregateInfo) {
    out.push(b'{');
    write_text_member(out, "op", aggregate.name);
    write_text_member(out, "field", aggregate.fields.first().map_or("*", String::as_str));
    write_text_member(out, "alias", alias);
    write_key(out, "argument");
    let argument = aggregate.arguments.first().map_or("null", String::as_str);
    out.extend_from_slice(argument.as_bytes());
    out.push(b'}');
}
