//! What can go wrong in the catalogue, reduced to the kinds that tell a caller what to do.

use tidegauge_model::ErrorKind;

/// A failed catalogue operation. The message is fit for a caller; the cause is for the log.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: ErrorKind,
    message: String,
    #[source]
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// A stored value that cannot be read back: damage, or a newer version wrote it.
    pub(crate) fn corrupt(what: &str, value: &str) -> Self {
        Self::new(ErrorKind::Corrupt, format!("the catalogue holds {what} {value:?}, which cannot be read"))
    }

    /// A dataset that was deleted while something was done for it.
    pub(crate) fn gone() -> Self {
        Self::new(ErrorKind::NotFound, "there is no such dataset")
    }

    pub(crate) fn caused(
        kind: ErrorKind,
        message: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self { kind, message: message.into(), source: Some(source.into()) }
    }

    /// Says of what kind the thing is whose name exists already, where that is the error.
    pub(crate) fn name_taken(thing: &str) -> impl Fn(sqlx::Error) -> Self {
        move |error| {
            let error = Self::from(error);
            match error.kind {
                ErrorKind::Conflict => {
                    Self::caused(ErrorKind::Conflict, format!("there is a {thing} with this name"), error)
                }
                _ => error,
            }
        }
    }
}

/// What callers are told of a database that cannot be read.
pub(crate) const UNREADABLE: &str =
    "the catalogue database cannot be read: look at its disk, and whether its files are damaged";

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        let (kind, message) = match &error {
            sqlx::Error::Database(database) if database.is_unique_violation() => {
                (ErrorKind::Conflict, "it exists already")
            }
            // Not of the kind of a full disk, which says that nothing was stored: events may be, in the log.
            sqlx::Error::Database(database) if is_full(database.code().as_deref()) => {
                (ErrorKind::Unavailable, "the disk of the catalogue is full: free space or add some")
            }
            // Of the kind that passes: SQLite does not tell a disk that cannot be read from a damaged file.
            sqlx::Error::Database(database) if is_unreadable(database.code().as_deref()) => {
                (ErrorKind::Unavailable, UNREADABLE)
            }
            sqlx::Error::Database(database) if is_passing(database.code().as_deref()) => {
                (ErrorKind::Unavailable, "the catalogue database cannot take the request right now")
            }
            sqlx::Error::Database(_) => (ErrorKind::Internal, "the catalogue database refused a statement"),
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed => {
                (ErrorKind::Unavailable, "the catalogue database cannot be reached")
            }
            sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) => {
                (ErrorKind::Corrupt, "the catalogue holds a value that cannot be read")
            }
            _ => (ErrorKind::Internal, "the catalogue failed"),
        };
        Self::caused(kind, message, error)
    }
}

/// Whether the database's own code says that it has no room: SQLite's `SQLITE_FULL`, PostgreSQL's `disk_full`.
fn is_full(code: Option<&str>) -> bool {
    matches!(code, Some("13" | "53100"))
}

/// Whether the database's own code says that it cannot read what it has stored.
fn is_unreadable(code: Option<&str>) -> bool {
    /// Damaged, which is also said when the disk fails while it is read, and no database.
    const SQLITE: [u32; 2] = [11, 26];
    /// Errors of the disk, by their extended codes: read, read too little, and a file system that is damaged.
    const SQLITE_READ: [u32; 3] = [266, 522, 8458];
    /// An error of the disk, damaged data, a damaged index.
    const POSTGRES: [&str; 3] = ["58030", "XX001", "XX002"];
    match code {
        Some(code) if code.len() == 5 => POSTGRES.contains(&code),
        Some(code) => code
            .parse::<u32>()
            .is_ok_and(|code| SQLITE.contains(&(code & 0xff)) || SQLITE_READ.contains(&code)),
        None => false,
    }
}

/// Whether the database's own code says that the same request may succeed later.
fn is_passing(code: Option<&str>) -> bool {
    /// Busy, locked, read-only, I/O error, full, cannot open.
    const SQLITE: [u32; 6] = [5, 6, 8, 10, 13, 14];
    /// Shut down, crashed, starting up, too many connections, disk full, read-only after a failover, losers of a
    /// conflict between transactions, a lock that was waited for too long, and a transaction that stood still.
    const POSTGRES: [&str; 10] =
        ["57P01", "57P02", "57P03", "53300", "53100", "25006", "40001", "40P01", "55P03", "25P03"];
    match code {
        // PostgreSQL's codes have five characters, SQLite's are numbers with the primary one in the lowest byte.
        Some(code) if code.len() == 5 => POSTGRES.contains(&code) || code.starts_with("08"),
        Some(code) => code.parse::<u32>().is_ok_and(|code| SQLITE.contains(&(code & 0xff))),
        None => false,
    }
}

impl From<sqlx::migrate::MigrateError> for Error {
    fn from(error: sqlx::migrate::MigrateError) -> Self {
        let message = match &error {
            sqlx::migrate::MigrateError::VersionMissing(version) => format!(
                "the catalogue was written by a newer Tidegauge (schema {version}): start that version instead"
            ),
            other => format!("the catalogue's schema could not be brought up to date: {other}"),
        };
        Self::caused(ErrorKind::Internal, message, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extended_codes_of_sqlite_count_as_their_primary_one() {
        for passing in ["5", "261", "3338", "53100"] {
            assert!(is_passing(Some(passing)), "{passing}");
        }
        for lasting in ["1", "19", "2067", "23505", "42601", ""] {
            assert!(!is_passing(Some(lasting)), "{lasting}");
        }
        assert!(!is_passing(None));
    }

    #[test]
    fn what_cannot_be_read_is_told_apart_from_what_cannot_be_written() {
        for unreadable in ["11", "267", "26", "266", "522", "8458", "58030", "XX001"] {
            assert!(is_unreadable(Some(unreadable)), "{unreadable}");
        }
        // An error of the disk without more, of a write, of a sync; full, and a statement that is wrong.
        for other in ["10", "778", "1034", "13", "1", "53100", "42601", ""] {
            assert!(!is_unreadable(Some(other)), "{other}");
        }
        assert!(!is_unreadable(None));
    }
}
