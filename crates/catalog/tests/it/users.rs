//! People, who belong to the installation and not to one organisation.

use tidegauge_catalog::users::Person;
use tidegauge_model::ErrorKind;

use crate::database::TestCatalog;
use crate::samples::{self, OWNER};

pub(crate) async fn finds_people_by_id_and_address(test: &TestCatalog<'_>) {
    samples::two_orgs(test).await;
    let owner = samples::person(OWNER);
    assert_eq!(test.find_person(&owner.id).await.unwrap().unwrap(), owner);
    assert_eq!(test.find_person_by_email(&owner.email).await.unwrap().unwrap(), owner);
    assert_eq!(test.find_person(&"user_nobody".into()).await.unwrap(), None);
    assert_eq!(test.find_person_by_email("nobody@example.com").await.unwrap(), None);
}

pub(crate) async fn renames_a_person(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    assert!(test.rename_person(&OWNER.into(), "Ada", &change).await.unwrap());
    assert_eq!(test.new_audit().await, [format!("user.update {OWNER}")]);
    let renamed = Person { name: "Ada".to_owned(), ..samples::person(OWNER) };
    assert_eq!(test.find_person(&OWNER.into()).await.unwrap(), Some(renamed));

    assert!(!test.rename_person(&"user_nobody".into(), "Nobody", &change).await.unwrap());
    assert!(test.new_audit().await.is_empty());
}

pub(crate) async fn reports_a_role_that_cannot_be_read(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    test.database.execute("UPDATE membership SET role = 'captain'").await;
    for error in [
        test.find_member(&ours, &OWNER.into()).await.unwrap_err(),
        test.list_members(&ours).await.unwrap_err(),
        test.find_bearer(samples::OWNER_DIGEST, None).await.unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert!(error.to_string().contains("captain"), "{error}");
    }
}
