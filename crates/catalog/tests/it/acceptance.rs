//! A membership gives nothing until its person has accepted it, by the link of the organisation that gave it or by the
//! verified address of an issuer, and what one organisation does with an address never reaches another.

use tidegauge_catalog::Change;
use tidegauge_catalog::identities::{IdentityKind, KnownIdentity};
use tidegauge_catalog::invite_links::{Joining, LinkRefusal};
use tidegauge_catalog::link_issuers::Issuer;
use tidegauge_catalog::passwords::NewPassword;
use tidegauge_catalog::roles::CustomRole;
use tidegauge_catalog::users::Person;
use tidegauge_model::{OrgId, Role, UserId};
use tokio::task::JoinSet;

use crate::database::TestCatalog;
use crate::roles;
use crate::samples::{self, OTHER_OWNER, OWNER, OWNER_DIGEST, add_address_of, at, person, personal_token};

const DIGEST: &str = "digest of user_a";
const NEW: NewPassword<'static> = NewPassword { hash: "a hash", account: "an account" };

/// Adds a person to an organisation.
async fn add(test: &TestCatalog<'_>, org: &OrgId, id: &str) {
    test.add_member(org, &person(id), Role::User, 100, &samples::change(org)).await.unwrap().unwrap();
    test.new_audit().await;
}

async fn invite(test: &TestCatalog<'_>, org: &OrgId, id: &str, digest: &str) -> Result<(), LinkRefusal> {
    test.insert_invitation(org, &id.into(), digest, at(1_000), &Issuer::Operator, &samples::change(org))
        .await
        .unwrap()
}

/// The organisations that a token acts in.
async fn places(test: &TestCatalog<'_>, digest: &str) -> Vec<String> {
    let org_contexts = test.find_bearer(digest, None).await.unwrap().unwrap().org_contexts;
    org_contexts.into_iter().map(|org_context| org_context.org.into_string()).collect()
}

fn by(person: &str) -> Change {
    Change { org: None, actor: person.to_owned(), at: at(70), request_id: String::new() }
}

/// Whether each member of an organisation has accepted.
async fn accepted(test: &TestCatalog<'_>, org: &OrgId) -> Vec<(String, bool)> {
    let members = test.list_members(org).await.unwrap();
    members.into_iter().map(|member| (member.person.id.into_string(), member.accepted)).collect()
}

pub(crate) async fn is_never_given_by_whoever_adds(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    add(test, &theirs, "user_a").await;
    test.insert_token(&personal_token("token_a", "user_a"), DIGEST, &samples::change(&ours)).await.unwrap();
    // Not even where the organisation is named, or the role is a high one.
    let change = samples::change(&theirs);
    test.set_role(&theirs, &"user_a".into(), Role::User, Role::Owner, &change).await.unwrap().unwrap();
    assert!(places(test, DIGEST).await.is_empty());
    assert!(test.find_bearer(DIGEST, Some(&theirs)).await.unwrap().unwrap().org_contexts.is_empty());
    assert!(test.list_orgs_of(&"user_a".into()).await.unwrap().is_empty());
    let expected = [("user_a".to_owned(), false), (OTHER_OWNER.to_owned(), true)];
    let mut listed = accepted(test, &theirs).await;
    listed.sort();
    assert_eq!(listed, expected);
    // Nor for an account that exists: its address is somebody new in the other organisation.
    let waiting = add_address_of(test, &theirs, OWNER, Role::Admin).await;
    assert_ne!(waiting.as_str(), OWNER);
    assert_eq!(places(test, OWNER_DIGEST).await, ["org_ours"]);
    assert_eq!(test.find_member(&theirs, &OWNER.into()).await.unwrap(), None);
}

pub(crate) async fn tells_nothing_about_accounts_elsewhere(test: &TestCatalog<'_>) {
    let (_, theirs) = samples::two_orgs(test).await;
    let change = samples::change(&theirs);
    for (id, email) in [("user_a", person(OWNER).email), ("user_b", person("user_b").email)] {
        let introduced = Person { email, name: "As they call them".to_owned(), ..person(id) };
        let added = test.add_member(&theirs, &introduced, Role::User, 100, &change).await.unwrap().unwrap();
        assert_eq!(added.person, introduced, "its own id and name");
        assert!(!added.accepted);
    }
}

