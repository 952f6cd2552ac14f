//! Why a query has no answer, in the words of a use case: with the place in the text where there is one.

use tidegauge_engine::Error as EngineError;
use tidegauge_lang::dataset_query::{DatasetQuery, Refused};
use tidegauge_lang::{Diagnostic, Span};
use tidegauge_model::ErrorKind;

use crate::service::Error;
use crate::service::error::{TextPart, TextProblem, TextProblems};

/// So many mistakes are shown at once.
const SHOWN_MAX: usize = 5;

/// So much of a long line is shown before and behind the mistake.
const AROUND: usize = 60;

/// A query that was not understood.
pub(super) fn of_refused(refused: Refused) -> Error {
    match refused {
        Refused::Violation(violation) => violation.into(),
        Refused::Expression { alias, text, diagnostics } => {
            of_diagnostics(&format!("the virtual field {alias:?}"), &text, &diagnostics)
        }
    }
}

/// A query that was understood and could not be run.
pub(super) fn of_engine(error: EngineError, query: &DatasetQuery) -> Error {
    match error {
        EngineError::Invalid(diagnostics) => {
            // Only expressions have places; with one of them it is clear which text they are in.
            let text = match query.virtual_fields.as_slice() {
                [only] => only.expr.as_str(),
                _ => "",
            };
            of_diagnostics("the query", text, &diagnostics)
        }
        other => of_running(other),
    }
}

/// A text that cannot be read as a query.
pub(super) fn of_text(text: &str, diagnostics: &[Diagnostic]) -> Error {
    of_problems(TextPart::Syntax, text, diagnostics)
}

/// A text in which names stand for nothing.
pub(super) fn of_names(text: &str, diagnostics: &[Diagnostic]) -> Error {
    of_problems(TextPart::Names, text, diagnostics)
}

/// A view that was understood when it was made and is not any more.
pub(super) fn of_view(name: &str, error: Error) -> Error {
    let message = format!("the view `{name}` cannot be used: {}", error.message);
    Error { message, text: None, ..error }
}

/// A query in text that was understood and could not be run.
pub(super) fn of_text_engine(error: EngineError, text: &str) -> Error {
    match error {
        EngineError::Invalid(diagnostics) => of_problems(TextPart::Meaning, text, &diagnostics),
        other => of_running(other),
    }
}

fn of_problems(part: TextPart, text: &str, diagnostics: &[Diagnostic]) -> Error {
    let problem = |diagnostic: &Diagnostic| TextProblem {
        message: diagnostic.message.clone(),
        place: place(text, diagnostic.span),
        hint: diagnostic.hint.clone(),
        picture: picture(text, diagnostic),
    };
    let problems: Vec<TextProblem> = diagnostics.iter().map(problem).collect();
    let Some(first) = problems.first() else {
        return Error::new(ErrorKind::Malformed, "the query cannot be understood");
    };
    let mut message = match first.place {
        Some((line, column)) => format!("line {line}, column {column}: {}", first.message),
        None => first.message.clone(),
    };
    if let Some(hint) = &first.hint {
        message.push_str("; ");
        message.push_str(hint);
    }
    let error = Error::new(ErrorKind::Malformed, message);
    let error = Error { hint: first.hint.clone(), ..error };
    Error { text: Some(Box::new(TextProblems { part, problems })), ..error }
}

/// Why an understood query has no answer.
pub fn of_running(error: EngineError) -> Error {
    let kind = error.kind();
    match error {
        EngineError::Invalid(_) => Error::new(kind, error.to_string()),
        EngineError::Store(error) => error.into(),
        EngineError::Memory { .. } | EngineError::Spill => Error::new(kind, error.to_string())
            .hint("ask for a shorter time range, fewer groups or fewer fields"),
        EngineError::Time { .. } => {
            Error::new(kind, error.to_string()).hint("ask for a shorter time range, or filter more")
        }
        EngineError::Busy | EngineError::MemoryTaken => Error::new(kind, error.to_string()),
        EngineError::Internal { .. } | EngineError::TooMuchAtOnce { .. } => {
            Error { source: Some(Box::new(error)), ..Error::new(kind, "the query could not be completed") }
        }
    }
}

/// A text that was not understood; `what` says which.
pub(in crate::service) fn of_diagnostics(what: &str, text: &str, diagnostics: &[Diagnostic]) -> Error {
    let Some(first) = diagnostics.first() else {
        return Error::new(ErrorKind::Malformed, format!("{what} cannot be understood"));
    };
    let message = match place(text, first.span) {
        Some((line, column)) => format!("{what}: {} at line {line}, column {column}", first.message),
        None => first.message.clone(),
    };
    let shown: Vec<String> =
        diagnostics.iter().take(SHOWN_MAX).filter_map(|diagnostic| picture(text, diagnostic)).collect();
    let error = Error::new(ErrorKind::Malformed, message);
    let error = if shown.is_empty() { error } else { error.detail(shown.join("\n")) };
    match &first.hint {
        Some(hint) => error.hint(hint.clone()),
        None => error,
    }
}

