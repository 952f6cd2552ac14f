//! From the digest of a token to where it counts.

use tidegauge_catalog::bearer::OrgContext;
use tidegauge_model::org::Payment;
use tidegauge_model::{Capabilities, ErrorKind, Org, OrgId, PaymentStatus, Role};

use crate::database::TestCatalog;
use crate::samples::{self, OTHER_OWNER, OWNER, OWNER_DIGEST, api_token, at, personal_token};

fn places(org_contexts: &[OrgContext]) -> Vec<(&str, Option<Role>)> {
    org_contexts.iter().map(|org_context| (org_context.org.as_str(), org_context.role)).collect()
}

/// Gives an organisation a payment status and a limit of its own, to see whose are found.
async fn mark(test: &TestCatalog<'_>, org: &OrgId, payment: Payment, max_users: i64) {
    let edit = |org: &mut Org| -> Result<(), std::convert::Infallible> {
        org.payment = payment;
        org.licence.limits.max_users = max_users;
        Ok(())
    };
    test.update_org(org, "org.update", &samples::change(org), edit).await.unwrap().unwrap().unwrap();
}

pub(crate) async fn finds_nothing_for_an_unknown_digest(test: &TestCatalog<'_>) {
    samples::two_orgs(test).await;
    for digest in ["", "%", "digest of the ownes", "DIGEST OF THE OWNER"] {
        assert!(test.find_bearer(digest, None).await.unwrap().is_none(), "{digest}");
    }
}

pub(crate) async fn finds_an_api_token_in_its_org_alone(test: &TestCatalog<'_>) {
    let (_, theirs) = samples::two_orgs(test).await;
    let failed = Payment { set: PaymentStatus::Failed, first_failed: Some(at(7)) };
    mark(test, &theirs, failed, 42).await;
    // Its maker is the owner of the other organisation, which must not count.
    let token = api_token("token_1", &theirs);
    test.insert_token(&token, "digest", &samples::change(&theirs)).await.unwrap();

    let bearer = test.find_bearer("digest", None).await.unwrap().unwrap();
    assert!(bearer.is_api_token);
    assert_eq!((bearer.id, bearer.user), (token.id, OWNER.into()));
    assert_eq!((bearer.expires_at, bearer.capabilities), (token.expires_at, token.capabilities));
    assert_eq!(places(&bearer.org_contexts), [("org_theirs", None)]);
    assert_eq!(bearer.org_contexts[0].payment, failed);
    assert_eq!(bearer.org_contexts[0].limits().unwrap().max_users, 42);
}

pub(crate) async fn finds_a_person_without_an_org(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let (person, change) = (samples::person("user_a"), samples::change(&ours));
    test.add_member(&ours, &person, Role::User, 10, &change).await.unwrap().unwrap();
    let token = personal_token("token_a", "user_a");
    test.insert_token(&token, "digest", &change).await.unwrap();
    test.remove_member(&ours, &person.id, Role::User, &change).await.unwrap().unwrap();

    let bearer = test.find_bearer("digest", None).await.unwrap().unwrap();
    assert!(!bearer.is_api_token);
    assert_eq!((bearer.id, bearer.user), (token.id, person.id));
    assert!(bearer.org_contexts.is_empty());
}

pub(crate) async fn finds_a_person_of_one_org(test: &TestCatalog<'_>) {
    samples::two_orgs(test).await;
    let bearer = test.find_bearer(OWNER_DIGEST, None).await.unwrap().unwrap();
    assert!(!bearer.is_api_token);
    assert_eq!((bearer.id, bearer.user), ("token_owner".into(), OWNER.into()));
    assert_eq!(bearer.expires_at, None);
    assert_eq!(bearer.capabilities, Capabilities::default());
    assert_eq!(places(&bearer.org_contexts), [("org_ours", Some(Role::Owner))]);
    let org = samples::org("org_ours");
    assert_eq!(bearer.org_contexts[0].payment, org.payment);
    assert_eq!(bearer.org_contexts[0].limits().unwrap(), org.licence.limits);
}

pub(crate) async fn finds_a_person_of_two_orgs(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    samples::join(test, &ours, OTHER_OWNER, Role::ReadOnly).await;
    let blocked = Payment { set: PaymentStatus::Blocked, first_failed: None };
    mark(test, &theirs, blocked, 1).await;
    test.insert_token(&personal_token("token_b", OTHER_OWNER), "digest", &change).await.unwrap();

    let bearer = test.find_bearer("digest", None).await.unwrap().unwrap();
    let expected = [("org_ours", Some(Role::ReadOnly)), ("org_theirs", Some(Role::Owner))];
    assert_eq!(places(&bearer.org_contexts), expected);
    assert_eq!(bearer.org_contexts[0].payment.set, PaymentStatus::NotApplicable);
    assert_eq!(bearer.org_contexts[1].payment, blocked);
    assert_eq!(bearer.org_contexts[1].limits().unwrap().max_users, 1);
}

pub(crate) async fn forgets_a_deleted_token(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    assert!(test.revoke_token(&"token_owner".into(), &samples::change(&ours)).await.unwrap());
    assert!(test.find_bearer(OWNER_DIGEST, None).await.unwrap().is_none());
}

pub(crate) async fn reads_a_licence_only_where_it_is_asked_for(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    samples::join(test, &theirs, OWNER, Role::User).await;
    test.database.execute("UPDATE org SET licence = '{}' WHERE id = 'org_theirs'").await;
    let org_contexts = test.find_bearer(OWNER_DIGEST, None).await.unwrap().unwrap().org_contexts;
    assert_eq!(
        places(&org_contexts),
        [(ours.as_str(), Some(Role::Owner)), (theirs.as_str(), Some(Role::User))]
    );
    assert_eq!(org_contexts[0].limits().unwrap(), samples::org("org_ours").licence.limits);
    let error = org_contexts[1].limits().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert!(error.to_string().contains("{}"), "{error}");
}
