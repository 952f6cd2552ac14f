//! Views: kept by name among the names of datasets.

use tidegauge_catalog::Error;
use tidegauge_catalog::limits::VIEWS_MAX;
use tidegauge_catalog::monitors::{Monitor, Reads};
use tidegauge_catalog::views::View;
use tidegauge_model::{ErrorKind, OrgId};
use tokio::task::JoinSet;

use crate::database::TestCatalog;
use crate::event_samples::{self, MANY, dataset};
use crate::monitors::monitor;
use crate::samples::{self, OWNER, at};

fn view(id: &str, name: &str) -> View {
    View {
        id: id.into(),
        name: name.to_owned(),
        apl: format!("['{name}-source'] | where it == \"ä\"\n| count"),
        datasets: vec![format!("{name}-source"), "it's".to_owned()],
        description: "seen often".to_owned(),
        created: at(5),
        created_by: OWNER.into(),
        modified: at(6),
    }
}

async fn insert(test: &TestCatalog<'_>, org: &OrgId, view: &View) {
    test.insert_view(org, view, &samples::change(org)).await.unwrap();
    test.new_audit().await;
}

/// Replaces a view as somebody who may.
async fn replace(test: &TestCatalog<'_>, org: &OrgId, view: &View) -> Result<Option<View>, Error> {
    let replaced = test.replace_view(org, view, &samples::change(org), |_| Ok::<(), ()>(())).await?;
    Ok(replaced.map(Result::unwrap))
}

/// Deletes a view as somebody who may, and tells whether it was there.
async fn delete(test: &TestCatalog<'_>, org: &OrgId, id: &str) -> bool {
    let change = samples::change(org);
    let deleted = test.delete_view(org, &id.into(), &change, |_| Ok::<(), ()>(())).await.unwrap();
    deleted.map(Result::unwrap).is_some()
}

async fn find(test: &TestCatalog<'_>, org: &OrgId, id: &str) -> Option<View> {
    test.find_view(org, &id.into()).await.unwrap()
}

pub(crate) async fn read_back_what_was_inserted(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let (first, second) = (view("view_1", "zeal"), view("view_2", "Ärger und *"));
    for wanted in [&first, &second] {
        test.insert_view(&ours, wanted, &samples::change(&ours)).await.unwrap();
        assert_eq!(test.new_audit().await, [format!("view.create {}", wanted.id)]);
        assert_eq!(find(test, &ours, wanted.id.as_str()).await.as_ref(), Some(wanted));
        assert_eq!(test.view_by_name(&ours, &wanted.name).await.unwrap().as_ref(), Some(wanted));
    }
    let alone = View { datasets: Vec::new(), ..view("view_3", "zeal") };
    insert(test, &theirs, &alone).await;
    assert_eq!(test.list_views(&theirs).await.unwrap(), std::slice::from_ref(&alone));
    assert_eq!(test.list_views(&ours).await.unwrap().len(), 2);
    assert_eq!(test.views_of(&theirs).await.unwrap(), [(alone.name, alone.apl)]);
    assert_eq!(test.views_of(&ours).await.unwrap().len(), 2);
    assert_eq!(test.view_by_name(&ours, "Zeal").await.unwrap(), None);
    assert_eq!(find(test, &ours, "view_3").await, None);
}

pub(crate) async fn replace_what_a_caller_may_set(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let before = view("view_1", "before");
    insert(test, &ours, &before).await;
    insert(test, &ours, &view("view_2", "bystander")).await;
    let wanted = View { created: at(70), created_by: "user_strange".into(), ..view("view_1", "after") };
    let change = samples::change(&ours);
    // Whoever checks sees what is there before, and what they refuse is not done.
    let refused = test.replace_view(&ours, &wanted, &change, |present| Err(present.clone())).await.unwrap();
    assert_eq!(refused, Some(Err(before.clone())));
    let refused = test.delete_view(&ours, &before.id, &change, |present| Err(present.clone())).await.unwrap();
    assert_eq!(refused, Some(Err(before.clone())));
    assert_eq!(find(test, &ours, "view_1").await.as_ref(), Some(&before));
    assert!(test.new_audit().await.is_empty());

    let replaced = replace(test, &ours, &wanted).await.unwrap();
    assert_eq!(test.new_audit().await, ["view.update view_1"]);
    let expected = View { created: before.created, created_by: before.created_by, ..wanted.clone() };
    assert_eq!(replaced.as_ref(), Some(&expected));
    assert_eq!(find(test, &ours, "view_1").await, replaced);
    assert_eq!(test.view_by_name(&ours, "before").await.unwrap(), None);
    assert_eq!(find(test, &ours, "view_2").await, Some(view("view_2", "bystander")));

    assert_eq!(replace(test, &ours, &view("view_9", "x")).await.unwrap(), None);
    assert_eq!(replace(test, &theirs, &wanted).await.unwrap(), None);
    assert!(!delete(test, &theirs, "view_1").await);
    assert!(test.new_audit().await.is_empty());

    assert!(delete(test, &ours, "view_1").await);
    assert_eq!(test.new_audit().await, ["view.delete view_1"]);
    assert!(!delete(test, &ours, "view_1").await);
    assert_eq!(test.list_views(&ours).await.unwrap(), [view("view_2", "bystander")]);
}

