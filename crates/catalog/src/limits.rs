//! How much of each thing an organisation can have, where its licence does not say. The numbers are far above use and
//! keep a list that is answered whole within the memory of a small machine.

/// Notifiers of one organisation.
pub const NOTIFIERS_MAX: i64 = 1_000;

/// Annotations of one organisation that people made.
pub const ANNOTATIONS_MAX: i64 = 100_000;

/// Annotations that the triggers of one monitor made; older ones go.
pub const ANNOTATIONS_OF_MONITOR_MAX: i64 = 1_000;

/// Epochs of one monitor of which it is kept what their runs could read; older ones go.
pub const MONITOR_EPOCHS_MAX: i64 = 100;

/// API tokens of one organisation.
pub const TOKENS_MAX: i64 = 1_000;

/// Clients of the embedded authorisation server of one organisation.
pub const OAUTH_CLIENTS_MAX: i64 = 1_000;

/// Starred queries of one organisation.
pub const STARRED_QUERIES_MAX: i64 = 10_000;

/// Dashboards of one organisation.
pub const DASHBOARDS_MAX: i64 = 5_000;

/// Versions that are kept of one dashboard, the present one among them; older ones go.
pub const DASHBOARD_VERSIONS_MAX: usize = 100;

/// Bytes of documents in those versions; beyond them older ones go too.
pub const DASHBOARD_VERSION_BYTES_MAX: i64 = 4 * 1024 * 1024;

/// Virtual fields of one dataset.
pub const VIRTUAL_FIELDS_MAX: i64 = 1_000;

/// Views of one organisation.
pub const VIEWS_MAX: i64 = 1_000;

/// Custom roles of one organisation.
pub const ROLES_MAX: i64 = 200;

/// Groups of one organisation.
pub const GROUPS_MAX: i64 = 500;

/// Organisations that one person owns.
pub const ORGS_OWNED_MAX: i64 = 100;

/// Bytes of documents in one list; a longer page has to be asked for in parts.
pub const LIST_BYTES_MAX: usize = 32 * 1024 * 1024;

/// Refuses an insert into a table of which the organisation has as many rows as it can, counted under a lock.
macro_rules! check_room {
    ($connection:expr, $org:expr, $table:literal, $max:expr) => {
        $crate::limits::check_room!($connection, $org, $table, $max, "")
    };
    // With a condition on the rows that count.
    ($connection:expr, $org:expr, $table:literal, $max:expr, $condition:literal) => {{
        $crate::orgs::lock_org!($connection, $org);
        let count: i64 =
            sqlx::query_scalar(concat!("SELECT COUNT(*) FROM ", $table, " WHERE org_id = $1", $condition))
                .bind($org.as_str())
                .fetch_one(&mut *$connection)
                .await?;
        if count >= $max {
            let message = format!("the organisation has {count} of these, which is the most there can be");
            return Err($crate::Error::new(tidegauge_model::ErrorKind::LimitReached, message));
        }
    }};
}

pub(crate) use check_room;
