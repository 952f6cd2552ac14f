//! `parse` and `parse-where`: texts taken apart by a pattern.

use tidegauge_lang::tree::Parse;

use super::segment::Segment;
use crate::Result;

pub(super) fn parse(_: &mut Segment, _: &Parse) -> Result<()> {
    Err(super::tables::not_yet("parse"))
}

pub(super) fn parse_where(_: &mut Segment, _: &Parse) -> Result<()> {
    Err(super::tables::not_yet("parse-where"))
}
