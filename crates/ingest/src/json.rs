//! JSON bodies: from bytes to values of fields in one pass, without a tree in between. `stream` finds the events in
//! the chunks, `event` reads one, `shapes` makes known field names cheap, `text` keeps arrays and maps.

mod add_labels;
pub(crate) mod cursor;
mod event;
pub(crate) mod labels;
mod number;
mod scan;
mod shapes;
pub(crate) mod stream;
mod string;
mod text;
pub(crate) mod walk;

pub(crate) use add_labels::add_labels;
pub(crate) use event::{EventReader, Memory};
pub use string::write_escaped;
