//! `/query/check`, `/query/complete` and `/query/format`: help for editors of queries. Places are counted as browsers
//! and most editors do: in UTF-16 code units, lines and columns from one.

use std::sync::Arc;

use axum::extract::State;
use serde::{Deserialize, Serialize};
use tidegauge_app::App;
use tidegauge_app::service::query_text;
use tidegauge_lang::Span;
use tidegauge_lang::complete::Completion;
use tidegauge_model::{Rule, Violation};
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::{Caller, Json};
use utoipa::ToSchema;

/// A query as text. The other fields of a query request may stand beside it and are not looked at.
#[derive(Debug, Deserialize, ToSchema)]
pub struct TextRequest {
    #[schema(max_length = 262_144, example = "['web'] | summarize count() by status")]
    pub apl: String,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct CompleteRequest {
    #[schema(max_length = 262_144, example = "['web'] | where st")]
    pub apl: String,
    pub position: TextPosition,
}

/// Where the cursor is: in UTF-16 code units from the start, or as line and column. Behind the end is the end.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(untagged, expecting = "must be a number or an object with line and column")]
pub enum TextPosition {
    #[schema(example = 18)]
    Offset(usize),
    Place {
        #[schema(minimum = 1)]
        line: usize,
        #[schema(minimum = 1)]
        column: usize,
    },
}

/// What is wrong with a query. It was understood if there are no diagnostics.
#[derive(Debug, Serialize, ToSchema)]
pub struct CheckResponse {
    pub diagnostics: Vec<TextDiagnostic>,
    /// The datasets that it reads, if it was understood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub datasets: Option<Vec<String>>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextDiagnostic {
    #[schema(example = "error")]
    pub severity: &'static str,
    #[schema(example = "unknown function `toitn`")]
    pub message: String,
    /// What to write instead, if it is known.
    pub hint: Option<String>,
    pub line: usize,
    pub column: usize,
    pub end_line: usize,
    /// Behind the last character.
    pub end_column: usize,
    pub offset: usize,
    pub length: usize,
}

/// What could be written, the likeliest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct CompleteResponse {
    pub replace: TextStretch,
    pub items: Vec<TextCompletion>,
}

/// What an item is written over.
#[derive(Debug, Serialize, ToSchema)]
pub struct TextStretch {
    pub offset: usize,
    pub length: usize,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TextCompletion {
    #[schema(example = "strlen")]
    pub label: String,
    #[schema(example = "strlen(")]
    pub insert: String,
    /// dataset, field, function, aggregate, operator, keyword, value, type or snippet.
    #[schema(example = "function")]
    pub kind: &'static str,
    /// How it is called, or its type.
    #[schema(example = "strlen(text)")]
    pub detail: String,
    pub doc: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct FormatResponse {
    pub apl: String,
}

/// Tells what is wrong with a query, without running it.
#[utoipa::path(post, path = "/query/check", tag = "query", request_body = TextRequest,
    responses((status = 200, body = CheckResponse)))]
pub async fn check(
    State(app): State<Arc<App>>,
    caller: Caller,
    Json(request): Json<TextRequest>,
) -> Result<Json<CheckResponse>, ApiError> {
    let checked = query_text::check(&app, &caller, &request.apl).await?;
    let units = Units { text: &request.apl };
    let diagnostics = checked.diagnostics.into_iter().map(|diagnostic| {
        let (offset, length) = units.stretch(diagnostic.span);
        let (line, column) = units.place(diagnostic.span.start as usize);
        let (end_line, end_column) = units.place(diagnostic.span.end as usize);
        let (message, hint) = (diagnostic.message, diagnostic.hint);
        TextDiagnostic {
            severity: "error",
            message,
            hint,
            line,
            column,
            end_line,
            end_column,
            offset,
            length,
        }
    });
    Ok(Json(CheckResponse { diagnostics: diagnostics.collect(), datasets: checked.datasets }))
}

/// Proposes what could be written at a place of a query, which may be broken. At most 200 items.
#[utoipa::path(post, path = "/query/complete", tag = "query", request_body = CompleteRequest,
    responses((status = 200, body = CompleteResponse)))]
