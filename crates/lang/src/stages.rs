//! The stages of a query, one operator in a file: its parser, its printer and its tests. The
//! table here is what the parser, suggestions, the reference page and completion read.

mod count;
mod distinct;
mod expand;
mod extend;
mod extend_valid;
mod externaldata;
mod getschema;
mod join;
mod lookup;
mod make_series;
mod operator;
mod parse;
mod parse_kv;
mod parse_where;
mod project;
mod project_away;
mod project_keep;
mod project_rename;
mod project_reorder;
mod redact;
mod sample;
pub(crate) mod search;
mod sort;
mod summarize;
mod take;
#[cfg(test)]
mod testing;
mod top;
pub(crate) mod union;
mod unknown;
mod where_rows;

use crate::parser::Parser;
use crate::print::Printer;
use crate::tree::Stage;

pub use operator::{Operator, Trial};
pub(crate) use unknown::SOURCES;

const OPERATORS: &[Operator] = &[
    where_rows::OPERATOR,
    extend::OPERATOR,
    extend_valid::OPERATOR,
    project::OPERATOR,
    project_away::OPERATOR,
    project_keep::OPERATOR,
    project_rename::OPERATOR,
    project_reorder::OPERATOR,
    summarize::OPERATOR,
    count::OPERATOR,
    distinct::OPERATOR,
    sort::OPERATOR,
    top::OPERATOR,
    take::OPERATOR,
    sample::OPERATOR,
    union::OPERATOR,
    join::OPERATOR,
    lookup::OPERATOR,
    parse::OPERATOR,
    parse_where::OPERATOR,
    parse_kv::OPERATOR,
    expand::OPERATOR,
    search::OPERATOR,
    redact::OPERATOR,
    make_series::OPERATOR,
    getschema::OPERATOR,
    externaldata::OPERATOR,
];

/// Every operator.
pub fn operators() -> impl Iterator<Item = &'static Operator> {
    OPERATORS.iter()
}

/// Every name of an operator, also the second ones.
pub fn names() -> impl Iterator<Item = &'static str> {
    OPERATORS.iter().flat_map(|operator| operator.names.iter().copied())
}

/// The operator of this name. Names are case-sensitive.
pub fn find(name: &str) -> Option<&'static Operator> {
    OPERATORS.iter().find(|operator| operator.names.contains(&name))
}

/// Writes a stage as text, without the `|` before it.
pub(crate) fn print(stage: &Stage, printer: &mut Printer) {
    match stage {
        Stage::Filter(condition) => where_rows::print(condition, printer),
        Stage::Extend(fields) => extend::print(fields, printer),
        Stage::ExtendValid(fields) => extend_valid::print(fields, printer),
        Stage::Project(fields) => project::print(fields, printer),
        Stage::ProjectAway(fields) => project_away::print(fields, printer),
        Stage::ProjectKeep(fields) => project_keep::print(fields, printer),
        Stage::ProjectRename(fields) => project_rename::print(fields, printer),
        Stage::ProjectReorder(fields) => project_reorder::print(fields, printer),
        Stage::Summarize(summarize) => summarize::print(summarize, printer),
        Stage::Count => printer.push("count"),
        Stage::Distinct(fields) => distinct::print(fields, printer),
        Stage::Sort(keys) => sort::print_fields(keys, printer),
        Stage::Order(keys) => sort::print(keys, printer),
        Stage::Top(top) => top::print(top, printer),
        Stage::Limit(count) => printer.push(&format!("take {count}")),
        Stage::Take(count) => take::print(count, printer),
        Stage::Sample(share) => sample::print(share, printer),
        Stage::Union(union) => union::print(union, printer),
        Stage::Join(join) => join::print(join, printer),
        Stage::Lookup(lookup) => lookup::print(lookup, printer),
        Stage::Parse(parse) => parse::print(parse, "parse", printer),
        Stage::ParseWhere(parse) => parse::print(parse, "parse-where", printer),
        Stage::ParseKeyValue(parse) => parse_kv::print(parse, printer),
        Stage::Expand(expand) => expand::print(expand, printer),
        Stage::Search(search) => search::print(search, printer),
        Stage::Redact(redact) => redact::print(redact, printer),
        Stage::MakeSeries(series) => make_series::print(series, printer),
        Stage::GetSchema => printer.push("getschema"),
        Stage::After(cursor) => {
            let itself = if cursor.is_included { " and itself" } else { "" };
            printer.push(&format!("after {}{itself}", cursor.row));
        }
    }
}

impl Parser<'_> {
    /// One stage, behind the `|` before it. None if it could not be understood, which is reported.
    pub(crate) fn stage(&mut self) -> Option<Stage> {
        let Some((name, span)) = self.operator_name() else {
            self.report_missing("a stage", "where …` or `summarize …");
            return None;
        };
        let Some(operator) = find(&name) else {
            self.report_unknown_operator(&name, span);
            self.skip_stage();
            return None;
        };
        if let Some(needs) = operator.needs.filter(|_| self.is_at_stage_end()) {
            let message = format!("`{name}` needs {needs}");
            let hint = format!("write `{}`", operator.example);
            self.cursor.report(crate::Diagnostic::new(message, span).with_hint(hint));
            return None;
        }
        (operator.parse)(self)
    }

    /// The name of an operator: words with `-` between them and no blanks.
    fn operator_name(&mut self) -> Option<(String, crate::Span)> {
        self.cursor.word_ahead(0)?;
        let start = self.cursor.advance();
        let mut end = start;
        while self.cursor.is_at(&crate::lexer::TokenKind::Minus)
            && self.cursor.is_adjacent(0)
            && self.cursor.is_adjacent(1)
            && self.cursor.word_ahead(1).is_some()
        {
            self.cursor.advance();
            end = self.cursor.advance();
        }
        let span = start.to(end);
        Some((self.cursor.slice(span).to_owned(), span))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::parse_query;

    #[test]
    fn there_are_twenty_nine_names_of_operators() {
        let listed = "count distinct extend extend-valid externaldata getschema join limit lookup make-series mv-expand \
            order parse parse-kv parse-where project project-away project-keep project-rename project-reorder redact \
            sample search sort summarize take top union where";
        let names: BTreeSet<&str> = names().collect();
        for name in listed.split_whitespace() {
            assert!(names.contains(name), "{name}");
        }
        let beside: Vec<&str> =
            names.into_iter().filter(|name| !listed.split_whitespace().any(|known| known == *name)).collect();
        assert_eq!(beside, ["filter"], "what the list does not have");
    }

    #[test]
    fn every_example_is_read_and_every_sentence_ends() {
        for operator in operators() {
            assert!(operator.doc.ends_with('.'), "{}", operator.names[0]);
            let text = match operator.names[0] {
                "externaldata" => operator.example.to_owned(),
                _ => format!("logs | {}", operator.example),
            };
            let (_, diagnostics) = parse_query(&text);
            assert_eq!(diagnostics, [], "{text}");
        }
    }
}
