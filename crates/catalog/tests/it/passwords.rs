//! Passwords, the links that set them, and the attempts on them.

use tidegauge_catalog::Change;
use tidegauge_catalog::invite_links::Link;
use tidegauge_catalog::link_issuers::Issuer;
use tidegauge_catalog::passwords::NewPassword;
use tidegauge_catalog::sessions::SessionRecord;
use tidegauge_model::{Role, UserId};
use tokio::task::JoinSet;

use crate::database::{KEY_BYTE, TestCatalog};
use crate::samples::{self, OTHER_OWNER, OWNER, at, person};

const NEW: NewPassword<'static> = NewPassword { hash: "a hash", account: "an account" };

fn change_at(seconds: i64) -> Change {
    Change { org: None, actor: OWNER.to_owned(), at: at(seconds), request_id: String::new() }
}

async fn hash(test: &TestCatalog<'_>, person: &str) -> Option<String> {
    test.find_account(&person.into()).await.unwrap().unwrap().hash
}

/// Gives the owner a password by a link, as the operator makes one.
async fn set(test: &TestCatalog<'_>, new: NewPassword<'_>) {
    test.insert_link(&OWNER.into(), "digest of a link", at(100), &change_at(0)).await.unwrap();
    assert!(test.use_link("digest of a link", new, &change_at(10)).await.unwrap());
}

pub(crate) async fn are_found_with_their_person(test: &TestCatalog<'_>) {
    samples::two_orgs(test).await;
    assert_eq!(hash(test, OWNER).await, None);
    test.new_audit().await;
    set(test, NEW).await;
    assert_eq!(test.new_audit().await, [format!("user.link {OWNER}"), format!("password.set {OWNER}")]);
    let email = person(OWNER).email;
    let found = test.find_account_by_sign_in(&email).await.unwrap().unwrap();
    assert_eq!((found.person.id.as_str(), found.hash.as_deref()), (OWNER, Some("a hash")));
    assert!(!format!("{found:?} {NEW:?}").contains("a hash"), "they do not print themselves");
    assert!(test.find_account_by_sign_in("nobody@example.com").await.unwrap().is_none());
    assert!(test.find_account(&"user_nobody".into()).await.unwrap().is_none());
}

pub(crate) async fn end_all_that_was_open_before(test: &TestCatalog<'_>) {
    samples::two_orgs(test).await;
    let session = |id: &str, person: &str| SessionRecord {
        id: id.into(),
        person: person.into(),
        created: at(0),
        last_used: at(0),
        expires_at: at(1_000),
        address: String::new(),
        agent: String::new(),
    };
    for (id, person) in [("session_a", OWNER), ("session_b", OTHER_OWNER)] {
        test.insert_session(&session(id, person), id, &change_at(0)).await.unwrap();
    }
    for account in ["an account", "another account"] {
        test.begin_attempt(account, at(0), |failures, _| Ok(failures + 5)).await.unwrap().unwrap();
    }
    set(test, NEW).await;
    assert!(test.find_session("session_a").await.unwrap().is_none());
    assert!(test.find_session("session_b").await.unwrap().is_some());
    assert!(test.find_link("digest of a link", at(0)).await.unwrap().is_none());
    let failures = |account| test.begin_attempt(account, at(0), |failures, _| Ok(failures));
    assert_eq!(failures("an account").await.unwrap(), Ok(0));
    assert_eq!(failures("another account").await.unwrap(), Ok(5));
}

pub(crate) async fn change_only_from_the_one_that_was_proven(test: &TestCatalog<'_>) {
    samples::two_orgs(test).await;
    let owner = UserId::from(OWNER);
    let other = NewPassword { hash: "another hash", ..NEW };
    assert!(
        !test.change_password(&owner, "a hash", other, &change_at(20)).await.unwrap(),
        "there is none yet"
    );
    set(test, NEW).await;
    test.new_audit().await;
    assert!(!test.change_password(&owner, "some hash", other, &change_at(20)).await.unwrap());
    assert_eq!(hash(test, OWNER).await.as_deref(), Some("a hash"));
    assert!(test.change_password(&owner, "a hash", other, &change_at(20)).await.unwrap());
    assert_eq!(hash(test, OWNER).await.as_deref(), Some("another hash"));
    test.rehash_password(&owner, "a hash", "a lost hash").await.unwrap();
    test.rehash_password(&owner, "another hash", "the same with other costs").await.unwrap();
    assert_eq!(hash(test, OWNER).await.as_deref(), Some("the same with other costs"));
    assert_eq!(test.new_audit().await, [format!("password.change {OWNER}")]);
}

