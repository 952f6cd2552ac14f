//! The authorisation endpoint: what a client asks a person for, and the code that it gets. Nothing is sent to an address
//! before the client and that address have been checked (RFC 9700, 4.11).

use std::time::Duration;

use tidegauge_auth::OpaqueSecret;
use tidegauge_auth::embedded::pkce;
use tidegauge_catalog::oauth::AuthorizationCode;
use tidegauge_model::oauth::GrantType;
use tidegauge_model::{GrantId, Timestamp, UserId};

use super::error::{ErrorCode, OAuthError};
use super::known_clients::{self, Client};
use super::{Message, Parameters, scope};
use crate::app::App;

/// How long a code can be redeemed.
pub const CODE_LIFETIME: Duration = Duration::from_secs(60);

/// A parameter of our own: the person must have signed in after this second. It stands in the place of `prompt=login`
/// once they were sent to the sign-in page.
pub const SIGNED_IN_AFTER: &str = "signed_in_after";

/// Longest state that is carried along.
const STATE_MAX: usize = 2_048;

/// What a client asks for, checked.
#[derive(Debug)]
pub struct Request {
    pub client: Client,
    pub redirect_uri: String,
    pub state: Option<String>,
    pub scope: String,
    challenge: String,
    thumbprint: Option<String>,
    pub prompt: Prompt,
    /// When the person must have signed in, in seconds since 1970.
    pub signed_in_after: Option<i64>,
}

/// What a client wants to happen on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    /// Nothing may be shown.
    pub none: bool,
    pub login: bool,
    pub consent: bool,
}

/// A request that cannot be answered with a code.
#[derive(Debug)]
pub enum Failure {
    /// The client or its address is not known: only the person is told.
    Page(OAuthError),
    /// The client is told, at its address.
    Redirect(String),
}

/// Reads and checks a request.
pub async fn read(app: &App, parameters: &Parameters) -> Result<Request, Failure> {
    let (client, redirect_uri) = verified(app, parameters).await.map_err(Failure::Page)?;
    let state = parameters.one("state").ok().flatten().map(str::to_owned);
    match details(app, parameters, &client) {
        Ok((scope, challenge, prompt)) => Ok(Request {
            thumbprint: parameters.one("dpop_jkt").ok().flatten().map(str::to_owned),
            signed_in_after: signed_in_after(app, parameters),
            client,
            redirect_uri,
            state,
            scope,
            challenge,
            prompt,
        }),
        Err(error) => Err(Failure::Redirect(error_address(app, &redirect_uri, state.as_deref(), &error))),
    }
}

/// The second after which the person must have signed in. One that has not come yet would ask for ever.
fn signed_in_after(app: &App, parameters: &Parameters) -> Option<i64> {
    let after: i64 = parameters.one(SIGNED_IN_AFTER).ok().flatten()?.parse().ok()?;
    Some(after).filter(|after| *after <= app.now().as_millis().div_euclid(1_000))
}

/// The client and the address that its answer goes to.
async fn verified(app: &App, parameters: &Parameters) -> Result<(Client, String), OAuthError> {
    let id = parameters.required("client_id")?;
    let Some(client) = known_clients::find(app, id).await? else {
        return Err(OAuthError::new(ErrorCode::InvalidClient, "there is no such client"));
    };
    let redirect_uri = parameters.required("redirect_uri")?;
    if !client.takes_redirect(redirect_uri) {
        return Err(OAuthError::invalid_request(
            "redirect_uri is none of those that the client has registered",
        ));
    }
    Ok((client, redirect_uri.to_owned()))
}

fn details(
    app: &App,
    parameters: &Parameters,
    client: &Client,
) -> Result<(String, String, Prompt), OAuthError> {
    parameters.check_unique()?;
    if parameters.has("request") || parameters.has("request_uri") {
        return Err(OAuthError::invalid_request("request objects are not supported"));
    }
    if parameters.required("response_type")? != "code" {
        return Err(OAuthError::new(ErrorCode::UnsupportedResponseType, "response_type must be code"));
    }
    if parameters.one("response_mode")?.is_some_and(|mode| mode != "query") {
        return Err(OAuthError::invalid_request("response_mode must be query"));
    }
    if parameters.one("state")?.is_some_and(|state| state.len() > STATE_MAX) {
        return Err(OAuthError::invalid_request("state is too long"));
    }
    client.check_grant(GrantType::AuthorizationCode)?;
    parameters.check_resource(&app.public_url)?;
    let challenge = challenge(parameters)?;
    let thumbprint = parameters.one("dpop_jkt")?;
    if thumbprint.is_some_and(|thumbprint| !pkce::is_challenge(thumbprint)) {
        return Err(OAuthError::invalid_request("dpop_jkt must be the SHA-256 thumbprint of a key"));
    }
    Ok((scope::read(parameters.one("scope")?)?, challenge, prompt(parameters)?))
}

