//! listDashboards: what people look at.

use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use tidegauge_app::service::dashboards;
use tidegauge_auth::Access;
use tidegauge_model::Action::Read;
use tidegauge_model::OrgArea::Dashboards;
use tidegauge_web::error::ApiError;
use tidegauge_web::json;

use crate::resources::mcp::tool::{Tool, ToolCall, arguments, fitting, found, limit};

const DASHBOARDS_DEFAULT: usize = 100;
const DASHBOARDS_MAX: usize = 500;

/// How many documents are read at once: each may be long, and a list of them has a limit in bytes.
const PAGE: usize = 20;

pub(super) const TOOL: Tool = Tool {
    name: "listDashboards",
    title: "List dashboards",
    description: "Lists the dashboards with their uids and names; getDashboard tells the charts of one with their \
        queries.",
    access: Access::Org(Dashboards, Read),
    is_read_only: true,
    input: || {
        let properties = json!({
            "limit": {"type": "integer", "minimum": 1, "maximum": DASHBOARDS_MAX, "default": DASHBOARDS_DEFAULT, "description": "How many at most."},
        });
        arguments(properties, &[])
    },
    call: |call| Box::pin(run(call)),
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    limit: Option<i64>,
}

/// What is shown of a stored document.
#[derive(Deserialize)]
struct Document {
    name: String,
    description: Option<String>,
    charts: Vec<serde::de::IgnoredAny>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    uid: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    charts: usize,
    updated_at: String,
}

async fn run(call: ToolCall<'_>) -> Result<Box<RawValue>, ApiError> {
    let wanted = limit(call.read::<Arguments>()?.limit, DASHBOARDS_DEFAULT, DASHBOARDS_MAX)?;
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let mut listed = Vec::new();
    while listed.len() < wanted {
        let page = PAGE.min(wanted - listed.len());
        let dashboards = dashboards::list(call.app, call.caller, number(page), number(listed.len())).await?;
        let is_last = dashboards.len() < page;
        for dashboard in dashboards {
            let document: Document = json::read(dashboard.document.as_bytes())?;
            listed.push(Listed {
                uid: dashboard.uid.into_string(),
                name: document.name,
                description: document.description,
                charts: document.charts.len(),
                updated_at: dashboard.modified.to_string(),
            });
        }
        if is_last {
            break;
        }
    }
    let (dashboards, left_out) = fitting(listed)?;
    found(&json!({"dashboards": dashboards, "leftOut": left_out}))
}
