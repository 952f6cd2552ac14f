//! Datasets: what is set about them, and what goes with them when they are deleted.

use std::collections::HashSet;

use tidegauge_catalog::columns::FieldNote;
use tidegauge_catalog::datasets::{Dataset, DatasetPatch};
use tidegauge_model::dataset::{AUDIT_DATASET, AUDIT_KIND};
use tidegauge_model::{ErrorKind, FieldKind};

use crate::database::TestCatalog;
use crate::event_samples::{self, MANY, counts, dataset, field, insert, key, segment};
use crate::samples::{self, at};

pub(crate) async fn read_back_what_was_inserted(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let mut wanted = Vec::new();
    for (number, (org, name)) in (1..).zip([(&ours, "tide"), (&theirs, "tide"), (&ours, "buoys")]) {
        let given = Dataset { vacuumed: Some(at(9)), flushed: 70 + number, ..dataset(org, name) };
        // Whose it is says the caller's organisation, not the sample.
        let strange = Dataset { org: "org_strange".into(), ..given.clone() };
        let inserted = test.insert_dataset(org, &strange, MANY, &samples::change(org)).await.unwrap();
        assert_eq!(inserted, Dataset { number, ..given });
        assert_eq!(test.new_audit().await, [format!("dataset.create {name}")]);
        wanted.push(inserted);
    }
    assert_eq!(test.all_datasets().await.unwrap(), wanted);
    assert_eq!(test.list_datasets(&ours).await.unwrap(), [wanted[2].clone(), wanted[0].clone()]);
    assert_eq!(test.list_datasets(&theirs).await.unwrap(), [wanted[1].clone()]);
    assert_eq!(test.find_dataset(&theirs, "tide").await.unwrap().unwrap(), wanted[1]);
    assert_eq!(test.find_dataset(&theirs, "buoys").await.unwrap(), None);
    assert_eq!(test.find_dataset(&ours, "Tide").await.unwrap(), None);
}

pub(crate) async fn are_refused_a_name_twice(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    insert(test, &ours, "logs").await;
    let before = (counts(test).await, test.commit_sequence().await.unwrap());
    let again = Dataset { id: "dataset_again".into(), ..dataset(&ours, "logs") };
    let refused = test.insert_dataset(&ours, &again, MANY, &samples::change(&ours)).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    assert_eq!((counts(test).await, test.commit_sequence().await.unwrap()), before);
    assert!(test.new_audit().await.is_empty());
    insert(test, &theirs, "logs").await;
}

pub(crate) async fn are_refused_beyond_the_limit(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    for name in ["a", "b", "c"] {
        insert(test, &theirs, name).await;
    }
    let change = samples::change(&ours);
    test.insert_dataset(&ours, &dataset(&ours, "a"), 2, &change).await.unwrap();
    test.insert_dataset(&ours, &dataset(&ours, "b"), 2, &change).await.unwrap();
    let refused = test.insert_dataset(&ours, &dataset(&ours, "c"), 2, &change).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::LimitReached);
    assert_eq!(test.list_datasets(&ours).await.unwrap().len(), 2);
    test.delete_dataset(&ours, "a", at(70), &change).await.unwrap().unwrap();
    test.insert_dataset(&ours, &dataset(&ours, "c"), 2, &change).await.unwrap();
}

pub(crate) async fn of_the_audit_trail_count_for_nothing(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    let audit = Dataset { kind: AUDIT_KIND.to_owned(), ..dataset(&ours, AUDIT_DATASET) };
    let made = test.insert_dataset(&ours, &audit, MANY, &change).await.unwrap();
    test.insert_dataset(&ours, &dataset(&ours, "a"), 1, &change).await.unwrap();
    let refused = test.insert_dataset(&ours, &dataset(&ours, "b"), 1, &change).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::LimitReached);
    test.publish_flush(&made.id, &[segment("segment_1")], 1, &[], &[], at(70)).await.unwrap();
    assert_eq!(test.storage_bytes(&ours).await.unwrap(), 0);
}

pub(crate) async fn have_numbers_that_are_given_once(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    for number in 1..4 {
        assert_eq!(insert(test, &ours, "logs").await.number, number);
        test.delete_dataset(&ours, "logs", at(70), &change).await.unwrap().unwrap();
    }
}

pub(crate) async fn change_where_a_patch_says(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let (before, bystander) = (insert(test, &ours, "logs").await, insert(test, &ours, "other").await);
    let change = samples::change(&ours);
    let patches = [
        DatasetPatch { description: Some(String::new()), ..DatasetPatch::default() },
        DatasetPatch { use_retention: Some(false), ..DatasetPatch::default() },
        DatasetPatch { retention_days: Some(u32::MAX), ..DatasetPatch::default() },
        DatasetPatch::default(),
    ];
    let mut wanted = before;
    for (second, patch) in (70..).zip(patches) {
        wanted.description = patch.description.clone().unwrap_or(wanted.description);
        wanted.use_retention = patch.use_retention.unwrap_or(wanted.use_retention);
        wanted.retention_days = patch.retention_days.unwrap_or(wanted.retention_days);
        wanted.modified = at(second);
        let changed = test.update_dataset(&ours, "logs", patch, at(second), &change).await.unwrap();
        assert_eq!(changed.as_ref(), Some(&wanted));
        assert_eq!(test.find_dataset(&ours, "logs").await.unwrap().as_ref(), Some(&wanted));
        assert_eq!(test.new_audit().await, ["dataset.update logs"]);
    }
    assert!(wanted.description.is_empty() && !wanted.use_retention);
    assert_eq!(test.find_dataset(&ours, "other").await.unwrap(), Some(bystander));
}

