//! What queries cost, counted by organisation and month from what really happened, and what the licence leaves of it.
//! Costs are collected in memory, by day and dataset, and written by a job, so that a query does not wait for a disk.

mod payers;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tidegauge_catalog::Catalog;
use tidegauge_catalog::usage::{DayOfDataset, QueryCost};
use tidegauge_engine::{Figures, Unanswered};
use tidegauge_metrics::Metrics;
use tidegauge_model::licence::Limits;
use tidegauge_model::{ErrorKind, OrgId, Timestamp};
use tidegauge_store::usage::{day_of, month_of};

pub(super) use self::payers::Payers;
use crate::service::quota_remaining::{Quota, QuotaRemaining};
use crate::service::{Caller, Error, Result};

/// Of the unit of costs, which is a gigabyte held or read for a millisecond.
const COSTS_PER_HOUR: u64 = 60 * 60 * 1_000;

/// Every query counts as if it had used this much at least.
const BYTES_MIN: u64 = 1_000_000;

/// How long the catalogue's figure is believed: other nodes add to it.
const BELIEVED_MICROS: i64 = 10_000_000;

/// What organisations have used.
#[derive(Debug, Default)]
pub struct Meter {
    accounts: Mutex<HashMap<OrgId, Account>>,
    /// Held while costs are on their way into the catalogue, and while they are read from it.
    turn: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct Account {
    /// Of which month `counted` is.
    month: String,
    /// What the catalogue said, and what was added to it since.
    counted: u64,
    read_at: Option<Timestamp>,
    /// What is not in the catalogue yet, by day and dataset.
    pending: BTreeMap<(String, String), u64>,
}

/// What a query cost: the gigabytes it held and read, times the milliseconds it took, rounded up.
fn cost(figures: &Figures) -> u64 {
    let micros = u64::try_from(figures.elapsed.as_micros()).unwrap_or(u64::MAX);
    cost_of(figures.memory_peak.saturating_add(figures.bytes_read), micros)
}

/// What so many bytes for so long cost.
pub(super) fn cost_of(bytes: u64, micros: u64) -> u64 {
    let product = u128::from(bytes.max(BYTES_MIN)).saturating_mul(u128::from(micros.max(1)));
    u64::try_from(product.div_ceil(1_000_000_000_000)).unwrap_or(u64::MAX)
}

/// Counts what a query took, and gives its cost.
pub(super) fn account(
    meter: &Meter,
    metrics: &Metrics,
    (org, payers): (&OrgId, &Payers),
    figures: &Figures,
    now: Timestamp,
) -> u64 {
    let cost = cost(figures);
    meter.add(org, payers, cost, now);
    metrics.query_computed(figures.elapsed, figures.rows_examined, figures.bytes_read);
    cost
}

/// Counts what a query of an organisation took that had no answer, such as one that ran out of time.
#[derive(Debug)]
struct Unpaid {
    meter: Arc<Meter>,
    org: OrgId,
    payers: Payers,
    now: Timestamp,
}

impl Unanswered for Unpaid {
    fn ended(&self, figures: &Figures) {
        self.meter.add(&self.org, &self.payers, cost(figures), self.now);
    }
}

/// Whom the engine tells what a query took that has no answer: it is not free.
pub(super) fn unanswered(
    meter: &Arc<Meter>,
    org: &OrgId,
    payers: &Payers,
    now: Timestamp,
) -> Option<Arc<dyn Unanswered>> {
    Some(Arc::new(Unpaid { meter: Arc::clone(meter), org: org.clone(), payers: payers.clone(), now }))
}

/// What queries may cost in a month.
pub(in crate::service) fn limit(limits: &Limits) -> u64 {
    u64::try_from(limits.monthly_query_gb_hours).unwrap_or(0).saturating_mul(COSTS_PER_HOUR)
}

/// Refuses a query when the month's costs are used up.
pub(super) async fn check(meter: &Meter, catalog: &Catalog, caller: &Caller) -> Result<QuotaRemaining> {
    let org_context = caller.org_context()?;
    let used = used(meter, catalog, &org_context.org, caller.now).await?;
    let quota_remaining = QuotaRemaining::of(Quota::Query, limit(&org_context.limits), used, caller.now);
    if quota_remaining.remaining == 0 {
        let message =
            "the organisation has used as many gigabyte-hours of queries this month as its licence allows";
        return Err(Error::new(ErrorKind::QuotaUsedUp, message)
            .hint("raise monthlyQueryGbHours, or wait for the next month")
            .quota_remaining(quota_remaining));
    }
    Ok(quota_remaining)
}

pub(in crate::service) async fn used(
    meter: &Meter,
    catalog: &Catalog,
    org: &OrgId,
    now: Timestamp,
) -> Result<u64> {
    let month = month_of(now.as_nanos());
    if let Some(used) = meter.known(org, &month, now) {
        return Ok(used);
    }
    let _turn = meter.turn.lock().await;
    let counted = catalog.query_usage(org, &month).await?;
    let mut accounts = meter.lock();
    let account = accounts.entry(org.clone()).or_default();
    *account = Account { month, counted, read_at: Some(now), pending: std::mem::take(&mut account.pending) };
    Ok(account.used())
}

/// What an organisation has used from one day to another, as the catalogue has it, and what its queries have cost since.
pub(in crate::service) async fn by_day(
    meter: &Meter,
    catalog: &Catalog,
    org: &OrgId,
    (from, to): (&str, &str),
) -> Result<(Vec<DayOfDataset>, Vec<QueryCost>)> {
    // While costs are on their way into the catalogue, they would be counted twice.
    let _turn = meter.turn.lock().await;
    let counted = catalog.usage_by_day(org, from, to).await?;
    Ok((counted, meter.pending_of(org)))
}

/// Writes what was collected. Not to be cancelled: a write that was given up half-way may have happened, and would then
/// be repeated.
pub async fn write(meter: &Meter, catalog: &Catalog) -> std::result::Result<(), tidegauge_catalog::Error> {
    let _turn = meter.turn.lock().await;
    let pending = meter.pending();
    if pending.is_empty() {
        return Ok(());
    }
    catalog.add_query_usage(&pending).await?;
    meter.settle(&pending);
    Ok(())
}

impl Meter {
    fn add(&self, org: &OrgId, payers: &Payers, cost: u64, now: Timestamp) {
        let day = day_of(now.as_nanos());
        let mut accounts = self.lock();
        let account = accounts.entry(org.clone()).or_default();
        for (dataset, part) in payers.divide(cost) {
            let pending = account.pending.entry((day.clone(), dataset.to_owned())).or_default();
            *pending = pending.saturating_add(part);
        }
    }

