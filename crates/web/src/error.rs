//! From an error to an HTTP answer: the only place that knows which status code a kind of error has. The JSON body
//! is written by `answer`, which knows the request's id.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tidegauge_app::service;
use tidegauge_app::service::error::{DashboardFault, TextPart, TextProblem, TextProblems};
use tidegauge_auth::Refusal;
use tidegauge_model::{ErrorKind, Rule, Violation};
use tidegauge_protocols::TokenFault;
use utoipa::ToSchema;

/// The body of every error.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorBody {
    /// The status code, or for a field that breaks a rule a number from 601 that says which rule.
    #[schema(example = 404)]
    pub code: u16,
    /// What is wrong.
    #[schema(example = "notifier not found")]
    pub message: String,
    /// More about the cause, where there is more to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub detail: Option<ErrorDetail>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Everything that is wrong with the text of a query.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(inline, required = false)]
    pub diagnostics: Vec<QueryDiagnostic>,
    /// The request's id; quote it when asking for help.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// What is wrong with the token of the request, for those who have words of their own for it.
    #[serde(skip)]
    #[schema(ignore)]
    pub fault: Option<TokenFault>,
    /// Why a dashboard was not written. The document has it where it can come.
    #[serde(flatten)]
    #[schema(ignore)]
    pub dashboard: Option<Box<DashboardErrorDetail>>,
}

/// Why a dashboard was not written, and what is there in its place.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DashboardErrorDetail {
    /// `invalid`, `exists`, `version-missing` or `version-mismatch`.
    #[schema(required = false, example = "version-mismatch")]
    pub reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub uid: Option<String>,
    /// The version that is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub current_version: Option<i64>,
}

/// More about a cause: a text, or of the text of a query where it is wrong.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum ErrorDetail {
    Text(String),
    Query(#[schema(inline)] Box<QueryErrorDetail>),
}

/// The first thing that is wrong with the text of a query.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueryErrorDetail {
    /// 1: the text of the query.
    pub error_type: u8,
    /// 1: its words do not make a query. 16: a name stands for nothing. 32: it asks for what cannot be computed.
    pub compile_error_code: u8,
    /// From 1; 0 where it has no place.
    pub line: usize,
    /// From 1, in characters; 0 where it has no place.
    pub column: usize,
    pub message: String,
}

/// One thing that is wrong with the text of a query.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct QueryDiagnostic {
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// What to write instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The line with a mark below the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
}

/// An error on its way to the client.
#[derive(Clone, Debug)]
pub struct ApiError {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: ErrorBody,
}

impl ApiError {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let mut error = Self::with_status(status(kind), message);
        let headers = &mut error.headers;
        if matches!(kind, ErrorKind::Busy | ErrorKind::Unavailable) {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        if kind == ErrorKind::Unauthenticated {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"tidegauge\""));
        }
        error
    }

    /// An error of HTTP itself, which no use case knows.
    pub fn with_status(status: StatusCode, message: impl Into<String>) -> Self {
        let body = ErrorBody {
            code: status.as_u16(),
            message: message.into(),
            detail: None,
            hint: None,
            diagnostics: Vec::new(),
            request_id: None,
            fault: None,
            dashboard: None,
        };
        Self { status, headers: HeaderMap::new(), body }
    }

    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.body.detail = Some(ErrorDetail::Text(detail.into()));
        self
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.body.hint = Some(hint.into());
        self
    }
}

