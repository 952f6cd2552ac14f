//! Dashboards: documents under a uid, who sees them, and how they were before.

use tidegauge_catalog::Error;
use tidegauge_catalog::dashboards::versions::DashboardVersion;
use tidegauge_catalog::dashboards::{Dashboard, Note, Visible};
use tidegauge_catalog::limits::{
    DASHBOARD_VERSION_BYTES_MAX, DASHBOARD_VERSIONS_MAX, DASHBOARDS_MAX, LIST_BYTES_MAX,
};
use tidegauge_model::{ErrorKind, OrgId, UserId};
use tokio::task::JoinSet;

use crate::database::TestCatalog;
use crate::samples::{self, OTHER_OWNER, OWNER, at};

fn dashboard(id: &str, uid: &str) -> Dashboard {
    Dashboard {
        id: id.into(),
        uid: uid.into(),
        name: format!("The \"{uid}\" ä"),
        owner: None,
        document: format!("{{ \"name\":\"{uid}\",  \"v\":1.50, \"t\":\"it's\\u0000\"}}"),
        version: 1,
        created: at(5),
        created_by: OWNER.into(),
        modified: at(5),
        modified_by: OWNER.into(),
    }
}

fn note(message: &str) -> Note {
    Note { message: message.to_owned(), restored: None }
}

/// Writes a dashboard as it is, whatever is there.
async fn write(test: &TestCatalog<'_>, org: &OrgId, wanted: &Dashboard, message: &str) -> Result<(), Error> {
    let edit = |_: Option<&Dashboard>| Ok::<_, ()>(wanted.clone());
    let written = test.write_dashboard(org, &wanted.uid, &note(message), &samples::change(org), edit).await?;
    assert_eq!(written, Ok(wanted.clone()));
    Ok(())
}

async fn insert(test: &TestCatalog<'_>, org: &OrgId, wanted: &Dashboard) {
    write(test, org, wanted, "").await.unwrap();
    test.new_audit().await;
}

/// The uids of a list.
async fn listed(test: &TestCatalog<'_>, org: &OrgId, visible: Visible<'_>) -> Vec<String> {
    let found = test.list_dashboards(org, visible, 1_000, 0).await.unwrap();
    found.into_iter().map(|dashboard| dashboard.uid.into_string()).collect()
}

pub(crate) async fn read_back_what_was_written(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let first = dashboard("dash_1", "tides");
    let second = Dashboard { owner: Some(OTHER_OWNER.into()), ..dashboard("dash_2", "Tides") };
    for wanted in [&first, &second] {
        write(test, &ours, wanted, "made").await.unwrap();
        assert_eq!(test.new_audit().await, [format!("dashboard.create {}", wanted.uid)]);
        assert_eq!(test.find_dashboard(&ours, &wanted.uid).await.unwrap().as_ref(), Some(wanted));
    }
    let alone = dashboard("dash_3", "tides");
    insert(test, &theirs, &alone).await;
    let all = test.list_dashboards(&ours, Visible::All, 10, 0).await.unwrap();
    assert_eq!(all, [first.clone(), second.clone()]);
    assert_eq!(test.list_dashboards(&ours, Visible::All, 1, 1).await.unwrap(), [second]);
    assert_eq!(test.list_dashboards(&theirs, Visible::All, 10, 0).await.unwrap(), [alone]);
    assert_eq!(test.find_dashboard(&ours, &"TIDES".into()).await.unwrap(), None);
    let made = DashboardVersion {
        version: 1,
        message: "made".to_owned(),
        created: first.modified,
        created_by: OWNER.into(),
    };
    let found = test.find_dashboard_version(&ours, &first.id, 1).await.unwrap();
    assert_eq!(found, Some((made, first.document)));
}

