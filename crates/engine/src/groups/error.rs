//! The error of threads that group and do not come to an end.

use tokio::task::JoinError;

use crate::Error;

pub(super) fn stopped(source: JoinError) -> Error {
    Error::Internal { message: format!("grouping stopped: {source}") }
}
