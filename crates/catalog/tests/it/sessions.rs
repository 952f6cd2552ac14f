//! Sessions of browsers.

use tidegauge_catalog::sessions::{SESSIONS_MAX, SessionRecord};
use tidegauge_model::{Role, UserId};

use crate::database::TestCatalog;
use crate::samples::{self, OTHER_OWNER, OWNER, at};

fn session(id: &str, person: &str, seconds: i64) -> SessionRecord {
    SessionRecord {
        id: id.into(),
        person: person.into(),
        created: at(seconds),
        last_used: at(seconds),
        expires_at: at(seconds + 1_000),
        address: "203.0.113.9".to_owned(),
        agent: "A browser".to_owned(),
    }
}

async fn begin(test: &TestCatalog<'_>, session: &SessionRecord) {
    let org = samples::org("org_a").id;
    test.insert_session(session, &format!("digest of {}", session.id), &samples::change(&org)).await.unwrap();
}

pub(crate) async fn reads_back_what_was_begun(test: &TestCatalog<'_>) {
    samples::two_orgs(test).await;
    test.new_audit().await;
    let begun = session("session_a", OWNER, 5);
    begin(test, &begun).await;
    assert_eq!(test.find_session("digest of session_a").await.unwrap(), Some(begun.clone()));
    assert_eq!(test.find_session("another digest").await.unwrap(), None);
    assert_eq!(test.list_sessions(&OWNER.into()).await.unwrap(), [begun]);
    assert!(test.list_sessions(&OTHER_OWNER.into()).await.unwrap().is_empty());
    assert_eq!(test.new_audit().await, ["session.create session_a"]);
}

pub(crate) async fn notes_the_newest_use(test: &TestCatalog<'_>) {
    samples::two_orgs(test).await;
    begin(test, &session("session_a", OWNER, 5)).await;
    for seconds in [30, 20] {
        test.touch_session(&"session_a".into(), at(seconds)).await.unwrap();
        let found = test.find_session("digest of session_a").await.unwrap().unwrap();
        assert_eq!(found.last_used, at(30));
    }
}

pub(crate) async fn ends_those_of_their_person_only(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let (owner, other) = (UserId::from(OWNER), UserId::from(OTHER_OWNER));
    for (id, person) in
        [("session_a", OWNER), ("session_b", OWNER), ("session_c", OWNER), ("session_d", OTHER_OWNER)]
    {
        begin(test, &session(id, person, 5)).await;
    }
    test.new_audit().await;
    let change = samples::change(&ours);
    assert!(!test.delete_session(&owner, &"session_d".into(), &change).await.unwrap());
    assert!(test.delete_session(&owner, &"session_a".into(), &change).await.unwrap());
    assert!(!test.delete_session(&owner, &"session_a".into(), &change).await.unwrap());
    assert_eq!(test.delete_other_sessions(&owner, &"session_b".into(), &change).await.unwrap(), 1);
    assert_eq!(test.delete_other_sessions(&owner, &"session_b".into(), &change).await.unwrap(), 0);
    assert_eq!(test.list_sessions(&owner).await.unwrap().len(), 1);
    assert_eq!(test.list_sessions(&other).await.unwrap().len(), 1);
    let expected = ["session.delete session_a".to_owned(), format!("session.delete.others {OWNER}")];
    assert_eq!(test.new_audit().await, expected);
}

pub(crate) async fn keeps_so_many_of_a_person(test: &TestCatalog<'_>) {
    samples::two_orgs(test).await;
    begin(test, &session("session_other", OTHER_OWNER, 0)).await;
    for number in 0..SESSIONS_MAX + 2 {
        begin(test, &session(&format!("session_{number:03}"), OWNER, number)).await;
    }
    let kept = test.list_sessions(&OWNER.into()).await.unwrap();
    assert_eq!(kept.len() as i64, SESSIONS_MAX);
    assert_eq!(kept.last().unwrap().id.as_str(), "session_002", "the longest unused ones have ended");
    assert_eq!(test.list_sessions(&OTHER_OWNER.into()).await.unwrap().len(), 1);
}

pub(crate) async fn drops_the_unused_and_the_ended(test: &TestCatalog<'_>) {
    samples::two_orgs(test).await;
    for (id, seconds) in [("session_a", 0), ("session_b", 100), ("session_c", 200)] {
        begin(test, &session(id, OWNER, seconds)).await;
    }
    assert_eq!(test.prune_sessions(at(-1), at(999)).await.unwrap(), 0);
    assert_eq!(test.prune_sessions(at(100), at(999)).await.unwrap(), 2);
    assert_eq!(test.prune_sessions(at(-1), at(1_199)).await.unwrap(), 0);
    assert_eq!(test.prune_sessions(at(-1), at(1_200)).await.unwrap(), 1);
}

pub(crate) async fn are_in_the_trail_where_their_person_has_acted(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    samples::add_address_of(test, &theirs, OWNER, Role::User).await;
    let accepted = test.list_accepted_orgs(&OWNER.into()).await.unwrap();
    assert_eq!(accepted, std::slice::from_ref(&ours));
    let unseated = tidegauge_catalog::Change { org: None, ..change.clone() };
    test.insert_session(&session("session_a", OWNER, 5), "digest", &unseated).await.unwrap();
    let newest = |org| async move { test.list_audit(org, at(0), i64::MAX, 1).await.unwrap().pop() };
    assert_eq!(newest(Some(&ours)).await.unwrap().action, "session.create");
    for elsewhere in [Some(&theirs), None] {
        let newest = newest(elsewhere).await;
        assert!(newest.is_none_or(|entry| entry.action != "session.create"), "it was never accepted there");
    }

    let email = samples::person(OWNER).email;
    let joined = test.join_by_verified_email(&theirs, &email, &OWNER.into(), &samples::change(&theirs)).await;
    assert!(joined.unwrap());
    test.delete_session(&OWNER.into(), &"session_a".into(), &unseated).await.unwrap();
    for org in [&ours, &theirs] {
        assert_eq!(newest(Some(org)).await.unwrap().action, "session.delete");
    }
}
