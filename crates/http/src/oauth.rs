//! The endpoints of the embedded authorisation server. Here is what they share: who sends a message, and how answers and
//! errors of the protocol are written. What a message means is decided in `service/oauth`.

pub mod authorize;
pub mod device;
pub mod grants_page;
pub mod metadata;
pub mod origins;
pub mod register;
pub mod token;

use std::sync::Arc;
use std::time::Duration;

use axum::Json as AxumJson;
use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tidegauge_app::App;
use tidegauge_app::service::oauth::known_clients::Client;
use tidegauge_app::service::oauth::{ErrorCode, Message, OAuthError, Parameters, client_auth};
use tidegauge_auth::oauth::dpop::Proof;
use tidegauge_auth::oauth::{ProofRejection, Proven};
use tidegauge_model::ErrorKind;
use tidegauge_web::caller_address;
use tidegauge_web::error::ApiError;
use tidegauge_web::nonce::set_nonce;
use tidegauge_web::request_ids::RequestIds;
use utoipa::ToSchema;

const FORM: &str = "application/x-www-form-urlencoded";

/// How much the clocks of a client may differ, for its proofs.
const LEEWAY: Duration = Duration::from_secs(30);

/// An error of the protocol (RFC 6749, 5.2).
#[derive(Debug, Serialize, ToSchema)]
pub struct OAuthErrorBody {
    #[schema(example = "invalid_grant")]
    pub error: &'static str,
    pub error_description: String,
}

/// An error on its way to a client.
#[derive(Debug)]
pub struct Refused(pub OAuthError);

impl<E: Into<OAuthError>> From<E> for Refused {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let Self(error) = self;
        let status = match error.code {
            ErrorCode::InvalidClient => StatusCode::UNAUTHORIZED,
            ErrorCode::TooMany => StatusCode::TOO_MANY_REQUESTS,
            ErrorCode::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            ErrorCode::ServerError => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::BAD_REQUEST,
        };
        let body = OAuthErrorBody { error: error.code.name(), error_description: error.description };
        let mut response = private(status, &body);
        if status == StatusCode::UNAUTHORIZED {
            let challenge = HeaderValue::from_static("Basic realm=\"tidegauge\"");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        }
        if let Some(nonce) = &error.nonce {
            set_nonce(response.headers_mut(), nonce);
        }
        if status == StatusCode::TOO_MANY_REQUESTS {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("60"));
        }
        response
    }
}

/// An answer that nobody on the way may keep.
fn private<T: Serialize>(status: StatusCode, body: &T) -> Response {
    let mut response = (status, AxumJson(body)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::PRAGMA, HeaderValue::from_static("no-cache"));
    response
}

/// Who sends a message, where the embedded server is on; elsewhere there is nothing at the path.
#[derive(Debug)]
pub struct Sender {
    pub message: Message,
    headers: HeaderMap,
    method: String,
    path: String,
    /// The proof of a key that came with it.
    proven: Option<Proven>,
}

impl FromRequestParts<Arc<App>> for Sender {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        if !app.embedded.is_on {
            let message = "the embedded authorisation server is off";
            return Err(ApiError::new(ErrorKind::NotFound, message));
        }
        let ids = parts.extensions.get::<RequestIds>();
        let message = Message {
            now: app.now(),
            request_id: ids.map(|ids| ids.request.clone()).unwrap_or_default(),
            address: caller_address::of(app, parts).map(|address| address.to_string()).unwrap_or_default(),
            thumbprint: None,
        };
        let path = parts.uri.path().to_owned();
        let (headers, method) = (parts.headers.clone(), parts.method.to_string());
        Ok(Self { message, headers, method, path, proven: None })
    }
}

impl Sender {
    /// The client that sent the message, which has proved to be it where it has a secret.
    async fn client(&self, app: &App, parameters: &Parameters) -> Result<Client, OAuthError> {
        let authorization = self.headers.get(header::AUTHORIZATION).map(HeaderValue::as_bytes);
        client_auth::authenticate(app, parameters, authorization, &self.message).await
    }