pub async fn complete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Json(request): Json<CompleteRequest>,
) -> Result<Json<CompleteResponse>, ApiError> {
    let units = Units { text: &request.apl };
    let position = units.byte_of(request.position)?;
    let found = query_text::complete_at(&app, &caller, &request.apl, position).await?;
    let (offset, length) = units.stretch(found.replace);
    let items = found.items.into_iter().map(TextCompletion::from).collect();
    Ok(Json(CompleteResponse { replace: TextStretch { offset, length }, items }))
}

/// Lays a query out, one stage on a line, with its comments. One with mistakes is refused with 400.
#[utoipa::path(post, path = "/query/format", tag = "query", request_body = TextRequest,
    responses((status = 200, body = FormatResponse)))]
pub async fn format(_: Caller, Json(request): Json<TextRequest>) -> Result<Json<FormatResponse>, ApiError> {
    Ok(Json(FormatResponse { apl: query_text::formatted(&request.apl)? }))
}

impl From<Completion> for TextCompletion {
    fn from(item: Completion) -> Self {
        let Completion { label, insert, kind, detail, doc } = item;
        Self { label, insert, kind: kind.name(), detail, doc }
    }
}

/// A text whose places are counted in UTF-16 code units.
struct Units<'a> {
    text: &'a str,
}

impl Units<'_> {
    fn count(text: &str) -> usize {
        text.chars().map(char::len_utf16).sum()
    }

    /// A stretch as its start and its length.
    fn stretch(&self, span: Span) -> (usize, usize) {
        let range = span.range();
        let start = self.text.floor_char_boundary(range.start);
        let end = self.text.floor_char_boundary(range.end).max(start);
        (Self::count(&self.text[..start]), Self::count(&self.text[start..end]))
    }

    /// A place as its line and its column.
    fn place(&self, byte: usize) -> (usize, usize) {
        let before = &self.text[..self.text.floor_char_boundary(byte)];
        let line = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, Self::count(&before[line..]) + 1)
    }

    fn byte_of(&self, position: TextPosition) -> Result<usize, Violation> {
        match position {
            TextPosition::Offset(offset) => Ok(byte_behind(self.text, offset)),
            TextPosition::Place { line, column } => {
                if line == 0 || column == 0 {
                    let problem = "must have a line and a column of 1 or more";
                    return Err(Violation::new("position", Rule::Minimum, problem));
                }
                let mut starts =
                    std::iter::once(0).chain(self.text.match_indices('\n').map(|(at, _)| at + 1));
                let Some(start) = starts.nth(line - 1) else { return Ok(self.text.len()) };
                let rest = self.text[start..].split('\n').next().unwrap_or_default();
                Ok(start + byte_behind(rest, column - 1))
            }
        }
    }
}

/// The byte behind so many units, or the end.
fn byte_behind(text: &str, units: usize) -> usize {
    let mut passed = 0;
    for (place, character) in text.char_indices() {
        if passed >= units {
            return place;
        }
        passed += character.len_utf16();
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_as_editors_do() {
        let units = Units { text: "ä😀\nbc" };
        for (position, byte) in [
            (TextPosition::Offset(0), 0),
            (TextPosition::Offset(1), 2),
            (TextPosition::Offset(3), 6),
            (TextPosition::Offset(5), 8),
            (TextPosition::Offset(99), 9),
            (TextPosition::Place { line: 1, column: 4 }, 6),
            (TextPosition::Place { line: 2, column: 2 }, 8),
            (TextPosition::Place { line: 2, column: 9 }, 9),
            (TextPosition::Place { line: 7, column: 1 }, 9),
        ] {
            assert_eq!(units.byte_of(position).unwrap(), byte, "{position:?}");
        }
        assert!(units.byte_of(TextPosition::Place { line: 0, column: 1 }).is_err());
        assert_eq!(units.place(7), (2, 1));
        assert_eq!(units.place(6), (1, 4));
        assert_eq!(units.stretch(Span { start: 2, end: 8 }), (1, 4));
    }
}
