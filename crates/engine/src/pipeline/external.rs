//! `externaldata`: rows of files at addresses.

use tidegauge_lang::tree::ExternalData;

use super::segment::Segment;
use crate::Result;
use crate::bind::Surroundings;
use crate::run::Run;

impl Run {
    pub(super) async fn external(&self, _: &ExternalData, _: &Surroundings) -> Result<Segment> {
        Err(super::tables::not_yet("externaldata"))
    }
}
