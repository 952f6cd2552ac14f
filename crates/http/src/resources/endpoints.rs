//! Where senders of other services send to, unchanged: one file for each protocol, with its routes and its answers. What
//! they share is here: which dataset is meant, how a body is taken, and how an answer is sent. What a refusal looks like
//! is in `senders`, the addresses that people make for some senders alone in `resource`.

pub mod cloudevents;
pub mod datadog;
pub mod elastic;
pub mod firehose;
pub mod gelf;
pub mod grpc;
pub mod hec;
pub mod honeycomb;
pub mod journald;
pub mod logplex;
pub mod loki;
pub mod msgpack;
pub mod otlp;
pub mod remote_write;
pub mod resource;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tidegauge_app::App;
use tidegauge_app::service::Error;
use tidegauge_app::service::datasets::Making;
use tidegauge_app::service::ingest::sender::{self, Key, Refused, Sending, Stored};
use tidegauge_app::service::ingest::{IngestAnswer, Patience};
use tidegauge_auth::Access;
use tidegauge_ingest::{Encoding, Events};
use tidegauge_model::ErrorKind;
use tidegauge_protocols::{Answer, Problem};
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::{Caller, Query};
use tidegauge_web::quota_headers;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;

use super::event_body::{EVENT_LABELS, check_length, encoding, length, settle, text};
use crate::api::{Api, Versions};
use crate::senders::face::Face;
use crate::senders::{SEND, Told, respond};

/// Which dataset a request is for; the second is what existing senders are set up with.
const DATASET: [&str; 2] = ["x-tidegauge-dataset", "x-axiom-dataset"];

/// Where senders of Loki name their tenant, which is the dataset unless another is named.
const TENANT: &str = "x-scope-orgid";

/// Every route of senders.
pub fn routes(api: Api) -> Api {
    let (root, v1, open) = (Versions::None, Versions::V1, Access::Public);
    api.add(v1, SEND, routes!(otlp::logs))
        .add(v1, SEND, routes!(otlp::traces))
        .add(v1, SEND, routes!(otlp::metrics))
        .add(root, SEND, routes!(otlp::logs_of_loki))
        .add(root, SEND, routes!(grpc::logs))
        .add(root, SEND, routes!(grpc::traces))
        .add(root, SEND, routes!(grpc::metrics))
        .add(v1, SEND, routes!(elastic::bulk))
        .add(v1, SEND, routes!(elastic::bulk_below))
        .add(v1, SEND, routes!(elastic::bulk_former))
        .add(v1, SEND, routes!(elastic::bulk_former_below))
        .add(root, SEND, routes!(elastic::root))
        .add(root, SEND, routes!(elastic::index))
        .add(root, SEND, routes!(loki::push))
        .add(root, SEND, routes!(loki::push_old))
        .add(root, SEND, routes!(hec::collector))
        .add(root, SEND, routes!(hec::event))
        .add(root, SEND, routes!(hec::event_1))
        .add(root, SEND, routes!(hec::raw))
        .add(root, SEND, routes!(hec::raw_1))
        .add(root, SEND, routes!(hec::acknowledgements))
        .add(root, open, routes!(hec::health))
        .add(root, open, routes!(hec::health_1))
        .add(root, SEND, routes!(datadog::logs))
        .add(v1, SEND, routes!(datadog::input))
        .add(v1, SEND, routes!(datadog::input_with_key))
        .add(root, SEND, routes!(datadog::validate))
        .add(root, SEND, routes!(honeycomb::event))
        .add(root, SEND, routes!(honeycomb::batch))
        .add(v1, SEND, routes!(firehose::deliver))
        .add(v1, SEND, routes!(journald::upload))
        .add(v1, SEND, routes!(cloudevents::deliver))
        .add(v1, open, routes!(cloudevents::handshake))
        .add(root, SEND, routes!(gelf::at_root))
        .add(v1, SEND, routes!(gelf::into_dataset))
        .add(root, SEND, routes!(remote_write::write))
}

