//! The stored form of a monitor's definition: JSON text with a key for each field. A field is only ever added, with a
//! default. Numbers with a fraction are kept as text, because that brings back every one of them as it was.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tidegauge_model::monitor::{Definition, MonitorKind, Operator};
use tidegauge_model::notifier::DisabledUntil;
use tidegauge_model::{NotifierId, Timestamp};

use crate::{Error, Result};

/// Numbers as the caller gave them, where 0 stands for the usual one. Answers repeat them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Given {
    pub after_positives: u32,
    pub of_runs: u32,
    pub tolerance: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Stored {
    description: String,
    kind: String,
    query: String,
    operator: Option<String>,
    #[serde(with = "exact")]
    threshold: f64,
    interval_minutes: u32,
    range_minutes: u32,
    delay_seconds: u32,
    notifiers: Vec<String>,
    alerts_on_no_data: bool,
    notifies_by_group: bool,
    is_resolvable: bool,
    notifies_every_run: bool,
    skips_resolved: bool,
    after_positives: u32,
    of_runs: u32,
    #[serde(with = "exact")]
    tolerance: f64,
    compare_days: u32,
    column: Option<String>,
    disabled_until_text: Option<String>,
    given_after_positives: u32,
    given_of_runs: u32,
    #[serde(with = "exact")]
    given_tolerance: f64,
}

impl Stored {
    /// The JSON text of a definition, without what has columns of its own.
    pub(super) fn text(definition: &Definition, given: Given) -> String {
        let stored = Self {
            description: definition.description.clone(),
            kind: definition.kind.name().to_owned(),
            query: definition.query.clone(),
            operator: definition.operator.map(|operator| operator.name().to_owned()),
            threshold: definition.threshold,
            interval_minutes: definition.interval_minutes,
            range_minutes: definition.range_minutes,
            delay_seconds: definition.delay_seconds,
            notifiers: definition.notifiers.iter().map(|id| id.as_str().to_owned()).collect(),
            alerts_on_no_data: definition.alerts_on_no_data,
            notifies_by_group: definition.notifies_by_group,
            is_resolvable: definition.is_resolvable,
            notifies_every_run: definition.notifies_every_run,
            skips_resolved: definition.skips_resolved,
            after_positives: definition.after_positives,
            of_runs: definition.of_runs,
            tolerance: definition.tolerance,
            compare_days: definition.compare_days,
            column: definition.column.clone(),
            disabled_until_text: definition.disabled_until.as_ref().map(|until| until.text.clone()),
            given_after_positives: given.after_positives,
            given_of_runs: given.of_runs,
            given_tolerance: given.tolerance,
        };
        // A struct of texts, numbers and flags always has a JSON form.
        serde_json::to_string(&stored).unwrap_or_default()
    }

    pub(super) fn of(text: &str) -> Result<Self> {
        serde_json::from_str(text).map_err(|_| Error::corrupt("the definition of a monitor", text))
    }

    pub(super) fn definition(
        self,
        name: String,
        is_disabled: bool,
        disabled_until: Option<i64>,
    ) -> Result<(Definition, Given)> {
        let kind = MonitorKind::from_name(&self.kind)
            .ok_or_else(|| Error::corrupt("the kind of a monitor", &self.kind))?;
        let operator = self.operator.map(|word| {
            Operator::from_name(&word).ok_or_else(|| Error::corrupt("the operator of a monitor", &word))
        });
        let until = disabled_until.zip(self.disabled_until_text);
        let given = Given {
            after_positives: self.given_after_positives,
            of_runs: self.given_of_runs,
            tolerance: self.given_tolerance,
        };
        let definition = Definition {
            name,
            description: self.description,
            kind,
            query: self.query,
            operator: operator.transpose()?,
            threshold: self.threshold,
            interval_minutes: self.interval_minutes,
            range_minutes: self.range_minutes,
            delay_seconds: self.delay_seconds,
            notifiers: self.notifiers.into_iter().map(NotifierId::from).collect(),
            alerts_on_no_data: self.alerts_on_no_data,
            notifies_by_group: self.notifies_by_group,
            is_resolvable: self.is_resolvable,
            notifies_every_run: self.notifies_every_run,
            skips_resolved: self.skips_resolved,
            after_positives: self.after_positives,
            of_runs: self.of_runs,
            tolerance: self.tolerance,
            compare_days: self.compare_days,
            column: self.column,
            is_disabled,
            disabled_until: until
                .map(|(micros, text)| DisabledUntil { text, time: Timestamp::from_micros(micros) }),
        };
        Ok((definition, given))
    }
}

/// A number as the shortest text that means it.
mod exact {
    use super::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
