//! `count`: how many rows there are.

use super::{Operator, Trial};
use crate::Diagnostic;
use crate::lexer::TokenKind;
use crate::parser::Parser;
use crate::tree::Stage;

pub(super) const OPERATOR: Operator = Operator {
    names: &["count"],
    syntax: "count",
    doc: "Counts the rows.",
    example: "count",
    trial: Trial { query: r#"datatable(x:long)[1, 2, 3] | where x > 1 | count"#, rows: &[r#"{"Count":2}"#] },
    needs: None,
    parse,
};

fn parse(parser: &mut Parser<'_>) -> Option<Stage> {
    let hint = match parser.cursor.peek() {
        TokenKind::LeftParenthesis => "write `count` alone as a stage, or `summarize count()`",
        TokenKind::Word if parser.cursor.word_ahead(0) == Some("by") => "write `summarize count() by …`",
        _ => return Some(Stage::Count),
    };
    let message = format!("unexpected {} after `count`", parser.cursor.found());
    parser.cursor.report(Diagnostic::new(message, parser.cursor.span()).with_hint(hint));
    None
}

#[cfg(test)]
mod tests {
    use crate::stages::testing::{check_printed, check_wrong, stage};
    use crate::tree::Stage;

    #[test]
    fn is_read_and_printed() {
        assert_eq!(stage("count"), Stage::Count);
        assert_eq!(stage(" count // all of them"), Stage::Count);
        check_printed(&[("count", "count")]);
    }

    #[test]
    fn mistakes_are_told() {
        check_wrong(&[
            ("count()", "unexpected `(` after `count`", "(", "summarize count()"),
            ("count by host", "unexpected `by` after `count`", "by", "summarize count() by"),
            ("count host", "unexpected `host`", "host", "`|`"),
        ]);
    }
}
