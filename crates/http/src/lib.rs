//! HTTP: the one list of routes with what each asks of its caller, and the one stack of layers. Reading requests,
//! checking callers and writing answers happens here; every decision is left to `service`.

pub mod answer;
pub mod api;
pub mod case_insensitive;
mod compress;
pub mod docs_page;
pub mod drain_body;
mod encodings;
pub mod endpoint_address;
pub mod endpoint_path;
pub mod guard;
mod hasty;
pub mod health;
mod logged_path;
pub mod oauth;
pub mod openapi;
pub mod pages;
pub mod resources;
pub mod senders;
pub mod serve;
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub mod testing;

use std::sync::Arc;

use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::{Extension, Router};
use tidegauge_auth::Access;
use tidegauge_model::Action::{Create, Delete, Read, Update};
use tidegauge_model::DatasetArea::{Data, Ingest, Query, StarredQueries, Trim, Vacuum, VirtualFields};
use tidegauge_model::OrgArea::{
    Annotations, ApiTokens, AuditLog, Billing, Dashboards, Datasets, Endpoints, Monitors, Notifiers, Rbac,
    Users, Views,
};
use utoipa_axum::routes;

use api::{Api, Versions};
use resources::datasets::{fields, maintenance};
use resources::{
    annotations, answers, audit, dashboards, datasets, deliveries, endpoints, exports, groups, ingest, mcp,
    monitors, notifiers, orgs, own_capabilities, preferences, protected_resource, query, query_text, roles,
    starred, token_uses, tokens, usage, users, views, virtual_fields,
};
use tidegauge_app::App;

/// The whole service as one router.
pub fn router(app: &Arc<App>) -> Router {
    let (router, _) = api(app).finish();
    let routes = router
        .merge(docs_page::files())
        .merge(pages::assets::files())
        .merge(pages::interface_files::files())
        .fallback(answer::unknown_path)
        .layer(Extension(docs_page::Document::default()))
        .layer(DefaultBodyLimit::max(app.http.max_body_bytes))
        .layer(from_fn_with_state(Arc::clone(app), oauth::origins::open))
        .layer(from_fn(answer::note_route))
        .layer(from_fn_with_state(Arc::clone(app), answer::limit_time))
        .layer(answer::catch_panics())
        .layer(compress::layer())
        .with_state::<()>(Arc::clone(app));
    // A router of its own around the routes, because the list of allowed methods is added after their layers.
    Router::new()
        .fallback_service(routes)
        .layer(from_fn(endpoint_address::open))
        .layer(from_fn(answer::check_head))
        .layer(from_fn_with_state(Arc::clone(app), drain_body::read_on))
        .layer(from_fn_with_state(Arc::clone(app), answer::finish))
        .layer(from_fn_with_state(Arc::clone(app), hasty::go_on))
}

