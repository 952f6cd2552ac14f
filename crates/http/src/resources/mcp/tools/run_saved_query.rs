//! runSavedQuery: a saved query, run as it was kept or over another time and with other values.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use tidegauge_app::service::starred;
use tidegauge_auth::Access;
use tidegauge_model::Action::Read;
use tidegauge_model::DatasetArea::StarredQueries;
use tidegauge_web::error::ApiError;
use tidegauge_web::json;

use super::query_apl::{ROWS_DEFAULT, ROWS_MAX, answered};
use crate::resources::mcp::tool::{Tool, ToolCall, arguments};
use crate::resources::query::apl::body::AplRequest;

pub(super) const TOOL: Tool = Tool {
    name: "runSavedQuery",
    title: "Run a saved query",
    description: "Runs a query that was saved, by its id from getSavedQueries, and answers as queryApl does.",
    access: Access::Dataset(StarredQueries, Read),
    is_read_only: true,
    input: || {
        let properties = json!({
            "id": {"type": "string", "description": "The id of the saved query, such as star_…"},
            "startTime": {"type": "string", "description": "In place of the saved one: RFC 3339, or relative to now, such as now-1h."},
            "endTime": {"type": "string", "description": "Like startTime."},
            "limit": {"type": "integer", "minimum": 1, "maximum": ROWS_MAX, "default": ROWS_DEFAULT, "description": "How many rows the answer has at most."},
            "variables": {"type": "object", "description": "Values by name, beside the saved ones or in their place."},
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
    variables: Option<BTreeMap<String, Box<RawValue>>>,
}

async fn run(call: ToolCall<'_>) -> Result<Box<RawValue>, ApiError> {
    let Arguments { id, start_time, end_time, limit, variables } = call.read()?;
    let starred = starred::get(call.app, call.caller, &id).await?;
    let mut request: AplRequest = json::read(starred.query.as_bytes())?;
    request.take_over(start_time, end_time, variables);
    answered(call, request.into_input()?, limit).await
}