pub(crate) async fn keep_events_where_a_patch_says(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    insert(test, &ours, "logs").await;
    let change = samples::change(&ours);
    let patch = |use_retention: bool, days: u32, keeps_events: bool| DatasetPatch {
        use_retention: Some(use_retention),
        retention_days: Some(days),
        keeps_events,
        ..DatasetPatch::default()
    };
    for (patch, wanted) in [
        (patch(true, 30, false), Ok(Some(30))),
        (patch(true, 30, true), Ok(Some(30))),
        (patch(true, 31, true), Ok(Some(31))),
        (patch(true, 30, true), Err(ErrorKind::Forbidden)),
        (
            DatasetPatch { retention_days: Some(1), keeps_events: true, ..DatasetPatch::default() },
            Err(ErrorKind::Forbidden),
        ),
        (patch(true, 0, false), Err(ErrorKind::Conflict)),
        (patch(true, 7, false), Ok(Some(7))),
        // Days that are not in use say nothing, and for ever is longest.
        (patch(false, 1, true), Ok(None)),
        (patch(true, 36_500, true), Err(ErrorKind::Forbidden)),
        (
            DatasetPatch { use_retention: Some(true), keeps_events: true, ..DatasetPatch::default() },
            Err(ErrorKind::Forbidden),
        ),
        (patch(true, 36_500, false), Ok(Some(36_500))),
    ] {
        let before = test.find_dataset(&ours, "logs").await.unwrap().unwrap();
        let given = format!("{patch:?}");
        let changed = test.update_dataset(&ours, "logs", patch, at(70), &change).await;
        let kept = |dataset: Option<Dataset>| {
            let dataset = dataset.unwrap();
            dataset.use_retention.then_some(dataset.retention_days)
        };
        assert_eq!(changed.map(kept).map_err(|error| error.kind()), wanted, "{given}");
        if wanted.is_err() {
            assert_eq!(test.find_dataset(&ours, "logs").await.unwrap().unwrap(), before, "{given}");
        }
    }
}

pub(crate) async fn change_their_map_fields(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let (before, bystander) = (insert(test, &ours, "logs").await, insert(test, &ours, "other").await);
    let change = samples::change(&ours);
    let wanted = |fields: &[&str], second| Dataset {
        map_fields: fields.iter().map(|field| (*field).to_owned()).collect(),
        modified: at(second),
        ..before.clone()
    };
    let added = test.add_map_field(&ours, "logs", "it's \"ä\"", at(70), &change).await.unwrap();
    assert_eq!(added, Some(wanted(&["labels", "it's \"ä\""], 70)));
    let refused = test.add_map_field(&ours, "logs", "labels", at(71), &change).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    let removed = test.remove_map_field(&ours, "logs", "labels", at(72), &change).await.unwrap();
    assert_eq!(removed, Some(wanted(&["it's \"ä\""], 72)));
    let refused = test.remove_map_field(&ours, "logs", "labels", at(73), &change).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NotFound);
    assert_eq!(test.new_audit().await, ["dataset.map-fields logs", "dataset.map-fields logs"]);

    let fields = vec!["b".to_owned(), "a".to_owned()];
    let set = test.set_map_fields(&ours, "logs", fields, at(74), &change).await.unwrap();
    assert_eq!(set, Some(wanted(&["b", "a"], 74)));
    assert_eq!(test.find_dataset(&ours, "logs").await.unwrap(), set);
    assert_eq!(test.find_dataset(&ours, "other").await.unwrap(), Some(bystander));
}

pub(crate) async fn remember_their_vacuum(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let before = insert(test, &ours, "logs").await;
    let change = samples::change(&ours);
    let noted = test.note_vacuum(&ours, "logs", at(70), &change).await.unwrap();
    assert_eq!(noted, Some(Dataset { vacuumed: Some(at(70)), ..before }));
    assert_eq!(test.find_dataset(&ours, "logs").await.unwrap(), noted);
    assert_eq!(test.new_audit().await, ["dataset.vacuum logs"]);
}

