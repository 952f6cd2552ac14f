//! Reads on, for a while, where a request is refused before its body was read: a client that is cut off while it still
//! sends sees a broken connection instead of the answer that tells it what is wrong. The answer does not wait for that,
//! so who looks for it early can stop sending, and who sends everything first finds it at the end.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::header::EXPECT;
use axum::middleware::Next;
use axum::response::Response;
use http_body_util::BodyExt;
use tidegauge_app::App;
use tokio::time::timeout;

/// How much is passed over, and how long that may take.
const BYTES_MAX: usize = 256 << 20;
const TIME_MAX: Duration = Duration::from_secs(10);

/// A client that sends nothing for so long has read the answer.
const PAUSE_MAX: Duration = Duration::from_secs(2);

pub async fn read_on(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    // Who asks before sending has not sent anything yet.
    if request.body().is_end_stream() || request.headers().contains_key(EXPECT) {
        return next.run(request).await;
    }
    let (head, body) = request.into_parts();
    let body = Shared(Arc::new(Mutex::new(body)));
    let rest = body.clone();
    let response = next.run(Request::from_parts(head, Body::new(body))).await;
    if response.status().is_client_error() || response.status().is_server_error() {
        let rest = std::mem::take(&mut *rest.lock());
        app.tasks.spawn(timeout(TIME_MAX, pass_over(rest)));
    }
    response
}

async fn pass_over(mut body: Body) {
    let mut passed = 0;
    while let Ok(Some(Ok(frame))) = timeout(PAUSE_MAX, body.frame()).await {
        passed += frame.data_ref().map_or(0, Bytes::len);
        if passed > BYTES_MAX {
            return;
        }
    }
}

/// A body that is taken back when it was not read to its end.
#[derive(Clone)]
struct Shared(Arc<Mutex<Body>>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Body> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HttpBody for Shared {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut *self.lock()).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.lock().is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.lock().size_hint()
    }
}
