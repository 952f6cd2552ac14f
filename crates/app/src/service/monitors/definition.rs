//! From what a caller sends to the definition of a monitor: defaults in their places, and every rule that can be
//! checked without looking at anything else.

use tidegauge_catalog::monitors::Given;
use tidegauge_lang::parse_query;
use tidegauge_model::monitor::{Definition, MonitorKind, Operator};
use tidegauge_model::notifier::DisabledUntil;
use tidegauge_model::{NotifierId, Rule, Timestamp, Violation};

use crate::service::text::{DESCRIPTION_MAX, check_filled, check_name, check_text};

/// Longest query, in characters. The language takes as many bytes.
pub const QUERY_MAX: usize = 262_144;

/// Longest name of a column, in characters.
pub const COLUMN_MAX: usize = 1_024;

/// Most notifiers of a monitor.
pub const NOTIFIERS_MAX: usize = 100;

/// Longest time between two runs: 31 days.
pub const INTERVAL_MINUTES_MAX: i64 = 44_640;

/// Longest time that a run looks at: 90 days.
pub const RANGE_MINUTES_MAX: i64 = 129_600;

pub const DELAY_SECONDS_MAX: i64 = 86_400;

/// Most runs that an alert can depend on.
pub const RUNS_MAX: i64 = 1_000;

pub const COMPARE_DAYS_MAX: i64 = 7;

pub const TOLERANCE_MAX: f64 = 100.0;

/// Where an anomaly begins, where nobody says it.
pub const TOLERANCE_DEFAULT: f64 = 3.0;

/// What a caller sets of a monitor, as it came in.
#[derive(Clone, Debug, Default)]
pub struct MonitorInput {
    pub name: String,
    pub description: Option<String>,
    pub kind: Option<String>,
    pub apl_query: Option<String>,
    pub mpl_query: Option<String>,
    pub operator: Option<String>,
    pub threshold: Option<f64>,
    pub interval_minutes: Option<i64>,
    pub range_minutes: Option<i64>,
    pub notifier_ids: Vec<String>,
    pub alert_on_no_data: bool,
    pub notify_by_group: bool,
    pub resolvable: bool,
    pub notify_every_run: bool,
    pub skip_resolved: bool,
    pub disabled: bool,
    pub disabled_until: Option<String>,
    pub second_delay: Option<i64>,
    pub trigger_after_n_positive_results: Option<i64>,
    pub trigger_from_n_runs: Option<i64>,
    pub tolerance: Option<f64>,
    pub compare_days: Option<i64>,
    pub column_name: Option<String>,
}

/// Reads a definition. Whether its query can be run and whether its notifiers exist is not looked at.
pub fn read(input: MonitorInput, now: Timestamp) -> Result<(Definition, Given), Violation> {
    check_name("name", &input.name)?;
    let description = input.description.clone().unwrap_or_default();
    check_text("description", &description, DESCRIPTION_MAX)?;
    let kind = kind(input.kind.as_deref())?;
    let column = input.column_name.clone().filter(|name| !name.is_empty());
    check_text("columnName", column.as_deref().unwrap_or_default(), COLUMN_MAX)?;
    let given = given(&input)?;
    let of_runs = given.of_runs.max(given.after_positives).max(1);
    let definition = Definition {
        query: query(&input)?,
        operator: operator(kind, input.operator.as_deref())?,
        threshold: input.threshold.unwrap_or(0.0),
        interval_minutes: minutes(kind, "intervalMinutes", input.interval_minutes, INTERVAL_MINUTES_MAX)?,
        range_minutes: minutes(kind, "rangeMinutes", input.range_minutes, RANGE_MINUTES_MAX)?,
        delay_seconds: whole("secondDelay", input.second_delay, DELAY_SECONDS_MAX)?,
        notifiers: notifiers(&input.notifier_ids)?,
        alerts_on_no_data: input.alert_on_no_data,
        notifies_by_group: input.notify_by_group,
        is_resolvable: input.resolvable,
        notifies_every_run: input.notify_every_run,
        skips_resolved: input.skip_resolved,
        after_positives: given.after_positives.max(1),
        of_runs,
        tolerance: tolerance(kind, given.tolerance),
        compare_days: whole("compareDays", input.compare_days, COMPARE_DAYS_MAX)?,
        column,
        is_disabled: input.disabled,
        disabled_until: disabled_until(input.disabled_until, now)?,
        name: input.name,
        description,
        kind,
    };
    Ok((definition, given))
}

fn kind(word: Option<&str>) -> Result<MonitorKind, Violation> {
    match word {
        None | Some("") => Ok(MonitorKind::Threshold),
        Some(word) => {
            MonitorKind::from_name(word).ok_or_else(|| Violation::one_of("type", &MonitorKind::names()))
        }
    }
}

