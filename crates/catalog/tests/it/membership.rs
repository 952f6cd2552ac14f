//! Who belongs to which organisation, with which role.

use tidegauge_catalog::users::{Member, MembershipRefusal, Person};
use tidegauge_model::{ErrorKind, OrgId, Role, UserId};

use crate::database::TestCatalog;
use crate::samples::{self, OTHER_OWNER, OWNER, person};

const PLENTY: i64 = 100;

async fn roles(test: &TestCatalog<'_>, org: &OrgId) -> Vec<(String, Role)> {
    let members = test.list_members(org).await.unwrap();
    members.into_iter().map(|member| (member.person.id.into_string(), member.role)).collect()
}

async fn add(test: &TestCatalog<'_>, org: &OrgId, id: &str, role: Role) {
    test.add_member(org, &person(id), role, PLENTY, &samples::change(org)).await.unwrap().unwrap();
    test.new_audit().await;
}

pub(crate) async fn adds_somebody_new(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    let added = test.add_member(&ours, &person("user_a"), Role::ReadOnly, PLENTY, &change).await.unwrap();
    let member = Member { person: person("user_a"), role: Role::ReadOnly, main: None, accepted: false };
    assert_eq!(added, Ok(member.clone()));
    assert_eq!(test.find_member(&ours, &"user_a".into()).await.unwrap(), Some(member));
    assert_eq!(test.new_audit().await, ["user.create user_a"]);
}

pub(crate) async fn adds_somebody_new_under_a_known_address(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let introduced = Person { email: person(OTHER_OWNER).email, ..person("user_other_id") };
    let change = samples::change(&ours);
    let added = test.add_member(&ours, &introduced, Role::User, PLENTY, &change).await.unwrap();
    let expected = Member { person: introduced.clone(), role: Role::User, main: None, accepted: false };
    assert_eq!(added, Ok(expected.clone()));
    let found = test.find_member_by_email(&ours, &introduced.email).await.unwrap();
    assert_eq!(found, Some(expected));
    assert_eq!(test.new_audit().await, ["user.create user_other_id"]);
}

