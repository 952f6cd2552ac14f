//! Rows that an earlier version has stored are still read. The samples are in `tests/formats` at the root of
//! the repository; `stored_rows` puts them into a database, and here is what each must mean.

use std::collections::BTreeMap;

use libtest_mimic::Trial;
use tidegauge_catalog::Catalog;
use tidegauge_catalog::notifiers::Notifier;
use tidegauge_catalog::starred::{StarredFilter, StarredQuery, Whose};
use tidegauge_catalog::tokens::Token;
use tidegauge_catalog::users::{Member, Person};
use tidegauge_model::licence::Limits;
use tidegauge_model::notifier::DisabledUntil;
use tidegauge_model::org::Payment;
use tidegauge_model::{
    Action, Capabilities, DatasetArea, Licence, Org, OrgArea, PaymentStatus, Plan, Role, Timestamp, ViewArea,
};

use crate::database::{Database, KEY_BYTE};
use crate::stored_sign_in::sha256;
use crate::{schema, stored_rows};

const ORG: &str = "org_018bcfe56800700080000000000000a1";
const ADA: &str = "user_018bcfe56800700080000000000000b1";
const PERSONAL_DIGEST: &str = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae";
const API_DIGEST: &str = "fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9";

pub(crate) fn trials() -> Vec<Trial> {
    vec![Trial::test("stored_forms::every_schema_version_has_a_sample", || {
        for name in schema::migration_names("sqlite") {
            let version = name.split('_').next().and_then(|number| number.parse().ok());
            let sample = stored_rows::sample(version.unwrap_or_else(|| panic!("{name} has no number")));
            assert!(sample.try_exists().unwrap(), "add {}", sample.display());
        }
        Ok(())
    })]
}

pub(crate) async fn version_1_is_still_read(database: &Database) {
    stored_rows::restore(database, 1).await;
    let catalog = database.open(KEY_BYTE).await.unwrap();
    check_resources(&catalog).await;
    assert_eq!(catalog.list_members(&ORG.into()).await.unwrap().len(), 1);
    assert!(catalog.all_datasets().await.unwrap().is_empty());
    assert_eq!(catalog.commit_sequence().await.unwrap(), 0);
    catalog.close().await;
}

/// A token that ends with the membership of who made it, who is a member here.
pub(crate) async fn version_10_is_still_read(database: &Database) {
    stored_rows::restore(database, 10).await;
    let catalog = database.open(KEY_BYTE).await.unwrap();
    check_resources(&catalog).await;
    let bound = Token {
        id: "token_018bcfe56800700080000000000000c3".into(),
        name: "Ada's shipper".to_owned(),
        expires_at: None,
        last_used_at: None,
        ends_with_membership: true,
        ..api_token()
    };
    assert_eq!(catalog.list_tokens(&ORG.into()).await.unwrap(), [api_token(), bound]);
    let digest = sha256("token of ada's shipper");
    assert!(catalog.find_bearer(&digest, None).await.unwrap().unwrap().ends_with_membership);
    catalog.close().await;
}

/// Checks all that version 1 stores, which later samples hold too.
pub(crate) async fn check_resources(catalog: &Catalog) {
    assert!(catalog.is_set_up().await.unwrap());
    assert_eq!(catalog.list_all_orgs().await.unwrap(), [org()]);
    let ada = Person {
        id: ADA.into(),
        email: "ada@harbour.example".to_owned(),
        name: "Ada".to_owned(),
        created: micros(1_700_000_000_000_006),
    };
    assert_eq!(catalog.find_person(&ada.id).await.unwrap().as_ref(), Some(&ada));
    let member = Member { person: ada, role: Role::Owner, main: None, accepted: true };
    // Later samples have others beside her.
    assert_eq!(catalog.list_members(&ORG.into()).await.unwrap().first(), Some(&member));
    assert_eq!(catalog.list_notifiers(&ORG.into()).await.unwrap(), [notifier()]);
    let everything =
        StarredFilter { whose: Whose::All, dataset: None, text: None, visible: None, limit: 9, offset: 0 };
    assert_eq!(catalog.list_starred(&ORG.into(), &everything).await.unwrap(), [starred()]);
    // What a search looks in is stored beside it: the name, then the query.
    let found = StarredFilter { text: Some("Water\n['Tide']".to_owned()), ..everything };
    assert_eq!(catalog.list_starred(&ORG.into(), &found).await.unwrap(), [starred()]);
    check_tokens(catalog).await;
    check_audit(catalog).await;
}

async fn check_tokens(catalog: &Catalog) {
    // Later samples have others behind them.
    assert_eq!(catalog.list_all_tokens().await.unwrap()[..2], [personal_token(), api_token()]);
    assert_eq!(catalog.list_tokens(&ORG.into()).await.unwrap().first(), Some(&api_token()));

    let person = catalog.find_bearer(PERSONAL_DIGEST, None).await.unwrap().unwrap();
    assert!(!person.is_api_token);
    assert_eq!((person.org_contexts[0].org.as_str(), person.org_contexts[0].role), (ORG, Some(Role::Owner)));
    assert_eq!(person.org_contexts[0].limits().unwrap(), org().licence.limits);
    let program = catalog.find_bearer(API_DIGEST, None).await.unwrap().unwrap();
    assert!(program.is_api_token);
    assert_eq!((program.org_contexts[0].org.as_str(), program.org_contexts[0].role), (ORG, None));
    assert_eq!(program.org_contexts[0].payment, org().payment);
}

