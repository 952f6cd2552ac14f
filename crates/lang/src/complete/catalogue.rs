//! The candidates of each kind, from the tables of the language and from what the caller knows.

use super::candidate::{Candidate, Completion, CompletionKind};
use super::columns::{Columns, Tables};
use super::existing::KnownField;
use crate::functions::{self, Function};
use crate::parser::{operators, type_word};
use crate::print::Printer;
use crate::stages;
use crate::tree::{LetValue, Type};

/// How names and calls are written at the place.
#[derive(Clone, Copy, Debug)]
pub(super) struct NameStyle {
    /// Names stand in brackets and quotes.
    pub(super) is_quoted: bool,
    /// A parenthesis stands behind the place already.
    pub(super) is_before_call: bool,
}

fn candidate(
    group: u8,
    kind: CompletionKind,
    label: &str,
    insert: String,
    detail: &str,
    doc: &str,
) -> Candidate {
    let (label, detail, doc) = (label.to_owned(), detail.to_owned(), doc.to_owned());
    Candidate { group, item: Completion { label, insert, kind, detail, doc } }
}

/// A word of the language.
pub(super) fn keyword(group: u8, word: &str) -> Candidate {
    candidate(group, CompletionKind::Keyword, word, word.to_owned(), "", "")
}

/// A word with its sentence.
pub(super) fn described(group: u8, word: &str, doc: &str) -> Candidate {
    candidate(group, CompletionKind::Keyword, word, word.to_owned(), "", doc)
}

pub(super) fn value(group: u8, label: &str, insert: String) -> Candidate {
    candidate(group, CompletionKind::Value, label, insert, "", "")
}

/// `name=`, with what it can be.
pub(super) fn setting(group: u8, name: &str, choices: &[&str]) -> Candidate {
    let written = format!("{name}=");
    candidate(group, CompletionKind::Keyword, &written, written.clone(), &choices.join(" | "), "")
}

/// What a stage can begin with.
pub(super) fn stage_names() -> Vec<Candidate> {
    /// Stages that are written again and again.
    const SNIPPETS: &[(&str, &str)] = &[
        ("summarize count() by bin_auto(_time)", "How many events there are over time."),
        ("sort by _time desc", "The newest events first."),
        ("take 10", "Ten rows."),
    ];
    let mut candidates = Vec::new();
    for operator in stages::operators().filter(|operator| operator.names[0] != "externaldata") {
        for (place, name) in operator.names.iter().enumerate() {
            let insert = if operator.syntax == *name { (*name).to_owned() } else { format!("{name} ") };
            let group = u8::from(place > 0);
            let kind = CompletionKind::Operator;
            candidates.push(candidate(group, kind, name, insert, operator.syntax, operator.doc));
        }
    }
    for (text, doc) in SNIPPETS {
        candidates.push(candidate(2, CompletionKind::Snippet, text, (*text).to_owned(), "", doc));
    }
    candidates
}

/// What a query can begin with beside a table.
pub(super) fn source_words(group: u8) -> Vec<Candidate> {
    const WORDS: &[(&str, &str)] = &[
        ("print ", "One row of values that are computed."),
        ("datatable(", "Rows that stand in the query."),
        ("externaldata (", "Rows of files at addresses."),
        ("table(", "The dataset that a value names."),
    ];
    let mut candidates = Vec::new();
    for (word, doc) in WORDS {
        let label = word.trim_end_matches(['(', ' ']);
        candidates.push(candidate(group, CompletionKind::Keyword, label, (*word).to_owned(), "", doc));
    }
    for name in ["union", "search"] {
        if let Some(operator) = stages::find(name) {
            let kind = CompletionKind::Keyword;
            candidates.push(candidate(group, kind, name, format!("{name} "), operator.syntax, operator.doc));
        }
    }
    candidates
}

