//! Elasticsearch's bulk requests: below a dataset, or at the root, where each item names its own. Each item has a state in
//! the answer. What clients ask before they send is answered without a token, because it tells a version and no more.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::response::Response;
use tidegauge_app::App;
use tidegauge_app::service::Error;
use tidegauge_app::service::ingest::Patience;
use tidegauge_app::service::ingest::sender::{self, Admitted, Refused, Sending};
use tidegauge_model::ErrorKind;
use tidegauge_protocols::elastic::{self, Bulk, TIME_FIELD, Target};
use tidegauge_protocols::{Answer, Problem};
use tidegauge_web::error::ApiError;
use tidegauge_web::extract::{Caller, PathId, PathIds};

use super::{Call, DATASET, SenderHeaders, SenderParameters, refuse};
use crate::guard::{InFlight, RATE_EXCEEDED};
use crate::resources::event_body::{EVENT_LABELS, check_length, encoding, length, settle, text};
use crate::senders::face::Face;
use crate::senders::head::repeats_items;
use crate::senders::{Told, respond};

/// More items are refused together.
const ITEMS_MAX: usize = 1_000_000;

/// What an item takes in memory while its request is worked on.
const ITEM_BYTES: u64 = 32;

/// Which datasets the items are for.
enum Meant {
    /// The path names it, whatever the items say.
    Fixed(String),
    /// Each item names its own, or else the path does.
    Named(Option<String>),
}

/// A bulk request before its body is read.
struct Incoming {
    app: Arc<App>,
    caller: Caller,
    in_flight: Arc<InFlight>,
    meant: Meant,
    timestamp_field: String,
    labels: Option<String>,
    /// What passes by itself is told of each item, because the client would give up the whole.
    by_items: bool,
}

/// Stores the sources of a bulk request, whatever index its items name. The answer has the state of each item. Newer
/// clients send it by PUT.
#[utoipa::path(method(post, put), path = "/ingest/{name}/elastic/_bulk", tag = "senders",
    operation_id = "elastic_bulk", params(("name" = String, Path), SenderParameters, SenderHeaders),
    request_body(content((String = "application/x-ndjson"), (String = "application/json")),
        description = "Lines in pairs: an action and its source. Only `index` and `create` store something."),
    responses((status = 200, body = Object, description = "The state of each item, in their order.")))]
pub async fn bulk(PathId(name): PathId, called: Called, body: Body) -> Result<Response, ApiError> {
    take(called, Meant::Fixed(name), body).await
}

/// The same for clients that put an index into the path. It is not looked at: the dataset is the one before it.
#[utoipa::path(method(post, put), path = "/ingest/{name}/elastic/{index}/_bulk", tag = "senders",
    operation_id = "elastic_bulk_below",
    params(("name" = String, Path), ("index" = String, Path), SenderParameters, SenderHeaders),
    request_body(content((String = "application/x-ndjson"), (String = "application/json"))),
    responses((status = 200, body = Object, description = "The state of each item, in their order.")))]
pub async fn bulk_below(names: PathIds, called: Called, body: Body) -> Result<Response, ApiError> {
    take(called, Meant::Fixed(names.0), body).await
}

/// Stores the sources of a bulk request, under the path that datasets have in the rest of the interface, which older
/// configurations of clients name.
#[utoipa::path(method(post, put), path = "/datasets/{name}/elastic/_bulk", tag = "senders",
    operation_id = "elastic_bulk_former",
    params(("name" = String, Path), SenderParameters, SenderHeaders),
    request_body(content((String = "application/x-ndjson"), (String = "application/json"))),
    responses((status = 200, body = Object, description = "The state of each item, in their order.")))]
pub async fn bulk_former(PathId(name): PathId, called: Called, body: Body) -> Result<Response, ApiError> {
    take(called, Meant::Fixed(name), body).await
}

/// The same for clients that put an index into the path, which is not looked at.
#[utoipa::path(method(post, put), path = "/datasets/{name}/elastic/{index}/_bulk", tag = "senders",
    operation_id = "elastic_bulk_former_below",
    params(("name" = String, Path), ("index" = String, Path), SenderParameters, SenderHeaders),
    request_body(content((String = "application/x-ndjson"), (String = "application/json"))),
    responses((status = 200, body = Object, description = "The state of each item, in their order.")))]
