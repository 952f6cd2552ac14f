//! What an organisation uses: bytes taken in and the cost of queries by day and dataset, what it keeps now, and the month
//! beside what its licence allows. Counting is left to `ingest` and to the meter of queries.

use std::collections::BTreeMap;

use tidegauge_catalog::usage::DayOfDataset;
use tidegauge_model::{OrgId, Rule, Timestamp, Violation};
use tidegauge_store::usage::{day_of, month_of};

use super::query::meter;
use super::quota_remaining::{Quota, QuotaRemaining};
use super::{Caller, Error, Result};
use crate::app::App;

/// How many days are kept, and how many one answer may tell of.
pub const DAYS_MAX: i64 = 400;

/// How many days an answer tells of where nobody says it.
const DAYS_DEFAULT: i64 = 30;

const DAY_MICROS: i64 = 24 * 60 * 60 * 1_000_000;

const GIGABYTE: u64 = 1_000_000_000;

/// The first day and the last, both included, as `YYYY-MM-DD` in UTC.
#[derive(Debug, Default)]
pub struct DaysInput {
    pub from: Option<String>,
    pub to: Option<String>,
}

/// So much of so much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    pub used: u64,
    pub limit: u64,
}

/// What a dataset has now.
#[derive(Debug)]
pub struct Stored {
    pub dataset: String,
    pub stored_bytes: u64,
    pub input_bytes: u64,
    pub events: u64,
}

#[derive(Debug)]
pub struct Usage {
    pub from: String,
    pub to: String,
    /// In the order of days. An empty name of a dataset stands for the rest.
    pub days: Vec<DayOfDataset>,
    /// In the order of names.
    pub datasets: Vec<Stored>,
    /// The present month.
    pub month: String,
    /// When the next one begins.
    pub resets_at: Timestamp,
    pub ingested_bytes: Measure,
    pub query_cost: Measure,
    pub stored_bytes: Measure,
}

pub async fn get(app: &App, caller: &Caller, id: &str, input: &DaysInput) -> Result<Usage> {
    let org_context = caller.org_context()?;
    let org = &org_context.org;
    if org.as_str() != id {
        return Err(Error::not_found("organisation"));
    }
    let (from, to) = days_of(input, caller.now)?;
    let month = month_of(caller.now.as_nanos());
    let days = by_day(app, org, &from, &to).await?;
    let ingested = app.catalog.usage(org, &month).await?;
    let gigabytes = |count: i64| u64::try_from(count).unwrap_or(0).saturating_mul(GIGABYTE);
    let ingested_bytes = Measure {
        used: ingested.saturating_add(app.store.uncounted_usage(org, &month)),
        limit: gigabytes(org_context.limits.monthly_ingest_gb),
    };
    let query_cost = Measure {
        used: meter::used(&app.queries.meter, &app.catalog, org, caller.now).await?,
        limit: meter::limit(&org_context.limits),
    };
    let stored_bytes = Measure {
        used: app.catalog.storage_bytes(org).await?,
        limit: gigabytes(org_context.limits.storage_allowance_gb),
    };
    let reset_at = QuotaRemaining::of(Quota::Query, query_cost.limit, query_cost.used, caller.now).reset_at;
    let resets_at = Timestamp::from_micros(reset_at.saturating_mul(1_000_000));
    let datasets = stored(app, org);
    Ok(Usage { from, to, days, datasets, month, resets_at, ingested_bytes, query_cost, stored_bytes })
}

/// What was used in these days, also what is not in the catalogue yet.
async fn by_day(app: &App, org: &OrgId, from: &str, to: &str) -> Result<Vec<DayOfDataset>> {
    // Bytes that go into the catalogue between the two looks would be missing.
    let mut flushes = app.store.flushes(org);
    let mut read = meter::by_day(&app.queries.meter, &app.catalog, org, (from, to)).await?;
    let mut uncounted = app.store.uncounted_by_day(org);
    if app.store.flushes(org) != flushes {
        flushes = app.store.flushes(org);
        read = meter::by_day(&app.queries.meter, &app.catalog, org, (from, to)).await?;
        uncounted = app.store.uncounted_by_day(org);
        tracing::debug!(flushes, "events were written to segments while usage was read");
    }
    let (counted, pending) = read;
    let mut sums: BTreeMap<(String, String), (u64, u64)> = BTreeMap::new();
    let bytes = uncounted.into_iter().map(|(dataset, day, bytes)| (day, dataset, bytes, 0));
    let costs = pending.into_iter().map(|part| (part.day, part.dataset, 0, part.cost));
    let counted = counted.into_iter().map(|day| (day.day, day.dataset, day.ingested_bytes, day.query_cost));
    for (day, dataset, bytes, cost) in counted.chain(bytes).chain(costs) {
        if *from <= *day && *day <= *to {
            let sum = sums.entry((day, dataset)).or_default();
            *sum = (sum.0.saturating_add(bytes), sum.1.saturating_add(cost));
        }
    }
    let day = |((day, dataset), (ingested_bytes, query_cost))| DayOfDataset {
        day,
        dataset,
        ingested_bytes,
        query_cost,
    };
    Ok(sums.into_iter().map(day).collect())
}

