//! getMonitorHistory: what the runs of a monitor have found.

use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use tidegauge_app::service::monitors::history::{self, Stretch};
use tidegauge_auth::Access;
use tidegauge_model::Action::Read;
use tidegauge_model::OrgArea::Monitors;
use tidegauge_web::error::ApiError;

use crate::resources::mcp::tool::{Tool, ToolCall, arguments, fitting, found, limit};
use crate::resources::monitors::history::MonitorRun;

const RUNS_DEFAULT: usize = 50;
const RUNS_MAX: usize = 500;

pub(super) const TOOL: Tool = Tool {
    name: "getMonitorHistory",
    title: "History of a monitor",
    description: "Tells what the runs of a monitor have found, the newest first: the state, the value that was judged, \
        why, and the time that the query looked at.",
    access: Access::Org(Monitors, Read),
    is_read_only: true,
    input: || {
        let properties = json!({
            "id": {"type": "string", "description": "The id of the monitor, such as mon_…, from checkMonitors."},
            "startTime": {"type": "string", "format": "date-time", "description": "RFC 3339; a day before the end if it is not said."},
            "endTime": {"type": "string", "format": "date-time", "description": "RFC 3339; now if it is not said."},
            "limit": {"type": "integer", "minimum": 1, "maximum": RUNS_MAX, "default": RUNS_DEFAULT, "description": "How many runs at most."},
        });
        arguments(properties, &["id"])
    },
    call: |call| Box::pin(run(call)),
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    id: String,
    start_time: Option<String>,
    end_time: Option<String>,
    limit: Option<i64>,
}

async fn run(call: ToolCall<'_>) -> Result<Box<RawValue>, ApiError> {
    let Arguments { id, start_time, end_time, limit: given } = call.read()?;
    let limit = i64::try_from(limit(given, RUNS_DEFAULT, RUNS_MAX)?).unwrap_or(i64::MAX);
    let stretch = Stretch { start: start_time, end: end_time };
    let runs = history::runs(call.app, call.caller, &id, stretch, limit).await?;
    let (runs, left_out) = fitting(runs.into_iter().map(MonitorRun::from))?;
    found(&json!({"runs": runs, "leftOut": left_out}))
}
