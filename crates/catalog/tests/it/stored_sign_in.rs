//! What the sample rows of version 5 must mean: custom roles and groups, passwords and sessions, what the embedded
//! authorisation server keeps, and identities, beside all that version 4 stores.

use std::collections::BTreeMap;
use std::time::Duration;

use aws_lc_rs::digest::{SHA256, digest};
use tidegauge_catalog::Catalog;
use tidegauge_catalog::annotations::AnnotationFilter;
use tidegauge_catalog::groups::Group;
use tidegauge_catalog::identities::{IdentityKind, KnownIdentity};
use tidegauge_catalog::invite_links::Link;
use tidegauge_catalog::link_issuers::{Issuer, IssuingCaller};
use tidegauge_catalog::outbox::list::OutboxSize;
use tidegauge_catalog::roles::CustomRole;
use tidegauge_catalog::sessions::SessionRecord;
use tidegauge_catalog::users::{Member, Person, RoleLabel};
use tidegauge_model::capability::Grants;
use tidegauge_model::{
    Action, Capabilities, DatasetArea, OrgArea, OrgId, Role, RoleGrants, RoleRef, Timestamp, UserId,
    ViewArea, hex,
};

use crate::database::{Database, KEY_BYTE};
use crate::{stored_definitions, stored_events, stored_forms, stored_oauth, stored_rows};

pub(crate) const ORG: &str = "org_018bcfe56800700080000000000000a1";
pub(crate) const ADA: &str = "user_018bcfe56800700080000000000000b1";
const BEN: &str = "user_018bcfe56800700080000000000000b2";
const OTHER_ADA: &str = "user_018bcfe56800700080000000000000b4";
const MACHINE: &str = "user_018bcfe56800700080000000000000b3";
const WATCH: &str = "role_018bcfe5680070008000000000000131";
const CHARTS: &str = "role_018bcfe5680070008000000000000132";
const ISSUER: &str = "https://login.harbour.example";
const ADA_HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$YSBzYWx0IG9mIDE2IGJ5IQ$\
    CJAzMNjn6mOyLOuolCJb0vdsUe+86A+mwoZkMGqW1pA";

pub(crate) async fn version_5_is_still_read(database: &Database) {
    stored_rows::restore(database, 5).await;
    let catalog = database.open(KEY_BYTE).await.unwrap();
    check_all(&catalog).await;
    let org: OrgId = ORG.into();
    assert!(catalog.list_monitors(&org).await.unwrap().is_empty());
    assert!(catalog.list_annotations(&org, &AnnotationFilter::default()).await.unwrap().is_empty());
    assert_eq!(catalog.first_monitor_due(micros(0)).await.unwrap(), None);
    assert_eq!(catalog.outbox_size().await.unwrap(), OutboxSize::default());
    catalog.close().await;
}

pub(crate) async fn version_9_is_still_read(database: &Database) {
    stored_rows::restore(database, 9).await;
    let catalog = database.open(KEY_BYTE).await.unwrap();
    stored_forms::check_resources(&catalog).await;
    check_roles(&catalog).await;
    check_signing_in(&catalog).await;
    // A second account of the same address, which signs in with its id.
    let account = catalog.find_account_by_sign_in(OTHER_ADA).await.unwrap().unwrap();
    assert_eq!((account.person.id.as_str(), account.sign_in.as_str()), (OTHER_ADA, OTHER_ADA));
    assert_eq!((account.person.email.as_str(), account.hash), ("ada@harbour.example", None));
    catalog.close().await;
}

/// An invitation with who made it, with which token and which rights.
pub(crate) async fn version_11_is_still_read(database: &Database) {
    stored_rows::restore(database, 11).await;
    let catalog = database.open(KEY_BYTE).await.unwrap();
    stored_forms::check_resources(&catalog).await;
    let link = catalog.find_link(&sha256("link of ben"), micros(0)).await.unwrap().unwrap();
    let issuer = IssuingCaller {
        user: ADA.into(),
        token: Some("token_018bcfe56800700080000000000000c1".to_owned()),
        role: Some(Role::Owner),
        capabilities: Capabilities {
            org: Grants::from([(OrgArea::Users, vec![Action::Create])]),
            ..Capabilities::default()
        },
    };
    assert_eq!(link, Link { issuer: Issuer::Caller(issuer), ..ben_link() });
    catalog.close().await;
}

