//! `parse-where`: takes texts apart and drops the rows that do not fit.

use super::parse::parts;
use super::{Operator, Trial};
use crate::parser::Parser;
use crate::tree::Stage;

pub(super) const OPERATOR: Operator = Operator {
    names: &["parse-where"],
    syntax: "parse-where [kind=simple|regex] [flags=flags] expression with [*] \"text\" column[:type] [*] …",
    doc: "Takes texts apart into columns and drops the rows that do not fit.",
    example: "parse-where path with \"/users/\" id:long \"/\" *",
    trial: Trial {
        query: r#"datatable(message:string)["took 12ms", "nothing"] | parse-where message with "took " took:long "ms" | project took"#,
        rows: &[r#"{"took":12}"#],
    },
    needs: Some("a field and `with`"),
    parse,
};

fn parse(parser: &mut Parser<'_>) -> Option<Stage> {
    parts(parser, OPERATOR.example).map(Stage::ParseWhere)
}

#[cfg(test)]
mod tests {
    use crate::stages::testing::{check_printed, check_wrong};

    #[test]
    fn is_read_and_printed() {
        check_printed(&[
            ("parse-where path with '/' version '/' *", "parse-where path with \"/\" version \"/\" *"),
            (
                "parse-where kind=regex flags=i path with '[a-z]+' id:int",
                "parse-where kind=regex flags=i path with \"[a-z]+\" id:long",
            ),
            (
                "parse-where ['the path'] with * 'x' t:timespan",
                "parse-where ['the path'] with * \"x\" t:timespan",
            ),
        ]);
    }

    #[test]
    fn mistakes_are_told() {
        check_wrong(&[
            ("parse-where", "`parse-where` needs a field and `with`", "parse-where", "parse-where path with"),
            ("parse-where path", "`with` is missing before the end", "", "parse-where path with"),
            (
                "parse-where path with 5",
                "a text or a column of the pattern is missing before `5`",
                "5",
                "parse-where path",
            ),
        ]);
    }
}
