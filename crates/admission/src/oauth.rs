//! Access tokens of OAuth 2.0 at the service that they are for: from a token in a request to who sends it. The issuers
//! are those of the settings, or the embedded authorisation server, which registers itself here as a local one. What
//! is pure stands in `tidegauge_auth::oauth`; what HTTP says about a refusal is left to the guard.

pub mod accounts;
pub mod denial;
pub mod discovery;
pub mod introspection;
pub mod issuer;
pub mod jwks_cache;
pub mod local;
pub mod single_flight;
pub mod subject;

use std::sync::{Arc, OnceLock};

use tidegauge_auth::oauth::mapping::TokenSubject;
use tidegauge_auth::oauth::{
    AccessToken, Peek, Proof, ProofMemory, ProofRejection, Proven, Rejection, Scopes, verify,
};
use tidegauge_catalog::bearer::Bearer;
use tidegauge_model::{Clock, OrgId, Role, Timestamp};
use tokio_util::task::TaskTracker;

use crate::config;
use crate::config::oauth::{DpopRule, IssuerConfig};
use accounts::Accounts;
use denial::Denial;
use issuer::Issuer;
use local::LocalIssuer;

/// Everything that decides about access tokens.
#[derive(Debug)]
pub struct Oauth {
    issuers: Vec<Arc<Issuer>>,
    local: OnceLock<Arc<dyn LocalIssuer>>,
    proofs: ProofMemory,
    /// Whether the embedded authorisation server is to be on.
    pub is_embedded: bool,
}

/// An access token as it came with a request.
#[derive(Clone, Copy, Debug)]
pub struct Presented<'a> {
    pub token: &'a str,
    /// Whether it came as `Authorization: DPoP …`.
    pub is_dpop: bool,
    /// The header `DPoP`, if there is exactly one.
    pub proof: Option<&'a str>,
    pub method: &'a str,
    /// The path of the request, without what follows it.
    pub path: &'a str,
}

/// Who sends an access token, and what it is limited to.
#[derive(Clone, Debug)]
pub struct Admitted {
    pub bearer: Arc<Bearer>,
    pub scopes: Scopes,
    /// The largest role that it acts with, where the issuer says one.
    pub bound: Option<Role>,
    /// The client that the token was given to.
    pub client: Option<String>,
    pub expires_at: Timestamp,
    /// What its sender is to put into its next proof, where it should know a newer nonce.
    pub nonce: Option<String>,
}

impl Oauth {
    pub fn new(
        settings: config::oauth::Oauth,
        public_url: &str,
        clock: &Arc<dyn Clock>,
        proofs: ProofMemory,
        tasks: &TaskTracker,
    ) -> Self {
        let issuer = |mut config: IssuerConfig| {
            if config.expected.audiences.is_empty() {
                config.expected.audiences.push(public_url.to_owned());
            }
            Arc::new(Issuer::new(config, clock, tasks))
        };
        Self {
            is_embedded: settings.is_embedded,
            issuers: settings.issuers.into_iter().map(issuer).collect(),
            local: OnceLock::new(),
            proofs,
        }
    }

    /// Registers the embedded authorisation server; only the first counts.
    pub fn set_local(&self, local: Arc<dyn LocalIssuer>) {
        let _ = self.local.set(local);
    }

    /// How many proofs of keys are remembered as used.
    pub fn proofs_remembered(&self) -> usize {
        self.proofs.remembered()
    }

    /// Whether there is anybody whose access tokens are accepted.
    pub fn is_used(&self) -> bool {
        !self.issuers.is_empty() || self.local.get().is_some()
    }

    /// The issuers that clients can get tokens from.
    pub fn urls(&self) -> Vec<String> {
        let local = self.local.get().map(|local| local.expected().issuer.clone());
        local.into_iter().chain(self.issuers.iter().map(|issuer| issuer.url().to_owned())).collect()
    }

    /// The issuers of the settings, with what is said about them there.
    pub fn configured(&self) -> impl Iterator<Item = &IssuerConfig> {
        self.issuers.iter().map(|issuer| &issuer.config)
    }

    /// Whether tokens may be bound to a key of their sender.
    pub fn accepts_dpop(&self) -> bool {
        self.issuers.iter().any(|issuer| issuer.config.dpop != DpopRule::Off)
            || self.local.get().is_some_and(|local| local.dpop() != DpopRule::Off)
    }