pub(crate) async fn take_everything_with_them(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    for name in ["logs", "other"] {
        let id = insert(test, &ours, name).await.id;
        test.ensure_columns(&id, &[field("level", FieldKind::Integer)]).await.unwrap();
        let note = FieldNote { field: "level".to_owned(), ..FieldNote::default() };
        assert!(test.set_field_note(&ours, name, &note, at(69), &change).await.unwrap());
        for number in [1, 2] {
            let segment = segment(&format!("segment_{name}_{number}"));
            test.publish_flush(&id, &[segment], number, &[key("key", number)], &[], at(69)).await.unwrap();
        }
        let gone = format!("segment_{name}_1");
        test.replace_segments(&id, &[gone.as_str().into()], &[], at(70)).await.unwrap();
    }
    test.new_audit().await;
    let commit = test.commit_sequence().await.unwrap();

    let deleted = test.delete_dataset(&ours, "logs", at(80), &change).await.unwrap().unwrap();
    assert_eq!(deleted.as_str(), "dataset_org_ours_logs");
    assert_eq!(test.new_audit().await, ["dataset.delete logs"]);
    assert_eq!(test.commit_sequence().await.unwrap(), commit + 1);
    assert_eq!(test.find_dataset(&ours, "logs").await.unwrap(), None);
    let counts = counts(test).await;
    for table in ["dataset", "dataset_column", "dataset_field", "ingest_key"] {
        assert_eq!(counts[table], 1, "{table}");
    }
    assert!(test.live_segments(&deleted).await.unwrap().is_empty());
    // Readers of an earlier commit still see them, and the one that was removed before keeps its time.
    assert_eq!(event_samples::ids(&test.segments_at(&deleted, commit).await.unwrap()), ["segment_logs_2"]);
    let early = test.removed_segments(at(75), 9).await.unwrap();
    assert_eq!(event_samples::ids(&early), ["segment_logs_1", "segment_other_1"]);
    let removed = test.removed_segments(at(81), 9).await.unwrap();
    assert_eq!(event_samples::ids(&removed)[2..], ["segment_logs_2"]);
    assert_eq!(removed[2].removed, Some(commit + 1));
    assert_eq!(test.all_live_segments().await.unwrap().len(), 1);

    assert_eq!(test.delete_dataset(&ours, "logs", at(80), &change).await.unwrap(), None);
    insert(test, &ours, "logs").await;
}

pub(crate) async fn are_known_as_deleted_for_weeks(test: &TestCatalog<'_>) {
    const WEEK: i64 = 7 * 24 * 60 * 60;
    let (ours, _) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    let mut ids = Vec::new();
    for name in ["early", "late", "there"] {
        ids.push(insert(test, &ours, name).await.id);
    }
    assert!(test.deleted_datasets(&ids).await.unwrap().is_empty());
    test.delete_dataset(&ours, "early", at(0), &change).await.unwrap().unwrap();
    assert_eq!(test.deleted_datasets(&ids).await.unwrap(), HashSet::from([ids[0].clone()]));
    test.delete_dataset(&ours, "late", at(9 * WEEK), &change).await.unwrap().unwrap();
    assert_eq!(test.deleted_datasets(&ids).await.unwrap(), HashSet::from([ids[1].clone()]));
    assert!(test.deleted_datasets(&[]).await.unwrap().is_empty());
}

pub(crate) async fn stay_within_their_org(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let dataset = insert(test, &theirs, "logs").await;
    let (counts_before, change) = (counts(test).await, samples::change(&ours));
    let patch = DatasetPatch { description: Some("ours".to_owned()), ..DatasetPatch::default() };
    assert!(test.list_datasets(&ours).await.unwrap().is_empty());
    assert_eq!(test.find_dataset(&ours, "logs").await.unwrap(), None);
    assert_eq!(test.update_dataset(&ours, "logs", patch, at(70), &change).await.unwrap(), None);
    assert_eq!(test.set_map_fields(&ours, "logs", Vec::new(), at(70), &change).await.unwrap(), None);
    assert_eq!(test.add_map_field(&ours, "logs", "x", at(70), &change).await.unwrap(), None);
    assert_eq!(test.remove_map_field(&ours, "logs", "labels", at(70), &change).await.unwrap(), None);
    assert_eq!(test.note_vacuum(&ours, "logs", at(70), &change).await.unwrap(), None);
    assert_eq!(test.delete_dataset(&ours, "logs", at(70), &change).await.unwrap(), None);
    let note = FieldNote { field: "level".to_owned(), ..FieldNote::default() };
    assert!(!test.set_field_note(&ours, "logs", &note, at(70), &change).await.unwrap());
    assert_eq!(test.storage_bytes(&ours).await.unwrap(), 0);
    assert_eq!(test.find_dataset(&theirs, "logs").await.unwrap(), Some(dataset));
    assert_eq!(counts(test).await, counts_before);
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn report_values_that_cannot_be_read(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    insert(test, &ours, "logs").await;
    for (damage, repair) in [
        ("UPDATE dataset SET map_fields = '{}'", "UPDATE dataset SET map_fields = '[]'"),
        ("UPDATE dataset SET name = '../etc'", "UPDATE dataset SET name = 'logs'"),
        ("UPDATE dataset SET retention_days = -1", "UPDATE dataset SET retention_days = 1"),
        ("UPDATE dataset SET flushed = -1", "UPDATE dataset SET flushed = 1"),
    ] {
        test.database.execute(damage).await;
        assert_eq!(test.list_datasets(&ours).await.unwrap_err().kind(), ErrorKind::Corrupt, "{damage}");
        test.database.execute(repair).await;
        assert_eq!(test.list_datasets(&ours).await.unwrap().len(), 1, "{repair}");
    }
}
