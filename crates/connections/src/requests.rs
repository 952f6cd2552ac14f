//! What the table of connections has to know of their requests: how many are worked on, and whether one was
//! authenticated. This stands between the connection, which knows bytes alone, and the service, which does not know whose
//! bytes they are: the guard finds the connection in the request and notes who was let in.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::http::{Extensions, Request, Response};
use http_body::{Body, Frame, SizeHint};
use tower::Service;

use super::table::State;

/// The connection that a request came by.
#[derive(Clone, Debug)]
struct Connection(Arc<State>);

/// Notes that who sends a request has shown who they are: their connection is worth more from here on, before the answer.
pub fn note_authenticated(of_request: &Extensions) {
    if let Some(Connection(state)) = of_request.get() {
        state.establish();
    }
}

/// The service of one connection, with its requests counted.
#[derive(Clone, Debug)]
pub struct Requests<S> {
    inner: S,
    state: Arc<State>,
}

/// A request that is worked on, until this is dropped.
#[derive(Debug)]
struct InFlight(Arc<State>);

/// The body of an answer, which is under way as long as it is there.
#[derive(Debug)]
pub struct Answer<B> {
    body: B,
    _in_flight: InFlight,
}

impl<S> Requests<S> {
    pub(super) fn new(inner: S, state: Arc<State>) -> Self {
        Self { inner, state }
    }
}

impl<S, B, A> Service<Request<B>> for Requests<S>
where
    S: Service<Request<B>, Response = Response<A>>,
    S::Future: Send + 'static,
    S::Error: 'static,
    A: 'static,
{
    type Response = Response<Answer<A>>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        let in_flight = InFlight::new(&self.state);
        request.extensions_mut().insert(Connection(Arc::clone(&self.state)));
        let answering = self.inner.call(request);
        Box::pin(async move {
            let response = answering.await?;
            Ok(response.map(|body| Answer { body, _in_flight: in_flight }))
        })
    }
}

impl InFlight {
    fn new(state: &Arc<State>) -> Self {
        state.request_begins();
        Self(Arc::clone(state))
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.request_ends();
    }
}

impl<B: Body + Unpin> Body for Answer<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::net::Ipv4Addr;

    use axum::body::Body as AnyBody;
    use tidegauge_admission::config::TrustedProxies;
    use tidegauge_metrics::connections::ConnectionMetrics;

    use super::super::table::Table;
    use super::*;

    async fn answer(request: Request<AnyBody>) -> Result<Response<AnyBody>, Infallible> {
        if request.uri().path() == "/own" {
            note_authenticated(request.extensions());
        }
        Ok(Response::new(AnyBody::from("an answer")))
    }

    #[tokio::test]
    async fn a_request_is_under_way_until_its_answer_is_taken() {
        let table = Table::new(8, TrustedProxies::default(), ConnectionMetrics::default());
        let place = table.enter(Ipv4Addr::LOCALHOST.into());
        let state = place.state();
        let mut service = Requests::new(tower::service_fn(answer), place.state());
        let request = |path: &str| Request::builder().uri(path).body(AnyBody::empty()).unwrap();

        let first = service.call(request("/healthz")).await.unwrap();
        assert_eq!(first.body().size_hint().exact(), Some(9), "its length is told as it was");
        let given_up = service.call(request("/healthz"));
        assert!(state.is_busy() && !state.is_established());
        drop(given_up);
        assert!(state.is_busy());
        drop(first);
        assert!(!state.is_busy());

        drop(service.call(request("/own")).await.unwrap());
        assert!(state.is_established() && !state.is_busy());
    }
}
