//! The service with an issuer beside it, the people whom both know, and tokens as the issuer gives them out.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::http::HeaderMap;
use serde_json::{Value, json};
use tidegauge_admission::config::oauth::{DpopRule, IssuerConfig, LoginConfig, LoginTarget, Oauth};
use tidegauge_auth::oauth::{Algorithm, Expected, Rules};
use tidegauge_catalog::Change;
use tidegauge_catalog::identities::{IdentityKind, KnownIdentity};
use tidegauge_model::{Clock, OrgId, Role, UserId};

use super::fake_issuer::FakeIssuer;
use crate::app::{Answer, HANGS, PUBLIC_URL, TestApp};
use crate::database::Backend;
use crate::signer::Signer;

/// The name of the issuer's key.
pub(crate) const KEY: &str = "key-1";

pub(crate) struct World {
    pub app: TestApp,
    pub issuer: FakeIssuer,
    pub signer: Signer,
}

/// The settings of an issuer as an operator would write them; tokens name their organisation.
pub(crate) fn settings(url: &str) -> IssuerConfig {
    IssuerConfig {
        expected: Expected {
            issuer: url.to_owned(),
            audiences: Vec::new(),
            algorithms: vec![Algorithm::ES256, Algorithm::RS256, Algorithm::PS256, Algorithm::EdDSA],
            require_type: true,
            leeway: Duration::from_secs(30),
            scope_prefix: String::new(),
        },
        introspection: None,
        dpop: DpopRule::Allowed,
        allows_private_address: true,
        answer_time_max: HANGS,
        rules: Rules {
            user_claim: "sub".to_owned(),
            email_claim: "email".to_owned(),
            name_claim: "name".to_owned(),
            org: None,
            org_claim: Some("org".to_owned()),
            role_claim: None,
            roles: BTreeMap::new(),
            machine_role: None,
        },
        provision: None,
        links_verified_email: false,
        login: LoginConfig { client: "console".to_owned(), scope: None, target: LoginTarget::Resource },
    }
}

impl World {
    pub(crate) async fn start(backend: Backend) -> Self {
        Self::start_with(backend, |_| {}).await
    }

    /// Starts with the embedded authorisation server on, as no settings can have it, so that all routes are there.
    pub(crate) async fn start_beside_embedded(backend: Backend) -> Self {
        Self::begin(backend, Oauth { is_embedded: true, ..Oauth::default() }, |_| {}).await
    }

    /// Starts where each proof of a key must hold a nonce.
    pub(crate) async fn start_demanding_nonces(backend: Backend) -> Self {
        Self::begin(backend, Oauth { demands_nonces: true, ..Oauth::default() }, |_| {}).await
    }

    /// Starts with settings that a case changes.
    pub(crate) async fn start_with(backend: Backend, edit: impl FnOnce(&mut IssuerConfig)) -> Self {
        Self::begin(backend, Oauth::default(), edit).await
    }

    async fn begin(backend: Backend, oauth: Oauth, edit: impl FnOnce(&mut IssuerConfig)) -> Self {
        let (issuer, signer) = (FakeIssuer::start().await, Signer::es256());
        issuer.change(|behaviour| behaviour.keys = vec![signer.named(KEY)]);
        let mut config = settings(&issuer.url);
        edit(&mut config);
        let app = TestApp::start_with(backend, Oauth { issuers: vec![config], ..oauth }).await;
        let mut world = Self { app, issuer, signer };
        world.link("owner", &world.app.owner).await;
        world.link("other", &world.app.other_owner).await;
        // What they had before ends with the link.
        world.app.owner_token = world.app.personal_token(&world.app.owner).await;
        world.app.other_token = world.app.personal_token(&world.app.other_owner).await;
        let powerless = world.app.member_token(Role::None).await;
        let answer = world.app.send("GET", "/v2/user", Some(&powerless), None).await;
        world.link("nobody", &answer.json()["id"].as_str().unwrap().into()).await;
        world
    }

    /// Makes a person known at the issuer.
    pub(crate) async fn link(&self, subject: &str, person: &UserId) {
        let identity = KnownIdentity { issuer: &self.issuer.url, kind: IdentityKind::Person, subject };
        let change = Change {
            org: None,
            actor: "test".to_owned(),
            at: self.app.clock.now(),
            request_id: String::new(),
        };
        self.app.app.catalog.link_identity(&identity, person, &change).await.unwrap();
    }

    /// The time of the service, in seconds since 1970.
    pub(crate) fn seconds(&self) -> i64 {
        self.app.clock.now().as_micros() / 1_000_000
    }

    pub(crate) fn claims(&self, subject: &str, org: &OrgId, scope: &str) -> Value {
        json!({
            "iss": self.issuer.url, "aud": PUBLIC_URL, "sub": subject, "client_id": "console", "jti": "t-1",
            "iat": self.seconds(), "exp": self.seconds() + 600, "scope": scope, "org": org.as_str(),
        })
    }

    pub(crate) fn signed(&self, claims: &Value) -> String {
        self.signer.access_token(KEY, claims)
    }

    /// A good token.
    pub(crate) fn token(&self, subject: &str, org: &OrgId, scope: &str) -> String {
        self.signed(&self.claims(subject, org, scope))
    }

    /// A token that somebody else signed in the issuer's name.
    pub(crate) fn forged(&self, subject: &str, org: &OrgId) -> String {
        Signer::es256().access_token(KEY, &self.claims(subject, org, "*"))
    }

    /// The answer to a request for the notifiers, which needs `notifiers|read`.
    pub(crate) async fn get(&self, token: &str) -> Answer {
        self.app.send("GET", "/v2/notifiers", Some(token), None).await
    }

    /// The status of such an answer to a good token of the owner.
    pub(crate) async fn status(&self) -> u16 {
        self.get(&self.token("owner", &self.app.org, "notifiers|read")).await.status.as_u16()
    }
}

/// The challenges of an answer.
pub(crate) fn challenges(headers: &HeaderMap) -> Vec<String> {
    headers.get_all("www-authenticate").iter().map(|value| value.to_str().unwrap().to_owned()).collect()
}
