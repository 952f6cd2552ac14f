//! placeholder
use super::call::Function;
pub(super) const FUNCTIONS: &[Function] = &[];
