//! Virtual fields: kept with their dataset, in the order of their creation.

use tidegauge_catalog::limits::VIRTUAL_FIELDS_MAX;
use tidegauge_catalog::virtual_fields::VirtualField;
use tidegauge_model::{ErrorKind, OrgId, VirtualFieldId};
use tokio::task::JoinSet;

use crate::database::TestCatalog;
use crate::event_samples;
use crate::samples::{self, OWNER, at};

fn field(id: &str, dataset: &str) -> VirtualField {
    VirtualField {
        id: id.into(),
        dataset: dataset.to_owned(),
        name: format!("name of {id}"),
        expression: format!("toint({id}) < 'ä'"),
        description: "computed".to_owned(),
        kind: "boolean".to_owned(),
        unit: "ms".to_owned(),
        created: at(5),
        created_by: OWNER.into(),
        modified: at(6),
    }
}

/// Another one with the same id.
fn altered(id: &str, dataset: &str) -> VirtualField {
    VirtualField {
        name: "changed".to_owned(),
        expression: "1 + 1".to_owned(),
        description: String::new(),
        kind: String::new(),
        unit: String::new(),
        created: at(70),
        created_by: "user_strange".into(),
        modified: at(71),
        ..field(id, dataset)
    }
}

async fn insert(test: &TestCatalog<'_>, org: &OrgId, field: &VirtualField) {
    assert!(test.insert_virtual_field(org, field, &samples::change(org)).await.unwrap());
    test.new_audit().await;
}

async fn find(test: &TestCatalog<'_>, org: &OrgId, id: &str) -> Option<VirtualField> {
    test.find_virtual_field(org, &id.into()).await.unwrap()
}

/// The names of a dataset's fields as a query gets them.
async fn names(test: &TestCatalog<'_>, org: &OrgId, dataset: &str) -> Vec<String> {
    let fields = test.virtual_fields_of(org, dataset).await.unwrap();
    fields.into_iter().map(|(name, _)| name).collect()
}

/// Two organisations, the first with the datasets `logs` and `web`, the second with `logs`.
async fn orgs_with_datasets(test: &TestCatalog<'_>) -> (OrgId, OrgId) {
    let (ours, theirs) = samples::two_orgs(test).await;
    for (org, name) in [(&ours, "web"), (&ours, "logs"), (&theirs, "logs")] {
        event_samples::insert(test, org, name).await;
    }
    (ours, theirs)
}

pub(crate) async fn read_back_what_was_inserted(test: &TestCatalog<'_>) {
    let (ours, theirs) = orgs_with_datasets(test).await;
    // The order is that of creation: neither ids nor times decide.
    let given = [("vfield_2", "logs"), ("vfield_3", "web"), ("vfield_1", "logs")];
    let given = given.map(|(id, dataset)| field(id, dataset));
    for wanted in &given {
        assert!(test.insert_virtual_field(&ours, wanted, &samples::change(&ours)).await.unwrap());
        assert_eq!(test.new_audit().await, [format!("virtualField.create {}", wanted.id)]);
        assert_eq!(find(test, &ours, wanted.id.as_str()).await.as_ref(), Some(wanted));
    }
    insert(test, &theirs, &field("vfield_0", "logs")).await;
    let [second, third, first] = given;
    let all = test.list_virtual_fields(&ours, None).await.unwrap();
    assert_eq!(all, [second.clone(), first.clone(), third]);
    assert_eq!(test.list_virtual_fields(&ours, Some("logs")).await.unwrap(), [second.clone(), first.clone()]);
    assert!(test.list_virtual_fields(&ours, Some("none")).await.unwrap().is_empty());
    let expressions = test.virtual_fields_of(&ours, "logs").await.unwrap();
    assert_eq!(expressions, [(second.name, second.expression), (first.name, first.expression)]);
    assert!(test.virtual_fields_of(&ours, "none").await.unwrap().is_empty());
    assert_eq!(find(test, &ours, "vfield_9").await, None);
}

