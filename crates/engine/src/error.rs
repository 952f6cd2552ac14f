//! Why a query has no answer, by what its asker can do about it.

use datafusion_common::DataFusionError;
use tidegauge_lang::Diagnostic;
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
            Self::Busy => ErrorKind::Busy,
            Self::Store(error) => error.kind(),
            Self::Internal { .. } => ErrorKind::Internal,
        }
    }
}

/// The errors of files: those of what is put aside have no type of their own, only their words.
fn of_file(source: &std::io::Error) -> Error {
    let message = source.to_string();
    let is_bound = message.contains("used disk space during the spilling");
    if is_bound || source.kind() == std::io::ErrorKind::StorageFull {
        return Error::Spill;
    }
    Error::Internal { message }
}

impl From<arrow_schema::ArrowError> for Error {
    fn from(error: arrow_schema::ArrowError) -> Self {
        match error {
            // Arrow's kernels carry our own errors through.
            arrow_schema::ArrowError::ExternalError(inner) => match inner.downcast::<Self>() {
                Ok(own) => *own,
                Err(other) => Self::Internal { message: other.to_string() },
            },
            arrow_schema::ArrowError::IoError(_, source) => of_file(&source),
            other => Self::Internal { message: other.to_string() },
        }
    }
}

impl From<DataFusionError> for Error {
    fn from(error: DataFusionError) -> Self {
        match error {
            DataFusionError::External(inner) => match inner.downcast::<Self>() {
                Ok(own) => *own,
                Err(other) => Self::Internal { message: other.to_string() },
            },
            DataFusionError::ArrowError(inner, _) => (*inner).into(),
            DataFusionError::IoError(source) => of_file(&source),
            DataFusionError::ResourcesExhausted(_) => Self::Memory { limit: 0 },
            DataFusionError::Context(_, inner) => (*inner).into(),
            DataFusionError::Shared(inner) => match &*inner {
                DataFusionError::ResourcesExhausted(_) => Self::Memory { limit: 0 },
                DataFusionError::IoError(source) => of_file(source),
                DataFusionError::ArrowError(inner, _) => match &**inner {
                    arrow_schema::ArrowError::IoError(_, source) => of_file(source),
                    other => Self::Internal { message: other.to_string() },
                },
                other => Self::Internal { message: other.to_string() },
            },
            other => Self::Internal { message: other.to_string() },
        }
    }
}