/// What a statement can begin with.
pub(super) fn statement_words(group: u8) -> Vec<Candidate> {
    vec![
        candidate(
            group,
            CompletionKind::Keyword,
            "let",
            "let ".to_owned(),
            "let name = value;",
            "Names a value or a table.",
        ),
        candidate(
            group,
            CompletionKind::Keyword,
            "declare query_parameters",
            "declare query_parameters(".to_owned(),
            "declare query_parameters(name:type = default);",
            "Names values that come with the request.",
        ),
        candidate(
            group,
            CompletionKind::Keyword,
            "set stricttypes",
            "set stricttypes;".to_owned(),
            "",
            "Types must fit exactly.",
        ),
    ]
}

/// Tables that can be named: what `let` defines, datasets and views.
pub(super) fn tables(tables: &Tables<'_>, group: u8, style: NameStyle) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    let written = |name: &str| match style.is_quoted {
        true => quoted(name),
        false => {
            let mut printer = Printer::default();
            printer.dataset(name);
            printer.finish()
        }
    };
    for (name, value) in tables.lets {
        if matches!(value, Some(LetValue::Table(_))) {
            let kind = CompletionKind::Dataset;
            candidates.push(candidate(group, kind, name, written(name), "let", "A table of this query."));
        }
    }
    for name in tables.existing.datasets {
        candidates.push(candidate(group, CompletionKind::Dataset, name, written(name), "dataset", ""));
    }
    for name in tables.existing.views {
        candidates.push(candidate(group, CompletionKind::Dataset, name, written(name), "view", ""));
    }
    candidates
}

/// Values that `let` and parameters of the query name.
pub(super) fn scalars(tables: &Tables<'_>, group: u8) -> Vec<Candidate> {
    let is_value = |value: &&(String, Option<LetValue>)| !matches!(value.1, Some(LetValue::Table(_)));
    let names = tables.lets.iter().filter(is_value);
    names
        .map(|(name, value)| {
            let detail = if value.is_some() { "let" } else { "parameter" };
            candidate(group, CompletionKind::Field, name, plain(name), detail, "A value of this query.")
        })
        .collect()
}

pub(super) fn fields(columns: &Columns, group: u8, style: NameStyle) -> Vec<Candidate> {
    columns.list.iter().map(|existing| field(existing, "", group, style)).collect()
}

/// A field behind what stands before its name.
pub(super) fn field(existing: &KnownField, before: &str, group: u8, style: NameStyle) -> Candidate {
    let name = &existing.name;
    let written = if style.is_quoted { quoted(name) } else { plain(name) };
    let label = format!("{before}{name}");
    let insert = format!("{before}{written}");
    candidate(group, CompletionKind::Field, &label, insert, &type_names(&existing.kinds), &existing.doc)
}

/// The members of a field that are fields of their own, such as `b` of `a` where there is `a.b`.
pub(super) fn members(columns: &Columns, of: &str, quote: Option<char>) -> Vec<Candidate> {
    let start = format!("{of}.");
    let of_field =
        columns.list.iter().filter_map(|existing| Some((existing, existing.name.strip_prefix(&start)?)));
    of_field
        .map(|(existing, name)| {
            let insert = match quote {
                Some(quote) => escaped(name, quote),
                None => format!("'{}'", escaped(name, '\'')),
            };
            candidate(0, CompletionKind::Field, name, insert, &type_names(&existing.kinds), &existing.doc)
        })
        .collect()
}

pub(super) fn aggregates(group: u8, style: NameStyle) -> Vec<Candidate> {
    functions::aggregates()
        .map(|existing| function(existing, group, CompletionKind::Aggregate, style))
        .collect()
}

/// Functions of one row.
pub(super) fn row_functions(group: u8, style: NameStyle) -> Vec<Candidate> {
    let kind = CompletionKind::Function;
    let mut candidates: Vec<Candidate> =
        functions::all().map(|existing| function(existing, group, kind, style)).collect();
    for signature in functions::signatures().filter(|signature| functions::find(signature.name).is_none()) {
        let insert = call(signature.name, signature.most > 0, style);
        candidates.push(candidate(group, kind, signature.name, insert, &signature.count_text(), ""));
    }
    candidates.sort_by(|one, other| one.item.label.cmp(&other.item.label));
    candidates
}