/// For senders that can be given an address and nothing else.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "kebab-case")]
pub struct SenderParameters {
    /// The dataset, where neither the path nor a header names it. A token for one dataset needs none of them.
    pub dataset: Option<String>,
    /// The field that holds the time of an event, where the protocol leaves that open.
    pub timestamp_field: Option<String>,
}

/// The same as a header, for the document.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "the fields are only described")]
struct SenderHeaders {
    /// The dataset. `X-Axiom-Dataset` is the same.
    #[param(rename = "X-Tidegauge-Dataset")]
    dataset: Option<String>,
    /// A JSON object whose pairs are added to every event.
    #[param(rename = "X-Tidegauge-Event-Labels", example = "{}")]
    event_labels: Option<String>,
}

/// A body that is no text, for the document.
#[derive(Debug, ToSchema)]
#[schema(value_type = String, format = Binary)]
#[expect(dead_code, reason = "it is only described")]
struct RawBytes(Vec<u8>);

/// What comes with a request of a sender, but for its body. A protocol whose query says more has parameters of its own.
#[derive(Debug)]
pub struct Call<Q = SenderParameters> {
    app: Arc<App>,
    caller: Caller,
    parameters: Q,
    headers: HeaderMap,
}

impl<Q: DeserializeOwned> FromRequestParts<Arc<App>> for Call<Q> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        let caller = Caller::from_request_parts(parts, app).await?;
        let Query(parameters) = Query::from_request_parts(parts, app).await?;
        Ok(Self { app: Arc::clone(app), caller, parameters, headers: parts.headers.clone() })
    }
}

impl Call {
    /// Takes the tenant for the dataset where the query names none.
    fn name_by_tenant(&mut self) -> Result<(), ApiError> {
        let named = self.parameters.dataset.take().filter(|name| !name.is_empty());
        self.parameters.dataset = named.or(text(&self.headers, &[TENANT])?);
        Ok(())
    }
}

/// A request of a sender before its body is read.
struct Incoming {
    app: Arc<App>,
    caller: Caller,
    /// What the path, a header or the query names.
    dataset: Option<String>,
    /// Finds the dataset in a body, where nothing else names it.
    dataset_in_body: fn(&[u8]) -> Option<String>,
    /// What the protocol says of a body that nothing names a dataset for, if it has words for it.
    unnamed: fn(&[u8]) -> Option<Problem>,
    timestamp_field: Option<String>,
    labels: Option<String>,
    making: Making,
    encoding: Encoding,
    length: Option<u64>,
    /// The most bytes of the body after decompression, beside the limits of the service.
    bytes_max: u64,
    /// What reading a body takes beside it.
    beside: fn(&[u8]) -> u64,
    /// How long the request waits for room.
    patience: Patience,
    body: Body,
}

impl Incoming {
    /// Reads the head of a request. `named` is the dataset that the path or the protocol names.
    fn new(
        (app, caller): (Arc<App>, Caller),
        named: Option<String>,
        parameters: SenderParameters,
        headers: &HeaderMap,
        body: Body,
    ) -> Result<Self, ApiError> {
        let length = length(headers);
        check_length(length, app.ingest.limits.max_body_bytes)?;
        let given = |text: &String| !text.is_empty();
        let in_header = text(headers, &DATASET)?;
        Ok(Self {
            dataset: named.filter(given).or(in_header).or(parameters.dataset.filter(given)),
            dataset_in_body: |_| None,
            unnamed: |_| None,
            timestamp_field: parameters.timestamp_field.filter(given),
            labels: text(headers, &EVENT_LABELS)?,
            making: Making::default(),
            encoding: encoding(headers)?,
            bytes_max: u64::MAX,
            beside: |_| 0,
            patience: Patience::Hurried,
            app,
            caller,
            length,
            body,
        })
    }

    /// Stores the events that `read` finds in the body, and answers by `answer`.
    async fn store<T: Send + 'static>(
        self,
        face: &Face,
        read: impl FnOnce(&[u8], &mut Events<'_>) -> Result<T, Problem> + Send + 'static,
        key: impl FnOnce(&T) -> Option<Key> + Send + 'static,
        answer: impl FnOnce(&Stored<T>) -> Answer,
    ) -> Result<Response, ApiError> {
        match self.run(read, key).await? {
            Ok(stored) => Ok(accepted(answer(&stored), &stored)),
            Err(refused) => refuse(face, refused),
        }
    }