pub(crate) async fn need_their_dataset(test: &TestCatalog<'_>) {
    let (_, theirs) = orgs_with_datasets(test).await;
    let change = samples::change(&theirs);
    for dataset in ["none", "web", "LOGS", ""] {
        assert!(!test.insert_virtual_field(&theirs, &field("vfield_1", dataset), &change).await.unwrap());
    }
    insert(test, &theirs, &field("vfield_1", "logs")).await;
    let moved = field("vfield_1", "web");
    assert!(!test.replace_virtual_field(&theirs, &moved, "logs", &change).await.unwrap());
    assert_eq!(find(test, &theirs, "vfield_1").await, Some(field("vfield_1", "logs")));
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn are_refused_a_name_twice(test: &TestCatalog<'_>) {
    let (ours, theirs) = orgs_with_datasets(test).await;
    let change = samples::change(&ours);
    let namesake = |id, dataset| VirtualField { name: "ok".to_owned(), ..field(id, dataset) };
    insert(test, &ours, &namesake("vfield_1", "logs")).await;
    insert(test, &ours, &field("vfield_2", "logs")).await;
    // In another dataset it is another field.
    insert(test, &ours, &namesake("vfield_3", "web")).await;
    insert(test, &theirs, &namesake("vfield_4", "logs")).await;

    let again = test.insert_virtual_field(&ours, &namesake("vfield_5", "logs"), &change).await;
    let renamed = test.replace_virtual_field(&ours, &namesake("vfield_2", "logs"), "logs", &change).await;
    let moved = test.replace_virtual_field(&ours, &namesake("vfield_3", "logs"), "web", &change).await;
    for refused in [again, renamed, moved] {
        let refused = refused.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Conflict);
        assert_eq!(refused.to_string(), "the dataset has a virtual field with this name");
    }
    assert!(test.new_audit().await.is_empty());
    // Its own name is no other's.
    assert!(test.replace_virtual_field(&ours, &namesake("vfield_1", "logs"), "logs", &change).await.unwrap());
}

