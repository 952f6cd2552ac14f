//! What can go wrong in the store, reduced to the kinds that tell a caller what to do.

use tidegauge_model::ErrorKind;

/// A failed operation on stored events. The message is fit for a caller; the cause is for the WAL.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: ErrorKind,
    message: String,
    #[source]
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    pub(crate) fn caused(
        kind: ErrorKind,
        message: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self { kind, message: message.into(), source: Some(source.into()) }
    }

    pub(crate) fn corrupt(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Corrupt, message)
    }

    /// A fault of the disk or of its file system. A full disk is told apart: somebody has to make room.
    pub(crate) fn disk(doing: &str, source: std::io::Error) -> Self {
        match source.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                Self::caused(ErrorKind::StorageFull, "the disk is full: free space or add some", source)
            }
            _ => Self::caused(ErrorKind::Unavailable, format!("cannot {doing}"), source),
        }
    }
}

impl From<tidegauge_catalog::Error> for Error {
    fn from(source: tidegauge_catalog::Error) -> Self {
        Self { kind: source.kind(), message: source.to_string(), source: Some(source.into()) }
    }
}

impl From<object_store::Error> for Error {
    fn from(source: object_store::Error) -> Self {
        match &source {
            object_store::Error::NotFound { path, .. } => {
                let message = format!("the object {path} is missing from the store");
                Self::caused(ErrorKind::Corrupt, message, source)
            }
            _ => {
                Self::caused(ErrorKind::Unavailable, "the object store does not answer as it should", source)
            }
        }
    }
}

impl From<parquet::errors::ParquetError> for Error {
    fn from(source: parquet::errors::ParquetError) -> Self {
        Self::caused(ErrorKind::Corrupt, "a segment cannot be read or written", source)
    }
}

impl From<arrow_schema::ArrowError> for Error {
    fn from(source: arrow_schema::ArrowError) -> Self {
        Self::caused(ErrorKind::Internal, "columns do not fit together", source)
    }
}