/// The line and the column of a place, both from 1, counted in characters.
fn place(text: &str, span: Span) -> Option<(usize, usize)> {
    if span == Span::default() || text.is_empty() {
        return None;
    }
    let before = text.get(..span.range().start)?;
    let line = before.rsplit('\n').next().unwrap_or_default();
    Some((before.matches('\n').count() + 1, line.chars().count() + 1))
}

/// The line with the mistake, carets below it, and what is wrong.
fn picture(text: &str, diagnostic: &Diagnostic) -> Option<String> {
    let (_, column) = place(text, diagnostic.span)?;
    let range = diagnostic.span.range();
    let start = text[..range.start].rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[start..].split('\n').next().unwrap_or_default();
    let marked = text.get(range).unwrap_or_default().split('\n').next().unwrap_or_default();
    let before = column - 1;
    let width = marked.chars().count().clamp(1, AROUND);
    let left = before.saturating_sub(AROUND);
    let is_odd = |c: char| if c.is_control() { ' ' } else { c };
    let shown: String = line.chars().skip(left).take(before - left + width + AROUND).map(is_odd).collect();
    let indent = " ".repeat(before - left);
    let carets = "^".repeat(width);
    Some(format!("{}\n{indent}{carets} {}", shown.trim_end(), diagnostic.message))
}

#[cfg(test)]
mod tests {
    use tidegauge_lang::dataset_query::VirtualField;

    use super::*;

    fn refused(text: &str, start: u32, end: u32) -> Error {
        let diagnostic = Diagnostic {
            message: "there is no function tointt".to_owned(),
            span: Span { start, end },
            hint: Some("write toint".to_owned()),
        };
        let refused = Refused::Expression {
            alias: "ok".to_owned(),
            text: text.to_owned(),
            diagnostics: vec![diagnostic],
        };
        of_refused(refused)
    }

    #[test]
    fn a_mistake_is_shown_where_it_stands() {
        let error = refused("1 +\n  tointt(é) < 400", 6, 12);
        assert_eq!(error.kind, ErrorKind::Malformed);
        assert_eq!(
            error.message,
            "the virtual field \"ok\": there is no function tointt at line 2, column 3"
        );
        assert_eq!(error.detail.unwrap(), "  tointt(é) < 400\n  ^^^^^^ there is no function tointt");
        assert_eq!(error.hint.unwrap(), "write toint");
    }

    #[test]
    fn a_place_outside_of_the_text_or_in_the_middle_of_a_letter_is_no_place() {
        for (start, end) in [(0, 0), (99, 100), (1, 2)] {
            let error = refused("é", start, end);
            assert_eq!(error.message, "there is no function tointt");
            assert_eq!(error.detail, None);
        }
        let error = refused(&"x".repeat(1_000), 999, 1_000);
        assert!(error.detail.unwrap().len() < 300);
    }

    #[test]
    fn what_the_engine_refuses_tells_who_must_act() {
        let mistake = Diagnostic {
            message: "there is no function tointt".to_owned(),
            span: Span { start: 2, end: 8 },
            hint: None,
        };
        let field = VirtualField { alias: "ok".to_owned(), expr: "1+tointt(a)".to_owned() };
        let query = DatasetQuery { virtual_fields: vec![field], ..DatasetQuery::default() };
        let of = |error: EngineError| of_engine(error, &query);
        let invalid = of(EngineError::Invalid(vec![mistake]));
        assert_eq!(invalid.kind, ErrorKind::Malformed);
        assert_eq!(invalid.detail.unwrap(), "1+tointt(a)\n  ^^^^^^ there is no function tointt");
        let memory = of(EngineError::Memory { limit: 512 });
        assert_eq!((memory.kind, memory.hint.is_some()), (ErrorKind::OutOfMemory, true));
        assert_eq!(of(EngineError::Time { seconds: 60 }).kind, ErrorKind::TimedOut);
        assert_eq!(of(EngineError::Busy).kind, ErrorKind::Busy);
        let fault = of(EngineError::Internal { message: "a secret of ours".to_owned() });
        assert_eq!((fault.kind, fault.source.is_some()), (ErrorKind::Internal, true));
        assert!(!fault.message.contains("secret"));
    }

    #[test]
    fn the_end_of_the_text_can_be_the_place() {
        let error = refused("1 +", 3, 3);
        assert_eq!(error.detail.unwrap(), "1 +\n   ^ there is no function tointt");
    }
}
