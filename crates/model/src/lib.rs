//! The words of Tidegauge: ids, time, capabilities, roles, organisations and licences, events as columns, notifier
//! channels, monitors and their messages, dashboards, and the kinds of error. Everything here is plain data and rules on
//! it. There is no I/O and no async here but for asking the system for the time and for randomness; reading JSON, HTTP and
//! SQL is left to the crates that own those.

pub mod address;
pub mod capability;
pub mod columns;
pub mod dashboard;
pub mod dataset;
pub mod duration;
mod endpoint;
pub mod error;
pub mod hex;
pub mod id;
pub mod licence;
pub mod message;
pub mod monitor;
pub mod notifier;
pub mod oauth;
pub mod org;
pub mod os_rng;
mod plan;
pub mod rng;
pub mod role;
mod row_id;
pub mod shown;
mod string_enum;
pub mod template;
pub mod time;

pub use capability::{Action, Capabilities, DatasetArea, OrgArea, ViewArea};
pub use columns::{Column, Columns, FieldKind, Texts, Values};
pub use dataset::DatasetName;
pub use endpoint::EndpointKind;
pub use error::{ErrorKind, Rule, Violation};
pub use id::{
    AnnotationId, ClientId, DashboardId, DatasetId, DeliveryId, EndpointId, GrantId, GroupId, MonitorId,
    NotifierId, OrgId, RoleId, SegmentId, SessionId, StarredQueryId, TokenId, UserId, ViewId, VirtualFieldId,
};
pub use licence::Licence;
pub use message::Message;
pub use org::{Org, PaymentStatus};
pub use plan::Plan;
pub use rng::Rng;
pub use role::{Role, RoleGrants, RoleRef};
pub use row_id::RowId;
pub use time::{Clock, Timestamp};
