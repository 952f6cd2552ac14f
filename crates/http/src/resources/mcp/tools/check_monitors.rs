//! checkMonitors: what is watched, and how it stands now.

use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use tidegauge_app::service::monitors;
use tidegauge_auth::Access;
use tidegauge_model::Action::Read;
use tidegauge_model::OrgArea::Monitors;
use tidegauge_web::error::ApiError;

use crate::resources::mcp::tool::{Tool, ToolCall, arguments, fitting, found};
use crate::resources::monitors::body::MonitorResponse;
use crate::resources::monitors::history::MonitorRun;

/// The states of so many monitors are looked up; each is a question to the catalogue.
const STATES_MAX: usize = 200;

pub(super) const TOOL: Tool = Tool {
    name: "checkMonitors",
    title: "Monitors and their states",
    description: "Lists the monitors with their queries and what their last run found: open means that there is a \
        reason to tell somebody, closed that there is none. getMonitorHistory tells the runs before.",
    access: Access::Org(Monitors, Read),
    is_read_only: true,
    input: || {
        let properties = json!({
            "contains": {"type": "string", "description": "Only monitors whose names contain this, in any case."},
        });
        arguments(properties, &[])
    },
    call: |call| Box::pin(run(call)),
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    contains: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Watched {
    #[serde(flatten)]
    monitor: MonitorResponse,
    /// Null before the first run.
    last_run: Option<MonitorRun>,
}

async fn run(call: ToolCall<'_>) -> Result<Box<RawValue>, ApiError> {
    let part = call.read::<Arguments>()?.contains.unwrap_or_default().to_lowercase();
    let all = monitors::list(call.app, call.caller).await?;
    let named = all.into_iter().filter(|monitor| monitor.definition.name.to_lowercase().contains(&part));
    let mut watched = Vec::new();
    let mut beyond = 0;
    for monitor in named {
        if watched.len() == STATES_MAX {
            beyond += 1;
            continue;
        }
        let last = monitors::history::last_run(call.app, call.caller, &monitor).await?;
        watched.push(Watched { monitor: monitor.into(), last_run: last.map(MonitorRun::from) });
    }
    let (monitors, left_out) = fitting(watched)?;
    found(&json!({"monitors": monitors, "leftOut": left_out + beyond}))
}
