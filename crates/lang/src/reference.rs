//! The reference page's parts that follow from the tables: operators and functions with their examples. The page itself
//! lies in `docs/reference/language.md`; a test keeps the two equal, and another runs every example.

use std::fmt::Write;

use crate::functions::{self, Family, Function, ResultType};
use crate::stages;
use crate::tree::Type;

/// Families in the order of the page, with what stands above each.
const FAMILIES: &[(Family, &str)] = &[
    (Family::Conditional, "Conditions"),
    (Family::Conversion, "Conversion"),
    (Family::Type, "Types"),
    (Family::String, "Text"),
    (Family::Datetime, "Times"),
    (Family::Mathematical, "Numbers"),
    (Family::Rounding, "Rounding"),
    (Family::Array, "Arrays and maps"),
    (Family::Series, "Series"),
    (Family::Ip, "Addresses"),
    (Family::Hash, "Hashes"),
    (Family::Pair, "Pairs"),
    (Family::Sql, "SQL"),
    (Family::GenAi, "Conversations with models"),
    (Family::Metadata, "About rows"),
];

/// Every operator: how it is written, what it does, and a query with its answer.
pub fn operators() -> String {
    let mut page = String::new();
    for operator in stages::operators() {
        let names: Vec<String> = operator.names.iter().map(|name| format!("`{name}`")).collect();
        let _ = write!(page, "\n### {}\n\n{}\n\n", names.join(", "), operator.doc);
        let _ = write!(page, "```text\n{}\n```\n\n", operator.syntax);
        let _ = writeln!(page, "```kusto\n{}\n```\n", operator.trial.query);
        let _ = writeln!(page, "```json\n{}\n```", operator.trial.rows.join("\n"));
    }
    page
}

/// Every function of one row, family after family.
pub fn functions() -> String {
    let mut page = String::new();
    for (family, title) in FAMILIES {
        let mut of_family: Vec<&Function> =
            functions::all().filter(|function| function.family == *family).collect();
        of_family.sort_by_key(|function| function.name);
        let _ = write!(page, "\n### {title}\n\n");
        table(&mut page, &of_family);
    }
    page
}

/// Every aggregation function.
pub fn aggregates() -> String {
    let mut all: Vec<&Function> = functions::aggregates().collect();
    all.sort_by_key(|function| function.name);
    let mut page = String::from("\n");
    table(&mut page, &all);
    page
}

fn table(page: &mut String, functions: &[&Function]) {
    page.push_str("| function | gives | | example |\n|---|---|---|---|\n");
    for function in functions {
        let example = &function.example;
        let _ = writeln!(
            page,
            "| `{}` | {} | {} | `{}` → `{}` |",
            cell(&function.signature()),
            result_text(function),
            cell(function.doc),
            cell(example.text),
            cell(example.result)
        );
    }
}

/// Text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn result_text(function: &Function) -> String {
    match function.result {
        ResultType::Always(kind) => type_name(kind).to_owned(),
        ResultType::OfArgument(place) => {
            let parameter = function.parameters.get(place).map_or("value", |parameter| parameter.name);
            format!("as `{parameter}`")
        }
        ResultType::MeanOf(_) => "real, or a time".to_owned(),
        ResultType::CommonFrom(_) => "as its values".to_owned(),
    }
}

fn type_name(kind: Type) -> &'static str {
    match kind {
        Type::Boolean => "bool",
        Type::Integer | Type::LongInteger => "long",
        Type::Float => "real",
        Type::String => "string",
        Type::Datetime => "datetime",
        Type::Timespan => "timespan",
        Type::Array => "array",
        Type::Map => "map",
        Type::Dynamic => "dynamic",
    }
}
