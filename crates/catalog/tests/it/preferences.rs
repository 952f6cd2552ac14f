//! Matters of taste of people.

use tidegauge_catalog::Catalog;
use tidegauge_model::UserId;

use crate::database::{Database, KEY_BYTE, TestCatalog};
use crate::samples::{self, OTHER_OWNER, OWNER, at};
use crate::stored_sign_in::{ADA, ORG, micros};
use crate::{stored_forms, stored_rows};

pub(crate) async fn keeps_the_newest_document_of_each_person(test: &TestCatalog<'_>) {
    samples::two_orgs(test).await;
    let (ours, theirs): (UserId, UserId) = (OWNER.into(), OTHER_OWNER.into());
    assert_eq!(test.find_preferences(&ours).await.unwrap(), None);
    test.set_preferences(&ours, r#"{"theme":"dark"}"#, at(1)).await.unwrap();
    test.set_preferences(&theirs, "{}", at(1)).await.unwrap();
    test.set_preferences(&ours, r#"{"big":123456789012345678901}"#, at(2)).await.unwrap();
    assert_eq!(test.find_preferences(&ours).await.unwrap().unwrap(), r#"{"big":123456789012345678901}"#);
    assert_eq!(test.find_preferences(&theirs).await.unwrap().unwrap(), "{}");
}

/// Preferences, and an answer as it was seen.
pub(crate) async fn version_12_is_still_read(database: &Database) {
    stored_rows::restore(database, 12).await;
    let catalog: Catalog = database.open(KEY_BYTE).await.unwrap();
    stored_forms::check_resources(&catalog).await;
    let document = catalog.find_preferences(&ADA.into()).await.unwrap();
    assert_eq!(document.as_deref(), Some(r#"{"theme":"dark","pinned":{"tide":["level"]}}"#));
    let answer = catalog.find_frozen_answer(&ORG.into(), "f7TqVx20KcWm94ZpLd").await.unwrap().unwrap();
    assert_eq!((answer.who.as_str(), answer.apl.as_str()), (ADA, "tide | count"));
    assert_eq!(answer.start_time, "2023-11-14T21:13:20Z");
    assert_eq!(answer.end_time, "2023-11-14T22:13:20Z");
    assert_eq!((answer.reads, answer.created), (vec!["tide".to_owned()], micros(90)));
    assert_eq!(answer.answer, *b"an answer, compressed by who keeps it");
    catalog.close().await;
}