pub(crate) async fn is_by_the_link_of_its_own_organisation(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    // Another organisation takes the account of an address in advance, and signs in with it.
    let taken = Person { email: "ceo@example.com".to_owned(), ..person("user_taken") };
    test.add_member(&theirs, &taken, Role::None, 10, &samples::change(&theirs)).await.unwrap().unwrap();
    assert_eq!(invite(test, &theirs, "user_taken", "theirs").await, Ok(()));
    assert!(test.use_link("theirs", NEW, &by("user_taken")).await.unwrap());
    test.insert_token(&personal_token("token_a", "user_taken"), DIGEST, &by("user_taken")).await.unwrap();
    assert_eq!(places(test, DIGEST).await, ["org_theirs"]);

    let real = Person { email: "ceo@example.com".to_owned(), ..person("user_real") };
    test.add_member(&ours, &real, Role::Admin, 10, &samples::change(&ours)).await.unwrap().unwrap();
    assert_eq!(invite(test, &ours, "user_real", "ours").await, Ok(()));
    assert_eq!(places(test, DIGEST).await, ["org_theirs"], "it counts nothing for the account in advance");
    // The person gets out of it by an account of their own, which signs in with its id.
    test.new_audit().await;
    assert!(test.use_link("ours", NEW, &by("user_real")).await.unwrap());
    assert_eq!(test.new_audit().await, ["user.accept user_real", "password.set user_real"]);
    assert_eq!(places(test, DIGEST).await, ["org_theirs"]);
    let account = async |name: &str| {
        test.find_account_by_sign_in(name).await.unwrap().map(|account| account.person.id.into_string())
    };
    assert_eq!(account("ceo@example.com").await.as_deref(), Some("user_taken"));
    assert_eq!(account("user_real").await.as_deref(), Some("user_real"));
    assert_eq!(accepted(test, &ours).await[0], (OWNER.to_owned(), true));
    assert!(accepted(test, &ours).await.contains(&("user_real".to_owned(), true)));
}

pub(crate) async fn of_one_organisation_does_not_touch_another(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    add(test, &ours, "user_a").await;
    assert_eq!(invite(test, &ours, "user_a", "of ours").await, Ok(()));
    let waiting = add_address_of(test, &theirs, "user_a", Role::User).await;
    assert_eq!(invite(test, &theirs, waiting.as_str(), "of theirs").await, Ok(()));
    assert_eq!(invite(test, &ours, "user_a", "of ours, again").await, Ok(()));
    assert!(test.find_link("of theirs", at(0)).await.unwrap().is_some());
    assert!(test.find_link("of ours", at(0)).await.unwrap().is_none(), "a newer one took its place");
    // Nor does one of the operator, or the end of the other membership.
    test.insert_link(&"user_a".into(), "of the operator", at(100), &by("operator")).await.unwrap();
    test.remove_member(&theirs, &waiting, Role::User, &samples::change(&theirs)).await.unwrap().unwrap();
    assert!(test.find_link("of theirs", at(0)).await.unwrap().is_none(), "it ended with the membership");
    assert!(test.use_link("of ours, again", NEW, &by("user_a")).await.unwrap());
    assert_eq!(invite(test, &ours, "user_a", "late").await, Err(LinkRefusal::Accepted));
    assert_eq!(invite(test, &ours, "user_nobody", "late").await, Err(LinkRefusal::NotAMember));
    assert_eq!(invite(test, &theirs, "user_a", "late").await, Err(LinkRefusal::NotAMember));
}

pub(crate) async fn can_be_by_an_account_of_the_same_address(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let waiting = add_address_of(test, &theirs, OWNER, Role::Admin).await;
    let role = CustomRole { members: vec![waiting.clone()], ..roles::role("role_1", &[]) };
    test.insert_role(&theirs, &role, &samples::change(&theirs)).await.unwrap().unwrap();
    assert_eq!(invite(test, &theirs, waiting.as_str(), "link").await, Ok(()));
    test.new_audit().await;
    let join =
        async |account: &str| test.join_by_invitation("link", &account.into(), &by(account)).await.unwrap();
    assert_eq!(join(OTHER_OWNER).await, Joining::OtherAddress);
    assert_eq!(join("user_nobody").await, Joining::OtherAddress);
    assert!(test.new_audit().await.is_empty());
    assert_eq!(join(OWNER).await, Joining::Joined);
    assert_eq!(test.new_audit().await, [format!("user.accept {waiting}"), format!("user.join {OWNER}")]);
    assert_eq!(join(OWNER).await, Joining::Gone);
    // With all that the person who waited was given, who is not a member any more.
    assert_eq!(places(test, OWNER_DIGEST).await, ["org_ours", "org_theirs"]);
    let member = test.find_member(&theirs, &OWNER.into()).await.unwrap().unwrap();
    assert_eq!((member.role, member.accepted, member.person), (Role::Admin, true, person(OWNER)));
    let role = test.find_role(&theirs, &"role_1".into()).await.unwrap().unwrap();
    assert_eq!(role.members, [UserId::from(OWNER)]);
    assert_eq!(test.find_member(&theirs, &waiting).await.unwrap(), None);
    assert_eq!(test.find_member(&ours, &OWNER.into()).await.unwrap().unwrap().role, Role::Owner);
}

