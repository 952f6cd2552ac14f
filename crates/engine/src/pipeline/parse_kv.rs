//! `parse-kv`: keys and their values taken out of texts.

use tidegauge_lang::tree::ParseKeyValue;

use super::segment::Segment;
use crate::Result;

pub(super) fn parse_kv(_: &mut Segment, _: &ParseKeyValue) -> Result<()> {
    Err(super::tables::not_yet("parse-kv"))
}
