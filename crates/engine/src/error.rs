//! Why a query has no answer, by what its asker can do about it.

use std::io;
use std::sync::Arc;

use arrow_schema::ArrowError;
use datafusion_common::DataFusionError;
use tidegauge_lang::{Diagnostic, Span};
use tidegauge_model::ErrorKind;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a query failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The query asks for what cannot be: mend it as the diagnostics say.
    #[error("{}", .0.first().map_or("the query is not valid", |first| first.message.as_str()))]
    Invalid(Vec<Diagnostic>),
    /// It needs more memory than it may have.
    #[error("the query needs more memory than its share of {limit} MiB, even with spilling to disk")]
    Memory { limit: u64 },
    /// It may have more memory, which other queries hold now.
    #[error("other queries hold the memory that this one needs: try again in a moment")]
    MemoryTaken,
    /// It needs more room on the disk than queries may fill.
    #[error(
        "the query does not fit its memory, and the room on the disk for what queries put aside is used up"
    )]
    Spill,
    /// It took too long.
    #[error("the query did not finish within {seconds} seconds")]
    Time { seconds: u64 },
    /// Too many queries run or wait.
    #[error("too many queries are running: try again in a moment")]
    Busy,
    /// Events cannot be read.
    #[error(transparent)]
    Store(#[from] tidegauge_store::Error),
    /// It computes too much for the rows at hand, of which so many would do. Whoever computes them comes again with
    /// fewer, so that nobody else sees this.
    #[error("too much was computed at once")]
    TooMuchAtOnce { rows: usize },
    /// A fault of ours.
    #[error("{message}")]
    Internal { message: String },
}

impl Error {
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Invalid(_) => ErrorKind::Malformed,
            Self::Memory { .. } | Self::Spill => ErrorKind::OutOfMemory,
            Self::Time { .. } => ErrorKind::TimedOut,
            Self::Busy | Self::MemoryTaken => ErrorKind::Busy,
            Self::Store(error) => error.kind(),
            Self::TooMuchAtOnce { .. } | Self::Internal { .. } => ErrorKind::Internal,
        }
    }

    /// Gives what is wrong a place in the text, where it has none of its own.
    pub(crate) fn at(mut self, place: Span) -> Self {
        if let Self::Invalid(diagnostics) = &mut self {
            let nowhere = diagnostics.iter_mut().filter(|diagnostic| diagnostic.span == Span::default());
            nowhere.for_each(|diagnostic| diagnostic.span = place);
        }
        self
    }
}

/// The errors of files that hold what is put aside. The bound of their bytes is the only one that does not come from the
/// operating system; DataFusion wraps those of writes once more.
fn of_file(source: &io::Error) -> Error {
    if let Some(DataFusionError::IoError(inner)) = source.get_ref().and_then(|inner| inner.downcast_ref()) {
        return of_file(inner);
    }
    let is_bound = source.raw_os_error().is_none() && source.kind() == io::ErrorKind::Other;
    if is_bound || matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) {
        return Error::Spill;
    }
    Error::Internal { message: source.to_string() }
}

/// The error of a query that asks for what cannot be.
pub(crate) fn invalid(span: Span, message: impl Into<String>) -> Error {
    tidegauge_exec::invalid(span, message).into()
}

/// As [`invalid`], with what to write instead.
pub(crate) fn invalid_with(span: Span, message: impl Into<String>, hint: impl Into<String>) -> Error {
    tidegauge_exec::invalid_with(span, message, hint).into()
}

/// The error of a stage that cannot stand where it does.
pub(crate) fn misplaced(message: &str) -> Error {
    invalid(Span::default(), message)
}

/// The error of a regular expression that cannot be read.
pub(crate) fn invalid_regex(span: Span, whose: &str, error: &regex::Error) -> Error {
    tidegauge_exec::invalid_regex(span, whose, error).into()
}

impl From<tidegauge_exec::Error> for Error {
    fn from(error: tidegauge_exec::Error) -> Self {
        use tidegauge_exec::Error as Inner;
        match error {
            Inner::Invalid(diagnostics) => Self::Invalid(diagnostics),
            Inner::Memory { limit } => Self::Memory { limit },
            Inner::Refused(inner) => of_inside(inner),
            Inner::TooMuchAtOnce { rows } => Self::TooMuchAtOnce { rows },
            Inner::Arrow(error) => error.into(),
        }
    }
}