/// Every route of the API document. A route cannot be added without saying what it asks of its caller.
pub fn api(app: &Arc<App>) -> Api {
    let both = Versions::V1AndV2;
    let events = endpoints::routes(events(pages::routes(Api::new(app))));
    authorisation(people(watching(definitions(events))))
        .add(Versions::None, Access::Public, routes!(health::healthz))
        .add(Versions::None, Access::Public, routes!(health::readyz))
        .add(Versions::None, Access::Public, routes!(health::metrics))
        .add(Versions::None, Access::Public, routes!(health::version))
        .add(Versions::None, Access::Public, routes!(protected_resource::describe))
        .add(Versions::None, Access::Public, routes!(docs_page::openapi))
        .add(Versions::None, Access::Public, routes!(docs_page::page))
        .add(both, Access::Org(Notifiers, Read), routes!(notifiers::list))
        .add(both, Access::Org(Notifiers, Create), routes!(notifiers::create))
        .add(both, Access::Org(Notifiers, Read), routes!(notifiers::get))
        .add(both, Access::Org(Notifiers, Update), routes!(notifiers::replace))
        .add(both, Access::Org(Notifiers, Delete), routes!(notifiers::delete))
        .add(Versions::V2, Access::Org(Notifiers, Update), routes!(deliveries::test))
        .add(Versions::V2, Access::Org(Notifiers, Read), routes!(deliveries::list))
        .add(Versions::V2, Access::Org(Notifiers, Update), routes!(deliveries::replay))
        .add(Versions::V2, Access::Org(Notifiers, Update), routes!(deliveries::signing_secret))
        .add(both, Access::Org(Endpoints, Read), routes!(endpoints::resource::list))
        .add(both, Access::Org(Endpoints, Create), routes!(endpoints::resource::create))
        .add(both, Access::Org(Endpoints, Read), routes!(endpoints::resource::get))
        .add(both, Access::Org(Endpoints, Update), routes!(endpoints::resource::replace))
        .add(both, Access::Org(Endpoints, Delete), routes!(endpoints::resource::delete))
        .add(both, Access::Org(ApiTokens, Read), routes!(tokens::list))
        .add(both, Access::Org(ApiTokens, Create), routes!(tokens::create))
        .add(Versions::V2, Access::Org(ApiTokens, Read), routes!(token_uses::list))
        .add(both, Access::Org(ApiTokens, Read), routes!(tokens::get))
        .add(both, Access::Org(ApiTokens, Delete), routes!(tokens::delete))
        .add(both, Access::Org(ApiTokens, Update), routes!(tokens::regenerate))
        .add(both, Access::Dataset(StarredQueries, Read), routes!(starred::list))
        .add(both, Access::Dataset(StarredQueries, Create), routes!(starred::create))
        .add(both, Access::Dataset(StarredQueries, Read), routes!(starred::get))
        .add(both, Access::Dataset(StarredQueries, Update), routes!(starred::replace))
        .add(both, Access::Dataset(StarredQueries, Delete), routes!(starred::delete))
        .add(both, Access::Dataset(StarredQueries, Read), routes!(starred::run::run))
        .add(Versions::V2, Access::Org(AuditLog, Read), routes!(audit::list))
        // Each tool asks for what the route would that it stands for.
        .add(Versions::None, Access::AnyToken, routes!(mcp::call))
}

/// The routes of organisations, of people and of what they may do.
fn people(api: Api) -> Api {
    let both = Versions::V1AndV2;
    api.add(both, Access::AnyToken, routes!(orgs::list))
        .add(both, Access::Person, routes!(orgs::create))
        .add(both, Access::Person, routes!(orgs::provision))
        .add(both, Access::AnyToken, routes!(orgs::get))
        .add(both, Access::Person, routes!(orgs::rename))
        .add(Versions::V2, Access::Org(Billing, Read), routes!(usage::get))
        .add(Versions::V1, Access::Person, routes!(users::current_v1))
        .add(Versions::V2, Access::Person, routes!(users::current))
        .add(both, Access::Person, routes!(users::rename_current))
        .add(Versions::V2, Access::AnyToken, routes!(own_capabilities::own))
        .add(Versions::V2, Access::Person, routes!(preferences::get))
        .add(Versions::V2, Access::Person, routes!(preferences::set))
        .add(both, Access::Org(Users, Read), routes!(users::list))
        .add(both, Access::Org(Users, Create), routes!(users::create))
        .add(both, Access::Org(Users, Read), routes!(users::get))
        .add(both, Access::Org(Users, Delete), routes!(users::delete))
        .add(both, Access::Org(Users, Update), routes!(users::rename))
        .add(both, Access::Org(Users, Update), routes!(users::set_role))
        .add(Versions::V2, Access::Org(Users, Create), routes!(users::invite))
        .add(both, Access::Org(Rbac, Read), routes!(roles::list))
        // As the public service has it, who may create roles and groups may change and delete them too.
        .add(both, Access::Org(Rbac, Create), routes!(roles::create))
        .add(both, Access::Org(Rbac, Read), routes!(roles::get))
        .add(both, Access::Org(Rbac, Create), routes!(roles::replace))
        .add(both, Access::Org(Rbac, Create), routes!(roles::delete))
        .add(both, Access::Org(Rbac, Read), routes!(groups::list))
        .add(both, Access::Org(Rbac, Create), routes!(groups::create))
        .add(both, Access::Org(Rbac, Read), routes!(groups::get))
        .add(both, Access::Org(Rbac, Create), routes!(groups::replace))
        .add(both, Access::Org(Rbac, Create), routes!(groups::delete))
}

