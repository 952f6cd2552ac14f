//! Reads request bodies (JSON in every arrangement, CSV, lines of text, compressed or not) into typed columns: bytes are pushed in
//! as they arrive, and one pass turns them into the columns of `tidegauge_model`. No I/O, no clock, no threads; what
//! a dataset allows is asked through [`FieldGate`], and storing the columns is left to the store.

mod csv;
mod decompress;
mod encoding;
mod events;
mod json;
mod limits;
mod lines;
mod options;
mod outcome;
mod reader;
mod rows;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub mod testing;
mod time;

pub use decompress::{DecodeError, DecompressLimits, Decompressor, UndecodableBody};
pub use encoding::Encoding;
pub use events::{Events, Field, Overflow, Room, UNREADABLE_TIME, not_finite};
pub use json::labels::{InvalidLabels, Labels};
pub use json::walk::{InvalidJson, JsonWalk};
pub use json::write_escaped as write_json_string;
pub use limits::{FieldGate, Limits};
pub use options::{Format, Options};
pub use outcome::{Failure, Malformed, MalformedKind, Outcome, Replaced};
pub use reader::Reader;
pub use time::layout::{InvalidLayout, TimeLayout};
pub use time::{read_leading_time, read_time};
