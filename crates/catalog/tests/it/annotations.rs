//! Annotations of people and of monitors.

use tidegauge_catalog::annotations::{Annotation, AnnotationFilter, AnnotationPatch};
use tidegauge_catalog::limits::ANNOTATIONS_OF_MONITOR_MAX;

use crate::database::TestCatalog;
use crate::samples::{self, OWNER, at};

pub(crate) fn annotation(id: &str, datasets: &[&str]) -> Annotation {
    Annotation {
        id: id.into(),
        datasets: datasets.iter().map(|name| (*name).to_owned()).collect(),
        at: at(10),
        end_at: Some(at(20)),
        kind: "release".to_owned(),
        title: "A title".to_owned(),
        description: "What happened".to_owned(),
        url: "some-url".to_owned(),
        monitor: None,
        epoch: None,
        created: at(5),
        created_by: OWNER.into(),
        modified: at(6),
    }
}

pub(crate) async fn read_back_what_was_inserted(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    let plain = Annotation { end_at: None, ..annotation("ann_2", &["web"]) };
    for wanted in [annotation("ann_1", &["web", "api"]), plain] {
        test.insert_annotation(&ours, &wanted, &change).await.unwrap();
        assert_eq!(test.new_audit().await, [format!("annotation.create {}", wanted.id)]);
        assert_eq!(test.find_annotation(&ours, &wanted.id).await.unwrap().as_ref(), Some(&wanted));
        assert_eq!(test.find_annotation(&theirs, &wanted.id).await.unwrap(), None);
        assert!(!test.delete_annotation(&theirs, &wanted.id, &change).await.unwrap());
        assert!(test.new_audit().await.is_empty());
    }
    assert!(test.delete_annotation(&ours, &"ann_1".into(), &change).await.unwrap());
    assert!(!test.delete_annotation(&ours, &"ann_1".into(), &change).await.unwrap());
    assert_eq!(test.new_audit().await, ["annotation.delete ann_1"]);
}

pub(crate) async fn change_what_is_named_alone(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let (before, change) = (annotation("ann_1", &["web"]), samples::change(&ours));
    test.insert_annotation(&ours, &before, &change).await.unwrap();
    test.new_audit().await;
    let patch =
        AnnotationPatch { title: Some("Other".to_owned()), at: Some(at(11)), ..AnnotationPatch::default() };
    let changed = test.update_annotation(&ours, &before.id, &patch, &change).await.unwrap();
    let wanted = Annotation { title: "Other".to_owned(), at: at(11), modified: change.at, ..before };
    assert_eq!(changed.as_ref(), Some(&wanted));
    assert_eq!(test.find_annotation(&ours, &wanted.id).await.unwrap(), changed);
    assert_eq!(test.new_audit().await, ["annotation.update ann_1"]);
    assert_eq!(test.update_annotation(&theirs, &wanted.id, &patch, &change).await.unwrap(), None);
    let whole = AnnotationPatch {
        datasets: Some(vec!["api".to_owned()]),
        at: Some(at(1)),
        end_at: Some(at(2)),
        kind: Some("other".to_owned()),
        title: Some(String::new()),
        description: Some("d".to_owned()),
        url: Some("u".to_owned()),
    };
    let changed = test.update_annotation(&ours, &wanted.id, &whole, &change).await.unwrap().unwrap();
    assert_eq!(
        (changed.datasets, changed.end_at, changed.kind),
        (vec!["api".to_owned()], Some(at(2)), "other".to_owned())
    );
}

pub(crate) async fn are_found_by_dataset_and_time(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    let early = Annotation { at: at(1), end_at: None, ..annotation("ann_3", &["web"]) };
    for one in [annotation("ann_1", &["web", "api"]), annotation("ann_2", &["api"]), early] {
        test.insert_annotation(&ours, &one, &change).await.unwrap();
    }
    test.insert_annotation(&theirs, &annotation("ann_4", &["web"]), &change).await.unwrap();
    let datasets = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let cases = [
        (AnnotationFilter::default(), &["ann_3", "ann_1", "ann_2"][..]),
        (
            AnnotationFilter { datasets: datasets(&["web", "none"]), ..Default::default() },
            &["ann_3", "ann_1"],
        ),
        (AnnotationFilter { start: Some(at(2)), ..Default::default() }, &["ann_1", "ann_2"]),
        (AnnotationFilter { start: Some(at(20)), ..Default::default() }, &["ann_1", "ann_2"]),
        (AnnotationFilter { start: Some(at(21)), ..Default::default() }, &[]),
        (AnnotationFilter { end: Some(at(9)), ..Default::default() }, &["ann_3"]),
        (AnnotationFilter { end: Some(at(10)), ..Default::default() }, &["ann_3", "ann_1", "ann_2"]),
    ];
    for (filter, wanted) in cases {
        let found = test.list_annotations(&ours, &filter).await.unwrap();
        let ids: Vec<&str> = found.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(ids, wanted, "{filter:?}");
    }
}

/// Of those that the alerts of one monitor made, the oldest go; those of people and of other monitors stay.
pub(crate) async fn keep_the_newest_of_a_monitor(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    let of = |id: &str, monitor: Option<&str>, seconds: i64| Annotation {
        monitor: monitor.map(Into::into),
        at: at(seconds),
        ..annotation(id, &["web"])
    };
    for one in [
        of("ann_by_hand", None, 0),
        of("ann_other", Some("mon_2"), 0),
        of("ann_oldest", Some("mon_1"), 1),
        of("ann", Some("mon_1"), 2),
    ] {
        test.insert_annotation(&ours, &one, &change).await.unwrap();
    }
    test.database.copy_row("annotation", "ann", ANNOTATIONS_OF_MONITOR_MAX - 2).await;
    let there = async |id: &str| test.find_annotation(&ours, &id.into()).await.unwrap().is_some();
    assert_eq!(test.database.count("annotation").await, ANNOTATIONS_OF_MONITOR_MAX + 2);
    assert!(there("ann_oldest").await);
    test.insert_annotation(&ours, &of("ann_newest", Some("mon_1"), 3), &change).await.unwrap();
    assert_eq!(test.database.count("annotation").await, ANNOTATIONS_OF_MONITOR_MAX + 2);
    assert!(!there("ann_oldest").await && there("ann_newest").await && there("ann").await);
    assert!(there("ann_by_hand").await && there("ann_other").await);
}
