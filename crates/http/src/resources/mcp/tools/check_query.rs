//! checkQuery: whether a query would run, and what it would read and cost, without running it.

use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use tidegauge_app::service::query::apl::{AplInput, estimate};
use tidegauge_app::service::query_text;
use tidegauge_auth::Access;
use tidegauge_model::Action::Read;
use tidegauge_model::DatasetArea::Query;
use tidegauge_web::error::{ApiError, QueryDiagnostic};

use crate::resources::mcp::tool::{Tool, ToolCall, arguments, found};
use crate::resources::query::estimate::EstimateResponse;

pub(super) const TOOL: Tool = Tool {
    name: "checkQuery",
    title: "Check a query",
    description: "Tells whether a query in APL could run: all that is wrong with it, with places and hints; or which \
        datasets it reads, and at most how much and about at what cost in GB·ms. Nothing is run and it costs nothing.",
    access: Access::Dataset(Query, Read),
    is_read_only: true,
    input: || {
        let properties = json!({
            "apl": {"type": "string", "maxLength": 262_144, "description": "The query."},
            "startTime": {"type": "string", "description": "RFC 3339, or relative to now, such as now-1h."},
            "endTime": {"type": "string", "description": "Like startTime."},
        });
        arguments(properties, &["apl"])
    },
    call: |call| Box::pin(run(call)),
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    apl: String,
    start_time: Option<String>,
    end_time: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Checked {
    is_valid: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<QueryDiagnostic>,
    #[serde(skip_serializing_if = "Option::is_none")]
    datasets: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate: Option<EstimateResponse>,
}

async fn run(call: ToolCall<'_>) -> Result<Box<RawValue>, ApiError> {
    let Arguments { apl, start_time, end_time } = call.read()?;
    let checked = query_text::check(call.app, call.caller, &apl).await?;
    let input = AplInput { text: apl, start_time, end_time, ..AplInput::default() };
    let estimated = Box::pin(estimate::estimate(call.app, call.caller, input)).await.map_err(ApiError::from);
    found(&match estimated {
        Ok(estimate) => Checked {
            is_valid: true,
            problems: Vec::new(),
            datasets: checked.datasets,
            estimate: Some(estimate.into()),
        },
        Err(error) if !error.body.diagnostics.is_empty() => {
            Checked { is_valid: false, problems: error.body.diagnostics, datasets: None, estimate: None }
        }
        Err(error) => return Err(error),
    })
}
