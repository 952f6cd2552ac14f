//! saveQuery: keeps a query, so that a person finds what was worked out with a model.

use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use tidegauge_app::service::starred;
use tidegauge_auth::Access;
use tidegauge_model::Action::Create;
use tidegauge_model::DatasetArea::StarredQueries;
use tidegauge_web::error::ApiError;
use tidegauge_web::json;

use crate::resources::mcp::tool::{Tool, ToolCall, arguments, found};
use crate::resources::starred::StarredRequest;

pub(super) const TOOL: Tool = Tool {
    name: "saveQuery",
    title: "Save a query",
    description: "Keeps a query in APL under a name, so that people find it among the saved queries. Nothing that was \
        saved before is changed.",
    access: Access::Dataset(StarredQueries, Create),
    is_read_only: false,
    input: || {
        let properties = json!({
            "name": {"type": "string", "minLength": 1, "maxLength": 256, "description": "What people find it by."},
            "apl": {"type": "string", "description": "The query. Check it with checkQuery first: it is kept as it is."},
            "dataset": {"type": "string", "description": "The dataset that it belongs to. Without one, the right is needed on all."},
            "startTime": {"type": "string", "description": "RFC 3339, or relative to now, such as now-1h."},
            "endTime": {"type": "string", "description": "Like startTime."},
        });
        arguments(properties, &["name", "apl"])
    },
    call: |call| Box::pin(run(call)),
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    name: String,
    apl: String,
    dataset: Option<String>,
    start_time: Option<String>,
    end_time: Option<String>,
}

async fn run(call: ToolCall<'_>) -> Result<Box<RawValue>, ApiError> {
    let Arguments { name, apl, dataset, start_time, end_time } = call.read()?;
    let request = json!({
        "kind": starred::KIND,
        "name": name,
        "who": call.caller.user.as_str(),
        "dataset": dataset,
        "metadata": {},
        "query": {"apl": apl, "startTime": start_time, "endTime": end_time},
    });
    let request: StarredRequest = json::read(request.to_string().as_bytes())?;
    let starred = starred::create(call.app, call.caller, request.into()).await?;
    found(&json!({"id": starred.id.as_str(), "name": starred.name}))
}
