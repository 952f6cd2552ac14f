//! `getschema`: one row for each field, about the field.

use super::{Operator, Trial};
use crate::parser::Parser;
use crate::tree::Stage;

pub(super) const OPERATOR: Operator = Operator {
    names: &["getschema"],
    syntax: "getschema",
    doc: "Gives one row for each field, with its name, its place and its type.",
    example: "getschema",
    trial: Trial {
        query: r#"print host = "a", took = 1.5 | getschema | project ColumnName, ColumnType"#,
        rows: &[
            r#"{"ColumnName":"host","ColumnType":"string"}"#,
            r#"{"ColumnName":"took","ColumnType":"real"}"#,
        ],
    },
    needs: None,
    parse,
};

fn parse(_: &mut Parser<'_>) -> Option<Stage> {
    Some(Stage::GetSchema)
}

#[cfg(test)]
mod tests {
    use crate::stages::testing::{check_printed, check_wrong, stage};
    use crate::tree::Stage;

    #[test]
    fn is_read_and_printed() {
        assert_eq!(stage("getschema"), Stage::GetSchema);
        assert_eq!(stage("\n getschema \n"), Stage::GetSchema);
        check_printed(&[("getschema", "getschema")]);
    }

    #[test]
    fn mistakes_are_told() {
        check_wrong(&[
            ("getschema a", "unexpected `a`", "a", "`|`"),
            ("get_schema", "unknown operator `get_schema`", "get_schema", "`getschema`"),
            ("getschema()", "unexpected `(`", "(", "`|`"),
        ]);
    }
}