/// The routes of the embedded authorisation server, and of what people and organisations do with it.
fn authorisation(api: Api) -> Api {
    use oauth::{authorize, device, grants_page, metadata, register, token};
    use resources::{grants, oauth_clients};
    let (none, v2) = (Versions::None, Versions::V2);
    api.add(none, Access::Public, routes!(metadata::metadata))
        .add(none, Access::Public, routes!(metadata::jwks))
        .add(none, Access::Public, routes!(authorize::show))
        .add(none, Access::Public, routes!(authorize::decide))
        .add(none, Access::Public, routes!(token::token))
        .add(none, Access::Public, routes!(token::device_authorization))
        .add(none, Access::Public, routes!(token::revoke))
        .add(none, Access::Public, routes!(token::introspect))
        .add(none, Access::Public, routes!(register::register))
        .add(none, Access::Public, routes!(device::show))
        .add(none, Access::Public, routes!(device::decide))
        .add(none, Access::Public, routes!(grants_page::show))
        .add(none, Access::Public, routes!(grants_page::end))
        .add(v2, Access::Org(ApiTokens, Read), routes!(oauth_clients::list))
        .add(v2, Access::Org(ApiTokens, Create), routes!(oauth_clients::create))
        .add(v2, Access::Org(ApiTokens, Read), routes!(oauth_clients::get))
        .add(v2, Access::Org(ApiTokens, Update), routes!(oauth_clients::replace))
        .add(v2, Access::Org(ApiTokens, Delete), routes!(oauth_clients::delete))
        .add(v2, Access::Org(ApiTokens, Update), routes!(oauth_clients::new_secret))
        .add(v2, Access::Person, routes!(grants::list))
        .add(v2, Access::Person, routes!(grants::revoke))
}

/// The routes of what people define on top of events.
fn definitions(api: Api) -> Api {
    let both = Versions::V1AndV2;
    api.add(both, Access::Dataset(VirtualFields, Read), routes!(virtual_fields::list))
        .add(both, Access::Dataset(VirtualFields, Create), routes!(virtual_fields::create))
        .add(both, Access::Dataset(VirtualFields, Read), routes!(virtual_fields::get))
        .add(both, Access::Dataset(VirtualFields, Update), routes!(virtual_fields::replace))
        .add(both, Access::Dataset(VirtualFields, Delete), routes!(virtual_fields::delete))
        .add(both, Access::Org(Views, Read), routes!(views::list))
        .add(both, Access::Org(Views, Create), routes!(views::create))
        .add(both, Access::Org(Views, Read), routes!(views::get))
        .add(both, Access::Org(Views, Update), routes!(views::replace))
        .add(both, Access::Org(Views, Delete), routes!(views::delete))
        .add(Versions::V2, Access::Org(Dashboards, Read), routes!(dashboards::list))
        .add(Versions::V2, Access::Org(Dashboards, Create), routes!(dashboards::create))
        .add(Versions::V2, Access::Org(Dashboards, Read), routes!(dashboards::get))
        .add(Versions::V2, Access::Org(Dashboards, Update), routes!(dashboards::replace))
        .add(Versions::V2, Access::Org(Dashboards, Delete), routes!(dashboards::delete))
        .add(Versions::V2, Access::Org(Dashboards, Update), routes!(dashboards::charts::patch_chart))
        .add(Versions::V2, Access::Org(Dashboards, Read), routes!(dashboards::versions::list_versions))
        .add(Versions::V2, Access::Org(Dashboards, Read), routes!(dashboards::versions::get_version))
        .add(Versions::V2, Access::Org(Dashboards, Update), routes!(dashboards::versions::restore_version))
}

/// The routes of what people want to be told about.
fn watching(api: Api) -> Api {
    let both = Versions::V1AndV2;
    api.add(both, Access::Org(Monitors, Read), routes!(monitors::list))
        .add(both, Access::Org(Monitors, Create), routes!(monitors::create))
        .add(both, Access::Org(Monitors, Read), routes!(monitors::get))
        .add(both, Access::Org(Monitors, Update), routes!(monitors::replace))
        .add(both, Access::Org(Monitors, Delete), routes!(monitors::delete))
        .add(both, Access::Org(Monitors, Read), routes!(monitors::history::history))
        .add(Versions::V2, Access::Org(Monitors, Read), routes!(monitors::history::runs))
        .add(Versions::V2, Access::Org(Monitors, Update), routes!(monitors::history::resolve))
        .add(Versions::V2, Access::Org(Monitors, Read), routes!(monitors::backtest::backtest))
        .add(Versions::V2, Access::Org(Monitors, Read), routes!(monitors::states::states))
        .add(both, Access::Org(Annotations, Read), routes!(annotations::list))
        .add(both, Access::Org(Annotations, Create), routes!(annotations::create))
        .add(both, Access::Org(Annotations, Read), routes!(annotations::get))
        .add(both, Access::Org(Annotations, Update), routes!(annotations::update))
        .add(both, Access::Org(Annotations, Delete), routes!(annotations::delete))
}

