//! Why something cannot be computed. What becomes of it, and what its asker is told, is left to who asked.

use arrow_schema::ArrowError;
use tidegauge_lang::{Diagnostic, Span};

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an expression has no value.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The query asks for what cannot be: mend it as the diagnostics say.
    #[error("{}", .0.first().map_or("the query is not valid", |first| first.message.as_str()))]
    Invalid(Vec<Diagnostic>),
    /// One call would make more than so many MiB of text for the rows at hand.
    #[error("a function makes more than {limit} MiB of text at once")]
    Memory { limit: u64 },
    /// Whoever lends memory refused to lend more, for a reason of its own.
    #[error(transparent)]
    Refused(Box<dyn std::error::Error + Send + Sync>),
    /// It computes too much for the rows at hand, of which so many would do. Whoever computes them comes again with
    /// fewer.
    #[error("too much was computed at once")]
    TooMuchAtOnce { rows: usize },
    /// Arrays do not fit each other: a fault of ours.
    #[error(transparent)]
    Arrow(#[from] ArrowError),
}

impl Error {
    /// Gives what is wrong a place in the text, where it has none of its own.
    pub fn at(mut self, place: Span) -> Self {
        if let Self::Invalid(diagnostics) = &mut self {
            let nowhere = diagnostics.iter_mut().filter(|diagnostic| diagnostic.span == Span::default());
            nowhere.for_each(|diagnostic| diagnostic.span = place);
        }
        self
    }
}

/// The error of a query that asks for what cannot be.
pub fn invalid(span: Span, message: impl Into<String>) -> Error {
    Error::Invalid(vec![Diagnostic { message: message.into(), span, hint: None }])
}

/// As [`invalid`], with what to write instead.
pub fn invalid_with(span: Span, message: impl Into<String>, hint: impl Into<String>) -> Error {
    Error::Invalid(vec![Diagnostic::new(message, span).with_hint(hint)])
}

/// The error of a regular expression that cannot be read, of which only the last line is told: the others draw it. One
/// that is read and too large has nothing wrong with its marks.
pub fn invalid_regex(span: Span, whose: &str, error: &regex::Error) -> Error {
    if let regex::Error::CompiledTooBig(bytes) = error {
        let message =
            format!("the regular expression{whose} is too large: it takes more than {} MiB", bytes >> 20);
        let hint =
            "repeat less often, as with `{50}` for `{1000}`, or look for a text with `contains` or `has`";
        return invalid_with(span, message, hint);
    }
    let text = error.to_string();
    let reason = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
    let hint = match reason.starts_with("look-around") {
        true => "write it without looking ahead or behind",
        false => "write a backslash before a mark that stands for itself, and close every bracket",
    };
    invalid_with(span, format!("the regular expression{whose} cannot be read: {reason}"), hint)
}
