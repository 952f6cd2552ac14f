//! getDashboard: the charts of a dashboard with what they ask. Where they stand and how they look is left out: a model
//! has no use for it.

use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use tidegauge_app::service::dashboards;
use tidegauge_auth::Access;
use tidegauge_model::Action::Read;
use tidegauge_model::OrgArea::Dashboards;
use tidegauge_web::error::ApiError;
use tidegauge_web::json;

use crate::resources::mcp::tool::{Tool, ToolCall, arguments, fitting, found};

pub(super) const TOOL: Tool = Tool {
    name: "getDashboard",
    title: "Read a dashboard",
    description: "Tells the charts of a dashboard with their types and queries, and the time that it shows. queryApl \
        runs a query of one.",
    access: Access::Org(Dashboards, Read),
    is_read_only: true,
    input: || {
        let properties = json!({
            "uid": {"type": "string", "description": "The uid of the dashboard, from listDashboards."},
        });
        arguments(properties, &["uid"])
    },
    call: |call| Box::pin(run(call)),
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    uid: String,
}

/// What is shown of a stored document.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    name: String,
    description: Option<String>,
    charts: Vec<Chart>,
    time_window_start: Option<String>,
    time_window_end: Option<String>,
}

#[derive(Deserialize, Serialize)]
struct Chart {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(rename = "type")]
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    query: Option<Box<RawValue>>,
    /// Of a note.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

async fn run(call: ToolCall<'_>) -> Result<Box<RawValue>, ApiError> {
    let Arguments { uid } = call.read()?;
    let dashboard = dashboards::get(call.app, call.caller, &uid).await?;
    let document: Document = json::read(dashboard.document.as_bytes())?;
    let (charts, left_out) = fitting(document.charts)?;
    found(&json!({
        "uid": dashboard.uid.as_str(),
        "version": dashboard.version,
        "name": document.name,
        "description": document.description,
        "timeWindowStart": document.time_window_start,
        "timeWindowEnd": document.time_window_end,
        "updatedAt": dashboard.modified.to_string(),
        "charts": charts,
        "leftOut": left_out,
    }))
}
