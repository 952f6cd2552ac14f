//! `mv-expand`: one row for each element of arrays and maps.

use tidegauge_lang::tree::Expand;

use super::segment::Segment;
use crate::Result;
use crate::bind::Surroundings;
use crate::run::Run;

impl Run {
    pub(super) async fn expand(&self, _: Segment, _: &Expand, _: &Surroundings) -> Result<Segment> {
        Err(super::tables::not_yet("mv-expand"))
    }
}
