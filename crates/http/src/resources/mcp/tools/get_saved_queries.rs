//! getSavedQueries: the queries that people keep, which say what they look at and how.

use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use tidegauge_app::service::starred::{self, StarredQuestion};
use tidegauge_auth::Access;
use tidegauge_catalog::starred::StarredQuery;
use tidegauge_model::Action::Read;
use tidegauge_model::DatasetArea::StarredQueries;
use tidegauge_web::error::ApiError;
use tidegauge_web::json;

use crate::resources::mcp::tool::{Tool, ToolCall, arguments, fitting, found, limit};

const QUERIES_DEFAULT: usize = 50;
const QUERIES_MAX: usize = 200;

pub(super) const TOOL: Tool = Tool {
    name: "getSavedQueries",
    title: "Saved queries",
    description: "Lists the queries that people have saved, with their texts and ids; runSavedQuery runs one.",
    access: Access::Dataset(StarredQueries, Read),
    is_read_only: true,
    input: || {
        let properties = json!({
            "dataset": {"type": "string", "description": "Only those of this dataset."},
            "contains": {"type": "string", "description": "Only those whose name or text contains this, in any case."},
            "limit": {"type": "integer", "minimum": 1, "maximum": QUERIES_MAX, "default": QUERIES_DEFAULT, "description": "How many at most."},
        });
        arguments(properties, &[])
    },
    call: |call| Box::pin(run(call)),
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    dataset: Option<String>,
    contains: Option<String>,
    limit: Option<i64>,
}

/// What is shown of the stored document.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Text {
    apl: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_time: Option<String>,
}

#[derive(Serialize)]
struct Listed {
    id: String,
    name: String,
    dataset: String,
    who: String,
    #[serde(flatten)]
    text: Text,
}

impl Listed {
    fn of(starred: StarredQuery) -> Result<Self, ApiError> {
        let StarredQuery { id, name, dataset, who, query, .. } = starred;
        Ok(Self { id: id.into_string(), name, dataset, who, text: json::read(query.as_bytes())? })
    }
}

async fn run(call: ToolCall<'_>) -> Result<Box<RawValue>, ApiError> {
    let Arguments { dataset, contains, limit: given } = call.read()?;
    let limit = limit(given, QUERIES_DEFAULT, QUERIES_MAX)?;
    let question = StarredQuestion {
        limit: i64::try_from(limit).unwrap_or(i64::MAX),
        offset: 0,
        dataset,
        who: Some("all".to_owned()),
        text: contains,
    };
    let listed = starred::list(call.app, call.caller, question).await?.into_iter().map(Listed::of);
    let (queries, left_out) = fitting(listed.collect::<Result<Vec<_>, _>>()?)?;
    found(&json!({"queries": queries, "leftOut": left_out}))
}
