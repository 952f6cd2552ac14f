//! The words of Tidegauge: ids, time, capabilities, roles, organisations and licences, events as columns, notifier
//! channels, monitors and their messages, and the kinds of error. Everything here is plain data and rules on it. There is
//! no I/O and no async here but for asking the system for the time and for randomness; reading JSON, HTTP and SQL is left
//! to the crates that own those.

pub mod address;
pub mod capability;
pub mod chance;
pub mod columns;
pub mod dataset;
pub mod duration;
pub mod error;
pub mod hex;
pub mod id;
pub mod licence;
pub mod message;
pub mod monitor;
pub mod notifier;
pub mod oauth;
pub mod org;
pub mod os_chance;
pub mod role;
mod row_id;
pub mod shown;
pub mod template;
pub mod time;
mod words;

pub use capability::{Action, Capabilities, DatasetArea, OrgArea, ViewArea};
pub use chance::Chance;
pub use columns::{Column, Columns, FieldKind, Texts, Values};
pub use dataset::DatasetName;
pub use error::{ErrorKind, Rule, Violation};
pub use id::{
    AnnotationId, ClientId, DatasetId, DeliveryId, GrantId, GroupId, MonitorId, NotifierId, OrgId, RoleId,
    SegmentId, SessionId, StarredQueryId, TokenId, UserId, ViewId, VirtualFieldId,
};
pub use licence::Licence;
pub use message::Message;
pub use org::{Org, PaymentStatus, Plan};
pub use role::{Granted, Role, RoleRef};
pub use row_id::RowId;
pub use time::{Clock, Timestamp};
