//! The set-up of an installation, which happens once.

use tidegauge_catalog::users::Member;
use tidegauge_model::Role;
use tokio::task::JoinSet;

use crate::database::{KEY_BYTE, TestCatalog};
use crate::samples::{self, OWNER, OWNER_DIGEST};

pub(crate) async fn sets_up_an_org_with_its_owner_and_token(test: &TestCatalog<'_>) {
    assert!(!test.is_set_up().await.unwrap());
    assert_eq!(test.first_org().await.unwrap(), None);
    let (org, owner) = (samples::org("org_1"), samples::person(OWNER));
    let token = samples::personal_token("token_1", OWNER);
    assert!(test.set_up(&org, &owner, &token, OWNER_DIGEST, &samples::change(&org.id)).await.unwrap());

    assert!(test.is_set_up().await.unwrap());
    assert_eq!(test.first_org().await.unwrap().as_ref(), Some(&org.id));
    assert_eq!(test.new_audit().await, ["installation.create org_1"]);
    assert_eq!(test.list_all_orgs().await.unwrap(), std::slice::from_ref(&org));
    let member = Member { person: owner, role: Role::Owner, main: None, accepted: true };
    assert_eq!(test.list_members(&org.id).await.unwrap(), [member]);
    assert_eq!(test.list_all_tokens().await.unwrap(), std::slice::from_ref(&token));
    assert_eq!(test.find_bearer(OWNER_DIGEST, None).await.unwrap().unwrap().id, token.id);
}

pub(crate) async fn sets_up_only_once(test: &TestCatalog<'_>) {
    samples::two_orgs(test).await;
    let (org, owner) = (samples::org("org_3"), samples::person("user_3"));
    let token = samples::personal_token("token_3", "user_3");
    assert!(!test.set_up(&org, &owner, &token, "another digest", &samples::change(&org.id)).await.unwrap());

    assert!(test.new_audit().await.is_empty());
    assert_eq!(test.find_org(&org.id).await.unwrap(), None);
    assert_eq!(test.find_person(&owner.id).await.unwrap(), None);
    assert!(test.find_bearer("another digest", None).await.unwrap().is_none());
}

pub(crate) async fn leaves_nothing_behind_when_it_fails(test: &TestCatalog<'_>) {
    let (org, owner) = (samples::org("org_1"), samples::person(OWNER));
    let token_of_nobody = samples::personal_token("token_1", "user_nobody");
    test.set_up(&org, &owner, &token_of_nobody, OWNER_DIGEST, &samples::change(&org.id)).await.unwrap_err();

    assert!(!test.is_set_up().await.unwrap());
    assert!(test.new_audit().await.is_empty());
    assert_eq!(test.find_org(&org.id).await.unwrap(), None);
    assert_eq!(test.find_person(&owner.id).await.unwrap(), None);
}

pub(crate) async fn lets_exactly_one_of_two_nodes_win(test: &TestCatalog<'_>) {
    let mut nodes = JoinSet::new();
    for number in 1..=2 {
        let node = test.database.open(KEY_BYTE).await.unwrap();
        nodes.spawn(async move {
            let (org, person) = (samples::org(&format!("org_{number}")), format!("user_{number}"));
            let token = samples::personal_token(&format!("token_{number}"), &person);
            let digest = format!("digest {number}");
            let change = samples::change(&org.id);
            let won = node.set_up(&org, &samples::person(&person), &token, &digest, &change).await.unwrap();
            node.close().await;
            won.then_some(org)
        });
    }
    let winners: Vec<_> = nodes.join_all().await.into_iter().flatten().collect();
    assert_eq!(winners.len(), 1);
    assert_eq!(test.list_all_orgs().await.unwrap(), winners);
    assert_eq!(test.list_all_tokens().await.unwrap().len(), 1);
    assert_eq!(test.new_audit().await.len(), 1);
}
