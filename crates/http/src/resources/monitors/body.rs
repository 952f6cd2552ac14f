//! How a monitor looks in requests and in answers. Keys are read in any case, because clients differ in theirs.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Number;
use tidegauge_app::service::monitors::MonitorInput;
use tidegauge_catalog::monitors::Monitor;
use utoipa::ToSchema;

use crate::case_insensitive::AnyCase;
use crate::resources::schemas::{MonitorKindName, MonitorOperatorName};

/// The keys of a request.
pub const NAMES: [&str; 24] = [
    "name",
    "description",
    "type",
    "aplQuery",
    "mplQuery",
    "operator",
    "threshold",
    "intervalMinutes",
    "rangeMinutes",
    "notifierIds",
    "notifierIDs",
    "alertOnNoData",
    "notifyByGroup",
    "resolvable",
    "notifyEveryRun",
    "skipResolved",
    "disabled",
    "disabledUntil",
    "secondDelay",
    "triggerAfterNPositiveResults",
    "triggerFromNRuns",
    "tolerance",
    "compareDays",
    "columnName",
];

/// What a caller sets of a monitor. The case of the keys does not count.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", remote = "Self")]
pub struct MonitorRequest {
    #[schema(min_length = 1, max_length = 256, example = "Many errors")]
    pub name: String,
    #[schema(max_length = 4096)]
    pub description: Option<String>,
    /// How the answer is judged; `Threshold` if it is not said.
    #[serde(rename = "type")]
    #[schema(value_type = Option<MonitorKindName>)]
    pub kind: Option<String>,
    /// The query. One of a `MatchEvent` monitor may only choose and shape single events.
    #[schema(max_length = 262_144, example = "print errors = 1")]
    pub apl_query: Option<String>,
    /// In the place of `aplQuery`, for clients that know the language of metrics. It must be a query that `aplQuery`
    /// could be, and is answered with there.
    #[schema(max_length = 262_144)]
    pub mpl_query: Option<String>,
    /// On which side of the threshold, or of what was expected, a value is a reason to tell. `AboveOrBelow` is for
    /// anomalies alone, those with `OrEqual` are for thresholds alone, and a `MatchEvent` monitor needs none.
    #[schema(value_type = Option<MonitorOperatorName>)]
    pub operator: Option<String>,
    pub threshold: Option<f64>,
    /// How often the query is run. A `MatchEvent` monitor may leave it out for each minute.
    #[schema(minimum = 1, maximum = 44640, example = 5)]
    pub interval_minutes: Option<i64>,
    /// How much time a run looks at. A `MatchEvent` monitor may leave it out.
    #[schema(minimum = 1, maximum = 129_600, example = 5)]
    pub range_minutes: Option<i64>,
    /// Who is told.
    #[schema(max_items = 100)]
    pub notifier_ids: Option<Vec<String>>,
    /// An older spelling of `notifierIds`, which goes before.
    #[serde(rename = "notifierIDs")]
    #[schema(max_items = 100, deprecated)]
    pub notifier_ids_before: Option<Vec<String>>,
    /// Whether an empty answer is a reason to tell.
    pub alert_on_no_data: Option<bool>,
    /// Whether each group of the answer has a state of its own.
    pub notify_by_group: Option<bool>,
    /// Whether people may close an alert by hand.
    pub resolvable: Option<bool>,
    /// Whether to tell with each run while an alert is open.
    pub notify_every_run: Option<bool>,
    /// Whether the end of an alert is kept quiet.
    pub skip_resolved: Option<bool>,
    /// Whether the monitor rests.
    pub disabled: Option<bool>,
    /// Until when the monitor rests. Null, a past time and the zero time mean that it does not.
    #[schema(format = DateTime)]
    pub disabled_until: Option<String>,
    /// How long a run waits for events that come late, in seconds.
    #[schema(minimum = 0, maximum = 86400)]
    pub second_delay: Option<i64>,
    /// An alert opens when so many of the last `triggerFromNRuns` runs gave a reason; 0 is 1.
    #[schema(minimum = 0, maximum = 1000)]
    pub trigger_after_n_positive_results: Option<i64>,
    #[schema(minimum = 0, maximum = 1000)]
    pub trigger_from_n_runs: Option<i64>,
    /// How many times its usual variation a value may be away from what was expected; 0 is 3.
    #[schema(minimum = 0, maximum = 100)]
    pub tolerance: Option<f64>,
    /// From how many days back what is expected is taken; 0 is the series itself.
    #[schema(minimum = 0, maximum = 7)]
    pub compare_days: Option<i64>,
    /// The column that is judged; none is every column of numbers.
    #[schema(max_length = 1024)]
    pub column_name: Option<String>,
}

impl<'de> Deserialize<'de> for MonitorRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RequestVisitor)
    }
}

struct RequestVisitor;

impl<'de> Visitor<'de> for RequestVisitor {
    type Value = MonitorRequest;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<MonitorRequest, A::Error> {
        MonitorRequest::deserialize(MapAccessDeserializer::new(AnyCase::new(map, &NAMES)))
    }
}

