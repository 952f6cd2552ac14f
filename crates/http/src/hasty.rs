//! Goes on with the requests of senders that hang up before they are answered: loggers of Graylog send a message and
//! close the connection. What goes on in a connection ends with it, which is right for a question that nobody waits for
//! any more, and would lose their events. `connection` sees to it that their requests are begun at all.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tidegauge_app::App;
use tidegauge_model::ErrorKind;
use tidegauge_web::error::ApiError;

use super::senders::head::is_for_gelf;

/// A request whose sender does not wait for the answer: it waits for its place, because a refusal would not be heard.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unheard;

/// Answers requests of such senders in a task of its own, which the service waits for when it stops. They wait for a place
/// in the guard, which is behind this layer. Beyond the most that are kept at once they are refused as all others are.
pub(crate) async fn go_on(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    if !is_for_gelf(request.uri().path()) {
        return next.run(request).await;
    }
    let kept = Arc::clone(&app.unheard).try_acquire_owned().ok();
    if kept.is_some() {
        request.extensions_mut().insert(Unheard);
    }
    let answering = async move {
        let _kept = kept;
        next.run(request).await
    };
    app.tasks.spawn(answering).await.unwrap_or_else(|_| {
        ApiError::new(ErrorKind::Internal, "the request could not be completed").into_response()
    })
}
