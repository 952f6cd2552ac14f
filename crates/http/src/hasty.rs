//! Goes on with the requests of senders that hang up before they are answered: loggers of Graylog send a message and
//! close the connection. What goes on in a connection ends with it, which is right for a question that nobody waits for
//! any more, and would lose their events. `connection` sees to it that their requests are begun at all.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tidegauge_app::App;
use tidegauge_model::ErrorKind;

use super::error::ApiError;
use super::resources::endpoints::gelf;

/// Answers requests of such senders in a task of its own, which the service waits for when it stops. How many there are
/// at a time is bounded as for all requests: the guard, which gives out the places, is behind this layer.
pub(crate) async fn go_on(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    if !gelf::is_for(request.uri().path()) {
        return next.run(request).await;
    }
    app.tasks.spawn(next.run(request)).await.unwrap_or_else(|_| {
        ApiError::new(ErrorKind::Internal, "the request could not be completed").into_response()
    })
}
