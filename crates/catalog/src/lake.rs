//! The catalogue as a DuckLake, which the migrations publish as views: stock DuckDB can attach the database and read
//! the segments. Here is what the views cannot do: know where the files are, and write times as text.

use tidegauge_model::Timestamp;

use crate::db::{read, write};
use crate::{Catalog, Result};

impl Catalog {
    /// Says where outside readers find the segments: the root of the object store as a path or a URL.
    pub async fn set_data_path(&self, data_path: &str) -> Result<()> {
        // The path of a segment is put right behind it.
        let data_path = format!("{}/", data_path.trim_end_matches('/'));
        let before: String = read!(self, executor => {
            sqlx::query_scalar("SELECT data_path FROM lake").fetch_one(executor).await?
        });
        if before == data_path {
            return Ok(());
        }
        write!(self, connection => {
            sqlx::query("UPDATE lake SET data_path = $1").bind(&data_path).execute(&mut *connection).await?;
        });
        Ok(())
    }
}

/// The latest microsecond that is not after the time of an event, and the earliest that is not before it, in words:
/// outside readers know no nanoseconds, and a file must not be passed over for what they round off.
pub(crate) fn bounds(min_nanos: i64, max_nanos: i64) -> (String, String) {
    const NANOS: i64 = 1_000;
    let below = min_nanos.div_euclid(NANOS);
    let above = max_nanos.div_euclid(NANOS) + i64::from(max_nanos.rem_euclid(NANOS) > 0);
    (Timestamp::from_micros(below).to_string(), Timestamp::from_micros(above).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_wide_enough() {
        for (nanos, below, above) in [
            (0, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59.999999Z", "1970-01-01T00:00:00Z"),
            (1, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000001Z"),
            (1_767_225_600_123_456_000, "2026-01-01T00:00:00.123456Z", "2026-01-01T00:00:00.123456Z"),
            (i64::MIN, "1677-09-21T00:12:43.145224Z", "1677-09-21T00:12:43.145225Z"),
            (i64::MAX, "2262-04-11T23:47:16.854775Z", "2262-04-11T23:47:16.854776Z"),
        ] {
            assert_eq!(bounds(nanos, nanos), (below.to_owned(), above.to_owned()), "{nanos}");
        }
    }
}