/// Before, others could give a membership to an account, which accepted it by acting. What waits then must not be
/// accepted by whoever has the account.
pub(crate) async fn waiting_memberships_move(database: &Database) {
    stored_rows::restore(database, 8).await;
    for statement in [
        // A second organisation added Ada, and one of its roles and the night shift are hers there.
        "INSERT INTO org SELECT 'org_2', name, primary_email, plan, plan_created, payment_status, \
         first_failed_payment, last_usage_sync, default_region, licence, created, modified, version FROM org",
        "INSERT INTO membership (org_id, person_id, role, created) \
         SELECT 'org_2', person_id, 'admin', 7 FROM membership WHERE role = 'owner'",
        "INSERT INTO custom_role (id, org_id, name, description, capabilities, created, created_by, modified) \
         SELECT 'role_2', 'org_2', name, description, capabilities, created, created_by, modified \
         FROM custom_role ORDER BY id LIMIT 1",
        "INSERT INTO custom_role_member (org_id, role_id, person_id) \
         SELECT 'org_2', 'role_2', person_id FROM membership WHERE role = 'admin'",
        // And it made Ben's invitation of the first one end, which did not refuse it but the use of its link.
        "INSERT INTO membership (org_id, person_id, role, created) \
         SELECT 'org_2', person_id, 'user', 8 FROM membership WHERE role = 'none'",
    ] {
        database.execute(statement).await;
    }
    let catalog = database.open(KEY_BYTE).await.unwrap();
    let (org, second): (OrgId, OrgId) = (ORG.into(), "org_2".into());
    let bearer = catalog.find_person_bearer(&ADA.into(), Some(&second)).await.unwrap().unwrap();
    assert_eq!(bearer.org_contexts.len(), 1, "hers alone: {bearer:?}");
    let waiting = catalog.find_member_by_email(&second, "ada@harbour.example").await.unwrap().unwrap();
    assert!(!waiting.accepted && waiting.person.id != ADA.into() && waiting.role == Role::Admin);
    assert!(UserId::parse(waiting.person.id.as_str()).is_some(), "{waiting:?}");
    let role = catalog.find_role(&second, &"role_2".into()).await.unwrap().unwrap();
    assert_eq!(role.members, [waiting.person.id]);

    let ben = catalog.find_member_by_email(&org, "ben@harbour.example").await.unwrap().unwrap();
    let link = catalog.find_link(&sha256("link of ben"), micros(0)).await.unwrap().unwrap();
    assert_eq!((&link.person, link.invited_by), (&ben.person.id, Some(org.clone())));
    let ben_there = catalog.find_member_by_email(&second, "ben@harbour.example").await.unwrap().unwrap();
    assert_ne!(ben_there.person.id, ben.person.id);
    let groups = catalog.list_groups(&org).await.unwrap();
    assert_eq!(groups[0].members, [ben.person.id]);
    let ada = catalog.find_member_by_email(&org, "ada@harbour.example").await.unwrap().unwrap();
    assert!(ada.accepted && ada.person.id == ADA.into());
    catalog.close().await;
}

/// Checks all that version 5 stores, which later samples hold too.
pub(crate) async fn check_all(catalog: &Catalog) {
    stored_events::check_events(catalog).await;
    stored_events::check_queries(catalog).await;
    stored_definitions::check_definitions(catalog).await;
    check_roles(catalog).await;
    check_signing_in(catalog).await;
    check_identities(catalog).await;
    stored_oauth::check_server(catalog).await;
}

async fn check_roles(catalog: &Catalog) {
    let (org, ben): (OrgId, UserId) = (ORG.into(), BEN.into());
    assert_eq!(catalog.list_roles(&org).await.unwrap(), [watch(), charts()]);
    assert_eq!(catalog.list_groups(&org).await.unwrap(), [night_shift()]);
    let members = catalog.list_members(&org).await.unwrap();
    let main = Some(RoleLabel { id: WATCH.into(), name: "Watch".to_owned() });
    assert_eq!(members[1..], [Member { person: person_ben(), role: Role::None, main, accepted: false }]);

    // The role in the place of a built-in one, and the two of the group.
    let granted = RoleGrants {
        main: Some(WATCH.into()),
        roles: vec![Role::ReadOnly],
        capabilities: Capabilities {
            org: watch().capabilities.org,
            dataset: watch().capabilities.dataset,
            view: charts().capabilities.view,
        },
    };
    assert_eq!(catalog.granted_to(&org, &ben, granted.main.clone()).await.unwrap(), granted);
    let bearer = catalog.find_person_bearer(&ben, None).await.unwrap().unwrap();
    assert!(bearer.org_contexts.is_empty(), "he has not accepted");
}

async fn check_signing_in(catalog: &Catalog) {
    let (ada, ben): (UserId, UserId) = (ADA.into(), BEN.into());
    let account = catalog.find_account_by_sign_in("ada@harbour.example").await.unwrap().unwrap();
    assert_eq!((&account.person.id, account.hash.as_deref()), (&ada, Some(ADA_HASH)));
    assert_eq!(catalog.find_account(&ben).await.unwrap().unwrap().hash, None);

    assert_eq!(catalog.list_sessions(&ada).await.unwrap(), [second_session(), first_session()]);
    assert_eq!(catalog.find_session(&sha256("session one")).await.unwrap(), Some(first_session()));
    assert_eq!(catalog.find_session(&sha256("session two")).await.unwrap(), Some(second_session()));

    for link in [ada_link(), ben_link()] {
        let name = if link.person == ada { "link of ada" } else { "link of ben" };
        let found =
            catalog.find_link(&sha256(name), link.expires_at.minus(Duration::from_micros(1))).await.unwrap();
        assert_eq!(found.as_ref(), Some(&link), "{name}");
        assert_eq!(catalog.find_link(&sha256(name), link.expires_at).await.unwrap(), None, "{name}");
    }

    for (email, failures, last_at) in
        [("ada@harbour.example", 3, micros(74)), ("nobody@harbour.example", 1, micros(75))]
    {
        // Refuses the attempt, so that it tells what was stored and leaves it as it is.
        let stored = |before, last| if before == failures { Err(last) } else { Ok(before) };
        let told = catalog.begin_attempt(&sha256(email), micros(90), stored).await.unwrap();
        assert_eq!(told, Err(last_at), "{email}");
    }
}

