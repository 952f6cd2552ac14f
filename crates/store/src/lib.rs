//! Keeps events: write log, buffer and segments. One request's events go to the log and are readable at once; later
//! they are written as Parquet segments to an object store and named in the catalogue. What events mean, who may see
//! them and how they are queried is left to others.

mod arrays;
mod blocks;
mod check;
mod compact;
mod damaged;
mod dataset;
mod delete;
mod disk;
mod error;
mod fields;
mod flush;
mod frame;
mod given_up;
mod gone;
mod intents;
mod keys;
mod lease;
mod left;
mod log;
mod merge;
mod objects;
mod parquet_file;
mod part;
mod publish;
mod rebuild;
mod retain;
mod rows;
mod segment;
mod settings;
mod store;
mod sweep;
mod templates;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub mod testing;
mod trouble;
mod unclaimed;
pub mod usage;
mod windows;

pub use blocks::{Block, BlockColumn, BlockId, Blocks, Codes, HeldRest, Kinds, Probe, Test};
pub use check::{Finding, FindingKind, check_objects};
pub use dataset::{DatasetState, Info, Snapshot};
pub use delete::Deleted;
pub use disk::{Disk, MachineDisk, make_folder};
pub use error::{Error, Result};
pub use frame::{IdempotencyKey, Receipt};
pub use gone::Forget;
pub use keys::{Claim, KeyGuard, Repeated};
pub use log::Damage;
pub use objects::{ObjectLocation, S3Location};
pub use parquet_file::parquet_file;
pub use rebuild::{Rebuilt, rebuild};
pub use rows::{StoredRow, StoredValue};
pub use segment::{Bound, ColumnStats, SegmentStats};
pub use settings::StoreSettings;
pub use store::{Prepared, Store, StoreFigures};
pub use templates::{FRAGMENT_BYTES_LEAST, Hole, Templates};
pub use trouble::{Trouble, Work};
