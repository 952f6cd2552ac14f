//! `parse`: takes texts apart by a pattern of constants and columns. `parse-where` has the same form.

use super::{Operator, Trial};
use crate::Diagnostic;
use crate::lexer::TokenKind;
use crate::parser::{Parser, type_word};
use crate::print::Printer;
use crate::tree::{Column, Literal, Parse, ParseMode, ParsePart, Stage, Type};

const MODES: &[(&str, ParseMode)] =
    &[("simple", ParseMode::Simple), ("regex", ParseMode::Regex), ("relaxed", ParseMode::Relaxed)];

pub(super) const OPERATOR: Operator = Operator {
    names: &["parse"],
    syntax: "parse [kind=simple|regex|relaxed] expression with [*] \"text\" column[:type] [*] …",
    doc: "Takes texts apart into columns; rows that do not fit get nulls.",
    example: "parse message with * \"user=\" user \" took \" took:long \"ms\" *",
    trial: Trial {
        query: r#"print message = "GET /login took 12ms" | parse message with method " " path " took " took:long "ms" | project method, path, took"#,
        rows: &[r#"{"method":"GET","path":"/login","took":12}"#],
    },
    needs: Some("a field and `with`"),
    parse,
};

fn parse(parser: &mut Parser<'_>) -> Option<Stage> {
    parts(parser, OPERATOR.example).map(Stage::Parse)
}

/// What follows `parse` or `parse-where`.
pub(super) fn parts(parser: &mut Parser<'_>, example: &str) -> Option<Parse> {
    let mut mode = ParseMode::Simple;
    let mut flags = None;
    loop {
        if parser.is_at_setting("kind") {
            mode = parser.choice("kind", MODES).unwrap_or(mode);
        } else if parser.is_at_setting("flags") {
            parser.cursor.advance();
            parser.cursor.advance();
            flags = Some(parser.expect_name("a value of `flags`", "flags=i")?.0);
        } else {
            break;
        }
    }
    if parser.is_at_clause("with") {
        parser.report_missing("a field", example);
        return None;
    }
    let of = parser.expr_until(&["with"]);
    if !parser.expect_word("with", example) {
        return None;
    }
    let pattern = pattern(parser, example)?;
    Some(Parse { mode, flags, of, pattern })
}

fn pattern(parser: &mut Parser<'_>, example: &str) -> Option<Vec<ParsePart>> {
    let mut pattern: Vec<ParsePart> = Vec::new();
    while !parser.is_at_stage_end() {
        let span = parser.cursor.span();
        let part = match parser.cursor.peek() {
            TokenKind::Star => {
                parser.cursor.advance();
                ParsePart::Skip
            }
            TokenKind::Literal(Literal::String(_)) => {
                ParsePart::Text(parser.expect_text("a text", example)?.0)
            }
            TokenKind::Comma => {
                let hint = "remove it: the parts of a pattern stand beside each other";
                parser.cursor.report(Diagnostic::new("unexpected `,` in the pattern", span).with_hint(hint));
                parser.cursor.advance();
                continue;
            }
            _ => ParsePart::Column(column(parser, example)?),
        };
        if let (Some(ParsePart::Column(before)), ParsePart::Column(column)) = (pattern.last(), &part) {
            let message = format!("there is no text between `{}` and `{}`", before.name, column.name);
            let hint =
                format!("write the text that stands between them: `{} \" \" {}`", before.name, column.name);
            parser.cursor.report(Diagnostic::new(message, span).with_hint(hint));
        }
        pattern.push(part);
    }
    if pattern.is_empty() {
        parser.report_missing("the pattern", example);
        return None;
    }
    Some(pattern)
}

fn column(parser: &mut Parser<'_>, example: &str) -> Option<Column> {
    let (name, _) = parser.expect_name("a text or a column of the pattern", example)?;
    let has_type = parser.cursor.accept(&TokenKind::Colon).is_some();
    let kind = if has_type { parser.type_name()? } else { Type::String };
    Some(Column { name, kind })
}

pub(super) fn print(parse: &Parse, name: &str, printer: &mut Printer) {
    printer.push(name);
    if let Some((mode, _)) = MODES.iter().find(|(_, mode)| *mode == parse.mode && *mode != ParseMode::Simple)
    {
        printer.push(&format!(" kind={mode}"));
    }
    if let Some(flags) = &parse.flags {
        printer.push(" flags=");
        printer.name_before_value(flags);
    }
    printer.push(" ");
    printer.expr(&parse.of);
    printer.push(" with");
    for part in &parse.pattern {
        printer.push(" ");
        match part {
            ParsePart::Skip => printer.push("*"),
            ParsePart::Text(text) => printer.string(text),
            ParsePart::Column(column) => {
                printer.name(&column.name);
                if column.kind != Type::String {
                    printer.push(&format!(":{}", type_word(column.kind)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::stages::testing::{check_printed, check_wrong};

    #[test]
    fn is_read_and_printed() {
        check_printed(&[
            ("parse m with 'a=' a ' b=' b:long *", "parse m with \"a=\" a \" b=\" b:long *"),
            ("parse kind=regex m with @'\\d+' x: real", "parse kind=regex m with \"\\\\d+\" x:real"),
            (
                "parse kind=relaxed flags=Ui tolower(m) with * '-' ['a b']:datetime",
                "parse kind=relaxed flags=Ui tolower(m) with * \"-\" ['a b']:datetime",
            ),
            ("parse m with 'a' 'b' c:string", "parse m with \"ab\" c"),
        ]);
    }

    #[test]
    fn mistakes_are_told() {
        check_wrong(&[
            ("parse", "`parse` needs a field and `with`", "parse", "parse message with"),
            ("parse m", "`with` is missing before the end", "", "parse message with"),
            ("parse m with", "the pattern is missing before the end", "", "parse message with"),
            ("parse with 'a' b", "a field is missing before `with`", "with", "parse message with"),
            ("parse m with a b", "there is no text between `a` and `b`", "b", "`a \" \" b`"),
            ("parse m with 'x' a:number", "`number` is no type", "number", "`real`"),
            ("parse kind=regexp m with 'x' a", "`regexp` is no kind of this stage", "regexp", "`regex`"),
            ("parse m with 'a', b", "unexpected `,` in the pattern", ",", "remove it"),
            ("parse m 'x' a", "an operator is missing before `'x'`", "'x'", "`with`"),
        ]);
    }
}
