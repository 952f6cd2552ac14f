//! Keeps events: write-ahead log, buffer and segments. One request's events go to the write-ahead log (WAL) and are readable at once; later
//! they are written as Parquet segments to an object store and named in the catalogue. What events mean, who may see
//! them and how they are queried is left to others.

mod abandoned;
mod arrays;
mod blocks;
mod buffered_batch;
mod check;
mod checksum;
mod column_key;
mod compact;
mod damaged;
mod dataset;
mod delete;
mod disk;
mod earlier_wal;
mod erasures;
mod error;
mod eviction;
mod fields;
mod flush;
mod gc;
mod identities;
mod intents;
mod key_state;
mod keys;
mod lease;
mod merge;
mod merge_input;
mod objects;
mod orphaned_wal;
mod parquet_file;
mod publish;
mod rebuild;
mod retention;
mod rows;
mod segment;
mod settings;
mod store;
mod templates;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub mod testing;
mod time_partitions;
mod trouble;
pub mod usage;
mod wal;
mod wal_batch;
mod written;

pub use blocks::{Block, BlockColumn, BlockId, Blocks, Codes, HeldOverflow, Predicate, Scalar, TypeSet};
pub use check::{Finding, FindingKind, check_objects};
pub use dataset::{DatasetState, Info, Snapshot};
pub use delete::Deleted;
pub use disk::{Disk, MachineDisk, make_folder};
pub use erasures::{Erasing, Erasures, Keeping};
pub use error::{Error, Result};
pub use eviction::Forget;
pub use keys::{Claim, KeyGuard, Repeated};
pub use objects::{ObjectCacheStats, ObjectLocation, S3Location};
pub use parquet_file::parquet_file;
pub use rebuild::{Rebuilt, rebuild};
pub use rows::{StoredRow, StoredValue};
pub use segment::{Bound, ColumnStats, SegmentStats};
pub use settings::StoreSettings;
pub use store::{Prepared, Store, StoreStats};
pub use templates::{FRAGMENT_BYTES_LEAST, Hole, Templates};
pub use trouble::{Trouble, Work};
pub use wal::Damage;
pub use wal_batch::{IdempotencyKey, Receipt};
