//! Deleting one thing of an organisation together with its audit entry, the same for every kind of thing that leaves
//! nothing behind but that entry.

/// Deletes the row of a table and tells whether it was there.
macro_rules! delete_one {
    ($catalog:expr, $table:literal, $org:expr, $id:expr, $change:expr, $action:literal) => {{
        $crate::db::write!($catalog, connection => {
            let deleted = sqlx::query(concat!("DELETE FROM ", $table, " WHERE org_id = $1 AND id = $2"))
                .bind($org.as_str())
                .bind($id.as_str())
                .execute(&mut *connection)
                .await?
                .rows_affected();
            if deleted == 0 {
                return Ok(false);
            }
            $crate::audit::record!(connection, $change, $action, $id.as_str());
        });
        Ok(true)
    }};
}

pub(crate) use delete_one;
