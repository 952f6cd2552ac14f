//! What the charts of a dashboard must look like: each has an id of its own and a kind, and what its kind needs to be drawn.
//! Whether a query can be understood is told when it is asked: one that is broken today may be kept and mended.

use std::collections::HashSet;

use tidegauge_model::dashboard::ChartKind;

use super::fields::Fields;
use crate::service::Result;

/// Longest id of a chart, in characters.
pub(super) const ID_MAX: usize = 200;

const CHARTS_MAX: usize = 200;
const NAME_MAX: usize = 500;
const DATASET_MAX: usize = 200;
const QUERY_MAX: usize = 500_000;
const NOTE_MAX: usize = 100_000;
const MONITORS_MAX: usize = 200;
const MONITOR_ID_MAX: usize = 200;
const FILTERS_MAX: usize = 50;
const FILTER_OPTIONS_MAX: usize = 200;

/// The keys of charts of every kind, in all forms of the public service so far.
const KEYS: &[&str] = &[
    "id",
    "type",
    "name",
    "description",
    "sectionId",
    "datasetId",
    "query",
    "hideHeader",
    "overrideDashboardTimeRange",
    "overrideDashboardCompareAgainst",
    "tableSettings",
    "metadata",
    "modified",
    "numSeries",
    "unit",
    "customUnits",
    "decimals",
    "colorScheme",
    "showChart",
    "hideValue",
    "chartHeight",
    "errorThreshold",
    "errorThresholdValue",
    "warningThreshold",
    "warningThresholdValue",
    "invertTheme",
    "background",
    "textColor",
    "labelColor",
    "chartFillColor",
    "okColorProps",
    "warningColorProps",
    "errorColorProps",
    "text",
    "variant",
    "selectedMonitors",
    "columns",
    "filters",
    "logo",
    "logoDark",
];

/// Checks the charts of a document.
pub(super) fn check(document: &Fields<'_>) -> Result<()> {
    let mut ids = HashSet::new();
    for (index, chart) in document.list("charts", CHARTS_MAX)?.unwrap_or_default().iter().enumerate() {
        let chart = Fields::of(format!("charts {index}"), chart)?;
        chart.only(KEYS)?;
        chart.require("id")?;
        let id = chart.text("id", 1, ID_MAX)?.unwrap_or_default();
        if !ids.insert(id) {
            return Err(chart.wrong("id", "is the id of another chart"));
        }
        chart.require("type")?;
        let Some(kind) = chart.text("type", 1, NAME_MAX)?.and_then(ChartKind::from_name) else {
            let problem = format!("must be one of [{}]", ChartKind::names().join(" "));
            return Err(chart.wrong("type", problem));
        };
        chart.text("name", 0, NAME_MAX)?;
        chart.text("datasetId", 0, DATASET_MAX)?;
        check_query(&chart, kind)?;
        match kind {
            ChartKind::Note => {
                chart.require("text")?;
                chart.text("text", 0, NOTE_MAX)?;
            }
            ChartKind::MonitorList => check_monitors(&chart)?,
            ChartKind::SmartFilter => check_filters(&chart)?,
            _ => {}
        }
    }
    Ok(())
}

/// A query is in one of two languages, of which the service answers one.
fn check_query(chart: &Fields<'_>, kind: ChartKind) -> Result<()> {
    if kind.needs_query() {
        chart.require("query")?;
    }
    let Some(query) = chart.object("query")? else {
        return Ok(());
    };
    let apl = query.text("apl", 0, QUERY_MAX)?;
    let mpl = query.text("mpl", 0, QUERY_MAX)?;
    if kind.needs_query() && apl.is_none() && mpl.is_none() {
        return Err(query.wrong("apl", "is required"));
    }
    query.object("queryOptions")?;
    Ok(())
}

fn check_monitors(chart: &Fields<'_>) -> Result<()> {
    chart.require("selectedMonitors")?;
    let monitors = chart.list("selectedMonitors", MONITORS_MAX)?.unwrap_or_default();
    let fits = |id: &str| (1..=MONITOR_ID_MAX).contains(&id.chars().count());
    if !monitors.iter().all(|id| id.as_str().is_some_and(fits)) {
        return Err(chart.wrong("selectedMonitors", "must be a list of ids of monitors"));
    }
    chart.object("columns")?;
    Ok(())
}