pub(crate) async fn are_set_by_a_link_once_and_in_time(test: &TestCatalog<'_>) {
    samples::two_orgs(test).await;
    test.insert_link(&OWNER.into(), "first", at(100), &change_at(0)).await.unwrap();
    test.insert_link(&OWNER.into(), "second", at(50), &change_at(0)).await.unwrap();
    assert_eq!(test.find_link("first", at(0)).await.unwrap(), None, "the second took its place");
    assert_eq!(
        test.find_link("second", at(49)).await.unwrap(),
        Some(Link { person: OWNER.into(), invited_by: None, issuer: Issuer::Operator, expires_at: at(50) })
    );
    assert_eq!(test.find_link("second", at(50)).await.unwrap(), None);
    assert!(!test.use_link("second", NEW, &change_at(50)).await.unwrap());
    assert!(!test.use_link("first", NEW, &change_at(1)).await.unwrap());
    assert_eq!(hash(test, OWNER).await, None);

    // However many use it at the same moment, one does.
    let mut uses = JoinSet::new();
    for _ in 0..8 {
        let catalog = test.shared();
        uses.spawn(async move { catalog.use_link("second", NEW, &change_at(10)).await.unwrap() });
    }
    assert_eq!(uses.join_all().await.into_iter().filter(|used| *used).count(), 1);
}

/// Whoever invites an address could otherwise let others guess on at an account that has it.
pub(crate) async fn forget_failures_of_their_own_account_alone(test: &TestCatalog<'_>) {
    let (_, theirs) = samples::two_orgs(test).await;
    let failures = |account| test.begin_attempt(account, at(0), |failures, _| Ok(failures));
    test.begin_attempt("an account", at(0), |failures, _| Ok(failures + 5)).await.unwrap().unwrap();
    let waiting = samples::add_address_of(test, &theirs, OWNER, Role::User).await;
    let change = samples::change(&theirs);
    test.insert_invitation(&theirs, &waiting, "link", at(100), &Issuer::Operator, &change)
        .await
        .unwrap()
        .unwrap();
    assert!(test.use_link("link", NEW, &change_at(10)).await.unwrap());
    assert_eq!(failures("an account").await.unwrap(), Ok(5), "somebody else has the address");

    test.add_member(&theirs, &person("user_a"), Role::User, 100, &change).await.unwrap().unwrap();
    test.insert_invitation(&theirs, &"user_a".into(), "link", at(100), &Issuer::Operator, &change)
        .await
        .unwrap()
        .unwrap();
    assert!(test.use_link("link", NEW, &change_at(10)).await.unwrap());
    assert_eq!(failures("an account").await.unwrap(), Ok(0), "nobody had it before");
}

pub(crate) async fn links_and_attempts_are_dropped_when_they_ended(test: &TestCatalog<'_>) {
    samples::two_orgs(test).await;
    test.insert_link(&OWNER.into(), "one", at(100), &change_at(0)).await.unwrap();
    test.insert_link(&OTHER_OWNER.into(), "two", at(200), &change_at(0)).await.unwrap();
    assert_eq!(test.prune_links(at(99)).await.unwrap(), 0);
    assert_eq!(test.prune_links(at(100)).await.unwrap(), 1);
    for (account, seconds) in [("a", 0), ("b", 10)] {
        test.begin_attempt(account, at(seconds), |failures, _| Ok(failures + 1)).await.unwrap().unwrap();
    }
    assert_eq!(test.prune_attempts(at(0)).await.unwrap(), 0);
    assert_eq!(test.prune_attempts(at(10)).await.unwrap(), 1);
    test.forget_attempts("b").await.unwrap();
    assert_eq!(test.prune_attempts(at(100)).await.unwrap(), 0);
}

/// Attempts at the same moment count one after the other, so that none of them slips past the limit.
pub(crate) async fn attempts_at_the_same_moment_all_count(test: &TestCatalog<'_>) {
    let mut attempts = JoinSet::new();
    for _ in 0..20 {
        let catalog = test.shared();
        attempts.spawn(async move {
            let next = |failures, _| if failures < 5 { Ok(failures + 1) } else { Err(at(30)) };
            catalog.begin_attempt("an account", at(0), next).await.unwrap()
        });
    }
    let mut ended = attempts.join_all().await;
    ended.sort();
    let (allowed, refused) = ended.split_at(5);
    assert_eq!(allowed, [Ok(1), Ok(2), Ok(3), Ok(4), Ok(5)]);
    assert!(refused.iter().all(|attempt| *attempt == Err(at(30))));
}

/// Who guesses does not begin anew when the service does.
pub(crate) async fn attempts_are_still_counted_when_opened_again(test: &TestCatalog<'_>) {
    for seconds in 0..3 {
        test.begin_attempt("an account", at(seconds), |failures, _| Ok(failures + 1)).await.unwrap().unwrap();
    }
    test.close().await;
    let again = test.database.open(KEY_BYTE).await.unwrap();
    let next = |failures, last| if last == at(2) { Ok(failures) } else { Err(last) };
    assert_eq!(again.begin_attempt("an account", at(9), next).await.unwrap(), Ok(3));
    again.close().await;
}
