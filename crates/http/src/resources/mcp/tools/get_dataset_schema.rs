//! getDatasetSchema: the fields of a dataset with their types, and what is known of its events as a whole.

use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use tidegauge_app::service::datasets::{fields, maintenance};
use tidegauge_app::service::virtual_fields;
use tidegauge_auth::Access;
use tidegauge_model::{Action, DatasetArea, Timestamp};
use tidegauge_web::error::ApiError;

use crate::resources::mcp::tool::{Tool, ToolCall, arguments, fitting, found};

pub(super) const TOOL: Tool = Tool {
    name: "getDatasetSchema",
    title: "Schema of a dataset",
    description: "Tells the fields of a dataset with their types, the virtual fields that are computed from them, how \
        many events there are and from when to when. A field whose name has other characters than letters, digits, _ and \
        dots stands in a query in brackets and quotes: ['user agent'].",
    access: Access::AnyToken,
    is_read_only: true,
    input: || {
        let properties = json!({
            "dataset": {"type": "string", "description": "The name of the dataset."},
            "contains": {"type": "string", "description": "Only fields whose names contain this, in any case. For datasets with very many fields."},
        });
        arguments(properties, &["dataset"])
    },
    call: |call| Box::pin(run(call)),
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    dataset: String,
    contains: Option<String>,
}

#[derive(Serialize)]
struct Field {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    unit: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    /// Of a virtual field.
    #[serde(skip_serializing_if = "Option::is_none")]
    expression: Option<String>,
}

async fn run(call: ToolCall<'_>) -> Result<Box<RawValue>, ApiError> {
    let Arguments { dataset, contains } = call.read()?;
    // Checks too that the caller may know what its events are like.
    let described = maintenance::info(call.app, call.caller, &dataset).await?;
    let part = contains.unwrap_or_default().to_lowercase();
    let mut all: Vec<Field> = Vec::new();
    for field in fields::list(call.app, call.caller, &dataset).await? {
        let fields::DescribedField { name, kind, unit, description, .. } = field;
        all.push(Field { name, kind, unit, description, expression: None });
    }
    let area = DatasetArea::VirtualFields;
    if call.caller.capabilities.allows_dataset(&dataset, area, Action::Read) {
        for field in virtual_fields::list(call.app, call.caller, Some(&dataset)).await? {
            let (name, kind, unit, description) = (field.name, field.kind, field.unit, field.description);
            all.push(Field { name, kind, unit, description, expression: Some(field.expression) });
        }
    }
    all.retain(|field| field.name.to_lowercase().contains(&part));
    let (fields, left_out) = fitting(all)?;
    let time = |nanoseconds: i64| Timestamp::from_micros(nanoseconds.div_euclid(1_000)).to_string();
    let (dataset, info) = (described.dataset, described.info);
    found(&json!({
        "dataset": dataset.name.as_str(),
        "kind": dataset.kind,
        "description": dataset.description,
        "mapFields": dataset.map_fields,
        "events": info.rows,
        "firstTime": info.min_time.map(time),
        "lastTime": info.max_time.map(time),
        "fields": fields,
        "leftOut": left_out,
    }))
}
