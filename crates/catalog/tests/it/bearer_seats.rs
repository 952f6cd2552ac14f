//! Which organisations of a person are found when there are many: the one that a request names, then those that the
//! person has accepted, then what others have added them to.

use tidegauge_catalog::bearer::Standing;
use tidegauge_catalog::limits::ORGS_OWNED_MAX;
use tidegauge_model::{OrgId, Role};

use crate::database::TestCatalog;
use crate::samples::{self, OTHER_OWNER, OWNER, OWNER_DIGEST, api_token, person};

/// The most organisations that are found at once.
const SEATS_MAX: usize = 200;

async fn standings(test: &TestCatalog<'_>, named: Option<&OrgId>) -> Vec<Standing> {
    test.find_bearer(OWNER_DIGEST, named).await.unwrap().unwrap().standings
}

fn names(standings: &[Standing]) -> Vec<&str> {
    standings.iter().map(|standing| standing.org.as_str()).collect()
}

/// Lets others add the owner to 300 organisations, all with a name before that of the owner's own.
async fn add_to_three_hundred(test: &TestCatalog<'_>) -> Vec<OrgId> {
    let (ours, _) = samples::two_orgs(test).await;
    let first = samples::org("org_a");
    test.insert_org(&first, &OTHER_OWNER.into(), &samples::change(&ours)).await.unwrap();
    test.database.copy_row("org", "org_a", 299).await;
    let copies = (1..300).map(|number| OrgId::from(format!("org_a_{number}")));
    let orgs: Vec<OrgId> = [first.id].into_iter().chain(copies).collect();
    for org in &orgs {
        let change = samples::change(org);
        test.add_member(org, &person(OWNER), Role::User, 1_000, &change).await.unwrap().unwrap();
    }
    orgs
}

pub(crate) async fn puts_the_named_org_first(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let third = samples::org("org_3");
    test.insert_org(&third, &OWNER.into(), &samples::change(&third.id)).await.unwrap();
    let change = samples::change(&theirs);
    test.add_member(&theirs, &person(OWNER), Role::Admin, 10, &change).await.unwrap().unwrap();
    for (named, expected) in [
        (None, ["org_3", "org_ours", "org_theirs"]),
        (Some(&third.id), ["org_3", "org_ours", "org_theirs"]),
        (Some(&ours), ["org_ours", "org_3", "org_theirs"]),
        (Some(&theirs), ["org_theirs", "org_3", "org_ours"]),
    ] {
        let standings = standings(test, named).await;
        assert_eq!(names(&standings), expected, "{named:?}");
        // To name it is not to accept it.
        assert!(standings.iter().all(|it| it.accepted == (it.org != theirs)), "{standings:?}");
    }
    assert_eq!(standings(test, Some(&theirs)).await[0].role, Some(Role::Admin));
}

pub(crate) async fn ignores_a_named_org_that_the_token_does_not_count_in(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    test.insert_token(&api_token("token_1", &ours), "digest", &change).await.unwrap();
    for named in [&theirs, &"org_nowhere".into(), &"".into(), &"%".into(), &"ORG_OURS".into()] {
        assert_eq!(names(&standings(test, Some(named)).await), ["org_ours"], "{named}");
        let bearer = test.find_bearer("digest", Some(named)).await.unwrap().unwrap();
        assert_eq!(names(&bearer.standings), ["org_ours"], "{named}");
        assert!(bearer.standings[0].accepted);
        assert!(test.find_bearer("unknown", Some(named)).await.unwrap().is_none());
    }
    // A person who has left everything is still found.
    test.database.execute("DELETE FROM membership WHERE person_id = 'user_owner'").await;
    assert!(standings(test, Some(&ours)).await.is_empty());
}

pub(crate) async fn keeps_the_accepted_org_of_a_person_in_three_hundred(test: &TestCatalog<'_>) {
    let orgs = add_to_three_hundred(test).await;
    let before = standings(test, None).await;
    assert_eq!(before.len(), SEATS_MAX);
    assert_eq!((before[0].org.as_str(), before[0].accepted), ("org_ours", true));
    assert!(before[1..].iter().all(|standing| !standing.accepted));

    // One that would not have been among them comes in when it is accepted.
    let late = orgs.iter().find(|org| before.iter().all(|standing| standing.org != **org)).unwrap();
    test.accept_membership(late, &OWNER.into(), &samples::change(late)).await.unwrap();
    let after = standings(test, None).await;
    assert_eq!(after.len(), SEATS_MAX);
    assert_eq!(names(&after[..2]), [late.as_str(), "org_ours"]);
    assert!(after[0].accepted && after[1].accepted && !after[2].accepted);
}

pub(crate) async fn finds_any_of_three_hundred_by_name(test: &TestCatalog<'_>) {
    for named in &add_to_three_hundred(test).await {
        let standings = standings(test, Some(named)).await;
        assert_eq!(standings.len(), SEATS_MAX);
        assert_eq!(names(&standings[..2]), [named.as_str(), "org_ours"]);
        assert!(!standings[0].accepted && standings[1].accepted);
        assert_eq!(standings[0].role, Some(Role::User));
    }
}

pub(crate) async fn holds_every_org_that_a_person_can_own(test: &TestCatalog<'_>) {
    add_to_three_hundred(test).await;
    test.database.copy_row("org", "org_ours", ORGS_OWNED_MAX - 1).await;
    test.database.execute(crate::caps::OWN_THE_COPIES).await;
    let standings = standings(test, None).await;
    assert_eq!(standings.len(), SEATS_MAX);
    assert_eq!(standings.iter().filter(|standing| standing.role == Some(Role::Owner)).count(), 100);
    assert!(standings[..100].iter().all(|standing| standing.accepted));
}
