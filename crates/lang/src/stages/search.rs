//! `search`: rows in which something is found, in any field. Texts alone become tests of all fields here, by the stars
//! at their ends, so that the tree holds nothing but tests. It can also begin a query.

use super::{Operator, Trial};
use crate::lexer::TokenKind;
use crate::parser::{Parser, Place};
use crate::print::Printer;
use crate::tree::{
    BinaryOperator, Expr, ExprKind, Literal, NamePattern, Search, SearchCase, Stage, TextTest, TimeRange,
};

const KINDS: &[(&str, SearchCase)] = &[
    ("default", SearchCase::Insensitive),
    ("case_insensitive", SearchCase::Insensitive),
    ("case_sensitive", SearchCase::Sensitive),
];

pub(super) const OPERATOR: Operator = Operator {
    names: &["search"],
    syntax: "search [kind=case_insensitive|case_sensitive] [in (table_or_pattern, …)] predicate",
    doc: "Keeps the rows in which a text is found in any field, or in which a condition is true.",
    example: "search \"timeout\" and level:\"error\"",
    trial: Trial {
        query: r#"datatable(level:string, message:string)["error", "disk full", "info", "started"] | search "full""#,
        rows: &[r#"{"level":"error","message":"disk full"}"#],
    },
    needs: Some("a text or a condition"),
    parse,
};

fn parse(parser: &mut Parser<'_>) -> Option<Stage> {
    search(parser).map(Stage::Search)
}

/// What follows the word `search`.
pub(crate) fn search(parser: &mut Parser<'_>) -> Option<Search> {
    let case = parser.choice("kind", KINDS).unwrap_or(SearchCase::Insensitive);
    let tables = if parser.accept_word("in").is_some() { tables(parser)? } else { Vec::new() };
    if parser.is_at_stage_end() && !parser.cursor.is_at(&TokenKind::LeftParenthesis) {
        parser.report_missing("a text or a condition", OPERATOR.example);
        return None;
    }
    let is_case_sensitive = case == SearchCase::Sensitive;
    let mut predicate = parser.at_place(Place::Search { is_case_sensitive }, Parser::expr);
    resolve(&mut predicate, is_case_sensitive);
    Some(Search { case, tables, predicate, range: TimeRange::ALL })
}

fn tables(parser: &mut Parser<'_>) -> Option<Vec<NamePattern>> {
    const EXAMPLE: &str = "search in (web, github*) \"timeout\"";
    let Some(open) = parser.cursor.accept(&TokenKind::LeftParenthesis) else {
        parser.report_missing("`(` with datasets", EXAMPLE);
        return None;
    };
    let mut tables = Vec::new();
    loop {
        parser.count_table();
        let Some((pattern, _)) = parser.accept_pattern(true) else {
            parser.report_missing("a dataset", EXAMPLE);
            return None;
        };
        tables.push(pattern);
        if parser.cursor.accept(&TokenKind::Comma).is_none() {
            break;
        }
    }
    parser.close(TokenKind::RightParenthesis, open);
    Some(tables)
}

/// Makes tests of texts that stand alone.
fn resolve(expr: &mut Expr, is_case_sensitive: bool) {
    match &mut expr.kind {
        ExprKind::Binary { operator: BinaryOperator::And | BinaryOperator::Or, left, right } => {
            resolve(left, is_case_sensitive);
            resolve(right, is_case_sensitive);
        }
        ExprKind::Not(operand) => resolve(operand, is_case_sensitive),
        ExprKind::Literal(literal) => {
            let Some(text) = term(literal) else { return };
            let all = Expr::new(ExprKind::AllFields, expr.span);
            expr.kind = test(&text, all, is_case_sensitive, expr.span);
        }
        _ => {}
    }
}

/// `field:value`: a text by the stars in it, and any other value by equality.
pub(crate) fn field_test(left: Expr, right: Expr, is_case_sensitive: bool) -> ExprKind {
    let text = match &right.kind {
        ExprKind::Literal(literal) => term(literal),
        _ => None,
    };
    match text {
        Some(text) => test(&text, left, is_case_sensitive, right.span),
        None => {
            ExprKind::Binary { operator: BinaryOperator::Equal, left: Box::new(left), right: Box::new(right) }
        }
    }
}

/// The text that a literal is looked for as.
fn term(literal: &Literal) -> Option<String> {
    match literal {
        Literal::String(text) => Some(text.clone()),
        Literal::Integer(number) => Some(number.to_string()),
        Literal::Float(number) => Some(number.to_string()),
        Literal::LongInteger(digits) => Some(digits.clone()),
        _ => None,
    }
}

/// A test of a field by a text in which stars stand for any letters and question marks for one.
fn test(text: &str, field: Expr, is_case_sensitive: bool, span: crate::Span) -> ExprKind {
    let inner = text.trim_matches('*');
    let has_inner_marks = inner.contains(['*', '?']);
    let (test, needle) = match (text.starts_with('*'), text.ends_with('*')) {
        _ if inner.is_empty() && !text.is_empty() => return any_value(field),
        _ if has_inner_marks => (TextTest::Matches, regex(text, is_case_sensitive)),
        (true, true) => (TextTest::Contains, inner.to_owned()),
        (false, true) => (TextTest::HasPrefix, inner.to_owned()),
        (true, false) => (TextTest::HasSuffix, inner.to_owned()),
        (false, false) => (TextTest::Has, inner.to_owned()),
    };
    let right = Expr::new(ExprKind::Literal(Literal::String(needle)), span);
    let is_case_sensitive = is_case_sensitive || test == TextTest::Matches;
    ExprKind::Text {
        test,
        is_negated: false,
        is_case_sensitive,
        left: Box::new(field),
        right: Box::new(right),
    }
}

/// Stars alone: every row, or every one that has the field.
fn any_value(field: Expr) -> ExprKind {
    match field.kind {
        ExprKind::AllFields => ExprKind::AllFields,
        _ => ExprKind::Call { function: "isnotnull".to_owned(), arguments: vec![field] },
    }
}

/// The regular expression of a text with marks. A word begins and ends where no star stands.
fn regex(text: &str, is_case_sensitive: bool) -> String {
    let mut pattern = String::from(if is_case_sensitive { "" } else { "(?i)" });
    let inner = text.trim_matches('*');
    if !text.starts_with('*') {
        pattern.push_str("\\b");
    }
    for character in inner.chars() {
        match character {
            '*' => pattern.push_str(".*"),
            '?' => pattern.push('.'),
            '\\' | '.' | '+' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$' | '#' | '&' | '-'
            | '~' => {
                pattern.push('\\');
                pattern.push(character);
            }
            other => pattern.push(other),
        }
    }
    if !text.ends_with('*') {
        pattern.push_str("\\b");
    }
    pattern
}

pub(crate) fn print(search: &Search, printer: &mut Printer) {
    printer.push("search ");
    if search.case == SearchCase::Sensitive {
        printer.push("kind=case_sensitive ");
    }
    if !search.tables.is_empty() {
        printer.push("in (");
        printer.joined(&search.tables, Printer::pattern);
        printer.push(") ");
    }
    printer.expr(&search.predicate);
}

#[cfg(test)]
mod tests {
    use crate::stages::testing::{check_printed, check_wrong};

    #[test]
    fn is_read_and_printed() {
        check_printed(&[
            ("search 'timeout'", "search * has \"timeout\""),
            ("search 'time*'", "search * hasprefix \"time\""),
            ("search '*out'", "search * hassuffix \"out\""),
            ("search '*meo*'", "search * contains \"meo\""),
            ("search 'a*b.c'", "search * matches regex \"(?i)\\\\ba.*b\\\\.c\\\\b\""),
            (
                "search kind=case_sensitive 'a?c'",
                "search kind=case_sensitive * matches regex \"\\\\ba.c\\\\b\"",
            ),
            (
                "search kind=case_sensitive 'X' or 'Y*'",
                "search kind=case_sensitive * has_cs \"X\" or * hasprefix_cs \"Y\"",
            ),
            ("search level:'error' and not('debug')", "search level has \"error\" and not(* has \"debug\")"),
            (
                "search status == 500 and path startswith '/a'",
                "search status == 500 and path startswith \"/a\"",
            ),
            ("search *", "search *"),
            ("search 404", "search * has \"404\""),
            ("search level:'warn*'", "search level hasprefix \"warn\""),
        ]);
    }

    #[test]
    fn mistakes_are_told() {
        check_wrong(&[
            ("search", "`search` needs a text or a condition", "search", "search \"timeout\""),
            ("search kind=exact 'a'", "`exact` is no kind of this stage", "exact", "write one of"),
            ("search in web 'a'", "`(` with datasets is missing before `web`", "web", "search in (web"),
            ("search 'a' 'b' c", "an operator is missing before `c`", "c", "write one"),
            ("search level:", "a value is missing before the end", "", "write a field"),
            ("search in (web", "`(` is never closed", "(", "`)`"),
        ]);
    }
}