pub(crate) async fn refuses_a_member_twice(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    let same = Person { email: person(OWNER).email, ..person("user_again") };
    for again in [person(OWNER), same] {
        let again = test.add_member(&ours, &again, Role::None, PLENTY, &change).await.unwrap();
        assert_eq!(again, Err(MembershipRefusal::Member));
    }
    assert_eq!(roles(test, &ours).await, [(OWNER.to_owned(), Role::Owner)]);
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn refuses_the_id_of_somebody_else(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let impostor = Person { email: "impostor@example.com".to_owned(), ..person(OTHER_OWNER) };
    let change = samples::change(&ours);
    let refused = test.add_member(&ours, &impostor, Role::User, PLENTY, &change).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    assert_eq!(test.find_person(&OTHER_OWNER.into()).await.unwrap(), Some(person(OTHER_OWNER)));
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn refuses_more_members_than_allowed(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    add(test, &ours, "user_a", Role::User).await;
    let refused = test.add_member(&ours, &person("user_b"), Role::User, 2, &change).await.unwrap();
    assert_eq!(refused, Err(MembershipRefusal::Full { max: 2 }));
    assert_eq!(test.find_person(&"user_b".into()).await.unwrap(), None);
    assert!(test.new_audit().await.is_empty());

    test.add_member(&ours, &person("user_b"), Role::User, 3, &change).await.unwrap().unwrap();
    assert_eq!(test.list_members(&ours).await.unwrap().len(), 3);
}

pub(crate) async fn refuses_an_org_that_does_not_exist(test: &TestCatalog<'_>) {
    let nowhere = OrgId::from("org_nowhere");
    let change = samples::change(&nowhere);
    test.add_member(&nowhere, &person("user_a"), Role::User, PLENTY, &change).await.unwrap_err();
    assert_eq!(test.find_person(&"user_a".into()).await.unwrap(), None);
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn changes_a_role(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    add(test, &ours, "user_a", Role::User).await;
    let mut before = Role::User;
    for &role in Role::ALL {
        let change = samples::change(&ours);
        test.set_role(&ours, &"user_a".into(), before, role, &change).await.unwrap().unwrap();
        before = role;
        let member = Member { person: person("user_a"), role, main: None, accepted: false };
        assert_eq!(test.find_member(&ours, &"user_a".into()).await.unwrap(), Some(member));
        assert_eq!(test.new_audit().await, ["user.role user_a"]);
    }
}

pub(crate) async fn removes_a_member_who_stays_known(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    add(test, &ours, "user_a", Role::User).await;
    let (removed, change) = (UserId::from("user_a"), samples::change(&ours));
    test.remove_member(&ours, &removed, Role::User, &change).await.unwrap().unwrap();
    assert_eq!(test.new_audit().await, ["user.delete user_a"]);
    assert_eq!(test.find_member(&ours, &removed).await.unwrap(), None);
    assert_eq!(test.find_person(&removed).await.unwrap(), Some(person("user_a")));

    let again = test.remove_member(&ours, &removed, Role::User, &change).await.unwrap();
    assert_eq!(again, Err(MembershipRefusal::NotFound));
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn keeps_the_last_owner(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    add(test, &ours, "user_a", Role::Admin).await;
    let (owner, change) = (UserId::from(OWNER), samples::change(&ours));
    let demoted = test.set_role(&ours, &owner, Role::Owner, Role::Admin, &change).await.unwrap();
    let removed = test.remove_member(&ours, &owner, Role::Owner, &change).await.unwrap();
    assert_eq!((demoted, removed), (Err(MembershipRefusal::LastOwner), Err(MembershipRefusal::LastOwner)));
    let expected = [("user_a".to_owned(), Role::Admin), (OWNER.to_owned(), Role::Owner)];
    assert_eq!(roles(test, &ours).await, expected);
    assert!(test.new_audit().await.is_empty());

    test.set_role(&ours, &"user_a".into(), Role::Admin, Role::Owner, &change).await.unwrap().unwrap();
    test.accept_membership(&ours, &"user_a".into(), &change).await.unwrap();
    test.set_role(&ours, &owner, Role::Owner, Role::Admin, &change).await.unwrap().unwrap();
    test.remove_member(&ours, &owner, Role::Admin, &change).await.unwrap().unwrap();
    assert_eq!(roles(test, &ours).await, [("user_a".to_owned(), Role::Owner)]);
}

pub(crate) async fn holds_changes_to_the_checked_role(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    add(test, &ours, "user_a", Role::User).await;
    let (member, change) = (UserId::from("user_a"), samples::change(&ours));
    for &checked in Role::ALL.iter().filter(|&&role| role != Role::User) {
        for wanted in [Role::Owner, Role::User, checked] {
            let changed = test.set_role(&ours, &member, checked, wanted, &change).await.unwrap();
            assert_eq!(changed, Err(MembershipRefusal::NotFound), "{checked:?} to {wanted:?}");
        }
        let removed = test.remove_member(&ours, &member, checked, &change).await.unwrap();
        assert_eq!(removed, Err(MembershipRefusal::NotFound), "{checked:?}");
    }
    let expected = [("user_a".to_owned(), Role::User), (OWNER.to_owned(), Role::Owner)];
    assert_eq!(roles(test, &ours).await, expected);
    assert!(test.new_audit().await.is_empty());

    test.remove_member(&ours, &member, Role::User, &change).await.unwrap().unwrap();
    assert_eq!(roles(test, &ours).await, [(OWNER.to_owned(), Role::Owner)]);
}

pub(crate) async fn stays_within_its_org(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    add(test, &ours, "user_a", Role::User).await;
    let (stranger, change) = (UserId::from("user_a"), samples::change(&theirs));
    assert_eq!(test.find_member(&theirs, &stranger).await.unwrap(), None);
    assert_eq!(roles(test, &theirs).await, [(OTHER_OWNER.to_owned(), Role::Owner)]);

    let promoted = test.set_role(&theirs, &stranger, Role::User, Role::Owner, &change).await.unwrap();
    let removed = test.remove_member(&theirs, &stranger, Role::User, &change).await.unwrap();
    assert_eq!((promoted, removed), (Err(MembershipRefusal::NotFound), Err(MembershipRefusal::NotFound)));
    let expected = [("user_a".to_owned(), Role::User), (OWNER.to_owned(), Role::Owner)];
    assert_eq!(roles(test, &ours).await, expected);
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn names_the_kind_of_every_refusal(_: &TestCatalog<'_>) {
    for (refusal, kind) in [
        (MembershipRefusal::Full { max: 1 }, ErrorKind::LimitReached),
        (MembershipRefusal::Member, ErrorKind::Conflict),
        (MembershipRefusal::LastOwner, ErrorKind::Conflict),
        (MembershipRefusal::NotFound, ErrorKind::NotFound),
    ] {
        assert_eq!(ErrorKind::from(&refusal), kind);
    }
}
