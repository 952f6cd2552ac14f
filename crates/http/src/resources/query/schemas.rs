//! The shape of an answer, for the API document. Answers are written by `answer`, piece by piece and not from these.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::resources::datasets::fields::FieldResponse;

/// The answer to a query.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "format": "legacy",
    "status": {
        "elapsedTime": 1800, "blocksExamined": 3, "rowsExamined": 14, "rowsMatched": 1, "numGroups": 0,
        "isPartial": false, "continuationToken": "", "isEstimate": false, "cacheStatus": 9,
        "minBlockTime": "2026-06-01T11:00:00Z", "maxBlockTime": "2026-06-01T12:00:00Z",
        "minCursor": "0dixp2g47pc00-0000000000000007-00000000",
        "maxCursor": "0dixp2g47pc00-0000000000000007-00000000", "messages": [],
    },
    "matches": [{
        "_time": "2026-06-01T12:00:00Z", "_sysTime": "2026-06-01T12:00:01Z",
        "_rowId": "0dixp2g47pc00-0000000000000007-00000000", "data": {"path": "/", "status": 200},
    }],
    "buckets": {"series": [], "totals": []},
    "fieldsMeta": [{"name": "status", "type": "integer", "unit": "", "hidden": false, "description": ""}],
}))]
pub struct QueryResponse {
    /// `legacy` or `tabular`.
    #[schema(example = "legacy")]
    pub format: String,
    pub status: QueryStatus,
    /// The events, in the form `legacy` without aggregations; otherwise empty or absent.
    #[schema(required = false)]
    pub matches: Vec<Match>,
    pub buckets: Buckets,
    /// What is known of the fields of the answer, in the form `legacy`.
    #[schema(required = false)]
    pub fields_meta: Vec<FieldResponse>,
    /// In the form `tabular`: the table `0`, and with aggregations the table `_totals` with the groups over all time.
    #[schema(required = false)]
    pub tables: Vec<QueryTable>,
    /// In the form `tabular`: the datasets that were asked.
    #[schema(required = false)]
    pub dataset_names: Vec<String>,
    /// In the form `tabular`: by dataset, what is known of the fields of the answer.
    #[schema(required = false, value_type = Object)]
    pub fields_meta_map: Value,
    /// What was planned and done, if that was asked for.
    #[schema(required = false)]
    pub explain: Option<Explained>,
}

/// The answer to a query in text.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "format": "tabular",
    "status": {
        "elapsedTime": 1800, "blocksExamined": 3, "rowsExamined": 14, "rowsMatched": 14, "numGroups": 2,
        "isPartial": false, "continuationToken": "", "isEstimate": false, "cacheStatus": 9,
        "minBlockTime": "2026-06-01T11:00:00Z", "maxBlockTime": "2026-06-01T12:00:00Z", "messages": [],
    },
    "tables": [{
        "name": "0", "sources": [{"name": "web"}],
        "fields": [{"name": "status", "type": "integer"}, {"name": "count_", "type": "integer", "agg": {"name": "count"}}],
        "order": [], "groups": [{"name": "status"}],
        "range": {"field": "_time", "start": "2026-06-01T11:00:00Z", "end": "2026-06-01T12:00:00Z"},
        "columns": [[200, 500], [12, 2]],
    }],
    "datasetNames": ["web"],
    "fieldsMetaMap": {"web": [{"name": "status", "type": "integer", "unit": "", "hidden": false, "description": ""}]},
}))]
pub struct AplResponse {
    /// `legacy`, `tabular` or `tabular-rows`. The other forms are the rows of the table `0` alone.
    #[schema(example = "tabular")]
    pub format: String,
    pub status: QueryStatus,
    /// The table `0`, and beside groups over time the table `_totals` with the groups over all time. In the form
    /// `tabular-rows` tables have `rows` instead of `columns`.
    #[schema(required = false)]
    pub tables: Vec<QueryTable>,
    /// The datasets that were read.
    pub dataset_names: Vec<String>,
    /// By dataset, what is known of the fields of the answer.
    #[schema(value_type = Object)]
    pub fields_meta_map: Value,
    /// In the form `legacy`: rows that are no groups.
    #[schema(required = false)]
    pub matches: Vec<Match>,
    /// In the form `legacy`.
    #[schema(required = false)]
    pub buckets: Option<Buckets>,
    /// In the form `legacy`: what is known of the fields of the answer.
    #[schema(required = false)]
    pub fields_meta: Vec<FieldResponse>,
    /// In the form `legacy`: what was understood, in the words of the JSON query.
    #[schema(required = false, value_type = Object)]
    pub request: Value,
    /// What was planned and done, if that was asked for.
    #[schema(required = false)]
    pub explain: Option<Explained>,
}