pub async fn bulk_former_below(names: PathIds, called: Called, body: Body) -> Result<Response, ApiError> {
    take(called, Meant::Fixed(names.0), body).await
}

/// Stores the sources of a bulk request in the datasets that its items name as `_index`.
#[utoipa::path(method(post, put), path = "/_bulk", tag = "senders", operation_id = "elastic_root",
    params(SenderParameters, SenderHeaders),
    request_body(content((String = "application/x-ndjson"), (String = "application/json"))),
    responses((status = 200, body = Object, description = "The state of each item, in their order.")))]
pub async fn root(called: Called, body: Body) -> Result<Response, ApiError> {
    let otherwise = called.call.parameters.dataset.clone();
    take(called, Meant::Named(otherwise), body).await
}

/// The same for items that name no index: theirs is the one of the path.
#[utoipa::path(method(post, put), path = "/{index}/_bulk", tag = "senders", operation_id = "elastic_index",
    params(("index" = String, Path), SenderParameters, SenderHeaders),
    request_body(content((String = "application/x-ndjson"), (String = "application/json"))),
    responses((status = 200, body = Object, description = "The state of each item, in their order.")))]
pub async fn index(PathId(index): PathId, called: Called, body: Body) -> Result<Response, ApiError> {
    take(called, Meant::Named(Some(index)), body).await
}

/// What comes with a bulk request, but for its body.
#[derive(Debug)]
pub struct Called {
    call: Call,
    in_flight: Arc<InFlight>,
}

impl FromRequestParts<Arc<App>> for Called {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        let in_flight = parts.extensions.get::<Arc<InFlight>>().cloned();
        let in_flight =
            in_flight.ok_or_else(|| ApiError::new(ErrorKind::Internal, "the route has no guard"))?;
        Ok(Self { call: Call::from_request_parts(parts, app).await?, in_flight })
    }
}

async fn take(Called { call, in_flight }: Called, meant: Meant, body: Body) -> Result<Response, ApiError> {
    let Call { app, caller, parameters, headers } = call;
    let length = length(&headers);
    check_length(length, app.ingest.limits.max_body_bytes)?;
    let meant = match (&caller.endpoint, meant) {
        (Some(endpoint), _) => Meant::Fixed(endpoint.dataset.clone()),
        (None, Meant::Named(None)) => {
            let only = || sender::only_dataset(&caller).map(str::to_owned);
            Meant::Named(text(&headers, &DATASET)?.or_else(only))
        }
        (None, named) => named,
    };
    let named = parameters.timestamp_field.filter(|field| !field.is_empty());
    let incoming = Incoming {
        app: Arc::clone(&app),
        caller,
        in_flight,
        meant,
        timestamp_field: named.unwrap_or_else(|| TIME_FIELD.to_owned()),
        labels: text(&headers, &EVENT_LABELS)?,
        by_items: repeats_items(&headers),
    };
    let (body, encoding, is_small) = settle(&app, encoding(&headers)?, length, body).await?;
    // Boxed once here, or every layer around it would copy it.
    let work = Box::pin(incoming.store(encoding, body));
    let answer = if is_small { work.await } else { app.background.run(work).await };
    match answer {
        Ok((answer, refused)) => {
            let mut response = respond(answer);
            if let Some(why) = refused {
                response.extensions_mut().insert(Told(why));
            }
            Ok(response)
        }
        Err(refused) => refuse(&Face::Elastic, refused),
    }
}