pub(crate) async fn replace_what_a_caller_may_set(test: &TestCatalog<'_>) {
    let (ours, _) = orgs_with_datasets(test).await;
    let before = field("vfield_1", "logs");
    insert(test, &ours, &before).await;
    insert(test, &ours, &field("vfield_2", "logs")).await;
    let (wanted, change) = (altered("vfield_1", "logs"), samples::change(&ours));
    assert!(test.replace_virtual_field(&ours, &wanted, "logs", &change).await.unwrap());
    assert_eq!(test.new_audit().await, ["virtualField.update vfield_1"]);
    let expected = VirtualField { created: before.created, created_by: before.created_by, ..wanted };
    assert_eq!(find(test, &ours, "vfield_1").await, Some(expected));
    assert_eq!(find(test, &ours, "vfield_2").await, Some(field("vfield_2", "logs")));
    assert_eq!(names(test, &ours, "logs").await, ["changed", "name of vfield_2"]);

    assert!(!test.replace_virtual_field(&ours, &altered("vfield_9", "web"), "web", &change).await.unwrap());
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn go_behind_all_others_when_they_move(test: &TestCatalog<'_>) {
    let (ours, _) = orgs_with_datasets(test).await;
    for (id, dataset) in [("vfield_1", "logs"), ("vfield_2", "web"), ("vfield_3", "web")] {
        insert(test, &ours, &field(id, dataset)).await;
    }
    let change = samples::change(&ours);
    assert!(test.replace_virtual_field(&ours, &field("vfield_1", "web"), "logs", &change).await.unwrap());
    assert!(names(test, &ours, "logs").await.is_empty());
    assert_eq!(names(test, &ours, "web").await, ["name of vfield_2", "name of vfield_3", "name of vfield_1"]);
    assert!(test.delete_virtual_field(&ours, &"vfield_2".into(), "web", &change).await.unwrap());
    insert(test, &ours, &field("vfield_4", "web")).await;
    assert_eq!(names(test, &ours, "web").await, ["name of vfield_3", "name of vfield_1", "name of vfield_4"]);
}

pub(crate) async fn hold_changes_to_the_checked_dataset(test: &TestCatalog<'_>) {
    let (ours, theirs) = orgs_with_datasets(test).await;
    insert(test, &ours, &field("vfield_1", "logs")).await;
    let id = VirtualFieldId::from("vfield_1");
    // The other organisation has a dataset of that name too.
    for (org, checked) in [(&ours, "web"), (&ours, ""), (&theirs, "logs")] {
        let change = samples::change(org);
        let wanted = altered("vfield_1", "logs");
        assert!(!test.replace_virtual_field(org, &wanted, checked, &change).await.unwrap());
        assert!(!test.delete_virtual_field(org, &id, checked, &change).await.unwrap());
    }
    assert_eq!(find(test, &theirs, "vfield_1").await, None);
    assert_eq!(find(test, &ours, "vfield_1").await, Some(field("vfield_1", "logs")));
    assert!(test.new_audit().await.is_empty());

    let change = samples::change(&ours);
    assert!(test.delete_virtual_field(&ours, &id, "logs", &change).await.unwrap());
    assert_eq!(test.new_audit().await, ["virtualField.delete vfield_1"]);
    assert_eq!(find(test, &ours, "vfield_1").await, None);
    assert!(!test.delete_virtual_field(&ours, &id, "logs", &change).await.unwrap());
}

pub(crate) async fn go_with_their_dataset(test: &TestCatalog<'_>) {
    let (ours, _) = orgs_with_datasets(test).await;
    insert(test, &ours, &field("vfield_1", "logs")).await;
    insert(test, &ours, &field("vfield_2", "web")).await;
    test.delete_dataset(&ours, "logs", at(80), &samples::change(&ours)).await.unwrap().unwrap();
    event_samples::insert(test, &ours, "logs").await;
    assert!(names(test, &ours, "logs").await.is_empty());
    assert_eq!(find(test, &ours, "vfield_1").await, None);
    assert_eq!(test.list_virtual_fields(&ours, None).await.unwrap(), [field("vfield_2", "web")]);
}

pub(crate) async fn are_refused_beyond_the_limit(test: &TestCatalog<'_>) {
    let (ours, _) = orgs_with_datasets(test).await;
    insert(test, &ours, &field("vfield", "logs")).await;
    test.database.copy_row("virtual_field", "vfield", VIRTUAL_FIELDS_MAX - 2).await;
    insert(test, &ours, &field("vfield_last", "logs")).await;
    insert(test, &ours, &field("vfield_web", "web")).await;
    let change = samples::change(&ours);
    let over = test.insert_virtual_field(&ours, &field("vfield_over", "logs"), &change).await;
    let moved = test.replace_virtual_field(&ours, &field("vfield_web", "logs"), "web", &change).await;
    for refused in [over, moved] {
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::LimitReached);
    }
    assert!(test.new_audit().await.is_empty());
    assert!(test.replace_virtual_field(&ours, &altered("vfield", "logs"), "logs", &change).await.unwrap());
    assert_eq!(names(test, &ours, "logs").await.len(), 1_000);
}

pub(crate) async fn take_one_of_many_with_the_same_name(test: &TestCatalog<'_>) {
    let (ours, _) = orgs_with_datasets(test).await;
    let mut callers = JoinSet::new();
    for number in 0..20 {
        let (catalog, ours) = (test.shared(), ours.clone());
        callers.spawn(async move {
            let id = format!("vfield_{number}");
            let name = if number % 2 == 0 { "same".to_owned() } else { format!("other {number}") };
            let wanted = VirtualField { name, ..field(&id, "logs") };
            catalog.insert_virtual_field(&ours, &wanted, &samples::change(&ours)).await
        });
    }
    let outcomes = callers.join_all().await;
    let refusals: Vec<ErrorKind> =
        outcomes.iter().filter_map(|it| it.as_ref().err()).map(|it| it.kind()).collect();
    assert_eq!(refusals, [ErrorKind::Conflict; 9]);
    assert_eq!(names(test, &ours, "logs").await.len(), 11);
}
