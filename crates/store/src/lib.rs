//! Keeps events: write log, buffer and segments. One request's events go to the log and are readable at once; later
//! they are written as Parquet segments to an object store and named in the catalogue. What events mean, who may see
//! them and how they are queried is left to others.

mod error;
mod frame;
mod log;

pub use error::{Error, Result};
pub use log::Damage;
