//! `/query/fields`: what the values of some fields are like in the rows of a query.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tidegauge_app::App;
use tidegauge_app::service::query::apl::AplInput;
use tidegauge_app::service::query::statistics::{self, Column, StatisticsInput};
use tidegauge_formats::{Shown, write_ndjson};
use tidegauge_model::ErrorKind;
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::Caller;
use utoipa::ToSchema;

use super::{headers_of, read_body};

/// How many values of a field are told where nobody says it.
const TOP_DEFAULT: usize = 10;

/// Which fields of which rows to look at.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldStatisticsRequest {
    /// A query in text whose answer is events: a dataset with its filters.
    #[schema(example = "['web'] | where status >= 500")]
    pub apl: String,
    /// As those of `/query/_apl`.
    #[schema(example = "now-1h")]
    pub start_time: Option<String>,
    #[schema(example = "now")]
    pub end_time: Option<String>,
    #[schema(min_items = 1, max_items = 50, example = json!(["path"]))]
    #[serde(default)]
    pub fields: Vec<String>,
    /// How many of the most frequent values.
    #[schema(minimum = 1, maximum = 100, default = 10)]
    pub top: Option<usize>,
}

/// What the values of fields are like.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldStatisticsResponse {
    /// How many rows were looked at.
    pub rows: u64,
    /// Whether these are a part of the rows, because looking at all would have taken too long.
    pub is_sampled: bool,
    /// In the order in which they were asked for.
    pub fields: Vec<FieldFigures>,
}

/// What the values of one field are like.
#[derive(Debug, Serialize, ToSchema)]
pub struct FieldFigures {
    pub field: String,
    /// How many rows have it.
    pub present: u64,
    /// About how many different values there are.
    pub distinct: u64,
    /// Of the most frequent values how often each occurs at least.
    pub top: Vec<FieldValue>,
    /// The least and the greatest value, and about the number in the middle; null where there are none.
    #[schema(value_type = Value)]
    pub min: Option<Box<RawValue>>,
    #[schema(value_type = Value)]
    pub median: Option<Box<RawValue>>,
    #[schema(value_type = Value)]
    pub max: Option<Box<RawValue>>,
}

/// A value with how often it occurs.
#[derive(Debug, Serialize, ToSchema)]
pub struct FieldValue {
    #[schema(value_type = Value)]
    pub value: Box<RawValue>,
    /// At least so often.
    pub count: u64,
    /// How much more often it may occur: 0 where there are not too many different values to count each.
    pub error: u64,
}

/// A value as the engine tells it.
#[derive(Debug, Deserialize)]
struct Counted {
    key: Box<RawValue>,
    /// At most so often, of which so much may be of other values.
    count: u64,
    error: u64,
}

impl From<Counted> for FieldValue {
    fn from(Counted { key, count, error }: Counted) -> Self {
        Self { value: key, count: count.saturating_sub(error), error }
    }
}

/// Tells what the values of fields are like in the rows of a query, all in one pass. Rights and cost are those of the
/// query.
#[utoipa::path(post, path = "/query/fields", tag = "query", request_body = FieldStatisticsRequest,
    responses(
        (status = 200, body = FieldStatisticsResponse),
        (status = 400, body = ErrorBody, description = "The text cannot be understood; `detail` says where."),
        (status = 404, body = ErrorBody, description = "There is no such dataset in the organisation."),
        (status = 430, body = ErrorBody, description = "The organisation has used what its licence allows this month."),
        (status = 432, body = ErrorBody, description = "The query needs more memory than it may have."),
    ))]