/// The one query. Clients that know the language of metrics may send theirs under its own key; what is no query of
/// events cannot be answered here.
fn query(input: &MonitorInput) -> Result<String, Violation> {
    let filled = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    match (filled(&input.apl_query), filled(&input.mpl_query)) {
        (Some(_), Some(_)) => {
            let problem = "must not be set beside aplQuery: a monitor has one query";
            Err(Violation::new("mplQuery", Rule::Unique, problem))
        }
        (Some(text), None) => check_filled("aplQuery", &text, QUERY_MAX).map(|()| text),
        (None, Some(text)) => {
            check_filled("mplQuery", &text, QUERY_MAX)?;
            if parse_query(&text).1.is_empty() {
                return Ok(text);
            }
            let problem =
                "is not understood: this service has no metrics, write the query in APL as aplQuery";
            Err(Violation::new("mplQuery", Rule::Pattern, problem))
        }
        (None, None) => Err(Violation::required("aplQuery")),
    }
}

fn operator(kind: MonitorKind, word: Option<&str>) -> Result<Option<Operator>, Violation> {
    use Operator::{Above, AboveOrBelow, AboveOrEqual, Below, BelowOrEqual};
    let allowed: &[Operator] = match kind {
        MonitorKind::Threshold => &[Below, BelowOrEqual, Above, AboveOrEqual],
        MonitorKind::AnomalyDetection => &[Below, Above, AboveOrBelow],
        // It judges nothing by it; clients send one nevertheless.
        MonitorKind::MatchEvent => Operator::ALL,
    };
    let names: Vec<&str> = allowed.iter().map(|operator| operator.name()).collect();
    match word {
        None | Some("") if kind == MonitorKind::MatchEvent => Ok(None),
        None | Some("") => Err(Violation::required("operator")),
        Some(word) => match Operator::from_name(word).filter(|operator| allowed.contains(operator)) {
            Some(operator) => Ok(Some(operator)),
            None => Err(Violation::one_of("operator", &names)),
        },
    }
}

/// A number of minutes. Clients that watch for events may leave it out, or send 0: their events are looked for each
/// minute.
fn minutes(kind: MonitorKind, field: &str, given: Option<i64>, max: i64) -> Result<u32, Violation> {
    match given {
        None | Some(0) if kind == MonitorKind::MatchEvent => Ok(1),
        None => Err(Violation::required(field)),
        Some(..1) => Err(Violation::new(field, Rule::Minimum, "should be greater than or equal to 1")),
        given => whole(field, given, max),
    }
}

/// A number from 0; none is 0.
fn whole(field: &str, given: Option<i64>, max: i64) -> Result<u32, Violation> {
    match given.unwrap_or(0) {
        ..0 => Err(Violation::new(field, Rule::Minimum, "should be greater than or equal to 0")),
        number if number > max => Err(too_large(field, &max.to_string())),
        number => u32::try_from(number).map_err(|_| too_large(field, &max.to_string())),
    }
}

fn too_large(field: &str, max: &str) -> Violation {
    Violation::new(field, Rule::Maximum, format!("should be less than or equal to {max}"))
}

fn given(input: &MonitorInput) -> Result<Given, Violation> {
    let tolerance = input.tolerance.unwrap_or(0.0);
    if tolerance < 0.0 {
        return Err(Violation::new("tolerance", Rule::Minimum, "should be greater than or equal to 0"));
    }
    if tolerance > TOLERANCE_MAX {
        return Err(too_large("tolerance", &TOLERANCE_MAX.to_string()));
    }
    let after_positives =
        whole("triggerAfterNPositiveResults", input.trigger_after_n_positive_results, RUNS_MAX)?;
    let of_runs = whole("triggerFromNRuns", input.trigger_from_n_runs, RUNS_MAX)?;
    if of_runs > 0 && after_positives > of_runs {
        return Err(too_large(
            "triggerAfterNPositiveResults",
            &format!("triggerFromNRuns, which is {of_runs}"),
        ));
    }
    Ok(Given { after_positives, of_runs, tolerance })
}

fn tolerance(kind: MonitorKind, given: f64) -> f64 {
    if kind == MonitorKind::AnomalyDetection && given == 0.0 { TOLERANCE_DEFAULT } else { given }
}

/// Each notifier once, in the order in which they are named. What was never handed out as an id is not one of ours.
fn notifiers(ids: &[String]) -> Result<Vec<NotifierId>, Violation> {
    if ids.len() > NOTIFIERS_MAX {
        let problem = format!("should have at most {NOTIFIERS_MAX} items");
        return Err(Violation::new("notifierIds", Rule::TooManyItems, problem));
    }
    let mut notifiers: Vec<NotifierId> = Vec::with_capacity(ids.len());
    for (index, text) in ids.iter().enumerate() {
        let Some(id) = NotifierId::parse(text) else {
            let shown: String = text.chars().take(64).collect();
            let problem = format!("must be the id of a notifier, which {shown:?} is not");
            return Err(Violation::new(format!("notifierIds.{index}"), Rule::Pattern, problem));
        };
        if !notifiers.contains(&id) {
            notifiers.push(id);
        }
    }
    Ok(notifiers)
}

fn disabled_until(text: Option<String>, now: Timestamp) -> Result<Option<DisabledUntil>, Violation> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    match Timestamp::parse(&text) {
        Ok(time) => Ok(DisabledUntil { text, time }.if_later(now)),
        Err(_) => Err(Violation::not_a_timestamp("disabledUntil")),
    }
}

#[cfg(test)]
mod tests;