    /// What the queries of an organisation have cost and is not in the catalogue yet.
    fn pending_of(&self, org: &OrgId) -> Vec<QueryCost> {
        let mut pending = self.pending();
        pending.retain(|pending| pending.org == *org);
        pending
    }

    fn known(&self, org: &OrgId, month: &str, now: Timestamp) -> Option<u64> {
        let accounts = self.lock();
        let account = accounts.get(org).filter(|account| account.month == month)?;
        let age = now.as_micros().saturating_sub(account.read_at?.as_micros());
        (0..BELIEVED_MICROS).contains(&age).then(|| account.used())
    }

    fn pending(&self) -> Vec<QueryCost> {
        let accounts = self.lock();
        let of = |(org, account): (&OrgId, &Account)| {
            let parts = account.pending.iter().map(|((day, dataset), cost)| QueryCost {
                org: org.clone(),
                day: day.clone(),
                dataset: dataset.clone(),
                cost: *cost,
            });
            parts.collect::<Vec<_>>()
        };
        accounts.iter().flat_map(of).collect()
    }

    /// Takes what is in the catalogue now out of what is not.
    fn settle(&self, written: &[QueryCost]) {
        let mut accounts = self.lock();
        for QueryCost { org, day, dataset, cost } in written {
            let Some(account) = accounts.get_mut(org) else { continue };
            let place = (day.clone(), dataset.clone());
            if let Some(pending) = account.pending.get_mut(&place) {
                *pending -= cost;
                if *pending == 0 {
                    account.pending.remove(&place);
                }
            }
            if !account.month.is_empty() && day.starts_with(&account.month) {
                account.counted = account.counted.saturating_add(*cost);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<OrgId, Account>> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Account {
    fn used(&self) -> u64 {
        let of_month = self.pending.iter().filter(|((day, _), _)| day.starts_with(&self.month));
        of_month.fold(self.counted, |sum, (_, cost)| sum.saturating_add(*cost))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_cost_is_gigabytes_times_milliseconds_rounded_up() {
        let of = |memory_peak, bytes_read, elapsed| {
            cost(&Figures { memory_peak, bytes_read, elapsed, ..Figures::default() })
        };
        assert_eq!(of(0, 0, Duration::ZERO), 1);
        assert_eq!(of(1_000_000_000, 0, Duration::from_millis(1)), 1);
        assert_eq!(of(1_000_000_000, 1_000_000_000, Duration::from_millis(10)), 20);
        assert_eq!(of(500_000_000, 1, Duration::from_millis(3)), 2);
        assert_eq!(of(0, 0, Duration::from_secs(1)), 1);
        assert_eq!(of(0, 0, Duration::from_micros(1_000_001)), 2);
        assert_eq!(of(u64::MAX, u64::MAX, Duration::MAX), u64::MAX);
    }

    #[test]
    fn what_is_written_stays_counted_and_is_not_written_again() {
        let (meter, org) = (Meter::default(), OrgId::from("org_a"));
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let (june, july) = (at("2026-06-30T23:59:59Z"), at("2026-07-01T00:00:00Z"));
        assert_eq!(meter.known(&org, "2026-06", june), None);
        let payers = Payers::one("logs");
        meter.add(&org, &payers, 5, june);
        meter.add(&org, &payers, 7, july);
        meter.lock().get_mut(&org).unwrap().month = "2026-06".to_owned();
        meter.lock().get_mut(&org).unwrap().read_at = Some(june);
        assert_eq!(meter.known(&org, "2026-06", june), Some(5));
        let pending = meter.pending();
        assert_eq!(pending.len(), 2);
        meter.add(&org, &payers, 3, june);
        meter.settle(&pending);
        assert_eq!(meter.known(&org, "2026-06", june), Some(8));
        assert_eq!(
            meter.pending(),
            [QueryCost {
                org: org.clone(),
                day: "2026-06-30".to_owned(),
                dataset: "logs".to_owned(),
                cost: 3
            }]
        );
        assert_eq!(meter.known(&org, "2026-07", july), None);
    }
}