impl Incoming {
    /// Stores the items, one dataset after the other. What is in the way of one of them is told with its items, unless
    /// there is no other: then it is in the way of the request, which senders repeat rather than single items, but for some
    /// (`by_items`). Returns also why all of it was refused, if its items tell that.
    async fn store(
        self,
        encoding: tidegauge_ingest::Encoding,
        body: Body,
    ) -> Result<(Answer, Option<String>), Refused> {
        let body = body.into_data_stream();
        let mut whole = sender::gather(&self.app, encoding, u64::MAX, Patience::Hurried, body).await?;
        let target = match &self.meant {
            Meant::Fixed(name) => Target::Fixed(name),
            Meant::Named(otherwise) => Target::Named { otherwise: otherwise.as_deref() },
        };
        // An item has two lines, or stands for a list that has grown to twice its items.
        let lines = whole.bytes.iter().filter(|byte| **byte == b'\n').count() + 1;
        whole.held.add(lines.min(ITEMS_MAX) as u64 * ITEM_BYTES)?;
        let bulk = Bulk::parse(&whole.bytes, target, ITEMS_MAX);
        let mut bulk = bulk.map_err(Refused::Protocol)?;
        let (datasets, mut refused_whole) = (bulk.datasets().len(), None);
        for place in 0..datasets {
            let sending = Sending {
                dataset: bulk.datasets()[place].clone(),
                timestamp_field: Some(self.timestamp_field.clone()),
                labels: self.labels.clone(),
                ..Sending::default()
            };
            let counted = bulk.bytes(place);
            let stored = match self.admit(sending).await {
                Ok(admitted) => {
                    let read =
                        admitted.store_part(&mut whole.held, counted, |events| bulk.read(place, events));
                    read.await.map(|_| ())
                }
                Err(error) => Err(error.into()),
            };
            let Err(refused) = stored else { continue };
            if datasets == 1 && !(self.by_items && passes(&refused)) {
                return Err(refused);
            }
            let problem = self.problem(refused);
            bulk.refuse(place, &problem);
            refused_whole = (datasets == 1).then_some(problem.message);
        }
        let took = self.app.now().as_millis() - self.caller.now.as_millis();
        Ok((bulk.answer(u64::try_from(took).unwrap_or(0)), refused_whole))
    }

    async fn admit(&self, sending: Sending) -> Result<Admitted<'_>, Error> {
        // Known since the head of the request: that its items were found before is for the answer, which must have as many
        // states as the sender has documents. Nothing of them but their actions was read.
        if self.in_flight.exceeds_rate() {
            return Err(Error::new(ErrorKind::Busy, RATE_EXCEEDED));
        }
        sender::admit(&self.app, &self.caller, sending).await
    }

    /// What is in the way of one dataset, noted as that of a whole request is.
    fn problem(&self, refused: Refused) -> Problem {
        match refused {
            Refused::Protocol(problem) => problem,
            Refused::Service(error) => {
                // Of single items, these clients send again what is 429 and nothing else.
                let kind = match error.kind {
                    kind if self.by_items && passes_by_itself(kind) => ErrorKind::Unavailable,
                    kind => kind,
                };
                let error = ApiError::from(error);
                self.in_flight.note_refusal(&self.app, &self.caller, &error);
                Problem::new(kind, error.body.message)
            }
        }
    }
}

/// Whether the same request may be taken a moment later.
fn passes(refused: &Refused) -> bool {
    match refused {
        Refused::Protocol(problem) => passes_by_itself(problem.kind),
        Refused::Service(error) => passes_by_itself(error.kind),
    }
}

fn passes_by_itself(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::Busy
            | ErrorKind::Unavailable
            | ErrorKind::OutOfMemory
            | ErrorKind::TimedOut
            | ErrorKind::StorageFull
    )
}

/// The answer to what a client asks before it sends, if it is one of these questions.
pub fn probe(version: &str, request: &Request) -> Option<Response> {
    let path = request.uri().path();
    let asked = match below_dataset(path) {
        Some(rest) => rest.strip_prefix("elastic").filter(|it| it.is_empty() || it.starts_with('/'))?,
        // A browser that looks for a page at the root is none of these clients.
        None if path == "/" && wants_page(request.headers()) => return None,
        None => path,
    };
    elastic::probe(request.method().as_str(), asked, version).map(respond)
}

/// What stands behind the dataset in a path that begins with one.
fn below_dataset(path: &str) -> Option<&str> {
    let behind = ["/v1/ingest/", "/v1/datasets/"].into_iter().find_map(|before| path.strip_prefix(before))?;
    behind.split_once('/').map(|(_, rest)| rest)
}

fn wants_page(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accepted.contains("text/html")
}
