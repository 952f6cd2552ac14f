//! How many of each thing an organisation can have, and how many organisations a person can own. The rows that
//! fill an organisation are copies of one; other organisations stay free.

use tidegauge_catalog::annotations::Annotation;
use tidegauge_catalog::limits::{
    ANNOTATIONS_MAX, NOTIFIERS_MAX, ORGS_OWNED_MAX, STARRED_QUERIES_MAX, TOKENS_MAX,
};
use tidegauge_catalog::notifiers::Unsent;
use tidegauge_catalog::{Error, limits};
use tidegauge_model::{ErrorKind, Role};

use crate::annotations::annotation;
use crate::database::TestCatalog;
use crate::samples::{self, OTHER_OWNER, OWNER, SEARCHED, api_token, at, notifier, personal_token, starred};

/// Checks that a cap was the reason, and that nothing was written.
async fn check_refused<T: std::fmt::Debug>(test: &TestCatalog<'_>, outcome: Result<T, Error>) {
    let refused = outcome.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::LimitReached, "{refused}");
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn of_notifiers(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    test.insert_notifier(&ours, &notifier("notify"), &change).await.unwrap();
    test.database.copy_row("notifier", "notify", NOTIFIERS_MAX - 2).await;
    test.insert_notifier(&ours, &notifier("notify_last"), &change).await.unwrap();
    test.new_audit().await;
    check_refused(test, test.insert_notifier(&ours, &notifier("notify_over"), &change).await).await;
    assert_eq!(test.database.count("notifier").await, NOTIFIERS_MAX);

    test.insert_notifier(&theirs, &notifier("notify_theirs"), &change).await.unwrap();
    let last = notifier("notify_last");
    assert!(test.replace_notifier(&ours, &last, Unsent::Follow, &change).await.unwrap().is_some());
    assert!(test.delete_notifier(&ours, &"notify".into(), &change).await.unwrap());
    test.insert_notifier(&ours, &notifier("notify_over"), &change).await.unwrap();
}

pub(crate) async fn of_api_tokens(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    test.insert_token(&api_token("token", &ours), "digest", &change).await.unwrap();
    test.database.copy_row("token", "token", TOKENS_MAX - 2).await;
    test.insert_token(&api_token("token_last", &ours), "last", &change).await.unwrap();
    test.new_audit().await;
    check_refused(test, test.insert_token(&api_token("token_over", &ours), "over", &change).await).await;
    assert_eq!(test.list_tokens(&ours).await.unwrap().len(), 1_000);

    // A personal token is of no organisation.
    test.insert_token(&personal_token("token_personal", OWNER), "personal", &change).await.unwrap();
    test.insert_token(&api_token("token_theirs", &theirs), "theirs", &change).await.unwrap();
    assert!(test.delete_token(&ours, &"token".into(), &change).await.unwrap());
    test.insert_token(&api_token("token_over", &ours), "over", &change).await.unwrap();
}

pub(crate) async fn of_api_tokens_with_a_successor(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let (old, change) = (api_token("token", &ours), samples::change(&ours));
    test.insert_token(&old, "digest", &change).await.unwrap();
    test.database.copy_row("token", "token", TOKENS_MAX - 2).await;
    let (last, over) = (api_token("token_last", &ours), api_token("token_over", &ours));
    assert!(test.succeed_token(&old.id, at(90), &last, "last", &change).await.unwrap());
    test.new_audit().await;
    // The old token keeps its time, because it has no successor.
    check_refused(test, test.succeed_token(&last.id, at(90), &over, "over", &change).await).await;
    assert_eq!(test.find_token(&ours, &last.id).await.unwrap(), Some(last));
    assert_eq!(test.list_tokens(&ours).await.unwrap().len(), 1_000);
}

pub(crate) async fn of_starred_queries(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    test.insert_starred(&ours, &starred("star"), SEARCHED, &change).await.unwrap();
    test.database.copy_row("starred_query", "star", STARRED_QUERIES_MAX - 2).await;
    test.insert_starred(&ours, &starred("star_last"), SEARCHED, &change).await.unwrap();
    test.new_audit().await;
    let over = starred("star_over");
    check_refused(test, test.insert_starred(&ours, &over, SEARCHED, &change).await).await;
    assert_eq!(test.database.count("starred_query").await, STARRED_QUERIES_MAX);

    test.insert_starred(&theirs, &starred("star_theirs"), SEARCHED, &change).await.unwrap();
    assert!(test.replace_starred(&ours, &starred("star"), "other", "logs", &change).await.unwrap());
    assert!(test.delete_starred(&ours, &"star".into(), "logs", &change).await.unwrap());
    test.insert_starred(&ours, &over, SEARCHED, &change).await.unwrap();
}

pub(crate) async fn of_annotations(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    let insert = async |id: &str| test.insert_annotation(&ours, &annotation(id, &["web"]), &change).await;
    // Those that alerts made do not count.
    let of_alert = Annotation { monitor: Some("mon_1".into()), ..annotation("ann_alert", &["web"]) };
    test.insert_annotation(&ours, &of_alert, &change).await.unwrap();
    insert("ann").await.unwrap();
    test.database.copy_row("annotation", "ann", ANNOTATIONS_MAX - 2).await;
    insert("ann_last").await.unwrap();
    test.new_audit().await;
    check_refused(test, insert("ann_over").await).await;
    assert_eq!(test.database.count("annotation").await, ANNOTATIONS_MAX + 1);

    test.insert_annotation(&theirs, &annotation("ann_theirs", &["web"]), &change).await.unwrap();
    assert!(test.delete_annotation(&ours, &"ann".into(), &change).await.unwrap());
    insert("ann_over").await.unwrap();
}

pub(crate) async fn of_organisations_owned(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    // The owner has one from the start.
    test.database.copy_row("org", "org_ours", ORGS_OWNED_MAX - 2).await;
    test.database.execute(OWN_THE_COPIES).await;
    test.insert_org(&samples::org("org_last"), &OWNER.into(), &change).await.unwrap();
    test.new_audit().await;
    let over = samples::org("org_over");
    check_refused(test, test.insert_org(&over, &OWNER.into(), &change).await).await;
    assert_eq!(test.find_org(&over.id).await.unwrap(), None);

    // Others can still own one, and so can the owner who has given one up.
    let mine = samples::org("org_of_another");
    test.insert_org(&mine, &OTHER_OWNER.into(), &change).await.unwrap();
    samples::add_accepted(test, &ours, &samples::person("user_a"), Role::Owner).await;
    test.remove_member(&ours, &OWNER.into(), Role::Owner, &change).await.unwrap().unwrap();
    test.insert_org(&over, &OWNER.into(), &change).await.unwrap();
    assert_eq!(test.list_members(&theirs).await.unwrap().len(), 1);
}

/// Makes the owner of an organisation the owner of its copies too.
pub(crate) const OWN_THE_COPIES: &str = "INSERT INTO membership (org_id, person_id, role, created, accepted) \
    SELECT id, 'user_owner', 'owner', created, created FROM org WHERE id LIKE 'org~_ours~_%' ESCAPE '~'";

pub(crate) async fn of_organisations_owned_leaves_out_what_others_gave(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    test.database.copy_row("org", "org_ours", limits::ORGS_OWNED_MAX).await;
    test.database.execute(OWN_THE_COPIES).await;
    test.database.execute("UPDATE membership SET accepted = NULL WHERE org_id <> 'org_ours'").await;
    // Else anybody could keep a person from having an organisation, by making them the owner of many.
    test.insert_org(&samples::org("org_own"), &OWNER.into(), &change).await.unwrap();
}
