//! The keys that sign, over months of a clock that the tests move, and what the job forgets.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use tidegauge_app::jobs::oauth_maintenance;
use tidegauge_app::service::oauth::keys::{self, Takeover};
use tidegauge_catalog::Change;
use tidegauge_model::Clock;

use super::flow::*;
use crate::app::TestApp;

const HOUR: Duration = Duration::from_secs(60 * 60);

async fn published(app: &TestApp) -> Vec<String> {
    let document = app.send("GET", "/oauth/jwks", None, None).await.json();
    document["keys"].as_array().unwrap().iter().map(|key| text(key, "kid").to_owned()).collect()
}

/// The name of the key that signed a token.
fn kid(access: &str) -> String {
    let header = URL_SAFE_NO_PAD.decode(access.split('.').next().unwrap()).unwrap();
    let header: Value = serde_json::from_slice(&header).unwrap();
    text(&header, "kid").to_owned()
}

async fn access(app: &TestApp) -> String {
    text(&tokens_for(app, &app.owner, "*").await, "access_token").to_owned()
}

async fn pass(app: &TestApp, time: Duration) {
    app.clock.advance(time);
    oauth_maintenance::step(&app.app).await.unwrap();
}

pub(super) async fn rotation(app: TestApp) {
    let first = published(&app).await;
    assert_eq!(first.len(), 1);
    pass(&app, 88 * 24 * HOUR).await;
    assert_eq!(published(&app).await, first);
    // A day before the ninety are over, the next one is shown, but does not sign.
    pass(&app, 24 * HOUR).await;
    let both = published(&app).await;
    assert_eq!((both.len(), &both[0]), (2, &first[0]));
    pass(&app, HOUR).await;
    assert_eq!(published(&app).await, both);
    assert_eq!(kid(&access(&app).await), first[0]);
    app.clock.advance(23 * HOUR - Duration::from_secs(60));
    let last_of_first = access(&app).await;
    assert_eq!(kid(&last_of_first), first[0]);
    // Then it signs, and what the other has signed still counts.
    pass(&app, Duration::from_secs(120)).await;
    assert_eq!(kid(&access(&app).await), both[1]);
    assert_eq!(status(&app, &last_of_first).await, 200);
    pass(&app, 2 * HOUR).await;
    assert_eq!(published(&app).await, both[1..]);
    // It goes on in the same way.
    pass(&app, 89 * 24 * HOUR).await;
    assert_eq!(published(&app).await.len(), 2);
}

pub(super) async fn at_once(app: TestApp) {
    let before = access(&app).await;
    let change =
        Change { org: None, actor: "operator".to_owned(), at: app.clock.now(), request_id: String::new() };
    let rotate =
        async |takeover| keys::rotate(&app.app.catalog, app.clock.now(), takeover, &change).await.unwrap();
    rotate(Takeover::WithOverlap).await;
    app.clock.advance(Duration::from_secs(60));
    assert_eq!((published(&app).await.len(), status(&app, &before).await), (2, 200));
    let newest = rotate(Takeover::AtOnce).await;
    app.clock.advance(Duration::from_secs(60));
    assert_eq!(published(&app).await, std::slice::from_ref(&newest));
    // What a leaked key has signed is worth nothing any more.
    assert_eq!(status(&app, &before).await, 401);
    let after = access(&app).await;
    assert_eq!((kid(&after), status(&app, &after).await), (newest, 200));
}

pub(super) async fn forgotten(app: TestApp) {
    let tokens = tokens_for(&app, &app.owner, "*").await;
    send(&app, "/oauth/device_authorization", &[("client_id", CLI)], None).await;
    pass(&app, 25 * HOUR).await;
    // The code can no more be replayed, the grant lives on.
    let next = token(&app, &refreshing(text(&tokens, "refresh_token"))).await;
    assert_eq!(next.status, 200, "{next:?}");
    assert_eq!(
        app.app.catalog.count_device_requests(tidegauge_model::Timestamp::from_micros(0)).await.unwrap(),
        0
    );
    pass(&app, 91 * 24 * HOUR).await;
    let refresh = next.json();
    refused(&token(&app, &refreshing(text(&refresh, "refresh_token"))).await, 400, "invalid_grant");
    assert!(app.app.catalog.find_refresh_token("x").await.unwrap().is_none());
}
