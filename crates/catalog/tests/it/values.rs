//! Values at the edge of what can be stored: they come back as they were.

use std::collections::BTreeMap;
use std::convert::Infallible;

use tidegauge_catalog::audit::Refusals;
use tidegauge_catalog::notifiers::Notifier;
use tidegauge_catalog::starred::StarredQuery;
use tidegauge_catalog::tokens::Token;
use tidegauge_catalog::users::Person;
use tidegauge_model::notifier::DisabledUntil;
use tidegauge_model::org::Payment;
use tidegauge_model::{
    Capabilities, DatasetArea, Org, OrgArea, OrgId, PaymentStatus, Role, Timestamp, ViewArea,
};

use crate::database::TestCatalog;
use crate::samples::{self, OWNER};

/// The zero time of clients written in Go, 0001-01-01T00:00:00Z.
const GO_ZERO: i64 = -62_135_596_800_000_000;

pub(crate) async fn keep_any_time(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    for (number, micros) in [0, -1, 1, GO_ZERO, i64::MIN, i64::MAX].into_iter().enumerate() {
        let time = Timestamp::from_micros(micros);
        keep_time(test, &ours, number, time).await;
    }
}

async fn keep_time(test: &TestCatalog<'_>, ours: &OrgId, number: usize, time: Timestamp) {
    let change = samples::change(ours);
    let org = Org {
        plan_created: time,
        payment: Payment { set: PaymentStatus::Failed, first_failed: Some(time) },
        last_usage_sync: time,
        created: time,
        modified: time,
        ..samples::org(&format!("org_{number}"))
    };
    test.insert_org(&org, &OWNER.into(), &change).await.unwrap();
    assert_eq!(test.find_org(&org.id).await.unwrap(), Some(org));

    let person = Person { created: time, ..samples::person(&format!("user_{number}")) };
    test.add_member(ours, &person, Role::User, 100, &change).await.unwrap().unwrap();
    assert_eq!(test.find_person(&person.id).await.unwrap(), Some(person));

    let token = samples::api_token(&format!("token_{number}"), ours);
    let token = Token { created: time, expires_at: Some(time), ..token };
    test.insert_token(&token, token.id.as_str(), &change).await.unwrap();
    test.touch_tokens(&[(token.id.clone(), time)]).await.unwrap();
    let expected = Token { last_used_at: Some(time), ..token.clone() };
    assert_eq!(test.find_token(ours, &token.id).await.unwrap(), Some(expected));

    let disabled_until = Some(DisabledUntil { text: time.to_string(), time });
    let notifier = samples::notifier(&format!("notify_{number}"));
    let notifier = Notifier { disabled_until, created: time, modified: time, ..notifier };
    test.insert_notifier(ours, &notifier, &change).await.unwrap();
    assert_eq!(test.find_notifier(ours, &notifier.id).await.unwrap().unwrap(), notifier);

    let starred = samples::starred(&format!("star_{number}"));
    let starred = StarredQuery { created: time, modified: time, ..starred };
    test.insert_starred(ours, &starred, samples::SEARCHED, &change).await.unwrap();
    assert_eq!(test.find_starred(ours, &starred.id).await.unwrap().unwrap(), starred);

    let entry = Refusals { at: time, ..refusal(ours, "req") };
    test.insert_refusals(&[entry]).await.unwrap();
    let entries = test.list_audit(Some(ours), time, i64::MAX, 1).await.unwrap();
    assert_eq!(entries[0].at, time.as_micros());
}

fn refusal(org: &OrgId, text: &str) -> Refusals {
    Refusals {
        org: Some(org.clone()),
        at: samples::at(0),
        actor: text.to_owned(),
        action: text.to_owned(),
        resource: text.to_owned(),
        detail: text.to_owned(),
        request_id: text.to_owned(),
        times: i64::MAX,
    }
}

pub(crate) async fn keep_any_text(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let long = "päge ".repeat(2_000);
    let texts = [
        "",
        " padded\t",
        "it's \"quoted\" `twice`; DROP TABLE org; --",
        r"back\slash \n \' $1 ?1 :name %s {}",
        "Zoë, 日本語, עברית, e\u{301}, 🦀👩‍🚀, \u{202e}right to left",
        "lines\r\nand \u{1}controls\u{7f}\u{85}\u{2028}\u{feff}\u{10ffff}",
        &long,
    ];
    for (number, text) in texts.into_iter().enumerate() {
        keep_text(test, &ours, number, text).await;
    }
}

