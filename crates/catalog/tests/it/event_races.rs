//! Changes to datasets that meet. Each case runs a few rounds: in the first the callers wait for their connections,
//! from then on they do meet.

use std::collections::{BTreeSet, HashSet};

use tidegauge_catalog::Error;
use tidegauge_model::{DatasetId, ErrorKind, FieldKind, OrgId, SegmentId};
use tokio::task::JoinSet;

use crate::database::TestCatalog;
use crate::event_samples::{dataset, field, ids, insert, key, one_dataset, segment};
use crate::samples::{self, at};

const ROUNDS: u64 = 5;
const CALLERS: u64 = 12;

/// The kinds of the refusals, in order; the rest has succeeded.
fn refusals<T>(outcomes: &[Result<T, Error>]) -> Vec<ErrorKind> {
    outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).map(Error::kind).collect()
}

pub(crate) async fn publish_one_of_many_equal_flushes(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    for round in 1..=ROUNDS {
        let mut callers = JoinSet::new();
        for caller in 0..CALLERS {
            let (catalog, logs) = (test.shared(), logs.clone());
            callers.spawn(async move {
                let segments = [segment(&format!("segment_{round}_{caller}"))];
                catalog.publish_flush(&logs, &segments, round, &[key("key", round)], &[], at(70)).await
            });
        }
        let outcomes = callers.join_all().await;
        assert_eq!(refusals(&outcomes), [ErrorKind::Conflict; 11]);
        assert_eq!(test.live_segments(&logs).await.unwrap().len(), usize::try_from(round).unwrap());
    }
}

pub(crate) async fn number_commits_of_many_datasets_in_their_order(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let mut datasets = Vec::new();
    for caller in 0..CALLERS {
        datasets.push(insert(test, &ours, &format!("logs-{caller}")).await.id);
    }
    let before = test.commit_sequence().await.unwrap();
    let mut callers = JoinSet::new();
    for dataset in &datasets {
        let (catalog, dataset) = (test.shared(), dataset.clone());
        callers.spawn(async move {
            let mut commits = Vec::new();
            for round in 1..=ROUNDS {
                let segments = [1, 2].map(|part| segment(&format!("{dataset}_{round}_{part}")));
                let commit =
                    catalog.publish_flush(&dataset, &segments, round, &[], &[], at(70)).await.unwrap();
                // Whatever has a number up to this one can be seen by now.
                assert_eq!(catalog.segments_at(&dataset, commit).await.unwrap().len() as u64, round * 2);
                commits.push(commit);
            }
            commits
        });
    }
    let commits: BTreeSet<u64> = callers.join_all().await.into_iter().flatten().collect();
    assert_eq!(commits, BTreeSet::from_iter(before + 1..=before + CALLERS * ROUNDS));
    let numbers: HashSet<SegmentId> =
        test.all_live_segments().await.unwrap().into_iter().map(|segment| segment.id).collect();
    assert_eq!(numbers.len() as u64, CALLERS * ROUNDS * 2);
}

pub(crate) async fn replace_a_segment_once(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    for round in 1..=ROUNDS {
        let shared: SegmentId = format!("segment_{round}").as_str().into();
        let own = |caller: u64| format!("segment_{round}_{caller}");
        let mut segments: Vec<_> = (0..CALLERS).map(|caller| segment(&own(caller))).collect();
        segments.push(segment(shared.as_str()));
        test.publish_flush(&logs, &segments, round, &[], &[], at(70)).await.unwrap();
        let mut callers = JoinSet::new();
        for caller in 0..CALLERS {
            let (catalog, logs, shared) = (test.shared(), logs.clone(), shared.clone());
            let own = own(caller);
            callers.spawn(async move {
                // In both orders, so that they would wait for each other if they locked the segments one by one.
                let mut removed: Vec<SegmentId> = vec![own.as_str().into(), shared];
                if caller % 2 == 0 {
                    removed.reverse();
                }
                let merged = [segment(&format!("{own}_merged"))];
                catalog.replace_segments(&logs, &removed, &merged, at(80)).await
            });
        }
        assert_eq!(refusals(&callers.join_all().await), [ErrorKind::Conflict; 11]);
        let live = test.live_segments(&logs).await.unwrap();
        let merged = ids(&live).iter().filter(|id| id.ends_with("merged")).count();
        assert_eq!((live.len() as u64, merged as u64), (round * CALLERS, round));
    }
}

