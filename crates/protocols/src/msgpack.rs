//! MessagePack: heads and values where they lie, values as JSON text, and maps as events. Lengths are declared, so
//! each is compared with the bytes that are there before anything is made of it. Also the bodies in this form.

mod body;
mod head;
mod time;
mod values;

pub use body::read;
pub(crate) use head::{Head, Scan, Scanner, scan};
pub(crate) use time::read_time;
pub(crate) use values::Values;

use crate::answer::Problem;

/// Bytes that are cut or no MessagePack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broken;

impl From<Broken> for Problem {
    fn from(_: Broken) -> Self {
        Self::malformed("the body is no MessagePack, or it is cut")
    }
}
