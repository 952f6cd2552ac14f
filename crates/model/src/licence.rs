//! The licence of an organisation: its limits, each with a name by which an operator can set it.

use serde::{Deserialize, Serialize};

use crate::id::OrgId;
use crate::plan::Plan;
use crate::time::Timestamp;

/// The region of an installation that has only one.
pub const LOCAL_REGION: &str = "local";

const SECONDS_PER_DAY: i64 = 24 * 60 * 60;

/// What an organisation may use. This is also the stored form, so a field is only ever added, with a default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Licence {
    pub id: String,
    pub issued_to: String,
    pub issuer: String,
    pub tier: String,
    pub default_region: String,
    pub regions: Vec<String>,
    pub with_auths: Vec<String>,
    pub features: std::collections::BTreeMap<String, bool>,
    pub issued_at_micros: i64,
    pub valid_from_micros: i64,
    pub expires_at_micros: Option<i64>,
    pub billing_period_start_micros: i64,
    pub billing_period_end_micros: i64,
    pub limits: Limits,
}

/// The numbers of a licence that the service enforces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    pub api_rate_limit_per_second: i64,
    pub max_audit_window_seconds: i64,
    pub max_datasets: i64,
    pub max_endpoints: i64,
    pub max_fields: i64,
    pub max_monitors: i64,
    pub max_query_window_seconds: i64,
    pub max_users: i64,
    pub monthly_ingest_gb: i64,
    pub monthly_query_gb_hours: i64,
    #[serde(rename = "storageAllowanceGB")]
    pub storage_allowance_gb: i64,
}

impl Limits {
    /// Every limit by the name it has on the wire and on the command line.
    pub fn named(&mut self) -> [(&'static str, &mut i64); 11] {
        [
            ("apiRateLimitPerSecond", &mut self.api_rate_limit_per_second),
            ("maxAuditWindowSeconds", &mut self.max_audit_window_seconds),
            ("maxDatasets", &mut self.max_datasets),
            ("maxEndpoints", &mut self.max_endpoints),
            ("maxFields", &mut self.max_fields),
            ("maxMonitors", &mut self.max_monitors),
            ("maxQueryWindowSeconds", &mut self.max_query_window_seconds),
            ("maxUsers", &mut self.max_users),
            ("monthlyIngestGb", &mut self.monthly_ingest_gb),
            ("monthlyQueryGbHours", &mut self.monthly_query_gb_hours),
            ("storageAllowanceGB", &mut self.storage_allowance_gb),
        ]
    }

    /// Lowers each limit to the highest that one of the others has, where it is above all of them.
    pub fn lower_to(&mut self, others: &[Self]) {
        let mut others = others.to_vec();
        let others: Vec<_> = others.iter_mut().map(Self::named).collect();
        for (place, (_, limit)) in self.named().into_iter().enumerate() {
            if let Some(highest) = others.iter().map(|named| *named[place].1).max() {
                *limit = (*limit).min(highest);
            }
        }
    }
}

impl Licence {
    /// The licence that comes with a self-hosted installation: limits that protect the machine from accidents and
    /// that nobody should meet in normal use.
    pub fn self_hosted(org: &OrgId, issued_to: &str, now: Timestamp) -> Self {
        Self {
            id: format!("licence_{org}"),
            issued_to: issued_to.to_owned(),
            issuer: "Tidegauge, generous default of a self-hosted installation".to_owned(),
            tier: Plan::Comped.name().to_owned(),
            default_region: LOCAL_REGION.to_owned(),
            regions: vec![LOCAL_REGION.to_owned()],
            with_auths: vec!["local".to_owned()],
            features: std::collections::BTreeMap::new(),
            issued_at_micros: now.as_micros(),
            valid_from_micros: now.as_micros(),
            expires_at_micros: None,
            billing_period_start_micros: now.as_micros(),
            billing_period_end_micros: now.as_micros() + 30 * SECONDS_PER_DAY * 1_000_000,
            limits: Limits {
                api_rate_limit_per_second: 10_000,
                max_audit_window_seconds: 365 * SECONDS_PER_DAY,
                max_datasets: 10_000,
                max_endpoints: 1_000,
                max_fields: 100_000,
                max_monitors: 10_000,
                max_query_window_seconds: 3_650 * SECONDS_PER_DAY,
                max_users: 10_000,
                monthly_ingest_gb: 1_000_000,
                monthly_query_gb_hours: 1_000_000,
                storage_allowance_gb: 1_000_000,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_has_a_name() {
        let mut licence = Licence::self_hosted(&OrgId::from("org_1"), "Acme", Timestamp::from_micros(0));
        let stored = serde_json::to_value(&licence.limits).unwrap();
        let named: Vec<String> = licence.limits.named().iter().map(|(name, _)| (*name).to_owned()).collect();
        let mut keys: Vec<String> = stored.as_object().unwrap().keys().cloned().collect();
        keys.sort();
        assert_eq!(named, keys);
    }

    #[test]
    fn limits_are_lowered_to_the_highest_of_others_and_never_raised() {
        let of = |max_users: i64, max_fields: i64| {
            let licence = Licence::self_hosted(&OrgId::from("org_1"), "Acme", Timestamp::from_micros(0));
            Limits { max_users, max_fields, ..licence.limits }
        };
        let mut limits = of(100, 100);
        limits.lower_to(&[]);
        assert_eq!(limits, of(100, 100));
        limits.lower_to(&[of(5, 500), of(50, 500)]);
        assert_eq!(limits, of(50, 100));
    }
}
