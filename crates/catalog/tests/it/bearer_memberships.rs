//! Which organisations of a person are found when there are many: the one that a request names first, and none that the
//! person has not accepted.

use tidegauge_catalog::bearer::OrgContext;
use tidegauge_catalog::limits::ORGS_OWNED_MAX;
use tidegauge_model::{OrgId, Role};

use crate::database::TestCatalog;
use crate::samples::{self, OTHER_OWNER, OWNER, OWNER_DIGEST, api_token};

/// The most organisations that are found at once.
const SEATS_MAX: usize = 200;

async fn org_contexts(test: &TestCatalog<'_>, named: Option<&OrgId>) -> Vec<OrgContext> {
    test.find_bearer(OWNER_DIGEST, named).await.unwrap().unwrap().org_contexts
}

fn names(org_contexts: &[OrgContext]) -> Vec<&str> {
    org_contexts.iter().map(|org_context| org_context.org.as_str()).collect()
}

/// Makes the owner a member of 300 organisations, all with a name before that of the owner's own.
async fn join_three_hundred(test: &TestCatalog<'_>) -> Vec<OrgId> {
    let (ours, _) = samples::two_orgs(test).await;
    let first = samples::org("org_a");
    test.insert_org(&first, &OTHER_OWNER.into(), &samples::change(&ours)).await.unwrap();
    test.database.copy_row("org", "org_a", 299).await;
    let copies = (1..300).map(|number| OrgId::from(format!("org_a_{number}")));
    let orgs: Vec<OrgId> = [first.id].into_iter().chain(copies).collect();
    test.database.execute(JOIN_THEM).await;
    orgs
}

const JOIN_THEM: &str = "INSERT INTO membership (org_id, person_id, role, created, accepted) \
    SELECT id, 'user_owner', 'user', created, created FROM org WHERE id LIKE 'org~_a%' ESCAPE '~'";

pub(crate) async fn puts_the_named_org_first(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let third = samples::org("org_3");
    test.insert_org(&third, &OWNER.into(), &samples::change(&third.id)).await.unwrap();
    samples::join(test, &theirs, OWNER, Role::Admin).await;
    for (named, expected) in [
        (None, ["org_3", "org_ours", "org_theirs"]),
        (Some(&third.id), ["org_3", "org_ours", "org_theirs"]),
        (Some(&ours), ["org_ours", "org_3", "org_theirs"]),
        (Some(&theirs), ["org_theirs", "org_3", "org_ours"]),
    ] {
        let org_contexts = org_contexts(test, named).await;
        assert_eq!(names(&org_contexts), expected, "{named:?}");
    }
    assert_eq!(org_contexts(test, Some(&theirs)).await[0].role, Some(Role::Admin));
}

pub(crate) async fn ignores_a_named_org_that_the_token_does_not_count_in(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    test.insert_token(&api_token("token_1", &ours), "digest", &change).await.unwrap();
    for named in [&theirs, &"org_nowhere".into(), &"".into(), &"%".into(), &"ORG_OURS".into()] {
        assert_eq!(names(&org_contexts(test, Some(named)).await), ["org_ours"], "{named}");
        let bearer = test.find_bearer("digest", Some(named)).await.unwrap().unwrap();
        assert_eq!(names(&bearer.org_contexts), ["org_ours"], "{named}");
        assert!(test.find_bearer("unknown", Some(named)).await.unwrap().is_none());
    }
    // A person who has left everything is still found.
    test.database.execute("DELETE FROM membership WHERE person_id = 'user_owner'").await;
    assert!(org_contexts(test, Some(&ours)).await.is_empty());
}

pub(crate) async fn leaves_out_what_was_not_accepted(test: &TestCatalog<'_>) {
    let orgs = join_three_hundred(test).await;
    test.database
        .execute("UPDATE membership SET accepted = NULL WHERE org_id LIKE 'org~_a%' ESCAPE '~'")
        .await;
    assert_eq!(names(&org_contexts(test, None).await), ["org_ours"]);
    assert_eq!(
        names(&org_contexts(test, Some(&orgs[7])).await),
        ["org_ours"],
        "to name it is not to accept it"
    );
    test.accept_membership(&orgs[7], &OWNER.into(), &samples::change(&orgs[7])).await.unwrap();
    assert_eq!(names(&org_contexts(test, None).await), [orgs[7].as_str(), "org_ours"]);
}

pub(crate) async fn finds_any_of_three_hundred_by_name(test: &TestCatalog<'_>) {
    for named in &join_three_hundred(test).await {
        let org_contexts = org_contexts(test, Some(named)).await;
        assert_eq!((org_contexts.len(), org_contexts[0].org.as_str()), (SEATS_MAX, named.as_str()));
        assert_eq!(org_contexts[0].role, Some(Role::User));
    }
}

pub(crate) async fn holds_every_org_that_a_person_can_own(test: &TestCatalog<'_>) {
    samples::two_orgs(test).await;
    test.database.copy_row("org", "org_ours", ORGS_OWNED_MAX - 1).await;
    test.database.execute(crate::caps::OWN_THE_COPIES).await;
    let org_contexts = org_contexts(test, None).await;
    assert_eq!(org_contexts.len(), 100);
    assert!(org_contexts.iter().all(|org_context| org_context.role == Some(Role::Owner)));
}
