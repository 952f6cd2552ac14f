//! `redact`: replaces what regular expressions find in texts.

use super::{Operator, Trial};
use crate::Diagnostic;
use crate::lexer::TokenKind;
use crate::parser::Parser;
use crate::print::Printer;
use crate::tree::{Literal, Redact, Stage};

const BOOLEANS: &[(&str, bool)] = &[("true", true), ("false", false)];

pub(super) const OPERATOR: Operator = Operator {
    names: &["redact"],
    syntax: "redact [replaceToken=\"*\"] [replaceHash=true] [redactGroups=true] \"regex\" [, \"regex\" …] [on field, …]",
    doc: "Replaces what regular expressions find in texts.",
    example: "redact replaceToken=\"x\" \"[0-9]{16}\" on message",
    trial: Trial {
        query: r#"print message = "card 4111 of ann" | redact replaceToken="*" "[0-9]+" on message"#,
        rows: &[r#"{"message":"card **** of ann"}"#],
    },
    needs: Some("a regular expression"),
    parse,
};

fn parse(parser: &mut Parser<'_>) -> Option<Stage> {
    let start = parser.cursor.span();
    let mut redact = Redact {
        token: None,
        is_hash: false,
        is_groups: false,
        patterns: Vec::new(),
        span: start,
        fields: Vec::new(),
    };
    loop {
        if parser.is_at_setting("replaceHash") {
            redact.is_hash = parser.choice("replaceHash", BOOLEANS).unwrap_or_default();
        } else if parser.is_at_setting("redactGroups") {
            redact.is_groups = parser.choice("redactGroups", BOOLEANS).unwrap_or_default();
        } else if parser.is_at_setting("replaceToken") {
            parser.cursor.advance();
            parser.cursor.advance();
            redact.token = token(parser);
            redact.token.as_ref()?;
        } else {
            break;
        }
    }
    if redact.token.is_some() && redact.is_hash {
        let hint = "write one of them";
        let message = "`replaceToken` and `replaceHash` exclude each other";
        parser.cursor.report(Diagnostic::new(message, start).with_hint(hint));
    }
    let first = parser.cursor.span();
    loop {
        redact.patterns.push(pattern(parser)?);
        if parser.cursor.accept(&TokenKind::Comma).is_none() {
            break;
        }
    }
    redact.span = first.to(parser.cursor.end_before());
    if parser.accept_word("on").is_some() {
        redact.fields = parser.patterns(OPERATOR.example);
    }
    Some(Stage::Redact(redact))
}

/// One text, without those beside it, which are regular expressions.
fn token(parser: &mut Parser<'_>) -> Option<String> {
    let TokenKind::Literal(Literal::String(token)) = parser.cursor.peek().clone() else {
        parser.report_missing("a text in quotes", "replaceToken=\"x\"");
        return None;
    };
    parser.cursor.advance();
    Some(token)
}

/// A regular expression, which may stand in parentheses.
fn pattern(parser: &mut Parser<'_>) -> Option<String> {
    let open = parser.cursor.accept(&TokenKind::LeftParenthesis);
    let (text, _) = parser.expect_text("a regular expression in quotes", OPERATOR.example)?;
    if let Some(open) = open {
        parser.close(TokenKind::RightParenthesis, open);
    }
    Some(text)
}

pub(super) fn print(redact: &Redact, printer: &mut Printer) {
    printer.push("redact ");
    if let Some(token) = &redact.token {
        printer.push("replaceToken=");
        printer.string(token);
        printer.push(" ");
    }
    if redact.is_hash {
        printer.push("replaceHash=true ");
    }
    if redact.is_groups {
        printer.push("redactGroups=true ");
    }
    printer.joined(&redact.patterns, |printer, pattern| printer.string(pattern));
    if !redact.fields.is_empty() {
        printer.push(" on ");
        printer.joined(&redact.fields, Printer::pattern);
    }
}

#[cfg(test)]
mod tests {
    use crate::stages::testing::{check_printed, check_wrong};

    #[test]
    fn is_read_and_printed() {
        check_printed(&[
            ("redact 'secret'", "redact \"secret\""),
            (
                "redact replaceToken='<gone>' @'\\d+', ('a|b') on message, user*",
                "redact replaceToken=\"<gone>\" \"\\\\d+\", \"a|b\" on message, user*",
            ),
            (
                "redact replaceHash=true redactGroups=true 'id=(\\\\d+)'",
                "redact replaceHash=true redactGroups=true \"id=(\\\\d+)\"",
            ),
            ("redact replaceHash=false 'a'", "redact \"a\""),
        ]);
    }

    #[test]
    fn mistakes_are_told() {
        check_wrong(&[
            ("redact", "`redact` needs a regular expression", "redact", "redact replaceToken"),
            (
                "redact email",
                "a regular expression in quotes is missing before `email`",
                "email",
                "redact replaceToken",
            ),
            ("redact replaceHash=yes 'a'", "`yes` is no replaceHash of this stage", "yes", "true, false"),
            (
                "redact replaceToken='x' replaceHash=true 'a'",
                "`replaceToken` and `replaceHash` exclude each other",
                "replaceToken",
                "one of them",
            ),
            ("redact 'a' on", "a field is missing before the end", "", "on message"),
        ]);
    }
}
