//! `parse-kv`: takes keys and values out of texts such as `a=1 b=2`.

use super::{Operator, Trial};
use crate::lexer::TokenKind;
use crate::parser::{Parser, type_word};
use crate::print::Printer;
use crate::suggest;
use crate::tree::{Literal, ParseKeyValue, Stage, Type};
use crate::{Diagnostic, Span};

const SETTINGS: &[&str] = &["pair_delimiter", "kv_delimiter", "quote", "escape", "greedy", "regex"];

pub(super) const OPERATOR: Operator = Operator {
    names: &["parse-kv"],
    syntax: "parse-kv expression as (key[:type], …) [with (pair_delimiter=\" \", kv_delimiter=\"=\", quote=…, escape=…, \
        greedy=true | regex=…)]",
    doc: "Takes keys and their values out of texts into columns.",
    example: "parse-kv message as (user, took:long) with (pair_delimiter=\";\", kv_delimiter=\"=\")",
    trial: Trial {
        query: r#"print message = "user=ann;took=12" | parse-kv message as (user, took:long) with (pair_delimiter=";", kv_delimiter="=") | project user, took"#,
        rows: &[r#"{"user":"ann","took":12}"#],
    },
    needs: Some("a field and `as` with keys"),
    parse,
};

fn parse(parser: &mut Parser<'_>) -> Option<Stage> {
    let of = parser.expr_until(&["as", "with"]);
    if !parser.expect_word("as", OPERATOR.example) {
        return None;
    }
    let keys = parser.columns(false, OPERATOR.example);
    let mut parsed = ParseKeyValue {
        of,
        keys,
        pair_delimiter: None,
        kv_delimiter: None,
        quote: None,
        escape: None,
        is_greedy: false,
        regex: None,
    };
    if parser.accept_word("with").is_some() {
        let Some(open) = parser.cursor.accept(&TokenKind::LeftParenthesis) else {
            parser.report_missing("`(` with settings", "with (pair_delimiter=\";\", kv_delimiter=\"=\")");
            return None;
        };
        loop {
            if setting(parser, &mut parsed).is_none() {
                parser.skip_stage();
                break;
            }
            if parser.cursor.accept(&TokenKind::Comma).is_none() {
                break;
            }
        }
        parser.close(TokenKind::RightParenthesis, open);
    }
    Some(Stage::ParseKeyValue(parsed))
}

fn setting(parser: &mut Parser<'_>, parsed: &mut ParseKeyValue) -> Option<()> {
    let (name, span) = parser.expect_name("a setting", "pair_delimiter=\";\"")?;
    let slot = match name.as_str() {
        "pair_delimiter" => &mut parsed.pair_delimiter,
        "kv_delimiter" => &mut parsed.kv_delimiter,
        "quote" => &mut parsed.quote,
        "escape" => &mut parsed.escape,
        "regex" => &mut parsed.regex,
        "greedy" => {
            parsed.is_greedy = boolean(parser)?;
            return Some(());
        }
        _ => {
            report_unknown(parser, &name, span);
            return None;
        }
    };
    if parser.cursor.accept(&TokenKind::Equal).is_none() {
        parser.report_missing("`=`", "pair_delimiter=\";\"");
        return None;
    }
    *slot = Some(parser.expect_text("a text in quotes", "pair_delimiter=\";\"")?.0);
    Some(())
}

fn report_unknown(parser: &mut Parser<'_>, name: &str, span: Span) {
    let hint = match suggest::nearest(name, SETTINGS.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("write one of {}", SETTINGS.join(", ")),
    };
    let message = format!("`{name}` is no setting of `parse-kv`");
    parser.cursor.report(Diagnostic::new(message, span).with_hint(hint));
}

fn boolean(parser: &mut Parser<'_>) -> Option<bool> {
    parser.cursor.accept(&TokenKind::Equal);
    let word = parser.cursor.word_ahead(0);
    let value = match (parser.cursor.peek(), word) {
        (TokenKind::Literal(Literal::Boolean(value)), _) => *value,
        (_, Some("true")) => true,
        (_, Some("false")) => false,
        _ => {
            parser.report_missing("true or false", "greedy=true");
            return None;
        }
    };
    parser.cursor.advance();
    Some(value)
}

pub(super) fn print(parse: &ParseKeyValue, printer: &mut Printer) {
    printer.push("parse-kv ");
    printer.expr(&parse.of);
    printer.push(" as (");
    printer.joined(&parse.keys, |printer, key| {
        printer.name(&key.name);
        if key.kind != Type::String {
            printer.push(&format!(":{}", type_word(key.kind)));
        }
    });
    printer.push(")");
    let texts = [
        ("pair_delimiter", &parse.pair_delimiter),
        ("kv_delimiter", &parse.kv_delimiter),
        ("quote", &parse.quote),
        ("escape", &parse.escape),
        ("regex", &parse.regex),
    ];
    let mut settings: Vec<String> = Vec::new();
    for (name, value) in texts {
        if let Some(value) = value {
            let mut text = Printer::default();
            text.push(&format!("{name}="));
            text.string(value);
            settings.push(text.finish());
        }
    }
    if parse.is_greedy {
        settings.push("greedy=true".to_owned());
    }
    if !settings.is_empty() {
        printer.push(&format!(" with ({})", settings.join(", ")));
    }
}

#[cfg(test)]
mod tests {
    use crate::stages::testing::{check_printed, check_wrong};

    #[test]
    fn is_read_and_printed() {
        check_printed(&[
            ("parse-kv m as (a, b:long)", "parse-kv m as (a, b:long)"),
            (
                "parse-kv m as (a) with (kv_delimiter=':', pair_delimiter=';')",
                "parse-kv m as (a) with (pair_delimiter=\";\", kv_delimiter=\":\")",
            ),
            (
                "parse-kv m as (a) with (quote='\"', escape='\\\\', greedy=true)",
                "parse-kv m as (a) with (quote=\"\\\"\", escape=\"\\\\\", greedy=true)",
            ),
            (
                "parse-kv tolower(m) as (['a b']:real) with (regex=@'(\\w+)=(\\w+)')",
                "parse-kv tolower(m) as (['a b']:real) with (regex=\"(\\\\w+)=(\\\\w+)\")",
            ),
        ]);
    }

    #[test]
    fn mistakes_are_told() {
        check_wrong(&[
            ("parse-kv", "`parse-kv` needs a field and `as` with keys", "parse-kv", "parse-kv message as"),
            ("parse-kv m a", "an operator is missing before `a`", "a", "`as`"),
            ("parse-kv m with (quote='x')", "`as` is missing before `with`", "with", "parse-kv message as"),
            ("parse-kv m as a, b", "`(` with the columns is missing before `a`", "a", "parse-kv message as"),
            (
                "parse-kv m as (a) with (pair_delimeter=';')",
                "`pair_delimeter` is no setting of `parse-kv`",
                "pair_delimeter",
                "`pair_delimiter`",
            ),
            (
                "parse-kv m as (a) with (quote=1)",
                "a text in quotes is missing before `1`",
                "1",
                "pair_delimiter",
            ),
            ("parse-kv m as (a", "`(` is never closed", "(", "`)`"),
        ]);
    }
}
