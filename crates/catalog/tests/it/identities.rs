//! Who people and machines are at external issuers.

use tidegauge_catalog::identities::{IdentityKind, IdentityRefusal, KnownIdentity};
use tidegauge_catalog::users::Person;
use tidegauge_model::Role;

use crate::database::TestCatalog;
use crate::samples::{self, OWNER};

const ADA: KnownIdentity<'_> =
    KnownIdentity { issuer: "https://login.example.com", kind: IdentityKind::Person, subject: "ada" };

fn newcomer(id: &str, email: &str) -> Person {
    Person { id: id.into(), email: email.to_owned(), ..samples::person(OWNER) }
}

pub(crate) async fn links_an_identity_once(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    assert_eq!(test.find_identity(&ADA).await.unwrap(), None);
    assert!(test.find_identity_bearer(&ADA, None).await.unwrap().is_none());
    test.new_audit().await;
    test.link_identity(&ADA, &OWNER.into(), &change).await.unwrap();
    assert_eq!(test.new_audit().await, [format!("identity.link {OWNER}")]);
    assert_eq!(test.find_identity(&ADA).await.unwrap(), Some(OWNER.into()));

    // A second link does not move it, and says nothing.
    let other = newcomer("user_bob", "bob@example.com");
    test.provision_identity(&KnownIdentity { subject: "bob", ..ADA }, &other, &ours, Role::User, 99, &change)
        .await
        .unwrap()
        .unwrap();
    test.new_audit().await;
    test.link_identity(&ADA, &other.id, &change).await.unwrap();
    assert!(test.new_audit().await.is_empty());
    assert_eq!(test.find_identity(&ADA).await.unwrap(), Some(OWNER.into()));
    // Another issuer, kind or subject is somebody else.
    for other in [
        KnownIdentity { issuer: "https://login.example.com/", ..ADA },
        KnownIdentity { kind: IdentityKind::Machine, ..ADA },
        KnownIdentity { subject: "Ada", ..ADA },
    ] {
        assert_eq!(test.find_identity(&other).await.unwrap(), None, "{other:?}");
    }
}

pub(crate) async fn finds_where_a_person_can_act(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let by_token = test.find_bearer(samples::OWNER_DIGEST, Some(&ours)).await.unwrap().unwrap();
    test.link_identity(&ADA, &OWNER.into(), &samples::change(&ours)).await.unwrap();
    let found = test.find_identity_bearer(&ADA, Some(&ours)).await.unwrap().unwrap();
    assert!(!found.is_api_token && found.expires_at.is_none());
    assert_eq!((found.user.as_str(), &found.org_contexts[0].org), (OWNER, &ours));
    assert_eq!(found.org_contexts[0].role, Some(Role::Owner));
    // As a personal token of the same person did, which ended by that.
    assert!(test.find_bearer(samples::OWNER_DIGEST, Some(&ours)).await.unwrap().is_none());
    let orgs = |bearer: &tidegauge_catalog::bearer::Bearer| -> Vec<_> {
        bearer.org_contexts.iter().map(|org_context| (org_context.org.clone(), org_context.role)).collect()
    };
    assert_eq!(orgs(&found), orgs(&by_token));
}

pub(crate) async fn makes_an_account_with_its_membership(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    let ada = newcomer("user_ada", "ada@example.com");
    test.new_audit().await;
    let made = test.provision_identity(&ADA, &ada, &ours, Role::ReadOnly, 99, &change).await.unwrap();
    assert_eq!(made, Ok(()));
    assert_eq!(test.new_audit().await, ["user.provision user_ada"]);
    let found = test.find_identity_bearer(&ADA, None).await.unwrap().unwrap();
    let [org_context] = &found.org_contexts[..] else { panic!("{found:?}") };
    assert_eq!(org_context.role, Some(Role::ReadOnly));

    // Once more changes nothing; a taken address, and a full organisation, are told.
    let again = newcomer("user_again", "again@example.com");
    let made = test.provision_identity(&ADA, &again, &ours, Role::Owner, 99, &change).await.unwrap();
    assert_eq!((made, test.find_person(&again.id).await.unwrap()), (Ok(()), None));
    let bob = KnownIdentity { subject: "bob", ..ADA };
    let taken = newcomer("user_bob", "ada@example.com");
    let refused = test.provision_identity(&bob, &taken, &ours, Role::User, 99, &change).await.unwrap();
    assert_eq!(refused, Err(IdentityRefusal::EmailTaken));
    let late = newcomer("user_bob", "bob@example.com");
    let refused = test.provision_identity(&bob, &late, &ours, Role::User, 1, &change).await.unwrap();
    assert_eq!(refused, Err(IdentityRefusal::Full { max: 1 }));
    assert_eq!(test.find_person(&late.id).await.unwrap(), None, "a refusal leaves nothing behind");
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn gives_machines_an_account_without_membership(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    let machine = KnownIdentity { kind: IdentityKind::Machine, subject: "shipper", ..ADA };
    let account = newcomer("user_shipper", "made-up@identity.invalid");
    test.new_audit().await;
    for _ in 0..2 {
        test.insert_machine(&machine, &account, &change).await.unwrap();
    }
    assert_eq!(test.new_audit().await, ["identity.machine user_shipper"]);
    for org in [&ours, &theirs] {
        let found = test.find_machine_bearer(&machine, org).await.unwrap().unwrap();
        assert!(found.is_api_token && found.capabilities == Default::default());
        let [org_context] = &found.org_contexts[..] else { panic!("{found:?}") };
        assert_eq!((&org_context.org, org_context.role), (org, None));
        assert!(test.find_member(org, &account.id).await.unwrap().is_none());
    }
    let nowhere = test.find_machine_bearer(&machine, &"org_none".into()).await.unwrap().unwrap();
    assert!(nowhere.org_contexts.is_empty());
}
