//! The typed columns of datasets, and the notes about fields.

use tidegauge_catalog::columns::{DatasetColumn, FieldNote};
use tidegauge_model::{DatasetId, ErrorKind, FieldKind};

use crate::database::TestCatalog;
use crate::event_samples::{counts, field, insert, one_dataset};
use crate::samples::{self, at};

fn column(number: u32, field: &str, kind: FieldKind, name: &str) -> DatasetColumn {
    DatasetColumn { number, field: field.to_owned(), kind, name: name.to_owned() }
}

pub(crate) async fn are_added_once(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let commit = test.commit_sequence().await.unwrap();
    let wanted = [
        field("level", FieldKind::Integer),
        field("text", FieldKind::String),
        field("level", FieldKind::Integer),
    ];
    let level = column(16, "level", FieldKind::Integer, "level");
    let text = column(17, "text", FieldKind::String, "text");
    let answer = [level.clone(), text.clone(), level.clone()];
    assert_eq!(test.ensure_columns(&logs, &wanted).await.unwrap(), answer);
    assert_eq!(test.commit_sequence().await.unwrap(), commit + 1);
    assert_eq!(test.ensure_columns(&logs, &wanted).await.unwrap(), answer);
    assert_eq!(test.ensure_columns(&logs, &[]).await.unwrap(), []);
    assert_eq!(test.commit_sequence().await.unwrap(), commit + 1);

    let more = [field("text", FieldKind::String), field("ok", FieldKind::Boolean)];
    let ok = column(18, "ok", FieldKind::Boolean, "ok");
    assert_eq!(test.ensure_columns(&logs, &more).await.unwrap(), [text.clone(), ok.clone()]);
    assert_eq!(test.dataset_columns(&logs).await.unwrap(), [level, text, ok]);
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn belong_to_their_dataset(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let other = insert(test, &"org_theirs".into(), "logs").await.id;
    let (wanted, kind) = ([field("a", FieldKind::Float)], FieldKind::Float);
    test.ensure_columns(&logs, &[field("b", kind), field("a", kind)]).await.unwrap();
    assert_eq!(test.ensure_columns(&other, &wanted).await.unwrap(), [column(16, "a", kind, "a")]);
    let all = test.all_columns().await.unwrap();
    assert_eq!(all.len(), 2);
    assert_eq!(all[&logs], [column(16, "b", kind, "b"), column(17, "a", kind, "a")]);
    assert_eq!(all[&other], test.dataset_columns(&other).await.unwrap());
    assert_eq!(test.forget_columns(&other, &[]).await.unwrap(), 1);
    assert_eq!(test.dataset_columns(&logs).await.unwrap().len(), 2);
}

pub(crate) async fn have_names_that_differ_in_more_than_case(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let wanted = [
        (field("id", FieldKind::String), "id"),
        (field("id", FieldKind::Integer), "id:integer"),
        (field("ID", FieldKind::Integer), "ID:18"),
        (field("ID", FieldKind::Float), "ID:float"),
        (field("_SEQUENCE", FieldKind::Map), "_SEQUENCE:20"),
        (field("Ärger", FieldKind::Array), "Ärger"),
        (field("ärger", FieldKind::Array), "ärger:22"),
        (field("id:float", FieldKind::String), "id:float:23"),
        (field("", FieldKind::String), ":24"),
        (field("x:26", FieldKind::String), "x:26"),
        (field("x:26", FieldKind::Boolean), "x:26:boolean"),
        (field("it's \"quoted\"; --", FieldKind::String), "it's \"quoted\"; --"),
    ];
    let asked: Vec<_> = wanted.iter().map(|(field, _)| field.clone()).collect();
    let names: Vec<String> =
        test.ensure_columns(&logs, &asked).await.unwrap().into_iter().map(|column| column.name).collect();
    assert_eq!(names, wanted.map(|(_, name)| name));
    // The same when they come one after the other.
    let one = test.ensure_columns(&logs, &[field("iD", FieldKind::Map)]).await.unwrap();
    assert_eq!(one, [column(28, "iD", FieldKind::Map, "iD:28")]);
    let two = [field("Id:30", FieldKind::Map), field("Id", FieldKind::Map)];
    let two = test.ensure_columns(&logs, &two).await.unwrap();
    assert_eq!(two[1], column(30, "Id", FieldKind::Map, "Id:30:30"));
}

pub(crate) async fn keep_their_numbers_when_some_are_forgotten(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let kind = FieldKind::String;
    test.ensure_columns(&logs, &["a", "b", "c", "d"].map(|name| field(name, kind))).await.unwrap();
    let commit = test.commit_sequence().await.unwrap();
    assert_eq!(test.forget_columns(&logs, &[17, 99]).await.unwrap(), 3);
    assert_eq!(test.dataset_columns(&logs).await.unwrap(), [column(17, "b", kind, "b")]);
    assert_eq!(test.commit_sequence().await.unwrap(), commit + 1);
    assert_eq!(test.forget_columns(&logs, &[17]).await.unwrap(), 0);
    assert_eq!(test.commit_sequence().await.unwrap(), commit + 1);
    assert_eq!(test.ensure_columns(&logs, &[field("d", kind)]).await.unwrap(), [column(20, "d", kind, "d")]);
}

pub(crate) async fn are_not_added_to_what_is_gone(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let wanted = [field("a", FieldKind::Integer)];
    test.ensure_columns(&logs, &wanted).await.unwrap();
    let ours = "org_ours".into();
    test.delete_dataset(&ours, "logs", at(70), &samples::change(&ours)).await.unwrap().unwrap();
    let before = counts(test).await;
    assert_eq!(test.ensure_columns(&logs, &wanted).await.unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(test.forget_columns(&logs, &[]).await.unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(counts(test).await, before);
}

pub(crate) async fn come_by_the_thousands(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    let kinds = FieldKind::ALL.into_iter().cycle();
    let wanted: Vec<_> =
        (0..5_000).zip(kinds).map(|(number, kind)| field(&format!("field.{number}"), kind)).collect();
    let columns = test.ensure_columns(&logs, &wanted).await.unwrap();
    let numbers: Vec<u32> = columns.iter().map(|column| column.number).collect();
    assert_eq!(numbers, Vec::from_iter(16..5_016));
    assert_eq!(test.dataset_columns(&logs).await.unwrap(), columns);
    assert_eq!(test.ensure_columns(&logs, &wanted).await.unwrap(), columns);
    let kept: Vec<u32> = numbers.into_iter().filter(|number| number % 1_000 == 0).collect();
    assert_eq!(test.forget_columns(&logs, &kept).await.unwrap(), 4_995);
    assert_eq!(test.dataset_columns(&logs).await.unwrap().len(), 5);
}

pub(crate) async fn are_reported_when_they_cannot_be_read(test: &TestCatalog<'_>) {
    let logs = one_dataset(test).await;
    test.ensure_columns(&logs, &[field("a", FieldKind::Integer)]).await.unwrap();
    test.database.execute("UPDATE dataset_column SET kind = 'decimal'").await;
    assert_eq!(test.dataset_columns(&logs).await.unwrap_err().kind(), ErrorKind::Corrupt);
    assert_eq!(test.all_columns().await.unwrap_err().kind(), ErrorKind::Corrupt);
}

pub(crate) async fn carry_notes_about_their_fields(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let logs = insert(test, &ours, "logs").await.id;
    let other = insert(test, &theirs, "logs").await.id;
    let change = samples::change(&ours);
    let note = |field: &str, description: &str, hidden| FieldNote {
        field: field.to_owned(),
        description: description.to_owned(),
        unit: format!("unit of {description}"),
        hidden,
    };
    for note in [note("b", "first", true), note("a", "second", false), note("b", "third", false)] {
        assert!(test.set_field_note(&ours, "logs", &note, at(70), &change).await.unwrap());
        assert_eq!(test.new_audit().await, [format!("dataset.field logs/{}", note.field)]);
    }
    assert!(test.set_field_note(&theirs, "logs", &note("b", "theirs", true), at(71), &change).await.unwrap());
    assert_eq!(
        test.dataset_fields(&logs).await.unwrap(),
        [note("a", "second", false), note("b", "third", false)]
    );
    assert_eq!(test.dataset_fields(&other).await.unwrap(), [note("b", "theirs", true)]);
    assert_eq!(test.find_dataset(&ours, "logs").await.unwrap().unwrap().modified, at(70));
    assert!(!test.set_field_note(&ours, "none", &note("a", "x", true), at(70), &change).await.unwrap());
    let unknown: DatasetId = "dataset_none".into();
    assert!(test.dataset_fields(&unknown).await.unwrap().is_empty());
}
