//! What must stay true of memberships when several callers change them at the same moment.

use tidegauge_catalog::people::{MembershipRefusal, Person};
use tidegauge_model::{OrgId, Role};
use tokio::task::JoinSet;

use crate::database::TestCatalog;
use crate::samples::{self, OWNER, person};

pub(crate) async fn keeps_to_the_maximum(test: &TestCatalog<'_>) {
    const MAX_USERS: i64 = 5;
    let (ours, _) = samples::two_orgs(test).await;
    let mut callers = JoinSet::new();
    for number in 0..20 {
        let (catalog, ours) = (test.shared(), ours.clone());
        callers.spawn(async move {
            let newcomer = person(&format!("user_{number}"));
            let change = samples::change(&ours);
            catalog.add_member(&ours, &newcomer, Role::User, MAX_USERS, &change).await.unwrap()
        });
    }
    let (added, refused): (Vec<_>, Vec<_>) = callers.join_all().await.into_iter().partition(Result::is_ok);
    // The owner was there before.
    assert_eq!((added.len(), refused.len()), (4, 16));
    assert!(refused.iter().all(|refusal| *refusal == Err(MembershipRefusal::Full { max: MAX_USERS })));
    assert_eq!(test.list_members(&ours).await.unwrap().len(), 5);
    assert_eq!(test.new_audit().await.len(), 4);
}

pub(crate) async fn keeps_one_of_two_owners_who_leave_at_once(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    test.add_member(&ours, &person("user_a"), Role::Owner, 10, &change).await.unwrap().unwrap();
    test.new_audit().await;
    let (first, second) = (OWNER.into(), "user_a".into());
    let (removed, demoted) = tokio::join!(
        test.remove_member(&ours, &first, &change),
        test.set_role(&ours, &second, Role::User, &change),
    );
    let outcomes = [removed.unwrap(), demoted.unwrap()];
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1, "{outcomes:?}");
    assert!(outcomes.contains(&Err(MembershipRefusal::LastOwner)), "{outcomes:?}");
    let members = test.list_members(&ours).await.unwrap();
    assert_eq!(members.iter().filter(|member| member.role == Role::Owner).count(), 1);
    assert_eq!(test.new_audit().await.len(), 1);
}

pub(crate) async fn knows_a_newcomer_of_several_orgs_as_one_person(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let orgs: Vec<OrgId> = (0..8).map(|number| OrgId::from(format!("org_{number}"))).collect();
    for id in &orgs {
        let org = samples::org(id.as_str());
        test.insert_org(&org, &OWNER.into(), &samples::change(&ours)).await.unwrap();
    }
    // The first rounds only open connections; from then on the callers do meet.
    for round in 0..10 {
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
        let known = test.find_person_by_email(&email).await.unwrap().unwrap();
        assert!(people.iter().all(|person| *person == known), "{people:?}");
        assert_eq!(test.list_orgs_of(&known.id).await.unwrap().len(), orgs.len());
    }
}