fn check_filters(chart: &Fields<'_>) -> Result<()> {
    chart.require("filters")?;
    for (index, filter) in chart.list("filters", FILTERS_MAX)?.unwrap_or_default().iter().enumerate() {
        let filter = Fields::of(format!("{} {index}", chart.place("filters")), filter)?;
        filter.require("id")?;
        filter.text("id", 1, ID_MAX)?;
        filter.require("type")?;
        if !matches!(filter.text("type", 0, NAME_MAX)?, Some("search" | "select")) {
            return Err(filter.wrong("type", "must be one of [search select]"));
        }
        filter.text("name", 0, NAME_MAX)?;
        // Clients write none as an empty text too.
        if !matches!(filter.text("options", 0, 0), Ok(Some(""))) {
            filter.list("options", FILTER_OPTIONS_MAX)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn check_all(charts: &Value) -> std::result::Result<(), String> {
        let document = json!({"charts": charts});
        let checked = check(&Fields::of("", &document).unwrap());
        checked.map_err(|error| error.message.replacen("dashboard validation failed at ", "", 1))
    }

    #[test]
    fn charts_of_every_kind_are_kept() {
        let query = json!({"apl": "['web'] | summarize count()", "queryOptions": {"displayNull": "zero"}});
        let charts: Vec<Value> = ChartKind::ALL
            .iter()
            .map(|kind| match kind {
                ChartKind::Note => json!({"id": "n", "type": "Note", "text": ""}),
                ChartKind::MonitorList => {
                    json!({"id": "m", "type": "MonitorList", "selectedMonitors": ["mon_1"], "columns": {"status": true}})
                }
                ChartKind::SmartFilter => {
                    let filters = json!([{"id": "a", "type": "search"}, {"id": "b", "type": "select", "options": ""}]);
                    json!({"id": "f", "type": "SmartFilter", "filters": filters})
                }
                kind if kind.needs_query() => {
                    json!({"id": kind.name(), "type": kind.name(), "name": "c", "datasetId": "web", "query": query})
                }
                kind => json!({"id": kind.name(), "type": kind.name()}),
            })
            .collect();
        assert_eq!(check_all(&json!(charts)), Ok(()));
    }

    #[test]
    fn what_is_wrong_with_a_chart_is_told_with_its_place() {
        let pie = |query: Value| json!([{"id": "a", "type": "Pie", "query": query}]);
        let filter = |filter: Value| json!([{"id": "f", "type": "SmartFilter", "filters": [filter]}]);
        let monitors = |ids: Value| json!([{"id": "m", "type": "MonitorList", "selectedMonitors": ids}]);
        let note = json!({"id": "n", "type": "Note", "text": "x"});
        let cases = [
            (json!(["x"]), "[charts 0]: must be an object"),
            (
                json!([note, {"id": "b", "type": "Spacer", "colour": 1}]),
                "[charts 1]: Unrecognized key: \"colour\"",
            ),
            (json!([note, note]), "[charts 1 id]: is the id of another chart"),
            (json!([{"type": "Spacer"}]), "[charts 0 id]: is required"),
            (json!([{"id": 1, "type": "Spacer"}]), "[charts 0 id]: must be a string"),
            (json!([{"id": "a"}]), "[charts 0 type]: is required"),
            (json!([{"id": "a", "type": "Note"}]), "[charts 0 text]: is required"),
            (json!([{"id": "a", "type": "Pie"}]), "[charts 0 query]: is required"),
            (pie(json!("['web']")), "[charts 0 query]: must be an object"),
            (pie(json!({})), "[charts 0 query apl]: is required"),
            (pie(json!({"apl": 1})), "[charts 0 query apl]: must be a string"),
            (monitors(json!([""])), "[charts 0 selectedMonitors]: must be a list of ids of monitors"),
            (
                filter(json!({"id": "x", "type": "list"})),
                "[charts 0 filters 0 type]: must be one of [search select]",
            ),
            (filter(json!({"type": "search"})), "[charts 0 filters 0 id]: is required"),
        ];
        for (charts, expected) in cases {
            assert_eq!(check_all(&charts), Err(expected.to_owned()));
        }
        let unknown = check_all(&json!([{"id": "a", "type": "Radar"}])).unwrap_err();
        assert!(unknown.starts_with("[charts 0 type]: must be one of [TimeSeries Heatmap "), "{unknown}");
    }

    #[test]
    fn a_dashboard_has_so_many_charts_and_no_more() {
        let charts = |count: usize| {
            let spacer = |number| json!({"id": format!("s{number}"), "type": "Spacer"});
            Value::from((0..count).map(spacer).collect::<Vec<_>>())
        };
        assert_eq!(check_all(&charts(CHARTS_MAX)), Ok(()));
        let many = check_all(&charts(CHARTS_MAX + 1)).unwrap_err();
        assert_eq!(many, "[charts]: should have at most 200 items");
    }
}