pub async fn fields(
    State(app): State<Arc<App>>,
    caller: Caller,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let (request, _) = read_body::<FieldStatisticsRequest>(&app, &headers, body).await?;
    let is_set = |time: &String| !time.is_empty();
    let query = AplInput {
        text: request.apl,
        start_time: request.start_time.filter(is_set),
        end_time: request.end_time.filter(is_set),
        ..AplInput::default()
    };
    let input =
        StatisticsInput { query, fields: request.fields.clone(), top: request.top.unwrap_or(TOP_DEFAULT) };
    let queried = Box::pin(statistics::ask(&app, &caller, input)).await?;
    let mut headers = headers_of(&queried);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let is_sampled = queried.answer.continues_at.is_some();
    // One row, whose values are handed on digit by digit.
    let (line, _held) = write_ndjson(&Shown::of(&queried, true))?.whole();
    let told = told(&line, request.fields, is_sampled).map_err(|error| {
        tracing::error!(%error, "the figures of fields cannot be read");
        ApiError::new(ErrorKind::Internal, "the request could not be completed")
    })?;
    let text = serde_json::to_vec(&told).unwrap_or_default();
    Ok((headers, text).into_response())
}

fn told(line: &[u8], fields: Vec<String>, is_sampled: bool) -> serde_json::Result<FieldStatisticsResponse> {
    let mut row: HashMap<String, Box<RawValue>> = match line.trim_ascii() {
        b"" => HashMap::new(),
        line => serde_json::from_slice(line)?,
    };
    let count = |value: Option<Box<RawValue>>| {
        value.and_then(|value| serde_json::from_str::<u64>(value.get()).ok()).unwrap_or(0)
    };
    let rows = count(row.remove("rows"));
    let mut figures = Vec::with_capacity(fields.len());
    for (place, field) in fields.into_iter().enumerate() {
        let mut take = |column: Column| row.remove(&column.name(place)).filter(|value| value.get() != "null");
        let top: Vec<Counted> = match take(Column::Top) {
            Some(values) => serde_json::from_str(values.get())?,
            None => Vec::new(),
        };
        figures.push(FieldFigures {
            field,
            present: count(take(Column::Present)),
            distinct: count(take(Column::Distinct)),
            top: most_frequent(top),
            min: take(Column::Min),
            median: take(Column::Median),
            max: take(Column::Max),
        });
    }
    Ok(FieldStatisticsResponse { rows, is_sampled, fields: figures })
}

/// Values by how often they occur for sure. A sketch of very many puts first what it has mistaken for many others.
fn most_frequent(counted: Vec<Counted>) -> Vec<FieldValue> {
    let mut values: Vec<FieldValue> = counted.into_iter().map(FieldValue::from).collect();
    values.sort_by_key(|value| Reverse(value.count));
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_digits() {
        let line = br#"{"rows":3,"present_0":2,"distinct_0":2,"top_0":[{"key":9007199254740993,"count":1,"error":0}],"min_0":-9223372036854775808,"median_0":null,"max_0":123456789012345678901}"#;
        let told = told(line, vec!["n".to_owned(), "missing".to_owned()], false).unwrap();
        let text = serde_json::to_string(&told).unwrap();
        assert_eq!(
            text,
            "{\"rows\":3,\"isSampled\":false,\"fields\":[{\"field\":\"n\",\"present\":2,\"distinct\":2,\"top\":\
             [{\"value\":9007199254740993,\"count\":1,\"error\":0}],\"min\":-9223372036854775808,\"median\":null,\
             \"max\":123456789012345678901},{\"field\":\"missing\",\"present\":0,\"distinct\":0,\"top\":[],\
             \"min\":null,\"median\":null,\"max\":null}]}"
        );
    }

    /// What may be of other values is not told as if it were counted.
    #[test]
    fn what_may_be_of_others_is_no_count() {
        let line =
            br#"{"rows":9,"top_0":[{"key":"a","count":197,"error":196},{"key":"b","count":5,"error":0}]}"#;
        let told = told(line, vec!["n".to_owned()], false).unwrap();
        let found: Vec<(&str, u64, u64)> =
            told.fields[0].top.iter().map(|value| (value.value.get(), value.count, value.error)).collect();
        assert_eq!(found, [("\"b\"", 5, 0), ("\"a\"", 1, 196)]);
    }
}
