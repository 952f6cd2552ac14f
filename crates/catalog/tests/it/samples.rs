//! Samples of everything that the catalogue keeps, each named by its id, and two organisations to begin with.

use std::collections::BTreeMap;

use tidegauge_catalog::Change;
use tidegauge_catalog::notifiers::Notifier;
use tidegauge_catalog::starred::StarredQuery;
use tidegauge_catalog::tokens::Token;
use tidegauge_catalog::users::Person;
use tidegauge_model::capability::Grants;
use tidegauge_model::{Action, Capabilities, DatasetArea, Org, OrgArea, OrgId, Role, Timestamp, UserId};

use crate::database::TestCatalog;

pub(crate) const OWNER: &str = "user_owner";
pub(crate) const OWNER_DIGEST: &str = "digest of the owner";
pub(crate) const OTHER_OWNER: &str = "user_other";

/// The secret in the properties of a sample notifier.
pub(crate) const SECRET: &str = "xoxb-very-secret-hook";

/// What a search looks in for a sample starred query.
pub(crate) const SEARCHED: &str = "['logs'] | count";

pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_micros(1_800_000_000_000_000 + seconds * 1_000_000)
}

pub(crate) fn change(org: &OrgId) -> Change {
    Change { org: Some(org.clone()), actor: OWNER.to_owned(), at: at(60), request_id: "req_1".to_owned() }
}

pub(crate) fn org(id: &str) -> Org {
    Org::self_hosted(id.into(), format!("The {id}"), format!("{id}@example.com"), at(0))
}

pub(crate) fn person(id: &str) -> Person {
    Person { id: id.into(), email: format!("{id}@example.com"), name: format!("Person {id}"), created: at(1) }
}

pub(crate) fn capabilities() -> Capabilities {
    let dataset = Grants::from([(DatasetArea::Ingest, vec![Action::Create])]);
    Capabilities {
        org: Grants::from([(OrgArea::Notifiers, vec![Action::Update, Action::Read])]),
        dataset: BTreeMap::from([("logs".to_owned(), dataset)]),
        view: BTreeMap::new(),
    }
}

pub(crate) fn personal_token(id: &str, person: &str) -> Token {
    Token {
        id: id.into(),
        org: None,
        person: person.into(),
        name: format!("Token {id}"),
        description: "for the suite".to_owned(),
        capabilities: Capabilities::default(),
        created: at(2),
        expires_at: None,
        last_used_at: None,
        ends_with_membership: false,
    }
}

pub(crate) fn api_token(id: &str, org: &OrgId) -> Token {
    Token {
        org: Some(org.clone()),
        capabilities: capabilities(),
        expires_at: Some(at(3_600)),
        ..personal_token(id, OWNER)
    }
}

pub(crate) fn notifier(id: &str) -> Notifier {
    Notifier {
        id: id.into(),
        name: format!("Notifier {id}"),
        channel: "webhook".to_owned(),
        properties: format!(r#"{{"webhook":{{"url":"https://example.com/{SECRET}"}}}}"#),
        disabled_until: None,
        created: at(3),
        created_by: OWNER.into(),
        modified: at(4),
    }
}

pub(crate) fn starred(id: &str) -> StarredQuery {
    StarredQuery {
        id: id.into(),
        kind: "apl".to_owned(),
        name: format!("Query {id}"),
        who: OWNER.to_owned(),
        dataset: "logs".to_owned(),
        metadata: r#"{"quick":"1h"}"#.to_owned(),
        query: r#"{"apl":"['logs'] | count"}"#.to_owned(),
        created: at(5),
        created_by: OWNER.into(),
        modified: at(6),
    }
}

/// Adds somebody to an organisation who has accepted it.
pub(crate) async fn add_accepted(test: &TestCatalog<'_>, org: &OrgId, person: &Person, role: Role) {
    let change = change(org);
    test.add_member(org, person, role, 1_000, &change).await.unwrap().unwrap();
    test.accept_membership(org, &person.id, &change).await.unwrap();
}

/// Adds the address of an account to another organisation; gives the person who waits there for it.
pub(crate) async fn add_address_of(test: &TestCatalog<'_>, org: &OrgId, id: &str, role: Role) -> UserId {
    let waiting = Person { email: person(id).email, ..person(&format!("waiting_{org}_{id}")) };
    test.add_member(org, &waiting, role, 1_000, &change(org)).await.unwrap().unwrap();
    waiting.id
}

/// Makes an account a member of another organisation, which it has accepted.
pub(crate) async fn join(test: &TestCatalog<'_>, org: &OrgId, id: &str, role: Role) {
    add_address_of(test, org, id, role).await;
    let email = person(id).email;
    assert!(test.join_by_verified_email(org, &email, &id.into(), &change(org)).await.unwrap());
}

/// Two organisations with an owner each, and nothing new in the audit trail. The first comes from the set-up.
pub(crate) async fn two_orgs(test: &TestCatalog<'_>) -> (OrgId, OrgId) {
    let (ours, theirs) = (org("org_ours"), org("org_theirs"));
    let token = personal_token("token_owner", OWNER);
    let change = change(&ours.id);
    assert!(test.set_up(&ours, &person(OWNER), &token, OWNER_DIGEST, &change).await.unwrap());
    // The catalogue learns of people by adding them: the second owner passes through the first organisation.
    test.add_member(&ours.id, &person(OTHER_OWNER), Role::User, 10, &change).await.unwrap().unwrap();
    test.insert_org(&theirs, &OTHER_OWNER.into(), &change).await.unwrap();
    test.remove_member(&ours.id, &OTHER_OWNER.into(), Role::User, &change).await.unwrap().unwrap();
    test.new_audit().await;
    (ours.id, theirs.id)
}
