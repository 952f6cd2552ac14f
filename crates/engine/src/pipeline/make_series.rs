//! `make-series`: aggregates along an axis, as arrays.

use tidegauge_lang::tree::MakeSeries;

use super::segment::Segment;
use crate::Result;
use crate::bind::Surroundings;
use crate::run::Run;

impl Run {
    pub(super) async fn make_series(&self, _: Segment, _: &MakeSeries, _: &Surroundings) -> Result<Segment> {
        Err(super::tables::not_yet("make-series"))
    }
}