    /// Checks the proof of a key that came with the message, if one did (RFC 9449, 5). It is not remembered yet: whoever
    /// sends it may be nobody.
    fn check_proof(&mut self, app: &App) -> Result<(), OAuthError> {
        let mut proofs = self.headers.get_all("dpop").into_iter();
        let Some(proof) = proofs.next() else {
            return Ok(());
        };
        let wrong = |problem: &str| OAuthError::new(ErrorCode::InvalidDpopProof, problem);
        let text = proof.to_str().map_err(|_| wrong("the DPoP proof is malformed"))?;
        if proofs.next().is_some() {
            return Err(wrong("there is more than one DPoP proof"));
        }
        let address = format!("{}{}", app.public_url, self.path);
        let proof = Proof { text, method: &self.method, address: &address, token: "", leeway: LEEWAY };
        let now = self.message.now;
        let proven = proof.bind(now).map_err(|problem| refused_proof(app, problem, &self.message))?;
        let seen = app.embedded.proofs.check(&proven, now);
        seen.map_err(|problem| refused_proof(app, problem, &self.message))?;
        self.message.thumbprint = Some(proven.thumbprint.clone());
        self.proven = Some(proven);
        Ok(())
    }

    /// Remembers the proof, once there are tokens for it. Gives the next nonce where the client should know it. Where
    /// there is no room it is not remembered: what came with it is used up, and the tokens are of use to its key alone.
    fn use_proof(&self, app: &App, holder: &str) -> Result<Option<String>, OAuthError> {
        let Some(proven) = &self.proven else {
            return Ok(None);
        };
        match app.embedded.proofs.take(proven, holder, self.message.now) {
            Ok(nonce) => Ok(nonce),
            Err(ProofRejection::TooMany | ProofRejection::NonceNeeded) => Ok(None),
            Err(problem) => Err(refused_proof(app, problem, &self.message)),
        }
    }
}

fn refused_proof(app: &App, problem: ProofRejection, message: &Message) -> OAuthError {
    if problem == ProofRejection::NonceNeeded {
        let nonce = Some(app.embedded.proofs.nonce(message.now));
        return OAuthError { nonce, ..OAuthError::new(ErrorCode::UseDpopNonce, problem.to_string()) };
    }
    OAuthError::new(ErrorCode::InvalidDpopProof, problem.to_string())
}

/// The parameters of a form that a program sent.
#[derive(Debug)]
pub struct FormBody(pub Parameters);

impl FromRequest<Arc<App>> for FormBody {
    type Rejection = Response;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Response> {
        if !is_form(&request) {
            let problem = OAuthError::invalid_request(format!("the body must be of the type {FORM}"));
            return Err(Refused(problem).into_response());
        }
        read_body(request, app)
            .await
            .map(|bytes| Self(Parameters::parse(&bytes)))
            .map_err(IntoResponse::into_response)
    }
}

/// The parameters of a form that a page sent.
#[derive(Debug)]
pub struct PageForm(pub Parameters);

impl FromRequest<Arc<App>> for PageForm {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, ApiError> {
        if !is_form(&request) {
            let message = format!("unsupported media type, only [{FORM}] is allowed");
            return Err(ApiError::new(ErrorKind::UnsupportedMedia, message));
        }
        read_body(request, app).await.map(|bytes| Self(Parameters::parse(&bytes)))
    }
}

fn is_form(request: &Request) -> bool {
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = kind.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case(FORM)
}

async fn read_body(request: Request, app: &Arc<App>) -> Result<Bytes, ApiError> {
    Bytes::from_request(request, app).await.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            ApiError::new(ErrorKind::TooLarge, "the body is larger than this service accepts")
        }
        _ => ApiError::new(ErrorKind::Malformed, "the body could not be read"),
    })
}
