//! What must stay true of memberships when several callers change them at the same moment. Each case runs a few
//! rounds: in the first the callers wait for their connections, from then on they do meet.

use tidegauge_catalog::users::{MembershipRefusal, Person};
use tidegauge_model::{OrgId, Role, UserId};
use tokio::task::JoinSet;

use crate::database::TestCatalog;
use crate::samples::{self, OWNER, person};

const ROUNDS: usize = 8;

/// Creates organisations with the same owner.
async fn create_orgs(test: &TestCatalog<'_>, count: usize) -> Vec<OrgId> {
    samples::two_orgs(test).await;
    let mut ids = Vec::new();
    for number in 0..count {
        let org = samples::org(&format!("org_{number}"));
        test.insert_org(&org, &OWNER.into(), &samples::change(&org.id)).await.unwrap();
        ids.push(org.id);
    }
    test.new_audit().await;
    ids
}

pub(crate) async fn keeps_to_the_maximum(test: &TestCatalog<'_>) {
    const MAX_USERS: i64 = 5;
    for org in create_orgs(test, ROUNDS).await {
        let mut callers = JoinSet::new();
        for number in 0..20 {
            let (catalog, org) = (test.shared(), org.clone());
            callers.spawn(async move {
                let newcomer = person(&format!("user_{org}_{number}"));
                let change = samples::change(&org);
                catalog.add_member(&org, &newcomer, Role::User, MAX_USERS, &change).await.unwrap()
            });
        }
        let outcomes = callers.join_all().await;
        let refusals = outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).collect::<Vec<_>>();
        // The owner was there before, so four could be added.
        assert_eq!(refusals, vec![&MembershipRefusal::Full { max: MAX_USERS }; 16]);
        assert_eq!(test.list_members(&org).await.unwrap().len(), 5);
        assert_eq!(test.new_audit().await.len(), 4);
    }
}

pub(crate) async fn keeps_one_of_two_owners_who_leave_at_once(test: &TestCatalog<'_>) {
    let first = OWNER.into();
    for org in create_orgs(test, ROUNDS).await {
        let change = samples::change(&org);
        let second = UserId::from(format!("user_{org}"));
        samples::add_accepted(test, &org, &person(second.as_str()), Role::Owner).await;
        test.new_audit().await;
        let (removed, demoted) = tokio::join!(
            test.remove_member(&org, &first, Role::Owner, &change),
            test.set_role(&org, &second, Role::Owner, Role::User, &change),
        );
        let outcomes = [removed.unwrap(), demoted.unwrap()];
        assert!(outcomes.contains(&Ok(())), "{outcomes:?}");
        assert!(outcomes.contains(&Err(MembershipRefusal::LastOwner)), "{outcomes:?}");
        let members = test.list_members(&org).await.unwrap();
        assert_eq!(members.iter().filter(|member| member.role == Role::Owner).count(), 1);
        assert_eq!(test.new_audit().await.len(), 1);
    }
}

pub(crate) async fn knows_a_newcomer_of_several_orgs_as_somebody_new_in_each(test: &TestCatalog<'_>) {
    let orgs = create_orgs(test, 8).await;
    for round in 0..ROUNDS {
        let email = format!("newcomer_{round}@example.com");
        let mut callers = JoinSet::new();
        for (number, org) in orgs.iter().cloned().enumerate() {
            let newcomer = Person { email: email.clone(), ..person(&format!("user_{round}_{number}")) };
            let catalog = test.shared();
            callers.spawn(async move {
                let change = samples::change(&org);
                catalog.add_member(&org, &newcomer, Role::User, 100, &change).await.unwrap().unwrap().person
            });
        }
        let people = callers.join_all().await;
        assert!(people.iter().all(|person| person.email == email), "{people:?}");
        for (number, org) in orgs.iter().enumerate() {
            let member = test.find_member_by_email(org, &email).await.unwrap().unwrap();
            assert_eq!(member.person.id.as_str(), format!("user_{round}_{number}"));
        }
    }
}

/// Adds a member for two callers to change at once.
async fn add_member(test: &TestCatalog<'_>, org: &OrgId) -> UserId {
    let id = format!("user_{org}");
    samples::add_accepted(test, org, &person(&id), Role::User).await;
    test.new_audit().await;
    id.into()
}

async fn role(test: &TestCatalog<'_>, org: &OrgId, member: &UserId) -> Option<Role> {
    test.find_member(org, member).await.unwrap().map(|member| member.role)
}

pub(crate) async fn takes_one_of_two_changes_to_the_same_checked_role(test: &TestCatalog<'_>) {
    for org in create_orgs(test, ROUNDS).await {
        let (member, change) = (add_member(test, &org).await, samples::change(&org));
        let (promoted, demoted) = tokio::join!(
            test.set_role(&org, &member, Role::User, Role::Admin, &change),
            test.set_role(&org, &member, Role::User, Role::ReadOnly, &change),
        );
        let expected = match (promoted.unwrap(), demoted.unwrap()) {
            (Ok(()), Err(MembershipRefusal::NotFound)) => Role::Admin,
            (Err(MembershipRefusal::NotFound), Ok(())) => Role::ReadOnly,
            outcomes => panic!("{outcomes:?}"),
        };
        assert_eq!(role(test, &org, &member).await, Some(expected));
        assert_eq!(test.new_audit().await, [format!("user.role {member}")]);
    }
}

pub(crate) async fn takes_two_changes_of_role_only_in_their_order(test: &TestCatalog<'_>) {
    for org in create_orgs(test, ROUNDS).await {
        let (member, change) = (add_member(test, &org).await, samples::change(&org));
        // The second was checked against what the first makes of the member.
        let (first, second) = tokio::join!(
            test.set_role(&org, &member, Role::User, Role::Admin, &change),
            test.set_role(&org, &member, Role::Admin, Role::ReadOnly, &change),
        );
        assert_eq!(first.unwrap(), Ok(()));
        let (expected, changes) = match second.unwrap() {
            Ok(()) => (Role::ReadOnly, 2),
            Err(refusal) => {
                assert_eq!(refusal, MembershipRefusal::NotFound);
                (Role::Admin, 1)
            }
        };
        assert_eq!(role(test, &org, &member).await, Some(expected));
        assert_eq!(test.new_audit().await, vec![format!("user.role {member}"); changes]);
    }
}

pub(crate) async fn takes_either_a_new_role_or_a_removal(test: &TestCatalog<'_>) {
    for org in create_orgs(test, ROUNDS).await {
        let (member, change) = (add_member(test, &org).await, samples::change(&org));
        let (promoted, removed) = tokio::join!(
            test.set_role(&org, &member, Role::User, Role::Owner, &change),
            test.remove_member(&org, &member, Role::User, &change),
        );
        let (expected, entry) = match (promoted.unwrap(), removed.unwrap()) {
            (Ok(()), Err(MembershipRefusal::NotFound)) => (Some(Role::Owner), "user.role"),
            (Err(MembershipRefusal::NotFound), Ok(())) => (None, "user.delete"),
            outcomes => panic!("{outcomes:?}"),
        };
        assert_eq!(role(test, &org, &member).await, expected);
        assert_eq!(test.new_audit().await, [format!("{entry} {member}")]);
    }
}