    /// The same on a route of ingest, whose answers and refusals they are.
    async fn store_as_ingest<T: Send + 'static>(
        self,
        read: impl FnOnce(&[u8], &mut Events<'_>) -> Result<T, Problem> + Send + 'static,
        key: impl FnOnce(&T) -> Option<Key> + Send + 'static,
    ) -> Result<IngestAnswer, ApiError> {
        match self.run(read, key).await? {
            Ok(stored) => Ok(stored.answer),
            Err(Refused::Service(error)) => Err(error.into()),
            Err(Refused::Protocol(problem)) => {
                Err(ApiError::new(problem.kind, problem.message).hint("nothing of this request was stored"))
            }
        }
    }

    /// Stores the events that `read` finds in the body.
    async fn run<T: Send + 'static>(
        self,
        read: impl FnOnce(&[u8], &mut Events<'_>) -> Result<T, Problem> + Send + 'static,
        key: impl FnOnce(&T) -> Option<Key> + Send + 'static,
    ) -> Result<Result<Stored<T>, Refused>, ApiError> {
        let Self { app, caller, encoding, length, bytes_max, patience, body, .. } = self;
        let (dataset, in_body, unnamed, beside) =
            (self.dataset, self.dataset_in_body, self.unnamed, self.beside);
        let (timestamp_field, labels, making) = (self.timestamp_field, self.labels, self.making);
        let (body, encoding, is_small) = settle(&app, encoding, length, body).await?;
        let to_app = Arc::clone(&app);
        // Boxed once here, or every layer around it would copy it.
        let work = Box::pin(async move {
            let body = body.into_data_stream();
            let mut whole = sender::gather(&to_app, encoding, bytes_max, patience, body).await?;
            let bytes = whole.bytes.as_slice();
            whole.held.add(beside(bytes).min(to_app.ingest.limits.max_uncompressed_bytes))?;
            let dataset = match dataset.or_else(|| in_body(bytes)) {
                Some(dataset) => dataset,
                None => sender::only_dataset(&caller).ok_or_else(|| not_named(unnamed(bytes)))?.to_owned(),
            };
            let sending = Sending { dataset, timestamp_field, labels, making };
            let admitted = sender::admit(&to_app, &caller, sending).await?;
            admitted.store(&mut whole.held, bytes, |events| read(bytes, events), key).await
        });
        Ok(if is_small { work.await } else { app.background.run(work).await })
    }
}

/// Forgets that a body is a snappy block, which is what a protocol has, and not what it is sent with.
fn without_snappy(headers: &mut HeaderMap) {
    let is_snappy = |value: &HeaderValue| value.as_bytes().trim_ascii().eq_ignore_ascii_case(b"snappy");
    if headers.get(header::CONTENT_ENCODING).is_some_and(is_snappy) {
        headers.remove(header::CONTENT_ENCODING);
    }
}

fn not_named(problem: Option<Problem>) -> Refused {
    let error = || {
        Error::new(ErrorKind::Malformed, "the request names no dataset").hint(
            "send the header X-Tidegauge-Dataset or ?dataset=, or use a token that may send to one dataset only",
        )
    };
    problem.map_or_else(|| Refused::Service(error()), Refused::Protocol)
}

/// The answer to a request whose events are stored, with what is left of the month.
fn accepted<T>(answer: Answer, stored: &Stored<T>) -> Response {
    let mut response = respond(answer);
    quota_headers::set(response.headers_mut(), &stored.answer.quota_remaining);
    response
}

/// The answer to a request of which nothing is stored: in the protocol's words where the protocol found out, and
/// otherwise an error as of every route, which gets its face later.
fn refuse(face: &Face, refused: Refused) -> Result<Response, ApiError> {
    match refused {
        Refused::Protocol(problem) => {
            let mut response = respond(face.refused(&problem));
            response.extensions_mut().insert(Told(problem.message));
            Ok(response)
        }
        Refused::Service(error) => Err(error.into()),
    }
}
