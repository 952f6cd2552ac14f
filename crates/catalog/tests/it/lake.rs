//! The catalogue as outside readers see it: commits, and the views that make it a DuckLake.

use crate::database::{TestCatalog, plain};
use crate::event_samples::{field, insert, one_dataset, segment};
use crate::samples::{self, at};
use tidegauge_model::FieldKind;

/// The snapshots: number, version of the schema, number of the next file.
async fn snapshots(test: &TestCatalog<'_>) -> Vec<(i64, i64, i64)> {
    plain!(test.database, pool => {
        sqlx::query_as(
            "SELECT snapshot_id, schema_version, next_file_id FROM ducklake_snapshot ORDER BY snapshot_id",
        )
        .fetch_all(pool)
        .await
        .unwrap()
    })
}

async fn data_path(test: &TestCatalog<'_>) -> String {
    plain!(test.database, pool => {
        sqlx::query_scalar("SELECT value FROM ducklake_metadata WHERE key = 'data_path'")
            .fetch_one(pool)
            .await
            .unwrap()
    })
}

pub(crate) async fn knows_where_the_files_are(test: &TestCatalog<'_>) {
    for (given, wanted) in
        [("/data/objects", "/data/objects/"), ("s3://tide/a//", "s3://tide/a/"), ("/", "/")]
    {
        test.set_data_path(given).await.unwrap();
        assert_eq!(data_path(test).await, wanted);
        test.set_data_path(given).await.unwrap();
    }
    assert_eq!(test.database.count("lake").await, 1);
}

pub(crate) async fn has_a_snapshot_for_each_commit(test: &TestCatalog<'_>) {
    // There is one to look at before anything was committed.
    assert_eq!(snapshots(test).await, [(0, 0, 1)]);
    let logs = one_dataset(test).await;
    test.ensure_columns(&logs, &[field("a", FieldKind::Integer)]).await.unwrap();
    test.publish_flush(&logs, &[segment("segment_1"), segment("segment_2")], 1, &[], &[], at(70))
        .await
        .unwrap();
    test.replace_segments(&logs, &["segment_1".into()], &[], at(71)).await.unwrap();
    test.forget_columns(&logs, &[]).await.unwrap();
    let ours = "org_ours".into();
    test.delete_dataset(&ours, "logs", at(72), &samples::change(&ours)).await.unwrap().unwrap();
    let snapshots = snapshots(test).await;
    assert_eq!(snapshots.last(), Some(&(6, 4, 9)));
    let schemas: Vec<i64> = snapshots.iter().map(|(_, schema, _)| *schema).collect();
    assert_eq!(schemas, [0, 1, 2, 2, 2, 3, 4]);
    // DuckDB keeps what it knows of a table's files for as long as this stays the same.
    assert!(snapshots.is_sorted_by(|before, after| before.0 < after.0 && before.2 < after.2));
    assert_eq!(test.commit_sequence().await.unwrap(), 6);
}

pub(crate) async fn forgets_old_commits_but_the_newest(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    for (second, flushed) in [(70, 1), (80, 2), (90, 3)] {
        test.publish_flush(&logs, &[], flushed, &[], &[], at(second)).await.unwrap();
    }
    // This one has the time of the commit before.
    test.ensure_columns(&logs, &[field("a", FieldKind::Integer)]).await.unwrap();
    let numbers = async || snapshots(test).await.into_iter().map(|(id, ..)| id).collect::<Vec<i64>>();
    assert_eq!(numbers().await, [0, 1, 2, 3, 4, 5]);
    assert_eq!(test.prune_commits(at(80)).await.unwrap(), 3);
    assert_eq!(numbers().await, [3, 4, 5]);
    assert_eq!(test.prune_commits(at(999)).await.unwrap(), 2);
    assert_eq!(test.prune_commits(at(999)).await.unwrap(), 0);
    assert_eq!(numbers().await, [5]);
    test.ensure_columns(&logs, &[field("b", FieldKind::Integer)]).await.unwrap();
    assert_eq!(numbers().await, [5, 6]);
}

pub(crate) async fn forgets_commits_by_the_thousands(test: &TestCatalog<'_>) {
    one_dataset(test).await;
    test.database
        .execute(
            "WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 4500) \
             INSERT INTO commit_log (sequence, made, made_text, schema_version, next_dataset, next_file) \
             SELECT -n, -n, '', 0, 0, 0 FROM number",
        )
        .await;
    assert_eq!(test.prune_commits(at(0)).await.unwrap(), 4_501);
    assert_eq!(test.database.count("commit_log").await, 1);
}

pub(crate) async fn lists_every_dataset_as_a_table(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    for (org, name) in [(&theirs, "logs"), (&ours, "logs"), (&theirs, "Logs")] {
        let dataset = insert(test, org, name).await;
        let wanted = [field("level", FieldKind::Integer), field("Level", FieldKind::Array)];
        test.ensure_columns(&dataset.id, &wanted).await.unwrap();
    }
    let tables: Vec<(String, String, String)> = plain!(test.database, pool => {
        sqlx::query_as(
            "SELECT s.schema_name, t.table_name, c.column_name || ' ' || c.column_type FROM ducklake_schema s \
             JOIN ducklake_table t ON t.schema_id = s.schema_id JOIN ducklake_column c ON c.table_id = t.table_id \
             ORDER BY t.table_id, c.column_order",
        )
        .fetch_all(pool)
        .await
        .unwrap()
    });
    let columns = [
        "_time timestamptz",
        "_sysTime timestamptz",
        "_sequence int64",
        "_index int32",
        "_rest varchar",
        "level int64",
        "Level:17 varchar",
    ];
    let mut wanted = Vec::new();
    for (org, name) in [(&theirs, "logs"), (&ours, "logs"), (&theirs, "Logs")] {
        wanted.extend(columns.map(|column| (org.to_string(), name.to_owned(), column.to_owned())));
    }
    assert_eq!(tables, wanted);
    assert_eq!(test.database.count("ducklake_schema").await, 3);
}