/// PKCE is not a choice, and neither is its method: what would be left out is what protects the code.
fn challenge(parameters: &Parameters) -> Result<String, OAuthError> {
    let challenge = parameters.required("code_challenge")?;
    if parameters.one("code_challenge_method")? != Some(pkce::METHOD) {
        return Err(OAuthError::invalid_request("code_challenge_method must be S256"));
    }
    if !pkce::is_challenge(challenge) {
        return Err(OAuthError::invalid_request("code_challenge must be a SHA-256 in base64url"));
    }
    Ok(challenge.to_owned())
}

fn prompt(parameters: &Parameters) -> Result<Prompt, OAuthError> {
    let mut prompt = Prompt::default();
    for word in parameters.one("prompt")?.unwrap_or_default().split(' ').filter(|word| !word.is_empty()) {
        match word {
            "none" => prompt.none = true,
            "login" => prompt.login = true,
            "consent" => prompt.consent = true,
            // Who has one account here cannot choose among several.
            "select_account" => {}
            _ => return Err(OAuthError::invalid_request("prompt must be none, login or consent")),
        }
    }
    if prompt.none && (prompt.login || prompt.consent) {
        return Err(OAuthError::invalid_request("prompt=none stands alone"));
    }
    Ok(prompt)
}

impl Request {
    /// Whether a session that was begun at a time is recent enough.
    pub fn accepts_session(&self, begun: Timestamp) -> bool {
        let begun = begun.as_millis().div_euclid(1_000);
        !self.prompt.login && self.signed_in_after.is_none_or(|after| begun >= after)
    }

    /// The address that tells the client of an error.
    pub fn refusal(&self, app: &App, code: ErrorCode, description: &str) -> String {
        let error = OAuthError::new(code, description);
        error_address(app, &self.redirect_uri, self.state.as_deref(), &error)
    }

    /// Whether the person has allowed the same before and need not be asked. A public client could be any program that
    /// took its name, so that people are always asked about those (RFC 8252, 8.6).
    pub async fn is_allowed_before(&self, app: &App, person: &UserId) -> Result<bool, OAuthError> {
        if self.client.record.is_public || self.prompt.consent {
            return Ok(false);
        }
        let allowed = app.catalog.find_consent(person, self.client.id()).await?;
        Ok(allowed.is_some_and(|allowed| scope::is_within(&self.scope, &allowed)))
    }

    /// Makes the code, and gives the address that takes it to the client.
    pub async fn allow(
        &self,
        app: &App,
        (person, auth_time): (&UserId, Timestamp),
        is_new: bool,
        message: &Message,
    ) -> Result<String, OAuthError> {
        let change = message.change(self.client.record.org.as_ref(), person.as_str());
        if is_new && !self.client.record.is_public {
            app.catalog.remember_consent(person, self.client.id(), &self.scope, &change).await?;
        }
        let secret = OpaqueSecret::generate(&*app.rng);
        let code = AuthorizationCode {
            grant: GrantId::generate(message.now, &*app.rng),
            client: self.client.id().clone(),
            person: person.clone(),
            redirect_uri: self.redirect_uri.clone(),
            challenge: self.challenge.clone(),
            scope: self.scope.clone(),
            auth_time,
            thumbprint: self.thumbprint.clone(),
            expires: message.now.plus(CODE_LIFETIME),
            used: None,
        };
        app.catalog.insert_code(&secret.digest(), &code, &change).await?;
        let pairs = [("code", secret.reveal())];
        Ok(answer_address(app, &self.redirect_uri, self.state.as_deref(), &pairs))
    }
}

fn error_address(app: &App, redirect_uri: &str, state: Option<&str>, error: &OAuthError) -> String {
    let pairs = [("error", error.code.name()), ("error_description", error.description.as_str())];
    answer_address(app, redirect_uri, state, &pairs)
}

/// The client's address with the answer, which names us too, so that a client of several servers is not misled about
/// who answers (RFC 9207).
fn answer_address(app: &App, redirect_uri: &str, state: Option<&str>, pairs: &[(&str, &str)]) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(pairs);
    if let Some(state) = state {
        query.append_pair("state", state);
    }
    query.append_pair("iss", app.public_url.as_str());
    let mark = if redirect_uri.contains('?') { '&' } else { '?' };
    format!("{redirect_uri}{mark}{}", query.finish())
}