pub(crate) async fn are_changed_by_who_sees_what_is_there(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let before = dashboard("dash_1", "tides");
    insert(test, &ours, &before).await;
    insert(test, &ours, &dashboard("dash_2", "bystander")).await;
    let change = samples::change(&ours);
    let refused = test
        .write_dashboard(&ours, &before.uid, &note(""), &change, |present| {
            Err::<Dashboard, _>(present.cloned())
        })
        .await
        .unwrap();
    assert_eq!(refused, Err(Some(before.clone())));
    let refused =
        test.delete_dashboard(&ours, &before.uid, &change, |present| Err(present.clone())).await.unwrap();
    assert_eq!(refused, Some(Err(before.clone())));
    assert!(test.new_audit().await.is_empty());

    let after = Dashboard {
        name: "After".to_owned(),
        owner: Some(OWNER.into()),
        document: "{}".to_owned(),
        version: 2,
        modified: at(70),
        modified_by: OTHER_OWNER.into(),
        ..before.clone()
    };
    write(test, &ours, &after, "").await.unwrap();
    assert_eq!(test.new_audit().await, ["dashboard.update tides"]);
    assert_eq!(test.find_dashboard(&ours, &after.uid).await.unwrap(), Some(after.clone()));
    let bystander = test.find_dashboard(&ours, &"bystander".into()).await.unwrap();
    assert_eq!(bystander, Some(dashboard("dash_2", "bystander")));

    let gone = |_: &Dashboard| Ok::<(), ()>(());
    assert_eq!(test.delete_dashboard(&theirs, &after.uid, &change, gone).await.unwrap(), None);
    assert_eq!(test.delete_dashboard(&ours, &after.uid, &change, gone).await.unwrap(), Some(Ok(())));
    assert_eq!(test.new_audit().await, ["dashboard.delete tides"]);
    assert_eq!(test.delete_dashboard(&ours, &after.uid, &change, gone).await.unwrap(), None);
    assert_eq!(listed(test, &ours, Visible::All).await, ["bystander"]);
    // Its versions went with it, and those of the other did not.
    assert_eq!(test.database.count("dashboard_version").await, 1);
}

pub(crate) async fn are_listed_for_who_sees_them(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let (owner, other): (UserId, UserId) = (OWNER.into(), OTHER_OWNER.into());
    insert(test, &ours, &dashboard("dash_1", "shared")).await;
    insert(test, &ours, &Dashboard { owner: Some(owner.clone()), ..dashboard("dash_2", "own") }).await;
    insert(test, &ours, &Dashboard { owner: Some(other.clone()), ..dashboard("dash_3", "foreign") }).await;
    assert_eq!(listed(test, &ours, Visible::All).await, ["shared", "own", "foreign"]);
    assert_eq!(listed(test, &ours, Visible::Of(Some(&owner))).await, ["shared", "own"]);
    assert_eq!(listed(test, &ours, Visible::Of(Some(&other))).await, ["shared", "foreign"]);
    assert_eq!(listed(test, &ours, Visible::Of(None)).await, ["shared"]);
    // A page is filled with what is seen.
    let page = test.list_dashboards(&ours, Visible::Of(Some(&other)), 1, 1).await.unwrap();
    assert_eq!(page[0].uid.as_str(), "foreign");
}

