//! listDatasets: what there is to ask about.

use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use tidegauge_app::service::datasets;
use tidegauge_auth::Access;
use tidegauge_model::{Action, DatasetArea};
use tidegauge_web::error::ApiError;

use crate::resources::mcp::tool::{Tool, ToolCall, arguments, fitting, found};

pub(super) const TOOL: Tool = Tool {
    name: "listDatasets",
    title: "List datasets",
    description: "Lists the datasets with their names, kinds and descriptions. In a query a name stands in brackets \
        and quotes: ['web-logs'].",
    access: Access::AnyToken,
    is_read_only: true,
    input: || arguments(json!({}), &[]),
    call: |call| Box::pin(run(call)),
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    name: String,
    kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    /// Whether the caller may ask about its events.
    can_query: bool,
}

async fn run(call: ToolCall<'_>) -> Result<Box<RawValue>, ApiError> {
    call.read::<Nothing>()?;
    let listed = datasets::list(call.app, call.caller).await?.into_iter().map(|dataset| {
        let name = dataset.name.as_str().to_owned();
        let can_query = call.caller.capabilities.allows_dataset(&name, DatasetArea::Query, Action::Read);
        Listed { name, kind: dataset.kind, description: dataset.description, can_query }
    });
    let (datasets, left_out) = fitting(listed)?;
    found(&json!({"datasets": datasets, "leftOut": left_out}))
}
