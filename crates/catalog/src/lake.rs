//! The catalogue as a DuckLake, which the migrations publish as views: stock DuckDB can attach the database and read
//! the segments. Here is the one thing that the views cannot know.

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