fn status(kind: ErrorKind) -> StatusCode {
    match kind {
        ErrorKind::Malformed => StatusCode::BAD_REQUEST,
        ErrorKind::Invalid => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorKind::Unauthenticated => StatusCode::UNAUTHORIZED,
        ErrorKind::PaymentRequired => StatusCode::PAYMENT_REQUIRED,
        ErrorKind::QuotaUsedUp => StatusCode::from_u16(430).unwrap_or(StatusCode::TOO_MANY_REQUESTS),
        ErrorKind::Forbidden | ErrorKind::LimitReached => StatusCode::FORBIDDEN,
        ErrorKind::NotFound => StatusCode::NOT_FOUND,
        ErrorKind::Conflict => StatusCode::CONFLICT,
        ErrorKind::Outdated => StatusCode::PRECONDITION_FAILED,
        ErrorKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorKind::UnsupportedMedia => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ErrorKind::Busy => StatusCode::TOO_MANY_REQUESTS,
        ErrorKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        ErrorKind::StorageFull => StatusCode::INSUFFICIENT_STORAGE,
        ErrorKind::TimedOut => StatusCode::GATEWAY_TIMEOUT,
        ErrorKind::OutOfMemory => StatusCode::from_u16(432).unwrap_or(StatusCode::INSUFFICIENT_STORAGE),
        ErrorKind::Corrupt | ErrorKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// The numbers that clients know for broken rules.
fn rule_code(rule: Rule) -> u16 {
    match rule {
        Rule::Type => 601,
        Rule::Required => 602,
        Rule::TooLong => 603,
        Rule::TooShort => 604,
        Rule::Pattern => 605,
        Rule::OneOf => 606,
        Rule::Maximum => 608,
        Rule::Minimum => 609,
        Rule::Unique => 610,
        Rule::TooManyItems => 611,
        Rule::TooFewItems => 612,
    }
}

fn query_detail(text: &TextProblems) -> ErrorDetail {
    let compile_error_code = match text.part {
        TextPart::Syntax => 1,
        TextPart::Names => 16,
        TextPart::Meaning => 32,
    };
    let first = text.problems.first();
    let (line, column) = first.and_then(|first| first.place).unwrap_or_default();
    let message = first.map(|first| first.message.clone()).unwrap_or_default();
    let detail = QueryErrorDetail { error_type: 1, compile_error_code, line, column, message };
    ErrorDetail::Query(Box::new(detail))
}

impl QueryDiagnostic {
    fn of(problem: TextProblem) -> Self {
        let TextProblem { message, place, hint, picture } = problem;
        let (line, column) = place.unzip();
        Self { message, line, column, hint, picture }
    }
}

impl ErrorBody {
    /// What the cause is, for the audit trail.
    pub fn cause(&self) -> String {
        match &self.detail {
            Some(ErrorDetail::Text(detail)) => detail.clone(),
            _ => self.message.clone(),
        }
    }
}

impl From<Violation> for ApiError {
    fn from(violation: Violation) -> Self {
        service::Error::from(violation).into()
    }
}

fn fault(refusal: &Refusal) -> Option<TokenFault> {
    match refusal {
        Refusal::NoToken => Some(TokenFault::Missing),
        Refusal::MalformedToken => Some(TokenFault::Malformed),
        Refusal::UnknownToken | Refusal::UnknownEndpoint => Some(TokenFault::Unknown),
        Refusal::ExpiredToken => Some(TokenFault::Expired),
        _ => None,
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        match refusal.kind() {
            // Clients know this word for it; what was wrong with the token stands beside it.
            ErrorKind::Unauthenticated => {
                let mut error =
                    Self::new(ErrorKind::Unauthenticated, "forbidden").detail(refusal.to_string());
                error.body.fault = fault(&refusal);
                if refusal != Refusal::NoToken {
                    let challenge = "Bearer realm=\"tidegauge\", error=\"invalid_token\"";
                    error.headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
                }
                error
            }
            kind => Self::new(kind, refusal.to_string()),
        }
    }
}

impl From<service::Error> for ApiError {
    fn from(error: service::Error) -> Self {
        let cause = error.source.as_ref().map(|source| format!("{source:?}"));
        match error.kind {
            ErrorKind::Internal | ErrorKind::Corrupt => {
                tracing::error!(kind = ?error.kind, cause = cause.as_deref(), "{error}");
            }
            // Without a cause it is our own way of asking a sender to slow down, which the metrics count.
            ErrorKind::Unavailable | ErrorKind::StorageFull if cause.is_some() => {
                tracing::warn!(kind = ?error.kind, cause = cause.as_deref(), "{error}");
            }
            _ => {}
        }
        let mut answer = Self::new(error.kind, error.message);
        answer.body.detail = error.detail.map(ErrorDetail::Text);
        if let Some(text) = error.text {
            answer.body.detail = Some(query_detail(&text));
            answer.body.diagnostics = text.problems.into_iter().map(QueryDiagnostic::of).collect();
        }
        answer.body.hint = error.hint;
        answer.body.dashboard = error.dashboard.map(|fault| {
            let DashboardFault { reason, uid, current_version } = *fault;
            Box::new(DashboardErrorDetail { reason: reason.name(), uid, current_version })
        });
        if let Some(time) = error.retry_at
            && let Ok(value) = HeaderValue::from_str(&time.to_http_date())
        {
            answer.headers.insert(header::RETRY_AFTER, value);
        }
        if let Some(quota_remaining) = &error.quota_remaining {
            crate::quota_headers::set(&mut answer.headers, quota_remaining);
        }
        if let Some(violation) = error.violation {
            answer.body.code = rule_code(violation.rule);
        }
        answer
    }
}

impl From<tidegauge_catalog::Error> for ApiError {
    fn from(error: tidegauge_catalog::Error) -> Self {
        service::Error::from(error).into()
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.headers_mut().extend(self.headers);
        response.extensions_mut().insert(self.body);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_errors_of_queries_have_the_codes_that_clients_know() {
        for (kind, status, retries) in [
            (ErrorKind::Malformed, 400, false),
            (ErrorKind::Busy, 429, true),
            (ErrorKind::QuotaUsedUp, 430, false),
            (ErrorKind::OutOfMemory, 432, false),
            (ErrorKind::TimedOut, 504, false),
        ] {
            let answer = ApiError::from(service::Error::new(kind, "no").detail("more"));
            assert_eq!((answer.status.as_u16(), answer.body.code), (status, status));
            assert_eq!(answer.headers.contains_key(header::RETRY_AFTER), retries);
            assert_eq!(answer.body.cause(), "more");
        }
    }
}