async fn keep_text(test: &TestCatalog<'_>, ours: &OrgId, number: usize, text: &str) {
    let (change, owned) = (samples::change(ours), || text.to_owned());
    let mut org =
        Org { name: owned(), primary_email: owned(), default_region: owned(), ..samples::org("org_x") };
    org.id = format!("org_{number}").into();
    org.licence.issued_to = owned();
    org.licence.features.insert(owned(), false);
    test.insert_org(&org, &OWNER.into(), &change).await.unwrap();
    assert_eq!(test.find_org(&org.id).await.unwrap().unwrap(), org);
    let keep = |_: &mut Org| -> Result<(), Infallible> { Ok(()) };
    let updated = test.update_org(&org.id, "org.update", &change, keep).await.unwrap().unwrap().unwrap();
    assert_eq!((updated.name, updated.licence), (org.name, org.licence));

    let person = Person { email: owned(), name: owned(), ..samples::person(&format!("user_{number}")) };
    test.add_member(ours, &person, Role::User, 100, &change).await.unwrap().unwrap();
    assert_eq!(test.find_person_by_email(text).await.unwrap(), Some(person));

    let token = samples::api_token(&format!("token_{number}"), ours);
    let token = Token { name: owned(), description: owned(), ..token };
    test.insert_token(&token, &format!("digest {text}"), &change).await.unwrap();
    assert_eq!(test.find_token(ours, &token.id).await.unwrap().unwrap(), token);
    assert_eq!(test.find_bearer(&format!("digest {text}"), None).await.unwrap().unwrap().id, token.id);

    let notifier = samples::notifier(&format!("notify_{number}"));
    let disabled_until = Some(DisabledUntil { text: owned(), time: samples::at(0) });
    let notifier =
        Notifier { name: owned(), channel: owned(), properties: owned(), disabled_until, ..notifier };
    test.insert_notifier(ours, &notifier, &change).await.unwrap();
    assert_eq!(test.find_notifier(ours, &notifier.id).await.unwrap().unwrap(), notifier);

    let starred = StarredQuery {
        kind: owned(),
        name: owned(),
        who: owned(),
        dataset: owned(),
        metadata: owned(),
        query: owned(),
        ..samples::starred(&format!("star_{number}"))
    };
    test.insert_starred(ours, &starred, text, &change).await.unwrap();
    assert_eq!(test.find_starred(ours, &starred.id).await.unwrap().unwrap(), starred);
    assert_eq!(test.database.searched(&starred.id).await, text);

    test.insert_refusals(&[refusal(ours, text)]).await.unwrap();
    let entry = &test.list_audit(Some(ours), samples::at(0), i64::MAX, 1).await.unwrap()[0];
    for stored in [&entry.actor, &entry.action, &entry.resource, &entry.detail, &entry.request_id] {
        assert_eq!(stored, text);
    }
    assert_eq!(entry.times, i64::MAX);
}

pub(crate) async fn keep_every_capability_in_its_order(test: &TestCatalog<'_>) {
    let (ours, _) = samples::two_orgs(test).await;
    let change = samples::change(&ours);
    let mut backwards = Capabilities::all();
    backwards.org.values_mut().for_each(|actions| actions.reverse());
    let no_actions = Capabilities {
        org: BTreeMap::from([(OrgArea::Users, Vec::new())]),
        dataset: BTreeMap::from([(
            "it's \"odd\" 日本".to_owned(),
            BTreeMap::from([(DatasetArea::Trim, Vec::new())]),
        )]),
        view: BTreeMap::from([(String::new(), BTreeMap::from([(ViewArea::Query, Vec::new())]))]),
    };
    let every = [Capabilities::default(), Capabilities::all(), backwards, no_actions];
    for (number, capabilities) in every.into_iter().enumerate() {
        let digest = format!("digest {number}");
        let token = Token { capabilities, ..samples::api_token(&format!("token_{number}"), &ours) };
        test.insert_token(&token, &digest, &change).await.unwrap();
        assert_eq!(test.find_token(&ours, &token.id).await.unwrap().unwrap(), token);
        assert_eq!(test.find_bearer(&digest, None).await.unwrap().unwrap().capabilities, token.capabilities);
    }
}