    /// From a token to who sends it.
    pub async fn admit(
        &self,
        accounts: Accounts<'_>,
        presented: Presented<'_>,
        named: Option<&OrgId>,
        request_id: &str,
    ) -> Result<Admitted, Denial> {
        let peek = Peek::at(presented.token)?;
        if let (Some(peek), Some(local)) = (&peek, self.local.get())
            && local.expected().issuer == peek.issuer
        {
            return self.admit_local(accounts, &**local, presented, named).await;
        }
        let (issuer, token) = self.checked(presented.token, peek.as_ref()).await?;
        let expected = &issuer.config.expected;
        let proven = check_binding(accounts, &presented, &token, issuer.config.dpop, expected.leeway)?;
        let rules = &issuer.config.rules;
        let (bearer, bound) = match rules.subject(&token)? {
            TokenSubject::Person(identity) => (
                subject::person(accounts, &issuer.config, &identity, named, request_id).await?,
                identity.bound,
            ),
            TokenSubject::Machine(machine) => {
                (subject::machine(accounts, &machine, request_id).await?, Some(machine.bound))
            }
        };
        let nonce = self.use_proof(accounts, proven.as_ref(), &bearer, named)?;
        let (scopes, client) = (rules.scopes(&token), token.client.clone());
        Ok(Admitted { bearer, scopes, bound, client, expires_at: token.expires_at, nonce })
    }

    /// A token of the embedded server, whose people and grants are its own.
    async fn admit_local(
        &self,
        accounts: Accounts<'_>,
        local: &dyn LocalIssuer,
        presented: Presented<'_>,
        named: Option<&OrgId>,
    ) -> Result<Admitted, Denial> {
        let keys = local.keys().await?;
        let token = verify(presented.token, &keys, local.expected(), accounts.now())?;
        let proven = check_binding(accounts, &presented, &token, local.dpop(), local.expected().leeway)?;
        let bearer = local.subject(accounts, &token, named).await?.ok_or(Denial::Revoked)?;
        let nonce = self.use_proof(accounts, proven.as_ref(), &bearer, named)?;
        let AccessToken { scopes, client, expires_at, .. } = token;
        Ok(Admitted { bearer, scopes, bound: None, client, expires_at, nonce })
    }

    /// Finds the issuer of a token and checks it. What an unverified token says serves to find the issuer among those of
    /// the settings, and for nothing else.
    async fn checked(
        &self,
        token: &str,
        peek: Option<&Peek>,
    ) -> Result<(&Arc<Issuer>, Arc<AccessToken>), Denial> {
        if let Some(peek) = peek {
            let named = self.issuers.iter().find(|issuer| issuer.url() == peek.issuer);
            let issuer = named.ok_or(Rejection::WrongIssuer)?;
            return Ok((issuer, issuer.check(token, peek).await?));
        }
        let mut last = Denial::NotAToken;
        for issuer in self.issuers.iter().filter(|issuer| issuer.is_asked()) {
            match issuer.ask(token).await {
                Ok(known) => return Ok((issuer, known)),
                // One that does not answer may be the one that knows it.
                Err(denial) if !matches!(last, Denial::IssuerUnavailable) => last = denial,
                Err(_) => {}
            }
        }
        Err(last)
    }

    /// Remembers a proof, once it is known who answers for it. Gives the next nonce where the sender should know it.
    fn use_proof(
        &self,
        accounts: Accounts<'_>,
        proven: Option<&Proven>,
        bearer: &Bearer,
        named: Option<&OrgId>,
    ) -> Result<Option<String>, Denial> {
        let Some(proven) = proven else {
            return Ok(None);
        };
        let now = accounts.now();
        self.proofs.take(proven, subject_of(bearer, named), now).map_err(|rejection| match rejection {
            ProofRejection::NonceNeeded => Denial::NonceNeeded(self.proofs.nonce(now)),
            rejection => Denial::Proof(rejection),
        })
    }
}

/// For whom a proof counts: the organisation that the request acts in, or who acts in none in particular.
fn subject_of<'a>(bearer: &'a Bearer, named: Option<&OrgId>) -> &'a str {
    let mut org_contexts = bearer.org_contexts.iter().filter(|it| named.is_none_or(|named| *named == it.org));
    match (org_contexts.next(), org_contexts.next()) {
        (Some(only), None) => only.org.as_str(),
        _ => bearer.user.as_str(),
    }
}

/// Checks that the sender holds the key that the token is bound to, and that a bound token does not come as one that
/// anybody may send. Whether the proof was used before is not asked yet.
fn check_binding(
    accounts: Accounts<'_>,
    presented: &Presented<'_>,
    token: &AccessToken,
    rule: DpopRule,
    leeway: std::time::Duration,
) -> Result<Option<Proven>, Denial> {
    let Some(bound_to) = &token.confirmation else {
        return match (rule, presented.is_dpop) {
            (DpopRule::Required, _) | (_, true) => Err(Denial::NotBound),
            _ => Ok(None),
        };
    };
    if rule == DpopRule::Off {
        return Err(Denial::BoundNotAccepted);
    }
    let text = presented.proof.filter(|_| presented.is_dpop).ok_or(ProofRejection::Missing)?;
    let address = format!("{}{}", accounts.public_url, presented.path);
    let proof = Proof { text, method: presented.method, address: &address, token: presented.token, leeway };
    Ok(Some(proof.check(bound_to, accounts.now())?))
}