pub(crate) async fn leave_no_live_segment_of_a_deleted_dataset(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    for round in 1..=ROUNDS {
        let id: DatasetId = format!("dataset_{round}").as_str().into();
        let dataset = tidegauge_catalog::datasets::Dataset { id, ..dataset(&ours, "logs") };
        test.insert_dataset(&ours, &dataset, 9, &samples::change(&ours)).await.unwrap();
        let mut callers = JoinSet::new();
        for caller in 1..=CALLERS {
            let (catalog, id) = (test.shared(), dataset.id.clone());
            callers.spawn(async move {
                let segments = [segment(&format!("segment_{round}_{caller}"))];
                let published =
                    catalog.publish_flush(&id, &segments, caller, &[key("key", caller)], &[], at(70)).await;
                let added = catalog.ensure_columns(&id, &[field("a", FieldKind::Integer)]).await;
                published.map(drop).and(added.map(drop))
            });
        }
        let (catalog, org) = (test.shared(), ours.clone());
        callers.spawn(async move {
            catalog
                .delete_dataset(&org, "logs", at(80), &samples::change(&org))
                .await
                .map(|id| assert!(id.is_some()))
        });
        for refusal in refusals(&callers.join_all().await) {
            assert!(matches!(refusal, ErrorKind::NotFound | ErrorKind::Conflict), "{refusal:?}");
        }
        assert!(test.all_live_segments().await.unwrap().is_empty());
        for table in ["dataset", "dataset_column", "ingest_key"] {
            assert_eq!(test.database.count(table).await, 0, "{table}");
        }
    }
}

pub(crate) async fn add_a_column_once(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    for round in 1..=ROUNDS {
        let mut callers = JoinSet::new();
        for caller in 0..CALLERS {
            let (catalog, logs) = (test.shared(), logs.clone());
            callers.spawn(async move {
                let mut wanted: Vec<_> = (0..20)
                    .map(|number| field(&format!("field_{round}_{}", number + caller), FieldKind::Float))
                    .collect();
                wanted.push(field(&format!("FIELD_{round}_{caller}"), FieldKind::Float));
                let columns = catalog.ensure_columns(&logs, &wanted).await.unwrap();
                assert!(columns.iter().map(|column| &column.field).eq(wanted.iter().map(|(field, _)| field)));
                columns
            });
        }
        let answered: HashSet<(u32, String)> = callers
            .join_all()
            .await
            .into_iter()
            .flatten()
            .map(|column| (column.number, column.field))
            .collect();
        let stored = test.dataset_columns(&logs).await.unwrap();
        // Every caller was told the number that is stored, and none stands for two columns or two for one.
        assert!(answered.iter().all(|(number, field)| {
            stored.iter().any(|column| column.number == *number && column.field == *field)
        }));
        assert_eq!(stored.len() as u64, round * (20 + CALLERS - 1 + CALLERS));
        let names: HashSet<String> = stored.iter().map(|column| column.name.to_lowercase()).collect();
        assert_eq!(names.len(), stored.len());
    }
}

pub(crate) async fn keep_every_map_field(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    insert(test, &ours, "logs").await;
    for round in 0..ROUNDS {
        let mut callers = JoinSet::new();
        for caller in 0..CALLERS {
            let (catalog, org) = (test.shared(), ours.clone());
            // Half of the callers want the field that another one wants too.
            let name = format!("map_{round}_{}", caller / 2);
            callers.spawn(async move {
                catalog.add_map_field(&org, "logs", &name, at(70), &samples::change(&org)).await
            });
        }
        assert_eq!(refusals(&callers.join_all().await), [ErrorKind::Conflict; 6]);
    }
    let fields = test.find_dataset(&ours, "logs").await.unwrap().unwrap().map_fields;
    assert_eq!(fields.len() as u64, 1 + ROUNDS * CALLERS / 2);
}

pub(crate) async fn keep_to_the_most_datasets(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    for _ in 0..ROUNDS {
        let mut callers = JoinSet::new();
        for caller in 0..CALLERS {
            let (catalog, org) = (test.shared(), ours.clone());
            callers.spawn(async move {
                let dataset = dataset(&org, &format!("logs-{caller}"));
                catalog.insert_dataset(&org, &dataset, 4, &samples::change(&org)).await
            });
        }
        assert_eq!(refusals(&callers.join_all().await), [ErrorKind::LimitReached; 8]);
        for dataset in test.list_datasets(&ours).await.unwrap() {
            let change = samples::change(&ours);
            test.delete_dataset(&ours, dataset.name.as_str(), at(80), &change).await.unwrap().unwrap();
        }
    }
}

pub(crate) async fn count_all_use(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let mut callers = JoinSet::new();
    for caller in 0..CALLERS {
        let catalog = test.shared();
        let mut orgs: Vec<OrgId> = vec![ours.clone(), theirs.clone()];
        // In both orders, which two nodes must not wait for each other over.
        if caller % 2 == 0 {
            orgs.reverse();
        }
        callers.spawn(async move {
            for _ in 0..ROUNDS {
                let used: Vec<_> = orgs.iter().map(|org| (org.clone(), "2026-11".to_owned(), 7)).collect();
                catalog.add_usage(&used).await.unwrap();
            }
        });
    }
    callers.join_all().await;
    for org in [&ours, &theirs] {
        assert_eq!(test.usage(org, "2026-11").await.unwrap(), CALLERS * ROUNDS * 7);
    }
}