async fn check_audit(catalog: &Catalog) {
    let done = catalog.list_audit(Some(&ORG.into()), micros(0), i64::MAX, 9).await.unwrap();
    assert_eq!(done.len(), 1);
    assert_eq!((done[0].seq, done[0].at, done[0].times), (1, 1_700_000_000_000_007, 1));
    assert_eq!((done[0].actor.as_str(), done[0].request_id.as_str()), ("operator", "req_1"));
    assert_eq!((done[0].action.as_str(), done[0].resource.as_str()), ("installation.create", ORG));
    assert_eq!((done[0].outcome.as_str(), done[0].detail.as_str()), ("done", ""));

    let refused = catalog.list_audit(None, micros(0), i64::MAX, 9).await.unwrap();
    assert_eq!(refused.len(), 1);
    assert_eq!((refused[0].seq, refused[0].at, refused[0].times), (5, 1_700_000_000_000_015, 40));
    assert_eq!((refused[0].actor.as_str(), refused[0].request_id.as_str()), ("", "req_2"));
    assert_eq!((refused[0].action.as_str(), refused[0].resource.as_str()), ("dataset.list", ""));
    assert_eq!((refused[0].outcome.as_str(), refused[0].detail.as_str()), ("refused", "unknown token"));
}

fn micros(micros: i64) -> Timestamp {
    Timestamp::from_micros(micros)
}

fn org() -> Org {
    Org {
        id: ORG.into(),
        name: "Harbour Watch".to_owned(),
        primary_email: "office@harbour.example".to_owned(),
        plan: Plan::TeamPlus,
        plan_created: micros(1_700_000_000_000_001),
        payment: Payment { set: PaymentStatus::Failed, first_failed: Some(micros(1_700_000_000_000_002)) },
        last_usage_sync: micros(1_700_000_000_000_003),
        default_region: "local".to_owned(),
        licence: licence(),
        created: micros(1_700_000_000_000_004),
        modified: micros(1_700_000_000_000_005),
        version: 3,
    }
}

fn licence() -> Licence {
    Licence {
        id: "licence_1".to_owned(),
        issued_to: "Harbour Watch".to_owned(),
        issuer: "Tidegauge".to_owned(),
        tier: "teamPlus".to_owned(),
        default_region: "local".to_owned(),
        regions: vec!["local".to_owned(), "eu".to_owned()],
        with_auths: vec!["local".to_owned()],
        features: BTreeMap::from([("rbac".to_owned(), true), ("views".to_owned(), false)]),
        issued_at_micros: 11,
        valid_from_micros: 12,
        expires_at_micros: Some(13),
        billing_period_start_micros: 14,
        billing_period_end_micros: 15,
        limits: Limits {
            api_rate_limit_per_second: 21,
            max_audit_window_seconds: 22,
            max_datasets: 23,
            max_endpoints: 24,
            max_fields: 25,
            max_monitors: 26,
            max_query_window_seconds: 27,
            max_users: 28,
            monthly_ingest_gb: 29,
            monthly_query_gb_hours: 30,
            storage_allowance_gb: 31,
        },
    }
}

fn personal_token() -> Token {
    Token {
        id: "token_018bcfe56800700080000000000000c1".into(),
        org: None,
        person: ADA.into(),
        name: "Ada's terminal".to_owned(),
        description: String::new(),
        capabilities: Capabilities::default(),
        created: micros(1_700_000_000_000_008),
        expires_at: None,
        last_used_at: None,
        ends_with_membership: false,
    }
}

fn api_token() -> Token {
    let query = BTreeMap::from([(DatasetArea::Query, vec![Action::Read])]);
    let ingest = BTreeMap::from([(DatasetArea::Ingest, vec![Action::Create])]);
    let share = BTreeMap::from([(ViewArea::Share, vec![Action::Delete])]);
    Token {
        id: "token_018bcfe56800700080000000000000c2".into(),
        org: Some(ORG.into()),
        person: ADA.into(),
        name: "Shipper".to_owned(),
        description: "ships the logs".to_owned(),
        capabilities: Capabilities {
            org: BTreeMap::from([(OrgArea::ApiTokens, vec![Action::Read, Action::Create])]),
            dataset: BTreeMap::from([("*".to_owned(), query), ("tide".to_owned(), ingest)]),
            view: BTreeMap::from([("daily".to_owned(), share)]),
        },
        created: micros(1_700_000_000_000_009),
        expires_at: Some(micros(1_900_000_000_000_000)),
        last_used_at: Some(micros(1_700_000_000_000_010)),
        ends_with_membership: false,
    }
}

fn notifier() -> Notifier {
    Notifier {
        id: "notify_018bcfe56800700080000000000000d1".into(),
        name: "Night shift".to_owned(),
        channel: "webhook".to_owned(),
        properties: r#"{"webhook":{"url":"https://example.com/hook"}}"#.to_owned(),
        disabled_until: Some(DisabledUntil {
            text: "2030-01-01T02:00:00+02:00".to_owned(),
            time: micros(1_893_456_000_000_000),
        }),
        created: micros(1_700_000_000_000_011),
        created_by: ADA.into(),
        modified: micros(1_700_000_000_000_012),
    }
}

fn starred() -> StarredQuery {
    StarredQuery {
        id: "star_018bcfe56800700080000000000000e1".into(),
        kind: "apl".to_owned(),
        name: "High water".to_owned(),
        who: ADA.to_owned(),
        dataset: "tide".to_owned(),
        metadata: r#"{"quick":"1d"}"#.to_owned(),
        query: r#"{"apl":"['tide'] | where level > 4"}"#.to_owned(),
        created: micros(1_700_000_000_000_013),
        created_by: ADA.into(),
        modified: micros(1_700_000_000_000_014),
    }
}