impl From<MonitorRequest> for MonitorInput {
    fn from(request: MonitorRequest) -> Self {
        Self {
            name: request.name,
            description: request.description,
            kind: request.kind,
            apl_query: request.apl_query,
            mpl_query: request.mpl_query,
            operator: request.operator,
            threshold: request.threshold,
            interval_minutes: request.interval_minutes,
            range_minutes: request.range_minutes,
            notifier_ids: request.notifier_ids.or(request.notifier_ids_before).unwrap_or_default(),
            alert_on_no_data: request.alert_on_no_data.unwrap_or(false),
            notify_by_group: request.notify_by_group.unwrap_or(false),
            resolvable: request.resolvable.unwrap_or(false),
            notify_every_run: request.notify_every_run.unwrap_or(false),
            skip_resolved: request.skip_resolved.unwrap_or(false),
            disabled: request.disabled.unwrap_or(false),
            disabled_until: request.disabled_until,
            second_delay: request.second_delay,
            trigger_after_n_positive_results: request.trigger_after_n_positive_results,
            trigger_from_n_runs: request.trigger_from_n_runs,
            tolerance: request.tolerance,
            compare_days: request.compare_days,
            column_name: request.column_name,
        }
    }
}

/// A monitor.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MonitorResponse {
    #[schema(example = "mon_01890a5dac96774bbcceb302099a8057")]
    pub id: String,
    pub name: String,
    pub description: String,
    #[serde(rename = "type")]
    #[schema(value_type = MonitorKindName)]
    pub kind: &'static str,
    pub apl_query: String,
    /// Left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<MonitorOperatorName>, nullable = false)]
    pub operator: Option<&'static str>,
    #[schema(value_type = f64)]
    pub threshold: Number,
    pub interval_minutes: u32,
    pub range_minutes: u32,
    pub notifier_ids: Vec<String>,
    pub alert_on_no_data: bool,
    pub notify_by_group: bool,
    pub resolvable: bool,
    pub notify_every_run: bool,
    pub skip_resolved: bool,
    pub disabled: bool,
    /// Left out while the monitor does not rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime, nullable = false)]
    pub disabled_until: Option<String>,
    pub second_delay: u32,
    pub trigger_after_n_positive_results: u32,
    pub trigger_from_n_runs: u32,
    #[schema(value_type = f64)]
    pub tolerance: Number,
    pub compare_days: u32,
    /// Left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub column_name: Option<String>,
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Id of the user who created it.
    pub created_by: String,
    #[schema(format = DateTime)]
    pub updated_at: String,
}

impl From<Monitor> for MonitorResponse {
    fn from(monitor: Monitor) -> Self {
        let Monitor { id, definition, given, created, created_by, modified, .. } = monitor;
        Self {
            id: id.into_string(),
            name: definition.name,
            description: definition.description,
            kind: definition.kind.name(),
            apl_query: definition.query,
            operator: definition.operator.map(|operator| operator.name()),
            threshold: number(definition.threshold),
            interval_minutes: definition.interval_minutes,
            range_minutes: definition.range_minutes,
            notifier_ids: definition.notifiers.into_iter().map(|id| id.into_string()).collect(),
            alert_on_no_data: definition.alerts_on_no_data,
            notify_by_group: definition.notifies_by_group,
            resolvable: definition.is_resolvable,
            notify_every_run: definition.notifies_every_run,
            skip_resolved: definition.skips_resolved,
            disabled: definition.is_disabled,
            disabled_until: definition.disabled_until.map(|until| until.text),
            second_delay: definition.delay_seconds,
            trigger_after_n_positive_results: given.after_positives,
            trigger_from_n_runs: given.of_runs,
            tolerance: number(given.tolerance),
            compare_days: definition.compare_days,
            column_name: definition.column,
            created_at: created.to_string(),
            created_by: created_by.into_string(),
            updated_at: modified.to_string(),
        }
    }
}

/// A number as people write it: without a fraction where it has none.
pub fn number(value: f64) -> Number {
    const EXACT_MAX: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < EXACT_MAX {
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and small enough")]
        return Number::from(value as i64);
    }
    Number::from_f64(value).unwrap_or_else(|| Number::from(0))
}

#[cfg(test)]
mod tests {
    use utoipa::PartialSchema;

    use super::*;

    #[test]
    fn every_key_of_the_document_is_read_in_any_case() {
        let document = serde_json::to_value(MonitorRequest::schema()).unwrap();
        let mut documented: Vec<&String> = document["properties"].as_object().unwrap().keys().collect();
        let mut names = NAMES.to_vec();
        documented.sort();
        names.sort_unstable();
        assert_eq!(documented, names);
    }

    #[test]
    fn a_key_that_is_spelled_as_known_goes_before() {
        let read = |text: &str| MonitorInput::from(serde_json::from_str::<MonitorRequest>(text).unwrap());
        let input = read(r#"{"NAME": "m", "notifierIDs": ["a"], "notifierIds": ["b"], "unknown": {}}"#);
        assert_eq!((input.name.as_str(), input.notifier_ids), ("m", vec!["b".to_owned()]));
        assert_eq!(read(r#"{"name": "m", "NotifierIDs": ["a"]}"#).notifier_ids, ["a"]);
        assert_eq!(read(r#"{"name": "m", "notifierIds": null, "notifierIDs": ["a"]}"#).notifier_ids, ["a"]);
    }

    #[test]
    fn numbers_without_a_fraction_are_written_without_one() {
        for (value, text) in [(5.0, "5"), (-0.5, "-0.5"), (1e300, "1e+300"), (0.1, "0.1")] {
            assert_eq!(number(value).to_string(), text);
        }
    }
}
