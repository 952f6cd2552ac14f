//! Putting back what was read from the segments themselves.

use tidegauge_catalog::columns::DatasetColumn;
use tidegauge_catalog::datasets::Dataset;
use tidegauge_catalog::recovery::Recovered;
use tidegauge_model::{ErrorKind, FieldKind, OrgId};

use crate::database::TestCatalog;
use crate::event_samples::{counts, dataset, field, ids, insert, segment};
use crate::samples::{self, at};

fn recovered(org: &OrgId, name: &str, number: u64) -> Recovered {
    let column = |number: u32, field: &str| DatasetColumn {
        number,
        field: field.to_owned(),
        kind: FieldKind::String,
        name: format!("{field}!"),
    };
    Recovered {
        dataset: Dataset { number, flushed: 8, ..dataset(org, name) },
        columns: vec![column(40, "b"), column(17, "a")],
        segments: vec![segment(&format!("segment_{name}_2")), segment(&format!("segment_{name}_1"))],
    }
}

pub(crate) async fn keeps_ids_and_numbers(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    let (first, second) = (recovered(&ours, "first", 7), recovered(&theirs, "second", 0));
    let commit = test.insert_recovered(&first, at(70), &change).await.unwrap();
    assert_eq!(commit, test.commit_sequence().await.unwrap());
    assert_eq!(test.new_audit().await, ["dataset.recover first"]);
    assert_eq!(test.insert_recovered(&second, at(70), &change).await.unwrap(), commit + 1);
    let second_dataset = Dataset { number: 8, ..second.dataset };
    assert_eq!(test.all_datasets().await.unwrap(), [first.dataset.clone(), second_dataset]);
    let columns = test.dataset_columns(&first.dataset.id).await.unwrap();
    assert_eq!(columns, [first.columns[1].clone(), first.columns[0].clone()]);
    let live = test.live_segments(&first.dataset.id).await.unwrap();
    assert_eq!(ids(&live), ["segment_first_2", "segment_first_1"]);

    // What follows does not take a number that was put back.
    assert_eq!(insert(test, &ours, "third").await.number, 9);
    let added = test.ensure_columns(&first.dataset.id, &[field("c", FieldKind::Map)]).await.unwrap();
    assert_eq!(added[0].number, 41);
    test.publish_flush(&first.dataset.id, &[segment("segment_3")], 9, &[], &[], at(70)).await.unwrap();
}

pub(crate) async fn changes_nothing_when_a_part_is_there(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    test.insert_recovered(&recovered(&ours, "logs", 3), at(70), &change).await.unwrap();
    let before = (counts(test).await, test.commit_sequence().await.unwrap());
    let same_number = recovered(&ours, "other", 3);
    let mut same_segment = recovered(&ours, "other", 0);
    same_segment.segments[1].id = "segment_logs_1".into();
    for given in [recovered(&ours, "logs", 0), same_number, same_segment] {
        let refused = test.insert_recovered(&given, at(70), &change).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Conflict);
    }
    assert_eq!((counts(test).await, test.commit_sequence().await.unwrap()), before);
    // Without any column, fields begin where they do in a new dataset.
    let bare = Recovered { columns: Vec::new(), segments: Vec::new(), ..recovered(&ours, "bare", 0) };
    test.insert_recovered(&bare, at(70), &change).await.unwrap();
    let added = test.ensure_columns(&bare.dataset.id, &[field("a", FieldKind::Map)]).await.unwrap();
    assert_eq!(added[0].number, 16);
}
