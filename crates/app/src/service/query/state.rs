//! What queries share: their limits, what they cost, and what is remembered for them.

use std::sync::Arc;

use tidegauge_admission::config::QueryLimits;
use tidegauge_engine::{Files, Places};

use super::definitions::Definitions;
use super::files::WebFiles;
use super::geoip::GeoIp;
use super::meter::Meter;
use super::notes::Notes;
use crate::service::known_reads::KnownReads;

/// What queries share.
#[derive(Debug)]
pub struct QueryState {
    pub limits: QueryLimits,
    pub meter: Arc<Meter>,
    pub notes: Arc<Notes>,
    pub definitions: Arc<Definitions>,
    /// What the texts of views read.
    pub known_reads: Arc<KnownReads>,
    /// What reads files on the web, where queries may do that.
    pub files: Option<Arc<dyn Files>>,
    pub geoip: Option<Arc<GeoIp>>,
}

impl QueryState {
    pub fn new(limits: QueryLimits, geoip: Option<Arc<GeoIp>>) -> Self {
        let files = limits.external_data.clone().map(|settings| Arc::new(WebFiles::new(settings)) as _);
        Self {
            limits,
            meter: Arc::default(),
            notes: Arc::default(),
            definitions: Arc::default(),
            known_reads: Arc::default(),
            files,
            geoip,
        }
    }

    /// What knows where addresses are, for one query.
    pub fn places(&self) -> Option<Arc<dyn Places>> {
        self.geoip.as_ref().map(|geoip| geoip.current())
    }
}