/// The routes of datasets and of the events in them.
fn events(api: Api) -> Api {
    let both = Versions::V1AndV2;
    api.add(Versions::V1, Access::AnyToken, routes!(datasets::list_v1))
        .add(Versions::V2, Access::AnyToken, routes!(datasets::list))
        .add(Versions::V1, Access::Org(Datasets, Create), routes!(datasets::create_v1))
        .add(Versions::V2, Access::Org(Datasets, Create), routes!(datasets::create))
        .add(Versions::V2, Access::Org(Datasets, Create), routes!(datasets::demo::load))
        .add(Versions::V1, Access::AnyToken, routes!(datasets::get_v1))
        .add(Versions::V2, Access::AnyToken, routes!(datasets::get))
        .add(Versions::V1, Access::Org(Datasets, Update), routes!(datasets::update_v1))
        .add(Versions::V2, Access::Org(Datasets, Update), routes!(datasets::update))
        .add(both, Access::Org(Datasets, Delete), routes!(datasets::delete))
        .add(both, Access::Org(Datasets, Read), routes!(fields::list_fields))
        .add(both, Access::Org(Datasets, Read), routes!(fields::get_field))
        .add(both, Access::Org(Datasets, Update), routes!(fields::describe))
        .add(both, Access::Org(Datasets, Read), routes!(fields::list_maps))
        .add(both, Access::Org(Datasets, Update), routes!(fields::set_maps))
        .add(both, Access::Org(Datasets, Update), routes!(fields::add_map))
        .add(both, Access::Org(Datasets, Update), routes!(fields::remove_map))
        .add(Versions::V1, Access::AnyToken, routes!(fields::list_all))
        .add(Versions::V1, Access::AnyToken, routes!(maintenance::info))
        .add(Versions::V1, Access::AnyToken, routes!(maintenance::stats))
        .add(Versions::V1, Access::Dataset(Trim, Update), routes!(maintenance::trim_v1))
        .add(Versions::V2, Access::Dataset(Trim, Update), routes!(maintenance::trim))
        .add(both, Access::Dataset(Vacuum, Update), routes!(maintenance::vacuum))
        .add(Versions::V1, Access::Dataset(Ingest, Create), routes!(ingest::into_dataset))
        .add(Versions::V1, Access::Dataset(Ingest, Create), routes!(ingest::by_name))
        .add(Versions::V1, Access::Dataset(Query, Read), routes!(query::query))
        .add(Versions::V1, Access::Dataset(Query, Read), routes!(query::patterns::patterns))
        .add(Versions::V1, Access::Dataset(Query, Read), routes!(query::history_list::list))
        .add(Versions::V1, Access::Dataset(Query, Read), routes!(query::history::saved))
        // Which datasets a text reads is known when it is understood, and some texts read none.
        .add(Versions::V1, Access::AnyToken, routes!(query::apl::in_datasets))
        .add(Versions::V1, Access::AnyToken, routes!(query::apl::in_query))
        .add(Versions::V1, Access::AnyToken, routes!(query::field_statistics::fields))
        .add(Versions::V1, Access::AnyToken, routes!(query::apl::tail::tail))
        .add(Versions::V1, Access::AnyToken, routes!(query::estimate::estimate))
        .add(Versions::V2, Access::AnyToken, routes!(exports::offer))
        // The secret in the link is what proves who asks.
        .add(Versions::V2, Access::Public, routes!(exports::download::download))
        .add(Versions::V2, Access::AnyToken, routes!(answers::keep))
        .add(Versions::V2, Access::Dataset(Query, Read), routes!(answers::read::read))
        .add(Versions::V2, Access::Dataset(Data, Delete), routes!(query::delete::delete_by_query))
        .add(Versions::V1, Access::Dataset(Query, Read), routes!(query_text::check))
        .add(Versions::V1, Access::Dataset(Query, Read), routes!(query_text::complete))
        .add(Versions::V1, Access::Dataset(Query, Read), routes!(query_text::format))
        .add(Versions::V1, Access::AnyToken, routes!(query::apl::batch::batch))
}
