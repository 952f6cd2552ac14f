//! queryApl: asks a query in text, and shows the rows that fit beside what the query cost and what should be known of its
//! answer. Running a saved query shows its answer in the same way.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use tidegauge_app::service::query::apl::AplInput;
use tidegauge_auth::Access;
use tidegauge_model::ErrorKind;
use tidegauge_web::error::ApiError;

use crate::resources::mcp::tool::{Room, Tool, ToolCall, arguments, found, limit};
use crate::resources::query::apl::Asking;
use crate::resources::query::apl::body::literals;
use crate::resources::query::apl::stream::{Answered, json as answer_of};
use crate::resources::query::parameters::Format;

/// How many rows an answer has, where nobody says it and at most.
pub(super) const ROWS_DEFAULT: usize = 100;
pub(super) const ROWS_MAX: usize = 1_000;

/// About how many buckets `bin_auto` makes at most: a model reads them all.
const AUTO_BINS_MAX: usize = 15;

pub(super) const TOOL: Tool = Tool {
    name: "queryApl",
    title: "Ask a query",
    description: "Runs a query in APL over events and answers with rows. Example: ['web'] | where status >= 500 | \
        summarize count() by bin_auto(_time), path. Without startTime all stored events are read, which can cost much: \
        give a range. The answer tells which rows were left out, what the query cost in GB·ms of the month's quota, and \
        messages about fields that are not there. After a mistake, mend the place that is told and ask again.",
    access: Access::AnyToken,
    is_read_only: true,
    input: || {
        let properties = json!({
            "apl": {"type": "string", "maxLength": 262_144, "description": "The query."},
            "startTime": {"type": "string", "description": "RFC 3339, or relative to now, such as now-1h. Inclusive. Without it all events are read."},
            "endTime": {"type": "string", "description": "Like startTime, exclusive; now if it is not said."},
            "limit": {"type": "integer", "minimum": 1, "maximum": ROWS_MAX, "default": ROWS_DEFAULT, "description": "How many rows the answer has at most."},
            "variables": {"type": "object", "description": "Values by name that the query can use in place of text."},
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
    limit: Option<i64>,
    variables: Option<BTreeMap<String, Box<RawValue>>>,
}

/// What is read of an answer in the form of tables of rows.
#[derive(Deserialize)]
struct Envelope {
    status: Status,
    tables: Vec<Table>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    rows_examined: u64,
    rows_matched: u64,
    is_partial: bool,
    is_estimate: bool,
    messages: Vec<Message>,
}

/// What should be known of an answer.
#[derive(Deserialize, Serialize)]
struct Message {
    priority: String,
    code: String,
    msg: String,
}

#[derive(Deserialize)]
struct Table {
    name: String,
    fields: Vec<Field>,
    rows: Vec<Box<RawValue>>,
}

#[derive(Deserialize, Serialize)]
struct Field {
    name: String,
    #[serde(rename = "type")]
    kind: String,
}

/// A table as it is shown: as many rows as fit, in their order.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownTable {
    name: String,
    fields: Vec<Field>,
    rows: Vec<Box<RawValue>>,
    left_out: usize,
}

/// An answer as it is shown. Rows keep the digits that they were written with.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    tables: Vec<ShownTable>,
    status: Status,
    cost_gbms: u64,
    quota: Quota,
}

/// What the month has, in GB·ms.
#[derive(Serialize)]
struct Quota {
    limit: u64,
    remaining: u64,
}

async fn run(call: ToolCall<'_>) -> Result<Box<RawValue>, ApiError> {
    let Arguments { apl, start_time, end_time, limit, variables } = call.read()?;
    let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let input = AplInput {
        text: apl,
        start_time: given(start_time),
        end_time: given(end_time),
        variables: literals(variables.unwrap_or_default())?,
        ..AplInput::default()
    };
    answered(call, input, limit).await
}

/// Runs a query and shows what fits of its answer.
pub(super) async fn answered(
    call: ToolCall<'_>,
    mut input: AplInput,
    rows: Option<i64>,
) -> Result<Box<RawValue>, ApiError> {
    let rows = limit(rows, ROWS_DEFAULT, ROWS_MAX)?;
    input.rows_max = Some(rows);
    input.default_limit = None;
    input.auto_bins_max = Some(input.auto_bins_max.unwrap_or(AUTO_BINS_MAX).min(AUTO_BINS_MAX));
    let asking = Asking { input, format: Format::TabularRows, shows_nulls: true, shows_parts: false };
    let Answered { written, spent } = answer_of(call.app, call.caller, asking).await?;
    let (text, held) = written.whole();
    let envelope: Envelope = serde_json::from_slice(&text).map_err(|error| {
        tracing::error!(%error, "an answer is not what it should be");
        ApiError::new(ErrorKind::Internal, "the answer could not be written")
    })?;
    drop(text);
    let mut room = Room::default();
    let mut shown = Vec::with_capacity(envelope.tables.len());
    for table in envelope.tables {
        shown.push(table.shown(&mut room)?);
    }
    let quota = Quota { limit: spent.limit, remaining: spent.remaining };
    let shown = Shown { tables: shown, status: envelope.status, cost_gbms: spent.cost, quota };
    let answer = found(&shown);
    drop(held);
    answer
}

impl Table {
    fn shown(self, room: &mut Room) -> Result<ShownTable, ApiError> {
        let Self { name, fields, rows } = self;
        let fits = room.takes(&found(&fields)?);
        let all = rows.len();
        let rows: Vec<_> = rows.into_iter().take_while(|row| fits && room.takes(row)).collect();
        let left_out = all - rows.len();
        // Names alone can be too much: a thousand fields of a thousand letters.
        Ok(ShownTable { name, fields: if fits { fields } else { Vec::new() }, rows, left_out })
    }
}