impl From<ArrowError> for Error {
    fn from(error: ArrowError) -> Self {
        match error {
            ArrowError::ExternalError(inner) => of_inside(inner),
            ArrowError::IoError(_, source) => of_file(&source),
            other => Self::Internal { message: other.to_string() },
        }
    }
}

impl From<DataFusionError> for Error {
    fn from(error: DataFusionError) -> Self {
        match error {
            DataFusionError::External(inner) => of_inside(inner),
            DataFusionError::ArrowError(inner, _) => (*inner).into(),
            DataFusionError::IoError(source) => of_file(&source),
            DataFusionError::ResourcesExhausted(_) => Self::Memory { limit: 0 },
            DataFusionError::Context(_, inner) | DataFusionError::Diagnostic(_, inner) => (*inner).into(),
            DataFusionError::Collection(errors) => match errors.into_iter().next() {
                Some(first) => first.into(),
                None => Self::Internal { message: "several errors without any".to_owned() },
            },
            DataFusionError::Shared(inner) => match Arc::try_unwrap(inner) {
                Ok(inner) => inner.into(),
                Err(shared) => of_shared(&shared),
            },
            other => Self::Internal { message: other.to_string() },
        }
    }
}

/// Arrow and DataFusion carry our own errors through, and each other's.
fn of_inside(inner: Box<dyn std::error::Error + Send + Sync>) -> Error {
    let inner = match inner.downcast::<Error>() {
        Ok(own) => return *own,
        Err(other) => other,
    };
    let inner = match inner.downcast::<tidegauge_exec::Error>() {
        Ok(inner) => return (*inner).into(),
        Err(other) => other,
    };
    let inner = match inner.downcast::<DataFusionError>() {
        Ok(inner) => return (*inner).into(),
        Err(other) => other,
    };
    match inner.downcast::<ArrowError>() {
        Ok(inner) => (*inner).into(),
        Err(other) => Error::Internal { message: other.to_string() },
    }
}

/// An error that others look at as well, so that it cannot be taken out.
fn of_shared(error: &DataFusionError) -> Error {
    match error {
        DataFusionError::External(inner) => of_shared_inside(&**inner),
        DataFusionError::ArrowError(inner, _) => of_shared_arrow(inner),
        DataFusionError::IoError(source) => of_file(source),
        DataFusionError::ResourcesExhausted(_) => Error::Memory { limit: 0 },
        DataFusionError::Context(_, inner) | DataFusionError::Diagnostic(_, inner) => of_shared(inner),
        DataFusionError::Collection(errors) if !errors.is_empty() => of_shared(&errors[0]),
        DataFusionError::Shared(inner) => of_shared(inner),
        other => Error::Internal { message: other.to_string() },
    }
}

fn of_shared_arrow(error: &ArrowError) -> Error {
    match error {
        ArrowError::ExternalError(inner) => of_shared_inside(&**inner),
        ArrowError::IoError(_, source) => of_file(source),
        other => Error::Internal { message: other.to_string() },
    }
}

fn of_shared_inside(inner: &(dyn std::error::Error + Send + Sync + 'static)) -> Error {
    if let Some(inner) = inner.downcast_ref::<DataFusionError>() {
        return of_shared(inner);
    }
    if let Some(inner) = inner.downcast_ref::<ArrowError>() {
        return of_shared_arrow(inner);
    }
    match inner.downcast_ref::<Error>() {
        Some(Error::Invalid(diagnostics)) => Error::Invalid(diagnostics.clone()),
        Some(Error::Memory { limit }) => Error::Memory { limit: *limit },
        Some(Error::MemoryTaken) => Error::MemoryTaken,
        Some(Error::Spill) => Error::Spill,
        Some(Error::Time { seconds }) => Error::Time { seconds: *seconds },
        Some(Error::Busy) => Error::Busy,
        _ => Error::Internal { message: inner.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_that_fails_is_not_taken_for_one_without_room() {
        let of_system = |code| io::Error::from_raw_os_error(code);
        // As DataFusion tells of a write: an error of files around its own around that of the system.
        let of_write =
            |code| Error::from(ArrowError::from(io::Error::from(DataFusionError::IoError(of_system(code)))));
        let (broken, full) = (5, 28);
        assert!(matches!(of_write(broken), Error::Internal { message } if message.contains("os error 5")));
        assert!(matches!(of_write(full), Error::Spill));
        assert!(matches!(of_file(&of_system(broken)), Error::Internal { .. }));
        assert!(matches!(of_file(&of_system(full)), Error::Spill));
        assert!(matches!(of_file(&io::Error::other("the limit is exceeded")), Error::Spill));
    }
}
