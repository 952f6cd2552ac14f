//! createMonitor: a new threshold monitor over a query, with who is told. What is there already is not changed.

use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use tidegauge_app::service::monitors::{self, MonitorInput};
use tidegauge_auth::Access;
use tidegauge_model::Action::Create;
use tidegauge_model::OrgArea::Monitors;
use tidegauge_web::error::ApiError;

use crate::resources::mcp::tool::{Tool, ToolCall, arguments, found};
use crate::resources::monitors::body::MonitorResponse;

const OPERATORS: [&str; 4] = ["Above", "AboveOrEqual", "Below", "BelowOrEqual"];

pub(super) const TOOL: Tool = Tool {
    name: "createMonitor",
    title: "Create a monitor",
    description: "Creates a monitor that runs a query every few minutes and tells its notifiers when a value crosses a \
        threshold. Try the query with queryApl first.",
    access: Access::Org(Monitors, Create),
    is_read_only: false,
    input: || {
        let properties = json!({
            "name": {"type": "string", "minLength": 1, "maxLength": 256, "description": "What people know it by."},
            "description": {"type": "string", "description": "What to do when it tells, for who is told."},
            "aplQuery": {"type": "string", "description": "The query, whose numbers are judged. It sees the last rangeMinutes."},
            "operator": {"type": "string", "enum": OPERATORS, "description": "On which side of the threshold a value is a reason to tell."},
            "threshold": {"type": "number", "description": "What values are compared with."},
            "intervalMinutes": {"type": "integer", "minimum": 1, "description": "How often the query is run."},
            "rangeMinutes": {"type": "integer", "minimum": 1, "description": "How much time a run looks at."},
            "columnName": {"type": "string", "description": "The column that is judged; every column of numbers if it is not said."},
            "notifierIds": {"type": "array", "items": {"type": "string"}, "description": "Ids of the notifiers that are told. Without them nobody is, and the history shows what was found."},
            "alertOnNoData": {"type": "boolean", "description": "Whether an empty answer is a reason to tell."},
            "notifyByGroup": {"type": "boolean", "description": "Whether each group of the answer has a state of its own."},
        });
        arguments(
            properties,
            &["name", "aplQuery", "operator", "threshold", "intervalMinutes", "rangeMinutes"],
        )
    },
    call: |call| Box::pin(run(call)),
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    name: String,
    description: Option<String>,
    apl_query: String,
    operator: String,
    threshold: f64,
    interval_minutes: i64,
    range_minutes: i64,
    column_name: Option<String>,
    notifier_ids: Option<Vec<String>>,
    alert_on_no_data: Option<bool>,
    notify_by_group: Option<bool>,
}

async fn run(call: ToolCall<'_>) -> Result<Box<RawValue>, ApiError> {
    let arguments: Arguments = call.read()?;
    let input = MonitorInput {
        name: arguments.name,
        description: arguments.description,
        apl_query: Some(arguments.apl_query),
        operator: Some(arguments.operator),
        threshold: Some(arguments.threshold),
        interval_minutes: Some(arguments.interval_minutes),
        range_minutes: Some(arguments.range_minutes),
        column_name: arguments.column_name,
        notifier_ids: arguments.notifier_ids.unwrap_or_default(),
        alert_on_no_data: arguments.alert_on_no_data.unwrap_or(false),
        notify_by_group: arguments.notify_by_group.unwrap_or(false),
        ..MonitorInput::default()
    };
    let monitor = monitors::create(call.app, call.caller, input).await?;
    found(&MonitorResponse::from(monitor))
}
