//! The resources of the interface, one file each: the bodies they read and write, and their handlers.

pub mod annotations;
pub mod audit;
pub mod datasets;
pub mod deliveries;
pub mod documents;
pub mod grants;
pub mod groups;
pub mod ingest;
pub mod monitors;
pub mod notifiers;
pub mod oauth_clients;
pub mod orgs;
pub mod paging;
pub mod protected_resource;
pub mod query;
pub mod query_text;
pub mod roles;
pub mod schemas;
pub mod starred;
pub mod tokens;
pub mod users;
pub mod views;
pub mod virtual_fields;