pub(crate) async fn can_be_by_a_verified_address(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let email = person(OWNER).email;
    let join = async |org: &OrgId| {
        test.join_by_verified_email(org, &email, &OWNER.into(), &samples::change(org)).await.unwrap()
    };
    assert!(!join(&theirs).await && !join(&ours).await, "nothing waits");
    add_address_of(test, &theirs, OWNER, Role::User).await;
    assert!(join(&theirs).await && !join(&theirs).await);
    assert_eq!(places(test, OWNER_DIGEST).await, ["org_ours", "org_theirs"]);

    // Whoever is linked takes what waits for them, and nobody who was there before keeps a way in.
    add(test, &ours, "user_a").await;
    assert_eq!(invite(test, &ours, "user_a", "link").await, Ok(()));
    test.insert_token(&personal_token("token_a", "user_a"), DIGEST, &by("user_a")).await.unwrap();
    let identity =
        KnownIdentity { issuer: "https://login.example.com", kind: IdentityKind::Person, subject: "a" };
    test.link_identity(&identity, &"user_a".into(), &samples::change(&ours)).await.unwrap();
    let bearer = test.find_identity_bearer(&identity, None).await.unwrap().unwrap();
    assert_eq!(bearer.org_contexts[0].org, ours);
    assert!(test.find_bearer(DIGEST, None).await.unwrap().is_none());
    assert!(test.find_link("link", at(0)).await.unwrap().is_none());
}

pub(crate) async fn is_by_one_of_many_at_once(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    for round in 0..4 {
        let (name, link) = (format!("user_{round}"), format!("link_{round}"));
        samples::add_accepted(test, &ours, &person(&name), Role::User).await;
        let waiting = add_address_of(test, &theirs, &name, Role::User).await;
        assert_eq!(invite(test, &theirs, waiting.as_str(), &link).await, Ok(()));
        test.new_audit().await;
        let mut requests = JoinSet::new();
        for number in 0..10 {
            let (catalog, name, link) = (test.shared(), name.clone(), link.clone());
            requests.spawn(async move {
                if number % 2 == 0 {
                    return catalog.use_link(&link, NEW, &by(&name)).await.unwrap();
                }
                let joined = catalog.join_by_invitation(&link, &name.as_str().into(), &by(&name)).await;
                joined.unwrap() == Joining::Joined
            });
        }
        assert_eq!(requests.join_all().await.into_iter().filter(|used| *used).count(), 1);
        let accepts = test.new_audit().await.into_iter().filter(|entry| entry.starts_with("user.accept"));
        assert_eq!(accepts.count(), 1);
        let of_address = test.find_member_by_email(&theirs, &person(&name).email).await.unwrap().unwrap();
        assert!(of_address.accepted);
    }
}

pub(crate) async fn is_needed_of_an_owner_to_count_as_one(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    test.add_member(&ours, &person("user_a"), Role::Owner, 10, &change).await.unwrap().unwrap();
    let left = test.remove_member(&ours, &OWNER.into(), Role::Owner, &change).await.unwrap();
    assert!(left.is_err(), "nobody could act for the organisation");
    test.accept_membership(&ours, &"user_a".into(), &change).await.unwrap();
    test.remove_member(&ours, &OWNER.into(), Role::Owner, &change).await.unwrap().unwrap();
}

pub(crate) async fn is_written_down_once(test: &TestCatalog<'_>) {
    let (_, theirs) = samples::two_orgs(test).await;
    add(test, &theirs, "user_a").await;
    let change = samples::change(&theirs);
    for expected in [vec!["user.accept user_a".to_owned()], vec![]] {
        test.accept_membership(&theirs, &"user_a".into(), &change).await.unwrap();
        assert_eq!(test.new_audit().await, expected);
    }
    for (org, id) in [(&theirs, OWNER), (&theirs, "user_nobody"), (&"org_nowhere".into(), OWNER)] {
        test.accept_membership(org, &id.into(), &change).await.unwrap();
    }
    assert!(test.new_audit().await.is_empty(), "it is for members alone");
    let entries = test.list_audit(Some(&theirs), at(0), i64::MAX, 1).await.unwrap();
    assert_eq!((entries[0].action.as_str(), entries[0].at), ("user.accept", at(60).as_micros()));
}

pub(crate) async fn is_counted_in_other_orgs(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let elsewhere =
        async |org: &str| test.count_memberships_elsewhere(&org.into(), &OWNER.into()).await.unwrap();
    add_address_of(test, &theirs, OWNER, Role::User).await;
    assert_eq!((elsewhere("org_ours").await, elsewhere("org_nowhere").await), (0, 1));
    let email = person(OWNER).email;
    let change = samples::change(&theirs);
    assert!(test.join_by_verified_email(&theirs, &email, &OWNER.into(), &change).await.unwrap());
    assert_eq!((elsewhere("org_ours").await, elsewhere("org_theirs").await), (1, 1));
    let stranger = test.count_memberships_elsewhere(&ours, &"user_nobody".into()).await.unwrap();
    assert_eq!(stranger, 0);
}