async fn check_identities(catalog: &Catalog) {
    let person = KnownIdentity { issuer: ISSUER, kind: IdentityKind::Person, subject: "ada-7" };
    assert_eq!(catalog.find_identity(&person).await.unwrap(), Some(ADA.into()));
    let machine = KnownIdentity { kind: IdentityKind::Machine, subject: "shipper", ..person };
    let bearer = catalog.find_machine_bearer(&machine, &ORG.into()).await.unwrap().unwrap();
    assert!(bearer.is_api_token);
    assert_eq!((bearer.user.as_str(), bearer.org_contexts[0].org.as_str()), (MACHINE, ORG));
    assert_eq!(catalog.find_person(&MACHINE.into()).await.unwrap(), Some(person_machine()));
    let stranger = KnownIdentity { kind: IdentityKind::Machine, ..person };
    assert_eq!(catalog.find_identity(&stranger).await.unwrap(), None);
}

/// So many microseconds after the time that the sample begins with.
pub(crate) fn micros(micros: i64) -> Timestamp {
    Timestamp::from_micros(1_700_000_000_000_000 + micros)
}

/// What is stored in the place of a secret.
pub(crate) fn sha256(text: &str) -> String {
    hex::encode(digest(&SHA256, text.as_bytes()).as_ref())
}

fn person_ben() -> Person {
    Person {
        id: BEN.into(),
        email: "ben@harbour.example".to_owned(),
        name: "Ben".to_owned(),
        created: micros(60),
    }
}

fn person_machine() -> Person {
    Person {
        id: MACHINE.into(),
        email: "e1d13fb3a51f86c4453296324cf83fc4@identity.invalid".to_owned(),
        name: "shipper".to_owned(),
        created: micros(61),
    }
}

fn watch() -> CustomRole {
    let query = Grants::from([(DatasetArea::Query, vec![Action::Read])]);
    CustomRole {
        id: WATCH.into(),
        name: "Watch".to_owned(),
        description: "looks at the water".to_owned(),
        capabilities: Capabilities {
            org: Grants::from([(OrgArea::Notifiers, vec![Action::Read, Action::Update])]),
            dataset: BTreeMap::from([("tide.levels".to_owned(), query)]),
            view: BTreeMap::new(),
        },
        members: vec![ADA.into(), BEN.into()],
        created: micros(62),
        created_by: ADA.into(),
        modified: micros(63),
    }
}

fn charts() -> CustomRole {
    let query = Grants::from([(ViewArea::Query, vec![Action::Read])]);
    CustomRole {
        id: CHARTS.into(),
        name: "Charts".to_owned(),
        description: String::new(),
        capabilities: Capabilities {
            view: BTreeMap::from([("daily".to_owned(), query)]),
            ..Capabilities::default()
        },
        members: Vec::new(),
        created: micros(64),
        created_by: ADA.into(),
        modified: micros(64),
    }
}

fn night_shift() -> Group {
    Group {
        id: "group_018bcfe5680070008000000000000141".into(),
        name: "Night shift".to_owned(),
        description: "from ten to six".to_owned(),
        members: vec![BEN.into()],
        roles: vec![RoleRef::BuiltIn(Role::ReadOnly), RoleRef::Custom(CHARTS.into())],
        created: micros(65),
        created_by: ADA.into(),
        modified: micros(66),
    }
}

fn first_session() -> SessionRecord {
    SessionRecord {
        id: "session_018bcfe5680070008000000000000151".into(),
        person: ADA.into(),
        created: micros(70),
        last_used: micros(71),
        expires_at: Timestamp::from_micros(1_701_209_600_000_070),
        address: "2001:db8::7".to_owned(),
        agent: "Mozilla/5.0 (X11; Linux x86_64)".to_owned(),
    }
}

fn second_session() -> SessionRecord {
    SessionRecord {
        id: "session_018bcfe5680070008000000000000152".into(),
        created: micros(72),
        last_used: micros(72),
        expires_at: Timestamp::from_micros(1_701_209_600_000_072),
        address: String::new(),
        agent: String::new(),
        ..first_session()
    }
}

/// Made by the operator.
fn ada_link() -> Link {
    let expires_at = Timestamp::from_micros(1_700_086_400_000_073);
    Link { person: ADA.into(), invited_by: None, issuer: Issuer::Operator, expires_at }
}

/// Made by the organisation, before it was written down who did it.
fn ben_link() -> Link {
    let expires_at = Timestamp::from_micros(1_700_604_800_000_069);
    Link { person: BEN.into(), invited_by: Some(ORG.into()), issuer: Issuer::Unknown, expires_at }
}
