//! Deleting one thing of an organisation together with its audit entry, the same for every kind of thing that leaves
//! nothing behind but that entry.

/// Deletes the row of a table and tells whether it was there. The entry has the name of the thing, from its column.
macro_rules! delete_one {
    ($catalog:expr, $table:literal, $name:literal, $org:expr, $id:expr, $change:expr, $action:literal) => {{
        $crate::db::write!($catalog, connection => {
            let deleted: Option<String> = sqlx::query_scalar(concat!(
                "DELETE FROM ", $table, " WHERE org_id = $1 AND id = $2 RETURNING ", $name
            ))
            .bind($org.as_str())
            .bind($id.as_str())
            .fetch_optional(&mut *connection)
            .await?;
            let Some(name) = deleted else {
                return Ok(false);
            };
            let detail = $crate::audit::detail::named(&name);
            $crate::audit::record!(connection, $change, $action, $id.as_str(), detail);
        });
        Ok(true)
    }};
}

pub(crate) use delete_one;