fn function(existing: &Function, group: u8, kind: CompletionKind, style: NameStyle) -> Candidate {
    let is_asking = existing.required > 0 || existing.parameters.len() > 1;
    let insert = call(existing.name, is_asking, style);
    candidate(group, kind, existing.name, insert, &existing.signature(), existing.doc)
}

fn call(name: &str, takes_arguments: bool, style: NameStyle) -> String {
    match (style.is_before_call, takes_arguments) {
        (true, _) => name.to_owned(),
        (false, true) => format!("{name}("),
        (false, false) => format!("{name}()"),
    }
}

pub(super) fn types() -> Vec<Candidate> {
    use Type::{Boolean, Datetime, Dynamic, Float, Integer, String, Timespan};
    let all = [String, Integer, Float, Boolean, Datetime, Timespan, Dynamic];
    let of_type = |kind: Type| {
        let word = type_word(kind);
        candidate(0, CompletionKind::Type, word, word.to_owned(), "", "")
    };
    all.into_iter().map(of_type).collect()
}

/// Operators between two expressions that fit the types of the left one; all of them if those are not known.
pub(super) fn binary_operators(kinds: &[Type], is_compared: bool) -> Vec<Candidate> {
    let has = |wanted: &[Type]| {
        let is_open = kinds.is_empty() || kinds.contains(&Type::Dynamic);
        is_open || kinds.iter().any(|kind| wanted.contains(kind))
    };
    let is_number = has(&[Type::Integer, Type::Float, Type::Datetime, Type::Timespan]);
    let mut symbols: Vec<&str> = Vec::new();
    if is_compared || has(&[Type::Boolean]) {
        symbols.extend(["and", "or"]);
    }
    if !is_compared {
        symbols.extend(["==", "!=", "in", "!in"]);
        if has(&[Type::String]) {
            symbols.extend(["=~", "!~", "in~", "!in~", "matches regex", "!matches regex"]);
        }
        if is_number {
            symbols.extend(["<", "<=", ">", ">=", "between", "!between"]);
        }
    }
    if is_number {
        symbols.extend(["+", "-", "*", "/", "%"]);
    }
    let mut candidates: Vec<Candidate> = symbols.iter().map(|symbol| symbol_of(0, symbol)).collect();
    if !is_compared && has(&[Type::String]) {
        for word in operators::words().filter(|word| !is_other(word)) {
            candidates.push(symbol_of(1, word));
            if !word.starts_with("has_any") {
                candidates.push(symbol_of(2, &format!("!{word}")));
            }
        }
    }
    candidates
}

/// Words that are operators for other types too.
fn is_other(word: &str) -> bool {
    matches!(word, "and" | "or" | "in" | "in~" | "between" | "matches")
}

fn symbol_of(group: u8, symbol: &str) -> Candidate {
    candidate(group, CompletionKind::Operator, symbol, format!("{symbol} "), "", "")
}

/// How types are shown, with `|` between them.
fn type_names(kinds: &[Type]) -> String {
    let name = |kind: &Type| match kind {
        Type::Array => "array",
        Type::Map => "map",
        other => type_word(*other),
    };
    kinds.iter().map(name).collect::<Vec<_>>().join("|")
}

fn plain(name: &str) -> String {
    let mut printer = Printer::default();
    printer.name(name);
    printer.finish()
}

fn quoted(name: &str) -> String {
    let mut printer = Printer::default();
    printer.quoted_name(name);
    printer.finish()
}

/// A text in quotes.
pub(super) fn text(value: &str) -> String {
    let mut printer = Printer::default();
    printer.string(value);
    printer.finish()
}

/// A text as it stands between these quotes.
pub(super) fn escaped(value: &str, quote: char) -> String {
    let mut printer = Printer::default();
    printer.escaped(value, quote);
    printer.finish()
}