/// What the work was. Measured, never estimated.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueryStatus {
    /// In microseconds.
    pub elapsed_time: u64,
    pub blocks_examined: u64,
    /// Events in the time range that were looked at.
    pub rows_examined: u64,
    /// Events that the filter let through, whatever the limit.
    pub rows_matched: u64,
    pub num_groups: u32,
    /// Whether a budget of time or size cut the answer.
    pub is_partial: bool,
    /// With it a cut answer goes on; otherwise empty.
    pub continuation_token: String,
    /// Whether a value comes from a sketch and may differ from the exact one.
    pub is_estimate: bool,
    /// Bits: 1 for computed anew, 8 for events in it that are in no segment yet.
    #[schema(example = 9)]
    pub cache_status: u8,
    #[schema(format = DateTime)]
    pub min_block_time: String,
    #[schema(format = DateTime)]
    pub max_block_time: String,
    /// The least row that was seen, where events are in the order of time.
    #[schema(required = false)]
    pub min_cursor: Option<String>,
    /// The greatest row that was seen.
    #[schema(required = false)]
    pub max_cursor: Option<String>,
    pub messages: Vec<QueryMessage>,
}

/// Something to know of an answer that is right nevertheless.
#[derive(Debug, Serialize, ToSchema)]
pub struct QueryMessage {
    #[schema(example = "warn")]
    pub priority: String,
    pub count: u64,
    /// `missing_column`, `virtual_field_finalize_error`, `license_limit_for_query_warning`,
    /// `default_limit_warning`, or of a query in text one that begins with `apl_`.
    #[schema(example = "default_limit_warning")]
    pub code: String,
    pub msg: String,
}

/// An event.
#[derive(Debug, Serialize, ToSchema)]
pub struct Match {
    #[schema(format = DateTime)]
    pub _time: String,
    #[serde(rename = "_sysTime")]
    #[schema(format = DateTime)]
    pub _sys_time: String,
    /// Its identity, which is a cursor too.
    #[serde(rename = "_rowId")]
    #[schema(example = "0d8q6stroluyo-0000000000000007-00000003")]
    pub _row_id: String,
    /// Its other fields, by their flattened names.
    #[schema(value_type = Object)]
    pub data: Value,
}

/// Groups, in the form `legacy` with aggregations; otherwise empty.
#[derive(Debug, Serialize, ToSchema)]
pub struct Buckets {
    /// The groups of each stretch of time, also of those without a group unless there are more than 1000.
    pub series: Vec<Interval>,
    /// The groups over all time.
    pub totals: Vec<GroupEntry>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Interval {
    #[schema(format = DateTime)]
    pub start_time: String,
    #[schema(format = DateTime)]
    pub end_time: String,
    pub groups: Vec<GroupEntry>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct GroupEntry {
    /// The same number in the totals and in every stretch of time.
    pub id: u64,
    /// The values that make the group, by field.
    #[schema(value_type = Object)]
    pub group: Value,
    pub aggregations: Vec<GroupAggregation>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct GroupAggregation {
    /// The alias, or the operation in capitals.
    #[schema(example = "COUNT")]
    pub op: String,
    pub value: Value,
}

/// A table by its columns.
#[derive(Debug, Serialize, ToSchema)]
pub struct QueryTable {
    #[schema(example = "0")]
    pub name: String,
    pub sources: Vec<Name>,
    pub fields: Vec<TableField>,
    pub order: Vec<TableOrder>,
    pub groups: Vec<Name>,
    #[schema(required = false)]
    pub range: Option<TableRange>,
    #[schema(required = false)]
    pub buckets: Option<TableBuckets>,
    /// The values of each field, in the order of the fields.
    pub columns: Vec<Vec<Value>>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Name {
    pub name: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TableField {
    pub name: String,
    /// `boolean`, `integer`, `float`, `string`, `datetime`, `timespan`, `array`, `map`, `unknown`, or several of them.
    #[serde(rename = "type")]
    #[schema(example = "integer|string")]
    pub kind: String,
    #[schema(required = false)]
    pub agg: Option<TableAggregation>,
}

/// By what a field was computed.
#[derive(Debug, Serialize, ToSchema)]
pub struct TableAggregation {
    #[schema(example = "topk")]
    pub name: String,
    #[schema(required = false)]
    pub fields: Vec<String>,
    #[schema(required = false)]
    pub args: Vec<Value>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TableOrder {
    pub field: String,
    pub desc: bool,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TableRange {
    pub field: String,
    #[schema(format = DateTime)]
    pub start: String,
    #[schema(format = DateTime)]
    pub end: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TableBuckets {
    pub field: String,
    /// In nanoseconds.
    pub size: u64,
}

/// What was planned and done.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explained {
    /// One step on a line, the source last.
    pub plan: String,
    pub steps: Vec<ExplainedStep>,
    pub blocks: ExplainedBlocks,
    /// Why blocks were left out.
    pub skipped: Vec<ExplainedSkip>,
    pub bytes_read: u64,
    /// Bytes of all segments that have events in the time range.
    pub bytes_total: u64,
    pub memory_peak: u64,
}

/// The work of one step, over all threads.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExplainedStep {
    pub name: String,
    pub rows: u64,
    pub elapsed_micros: u64,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ExplainedBlocks {
    pub examined: u64,
    pub skipped: u64,
    /// Of the examined, those whose columns were in memory.
    pub cached: u64,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ExplainedSkip {
    pub why: String,
    pub blocks: u64,
}