/// What was found by one text is not for who may query another one of its name.
pub(crate) async fn begin_the_monitors_anew_that_read_them(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let daily = view("view_1", "daily");
    insert(test, &ours, &daily).await;
    let reading = monitor("mon_1", &ours);
    assert_eq!(reading.reads.views, ["daily"]);
    test.insert_monitor(&reading, MANY, &samples::change(&ours)).await.unwrap();
    let epoch = async || test.find_monitor(&ours, &reading.id).await.unwrap().unwrap().epoch;
    let changed = async |view: View| {
        replace(test, &ours, &view).await.unwrap().unwrap();
        epoch().await
    };
    assert_eq!(changed(View { description: "other".to_owned(), ..daily.clone() }).await, 1);
    assert_eq!(changed(View { apl: "['other']".to_owned(), ..daily.clone() }).await, 2);
    assert_eq!(changed(view("view_1", "weekly")).await, 3);
    // That name was another view's, which no monitor reads.
    assert_eq!(changed(daily).await, 3);
    assert!(delete(test, &ours, "view_1").await);
    assert_eq!(epoch().await, 4);
}

pub(crate) async fn are_told_that_monitors_read_or_have_read(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    for (id, org, name) in [
        ("view_1", &ours, "daily"),
        ("view_2", &ours, "weekly"),
        ("view_3", &ours, "yearly"),
        ("view_4", &theirs, "monthly"),
    ] {
        insert(test, org, &view(id, name)).await;
    }
    let reading = |views: &[&str], epoch: i64| {
        let views = views.iter().map(|&name| name.to_owned()).collect();
        Monitor {
            reads: Reads { datasets: vec!["logs".to_owned()], views },
            epoch,
            ..monitor("mon_1", &ours)
        }
    };
    let change = samples::change(&ours);
    test.insert_monitor(&reading(&["daily"], 1), MANY, &change).await.unwrap();
    let moved = reading(&["weekly", "none of ours", "monthly"], 2);
    test.replace_monitor(&moved, &change).await.unwrap().unwrap();
    let told = async || test.monitored_views(&ours).await.unwrap().into_iter().collect::<Vec<_>>();
    assert_eq!(told().await, ["daily", "weekly"]);
    assert!(test.monitored_views(&theirs).await.unwrap().is_empty());
    // A damaged list may have named any of them.
    test.database.execute("UPDATE monitor_reads SET views = '[!' WHERE epoch = 1").await;
    assert_eq!(told().await, ["daily", "weekly", "yearly"]);
}

pub(crate) async fn share_their_names_with_datasets(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    event_samples::insert(test, &ours, "logs").await;
    insert(test, &ours, &view("view_1", "daily")).await;
    let change = samples::change(&ours);
    for (name, message) in
        [("logs", "there is a dataset with this name"), ("daily", "there is a view with this name")]
    {
        let refused = test.insert_view(&ours, &view("view_2", name), &change).await.unwrap_err();
        assert_eq!((refused.kind(), refused.to_string().as_str()), (ErrorKind::Conflict, message));
    }
    insert(test, &ours, &view("view_2", "weekly")).await;
    for name in ["logs", "daily"] {
        let refused = replace(test, &ours, &view("view_2", name)).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Conflict);
    }
    let refused = test.insert_dataset(&ours, &dataset(&ours, "daily"), MANY, &change).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    assert_eq!(refused.to_string(), "there is a view with this name");
    assert!(test.new_audit().await.is_empty());

    // In another organisation they are other names, and a name is free again when its bearer is gone.
    event_samples::insert(test, &theirs, "daily").await;
    insert(test, &theirs, &view("view_3", "logs")).await;
    assert!(delete(test, &ours, "view_1").await);
    event_samples::insert(test, &ours, "daily").await;
    test.delete_dataset(&ours, "logs", at(80), &change).await.unwrap().unwrap();
    insert(test, &ours, &view("view_4", "logs")).await;
}

pub(crate) async fn take_one_of_many_with_the_same_name(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let mut callers = JoinSet::new();
    for number in 0..20 {
        let (catalog, ours) = (test.shared(), ours.clone());
        callers.spawn(async move {
            let change = samples::change(&ours);
            if number % 2 == 0 {
                return catalog.insert_view(&ours, &view(&format!("view_{number}"), "same"), &change).await;
            }
            catalog.insert_dataset(&ours, &dataset(&ours, "same"), MANY, &change).await.map(|_| ())
        });
    }
    let outcomes = callers.join_all().await;
    assert_eq!(outcomes.iter().filter(|it| it.is_ok()).count(), 1);
    let views = test.list_views(&ours).await.unwrap().len();
    assert_eq!(views + test.list_datasets(&ours).await.unwrap().len(), 1);
}

pub(crate) async fn are_refused_beyond_the_limit(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    insert(test, &ours, &view("view", "many")).await;
    test.database.copy_row("saved_view", "view", VIEWS_MAX - 2).await;
    insert(test, &ours, &view("view_last", "last")).await;
    let refused = test.insert_view(&ours, &view("view_over", "over"), &change).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::LimitReached);
    assert!(test.new_audit().await.is_empty());
    insert(test, &theirs, &view("view_over", "over")).await;
}

pub(crate) async fn are_reported_when_they_cannot_be_read(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    insert(test, &ours, &view("view_1", "daily")).await;
    test.database.execute("UPDATE saved_view SET datasets = '{}'").await;
    assert_eq!(test.list_views(&ours).await.unwrap_err().kind(), ErrorKind::Corrupt);
    // Queries do not need what cannot be read.
    assert_eq!(test.views_of(&ours).await.unwrap().len(), 1);
}
