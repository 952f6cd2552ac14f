//! `redact`: what regular expressions find in texts is replaced.

use tidegauge_lang::tree::Redact;

use super::segment::Segment;
use crate::Result;

pub(super) fn redact(_: &mut Segment, _: &Redact) -> Result<()> {
    Err(super::tables::not_yet("redact"))
}