fn stored(app: &App, org: &OrgId) -> Vec<Stored> {
    let of = |(dataset, info): (String, tidegauge_store::Info)| Stored {
        dataset,
        stored_bytes: info.stored_bytes,
        input_bytes: info.raw_bytes,
        events: info.rows,
    };
    let mut stored: Vec<Stored> = app.store.stored_by_dataset(org).into_iter().map(of).collect();
    stored.sort_by(|one, other| one.dataset.cmp(&other.dataset));
    stored
}

/// The days that were asked for, or the last ones.
fn days_of(input: &DaysInput, now: Timestamp) -> Result<(String, String)> {
    let to = input.to.as_deref().map(|day| read_day("to", day)).transpose()?.unwrap_or(now);
    let shown = |day: Timestamp| day_of(day.as_nanos());
    let from = match &input.from {
        Some(day) => read_day("from", day)?,
        None => to.minus_seconds((DAYS_DEFAULT - 1) * 24 * 60 * 60),
    };
    if shown(from) > shown(to) {
        let problem = "must not be after `to`, which is today where it is left out";
        return Err(Violation::new("from", Rule::Maximum, problem).in_query().into());
    }
    if to.as_micros() - from.as_micros() >= DAYS_MAX * DAY_MICROS {
        let problem = format!("must be at most {DAYS_MAX} days before `to`");
        return Err(Violation::new("from", Rule::Minimum, problem).in_query().into());
    }
    Ok((shown(from), shown(to)))
}

fn read_day(field: &str, text: &str) -> Result<Timestamp> {
    let time = Timestamp::parse(&format!("{text}T00:00:00Z")).ok().filter(|_| text.len() == 10);
    // Only times that have nanoseconds are told apart by days.
    let years =
        Timestamp::parse("1700-01-01T00:00:00Z").ok().zip(Timestamp::parse("2200-01-01T00:00:00Z").ok());
    let time = time.filter(|time| years.is_some_and(|(first, last)| (first..last).contains(time)));
    let problem = "must be a day such as 2026-11-18";
    Ok(time.ok_or_else(|| Violation::new(field, Rule::Pattern, problem).in_query())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(from: Option<&str>, to: Option<&str>) -> Option<(String, String)> {
        let now = Timestamp::parse("2026-03-02T23:59:59Z").unwrap();
        let input = DaysInput { from: from.map(str::to_owned), to: to.map(str::to_owned) };
        days_of(&input, now).ok()
    }

    #[test]
    fn days_are_the_last_thirty_unless_told() {
        let of = |from: &str, to: &str| Some((from.to_owned(), to.to_owned()));
        assert_eq!(days(None, None), of("2026-02-01", "2026-03-02"));
        assert_eq!(days(Some("2026-03-02"), None), of("2026-03-02", "2026-03-02"));
        assert_eq!(days(None, Some("2026-01-30")), of("2026-01-01", "2026-01-30"));
        assert_eq!(days(Some("2025-01-27"), None), of("2025-01-27", "2026-03-02"));
        for (from, to) in [("2025-01-26", None), ("2026-03-03", None), ("2026-01-02", Some("2026-01-01"))] {
            assert_eq!(days(Some(from), to), None, "{from}");
        }
        for day in
            ["", "2026", "2026-13-01", "2026-02-30", "2026-02-01T00:00:00Z", "0001-01-01", "9999-01-01"]
        {
            assert_eq!(days(Some(day), None), None, "{day}");
            assert_eq!(days(None, Some(day)), None, "{day}");
        }
    }
}