pub(crate) async fn keep_as_many_versions_as_they_may(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let first = dashboard("dash_1", "tides");
    let last = i64::try_from(DASHBOARD_VERSIONS_MAX).unwrap() + 2;
    for version in 1..=last {
        let modified = at(version);
        let wanted = Dashboard { version, modified, document: version.to_string(), ..first.clone() };
        write(test, &ours, &wanted, &format!("write {version}")).await.unwrap();
    }
    let versions = async |limit, offset| {
        let found = test.list_dashboard_versions(&ours, &first.id, limit, offset).await.unwrap();
        found.into_iter().map(|version| version.version).collect::<Vec<_>>()
    };
    assert_eq!(versions(1_000, 0).await, (3..=last).rev().collect::<Vec<_>>());
    assert_eq!(versions(2, 1).await, [last - 1, last - 2]);
    let (found, document) = test.find_dashboard_version(&ours, &first.id, 3).await.unwrap().unwrap();
    assert_eq!((found.message.as_str(), found.created, document.as_str()), ("write 3", at(3), "3"));
    assert_eq!(test.find_dashboard_version(&ours, &first.id, 2).await.unwrap(), None);
    // Another organisation finds none of them.
    assert!(test.list_dashboard_versions(&theirs, &first.id, 10, 0).await.unwrap().is_empty());
    assert_eq!(test.find_dashboard_version(&theirs, &first.id, 3).await.unwrap(), None);

    // Large ones make others go earlier, but the present one stays.
    let half = usize::try_from(DASHBOARD_VERSION_BYTES_MAX / 2).unwrap();
    let sizes = [(last + 1, half, 4), (last + 2, half, last + 1), (last + 3, 2 * half + 1, last + 3)];
    for (version, bytes, oldest) in sizes {
        let document = "ü".repeat(bytes / 2) + &"x".repeat(bytes % 2);
        write(test, &ours, &Dashboard { version, document, ..first.clone() }, "").await.unwrap();
        assert_eq!(versions(1_000, 0).await.last(), Some(&oldest));
    }
    assert_eq!(test.database.count("dashboard_version").await, 1);
}

pub(crate) async fn take_one_of_many_with_the_same_uid(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let mut writers = JoinSet::new();
    for number in 0..20 {
        let (catalog, ours, change) = (test.shared(), ours.clone(), samples::change(&ours));
        writers.spawn(async move {
            let wanted = dashboard(&format!("dash_{number}"), "same");
            let edit =
                |present: Option<&Dashboard>| if present.is_none() { Ok(wanted.clone()) } else { Err(()) };
            catalog.write_dashboard(&ours, &wanted.uid, &note(""), &change, edit).await.unwrap().is_ok()
        });
    }
    let wins = writers.join_all().await.into_iter().filter(|won| *won).count();
    assert_eq!((wins, listed(test, &ours, Visible::All).await.len()), (1, 1));
    assert_eq!(test.new_audit().await, ["dashboard.create same"]);
}

pub(crate) async fn are_refused_beyond_the_limit(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    insert(test, &ours, &dashboard("dash", "many")).await;
    test.database.copy_row("dashboard", "dash", DASHBOARDS_MAX - 2).await;
    insert(test, &ours, &dashboard("dash_last", "last")).await;
    let refused = write(test, &ours, &dashboard("dash_over", "over"), "").await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::LimitReached);
    assert!(test.new_audit().await.is_empty());
    // What is there can be changed, and others have room.
    write(test, &ours, &Dashboard { version: 2, ..dashboard("dash_last", "last") }, "").await.unwrap();
    insert(test, &theirs, &dashboard("dash_over", "over")).await;
}

pub(crate) async fn fill_a_page_up_to_the_most_bytes(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    // Bytes are counted, not characters: each of these has two.
    let document = "ü".repeat(LIST_BYTES_MAX / 32 / 2);
    insert(test, &ours, &Dashboard { document, ..dashboard("dash", "large") }).await;
    test.database.copy_row("dashboard", "dash", 31).await;
    assert_eq!(test.list_dashboards(&ours, Visible::All, 100, 0).await.unwrap().len(), 32);
    let small = Dashboard { document: "1".to_owned(), ..dashboard("dash_z", "small") };
    insert(test, &ours, &small).await;
    let refused = test.list_dashboards(&ours, Visible::All, 100, 0).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::TooLarge);
    assert!(refused.to_string().contains("limit"), "{refused}");
    assert_eq!(test.list_dashboards(&ours, Visible::All, 32, 0).await.unwrap().len(), 32);
    assert_eq!(test.list_dashboards(&ours, Visible::All, 100, 32).await.unwrap(), [small]);
}
