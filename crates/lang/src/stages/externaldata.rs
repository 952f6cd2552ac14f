//! `externaldata` as a stage, which it is not: it begins a query. How it is read is in `sources`.

use super::{Operator, Trial};
use crate::Diagnostic;
use crate::parser::Parser;
use crate::tree::Stage;

pub(super) const OPERATOR: Operator = Operator {
    names: &["externaldata"],
    syntax: "externaldata (column:type, …) [\"address\", …] [with (format=\"csv\", ignoreFirstRecord=true)]",
    doc: "Reads rows from files at addresses; it begins a query.",
    example: "externaldata (id:long, name:string) [\"https://example.com/names.csv\"] with (format=\"csv\")",
    trial: Trial {
        query: r#"externaldata (id:long, name:string) ["https://example.com/users.csv"] with (format="csv")"#,
        rows: &[r#"{"id":1,"name":"Ann"}"#, r#"{"id":2,"name":"Bob"}"#],
    },
    needs: None,
    parse,
};

fn parse(parser: &mut Parser<'_>) -> Option<Stage> {
    let hint = "begin a query with it, or write `join (externaldata (…) […]) on …`";
    let diagnostic = Diagnostic::new("`externaldata` is no stage", parser.cursor.span_before());
    parser.cursor.report(diagnostic.with_hint(hint));
    parser.skip_stage();
    None
}

#[cfg(test)]
mod tests {
    use crate::stages::testing::{check_printed, check_wrong};

    #[test]
    fn is_read_and_printed_where_it_begins_a_query() {
        check_printed(&[
            (
                "union (externaldata (a:long) ['https://x.example/a'])",
                "union (externaldata (a:long) [\"https://x.example/a\"])",
            ),
            (
                "join (externaldata(a:long)['https://x.example/a'] with (format='csv')) on a",
                "join kind=inner (externaldata (a:long) [\"https://x.example/a\"] with (format=\"csv\")) on a",
            ),
            (
                "lookup (externaldata(a:long)['https://x.example/a'] | take 1) on a",
                "lookup kind=leftouter (externaldata (a:long) [\"https://x.example/a\"] | take 1) on a",
            ),
        ]);
    }

    #[test]
    fn mistakes_are_told() {
        check_wrong(&[(
            "externaldata (a:long) ['x']",
            "`externaldata` is no stage",
            "externaldata",
            "begin a query",
        )]);
    }
}
