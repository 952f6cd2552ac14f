//! Reading several things as of one moment: statements after one another would each see what was committed before it.

/// Runs a body whose statements all see the same commits, and nothing that is committed meanwhile. The body is compiled
/// once per database; it changes nothing.
macro_rules! snapshot {
    ($catalog:expr, $connection:ident => $body:expr) => {{
        $catalog.pass($crate::context::Point::Read, file!()).await?;
        match &$catalog.db {
            // What the first statement sees is what all see.
            $crate::db::Db::Sqlite { read, .. } => {
                let mut transaction = read.begin().await?;
                let $connection = &mut *transaction;
                let value = $body;
                transaction.commit().await?;
                value
            }
            $crate::db::Db::Postgres(pool) => {
                let mut transaction =
                    pool.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?;
                let $connection = &mut *transaction;
                let value = $body;
                transaction.commit().await?;
                value
            }
        }
    }};
}

pub(crate) use snapshot;
