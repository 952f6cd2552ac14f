//! Collects the routes: each with the access it declares, its guard, and its entry in the API document. There is no
//! way to add a route without an access, so none can be forgotten.

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use tidegauge_app::App;
use tidegauge_auth::Access;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::UtoipaMethodRouter;

use super::guard::{self, Guard};
use super::openapi;

/// Under which version prefixes a route is served.
#[derive(Clone, Copy, Debug)]
pub enum Versions {
    /// At the root, outside the versioned interface.
    None,
    V1,
    V2,
    V1AndV2,
}

impl Versions {
    fn prefixes(self) -> &'static [&'static str] {
        match self {
            Self::None => &[""],
            Self::V1 => &["/v1"],
            Self::V2 => &["/v2"],
            Self::V1AndV2 => &["/v1", "/v2"],
        }
    }
}

/// The routes so far.
#[expect(missing_debug_implementations, reason = "the document's type has none")]
pub struct Api {
    app: Arc<App>,
    router: Router<Arc<App>>,
    document: OpenApi,
}

impl Api {
    pub fn new(app: &Arc<App>) -> Self {
        Self { app: Arc::clone(app), router: Router::new(), document: openapi::empty() }
    }

    /// Adds a handler with what it asks of its caller.
    #[must_use]
    pub fn add(mut self, versions: Versions, access: Access, route: UtoipaMethodRouter<Arc<App>>) -> Self {
        let (schemas, paths, handler) = route;
        let guard = Guard { app: Arc::clone(&self.app), access };
        let handler = handler.route_layer(from_fn_with_state(guard, guard::check));
        openapi::add_schemas(&mut self.document, schemas);
        for prefix in versions.prefixes() {
            for (path, item) in &paths.paths {
                let path = format!("{prefix}{path}");
                self.router = self.router.route(&path, handler.clone());
                openapi::add_path(&mut self.document, prefix, &path, item.clone(), access);
            }
        }
        self
    }

    pub fn finish(self) -> (Router<Arc<App>>, OpenApi) {
        (self.router, self.document)
    }
}
