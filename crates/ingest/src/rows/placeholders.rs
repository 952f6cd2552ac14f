//! What stands where there is nothing, or nothing that can be stored.

/// No column, no field.
pub(crate) const NONE: u32 = u32::MAX;

pub(crate) const TOO_LONG: &[u8] = b"<invalid string: too long>";
pub(crate) const INVALID: &[u8] = b"<invalid data>";
