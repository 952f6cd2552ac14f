//! Organisations.

use std::convert::Infallible;

use tidegauge_model::org::Payment;
use tidegauge_model::{ErrorKind, Org, PaymentStatus, Plan, Role};
use tokio::task::JoinSet;

use crate::database::TestCatalog;
use crate::samples::{self, OTHER_OWNER, OWNER, at};

/// An organisation in which no field has its usual value.
fn unusual_org(id: &str) -> Org {
    let mut org = samples::org(id);
    org.plan = Plan::TeamPlus;
    org.plan_created = at(10);
    org.payment = Payment { set: PaymentStatus::Failed, first_failed: Some(at(11)) };
    org.last_usage_sync = at(12);
    org.default_region = "eu-1".to_owned();
    org.licence.features.insert("rbac".to_owned(), true);
    org.licence.expires_at_micros = Some(at(13).as_micros());
    org.licence.limits.max_users = 3;
    org.created = at(14);
    org.modified = at(15);
    org.version = 9;
    org
}

pub(crate) async fn reads_back_what_was_inserted(test: &TestCatalog<'_>) {
    samples::two_orgs(test).await;
    let org = unusual_org("org_3");
    test.insert_org(&org, &OWNER.into(), &samples::change(&org.id)).await.unwrap();
    assert_eq!(test.new_audit().await, ["org.create org_3"]);
    assert_eq!(test.find_org(&org.id).await.unwrap(), Some(org));
    assert_eq!(test.find_org(&"org_4".into()).await.unwrap(), None);
}

pub(crate) async fn lists_the_orgs_of_a_person_and_all_of_them(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let third = samples::org("org_3");
    test.insert_org(&third, &OWNER.into(), &samples::change(&third.id)).await.unwrap();
    let ids = |orgs: Vec<Org>| orgs.into_iter().map(|org| org.id).collect::<Vec<_>>();
    assert_eq!(ids(test.list_orgs_of(&OWNER.into()).await.unwrap()), [third.id.clone(), ours.clone()]);
    assert_eq!(ids(test.list_orgs_of(&OTHER_OWNER.into()).await.unwrap()), std::slice::from_ref(&theirs));
    assert!(test.list_orgs_of(&"user_nobody".into()).await.unwrap().is_empty());
    assert_eq!(ids(test.list_all_orgs().await.unwrap()), [third.id, ours, theirs]);
}

pub(crate) async fn lists_the_accepted_orgs_of_a_person_alone(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let first = samples::org("org_a");
    test.insert_org(&first, &OTHER_OWNER.into(), &samples::change(&first.id)).await.unwrap();
    let listed = async || {
        let orgs = test.list_orgs_of(&OWNER.into()).await.unwrap();
        orgs.into_iter().map(|org| org.id).collect::<Vec<_>>()
    };
    samples::join(test, &theirs, OWNER, Role::User).await;
    // Of a great many, those that others have added the person to are left out.
    test.database.copy_row("org", "org_a", 1_000).await;
    test.database.execute(JOIN_THE_COPIES).await;
    assert_eq!(listed().await, [ours, theirs]);
}

/// Lets others add the owner to the copies of an organisation.
const JOIN_THE_COPIES: &str = "INSERT INTO membership (org_id, person_id, role, created, accepted) \
    SELECT id, 'user_owner', 'user', created, NULL FROM org WHERE id LIKE 'org~_a~_%' ESCAPE '~'";

pub(crate) async fn needs_an_owner_that_exists(test: &TestCatalog<'_>) {
    let org = samples::org("org_1");
    test.insert_org(&org, &"user_nobody".into(), &samples::change(&org.id)).await.unwrap_err();
    assert_eq!(test.find_org(&org.id).await.unwrap(), None);
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn refuses_an_id_twice(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let same = unusual_org(ours.as_str());
    let refused = test.insert_org(&same, &OWNER.into(), &samples::change(&ours)).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    assert_eq!(test.find_org(&ours).await.unwrap(), Some(samples::org("org_ours")));
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn updates_every_field(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    let edit = |org: &mut Org| -> Result<(), Infallible> {
        let edited = unusual_org("org_ours");
        *org = Org { name: "New name".to_owned(), created: org.created, version: org.version, ..edited };
        Ok(())
    };
    let updated = test.update_org(&ours, "org.update", &change, edit).await.unwrap().unwrap().unwrap();

    let expected = Org {
        name: "New name".to_owned(),
        created: at(0),
        modified: change.at,
        version: 2,
        ..unusual_org("org_ours")
    };
    assert_eq!(updated, expected);
    assert_eq!(test.find_org(&ours).await.unwrap(), Some(expected));
    assert_eq!(test.find_org(&theirs).await.unwrap(), Some(samples::org("org_theirs")));
    assert_eq!(test.new_audit().await, ["org.update org_ours"]);
}

pub(crate) async fn leaves_everything_when_an_edit_is_refused(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    let refuse = |org: &mut Org| {
        org.name = "Never stored".to_owned();
        Err("not like this")
    };
    let refused = test.update_org(&ours, "org.update", &change, refuse).await.unwrap().unwrap();
    assert_eq!(refused, Err("not like this"));
    assert_eq!(test.find_org(&ours).await.unwrap(), Some(samples::org("org_ours")));

    let unknown = test.update_org(&"org_4".into(), "org.update", &change, refuse).await.unwrap();
    assert_eq!(unknown, None);
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn counts_every_concurrent_update(test: &TestCatalog<'_>) {
    const CALLERS: i64 = 10;
    const UPDATES: i64 = 5;
    let (ours, _) = samples::two_orgs(test).await;
    let mut callers = JoinSet::new();
    for _ in 0..CALLERS {
        let (catalog, ours) = (test.shared(), ours.clone());
        callers.spawn(async move {
            let change = samples::change(&ours);
            for _ in 0..UPDATES {
                let edit = |org: &mut Org| -> Result<(), Infallible> {
                    org.licence.limits.max_users += 1;
                    Ok(())
                };
                catalog.update_org(&ours, "org.update", &change, edit).await.unwrap().unwrap().unwrap();
            }
        });
    }
    callers.join_all().await;
    let before = samples::org("org_ours");
    let after = test.find_org(&ours).await.unwrap().unwrap();
    assert_eq!(after.licence.limits.max_users, before.licence.limits.max_users + CALLERS * UPDATES);
    assert_eq!(after.version, before.version + CALLERS * UPDATES);
    assert_eq!(test.new_audit().await.len(), 50);
}

pub(crate) async fn reports_values_that_cannot_be_read(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let third = samples::org("org_3");
    test.insert_org(&third, &OWNER.into(), &samples::change(&third.id)).await.unwrap();
    for (org, value, damage) in [
        (ours, "gold", "UPDATE org SET plan = 'gold' WHERE id = 'org_ours'"),
        (theirs, "owed", "UPDATE org SET payment_status = 'owed' WHERE id = 'org_theirs'"),
        (third.id, "{}", "UPDATE org SET licence = '{}' WHERE id = 'org_3'"),
    ] {
        test.database.execute(damage).await;
        let error = test.find_org(&org).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
        assert!(error.to_string().contains(value), "{error}");
    }
}
