//! `/datasets/{id}/info`, `/datasets/_stats`, `/datasets/{id}/trim` and `/datasets/{id}/vacuum`.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use tidegauge_app::App;
use tidegauge_app::service::datasets::fields;
use tidegauge_app::service::datasets::maintenance::{self, Described};
use tidegauge_model::Timestamp;
use tidegauge_web::error::{ApiError, ErrorBody};
use tidegauge_web::extract::{Caller, Json, PathId};
use utoipa::ToSchema;

use super::fields::FieldResponse;

/// Figures of a dataset.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatResponse {
    pub name: String,
    pub num_blocks: u64,
    pub num_events: u64,
    pub num_fields: u64,
    /// Bytes of the bodies that the events came in.
    pub input_bytes: u64,
    #[schema(example = "1.2 MB")]
    pub input_bytes_human: String,
    /// Bytes that the events take in segments.
    pub compressed_bytes: u64,
    pub compressed_bytes_human: String,
    #[schema(format = DateTime)]
    pub min_time: Option<String>,
    #[schema(format = DateTime)]
    pub max_time: Option<String>,
    pub who: String,
    #[schema(format = DateTime)]
    pub created: String,
}

/// Figures of a dataset with its fields.
#[derive(Debug, Serialize, ToSchema)]
pub struct InfoResponse {
    #[serde(flatten)]
    pub stat: StatResponse,
    pub fields: Vec<FieldResponse>,
}

/// Figures of all datasets.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatsResponse {
    pub datasets: Vec<StatResponse>,
    pub num_blocks: u64,
    pub num_events: u64,
    pub input_bytes: u64,
    pub input_bytes_human: String,
    pub compressed_bytes: u64,
    pub compressed_bytes_human: String,
}

/// How old the events are that go.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrimRequest {
    /// Older events go, in whole segments. 0 is refused, because all would go.
    #[schema(example = "720h")]
    pub max_duration: String,
}

/// What went.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrimResponse {
    /// How many segments.
    pub num_deleted: u64,
}

/// Nothing more to say.
#[derive(Debug, Serialize, ToSchema)]
pub struct DoneResponse {}

impl StatResponse {
    fn of(described: Described, field_count: u64) -> Self {
        let Described { dataset, info } = described;
        let time = |nanoseconds: i64| Timestamp::from_micros(nanoseconds.div_euclid(1000)).to_string();
        Self {
            name: dataset.name.as_str().to_owned(),
            num_blocks: info.segments,
            num_events: info.rows,
            num_fields: field_count,
            input_bytes: info.raw_bytes,
            input_bytes_human: human(info.raw_bytes),
            compressed_bytes: info.stored_bytes,
            compressed_bytes_human: human(info.stored_bytes),
            min_time: info.min_time.map(time),
            max_time: info.max_time.map(time),
            who: dataset.created_by.into_string(),
            created: dataset.created.to_string(),
        }
    }
}

/// A number of bytes in the unit that gives the shortest number.
fn human(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1000.0;
    let mut unit = 0;
    while value >= 999.95 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// Figures of a dataset: how many events it has, since when, and what they take.
#[utoipa::path(get, path = "/datasets/{id}/info", tag = "datasets", params(("id" = String, Path)),
    responses((status = 200, body = InfoResponse)))]
pub async fn info(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(name): PathId,
) -> Result<Json<InfoResponse>, ApiError> {
    let described = maintenance::info(&app, &caller, &name).await?;
    let fields: Vec<FieldResponse> =
        fields::list(&app, &caller, &name).await?.into_iter().map(Into::into).collect();
    Ok(Json(InfoResponse { stat: StatResponse::of(described, fields.len() as u64), fields }))
}

/// Figures of every dataset.
#[utoipa::path(get, path = "/datasets/_stats", tag = "datasets", responses((status = 200, body = StatsResponse)))]
pub async fn stats(State(app): State<Arc<App>>, caller: Caller) -> Result<Json<StatsResponse>, ApiError> {
    /// `_time` and `_sysTime`, which every dataset has.
    const SYSTEM_FIELDS: u64 = 2;
    let all = maintenance::stats(&app, &caller).await?;
    let datasets: Vec<StatResponse> = all
        .into_iter()
        .map(|described| {
            let count = described.info.fields + SYSTEM_FIELDS;
            StatResponse::of(described, count)
        })
        .collect();
    let sum = |of: fn(&StatResponse) -> u64| datasets.iter().map(of).sum::<u64>();
    let (input_bytes, compressed_bytes) = (sum(|stat| stat.input_bytes), sum(|stat| stat.compressed_bytes));
    Ok(Json(StatsResponse {
        num_blocks: sum(|stat| stat.num_blocks),
        num_events: sum(|stat| stat.num_events),
        input_bytes,
        input_bytes_human: human(input_bytes),
        compressed_bytes,
        compressed_bytes_human: human(compressed_bytes),
        datasets,
    }))
}

/// Removes events that are older than a duration, in whole segments.
#[utoipa::path(post, path = "/datasets/{id}/trim", tag = "datasets", params(("id" = String, Path)),
    request_body = TrimRequest, responses((status = 204, description = "Removed.")))]
pub async fn trim(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(name): PathId,
    Json(request): Json<TrimRequest>,
) -> Result<StatusCode, ApiError> {
    maintenance::trim(&app, &caller, &name, &request.max_duration).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes events that are older than a duration, in whole segments.
#[utoipa::path(post, path = "/datasets/{id}/trim", tag = "datasets", params(("id" = String, Path)),
    request_body = TrimRequest, responses((status = 200, body = TrimResponse)))]
pub async fn trim_v1(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(name): PathId,
    Json(request): Json<TrimRequest>,
) -> Result<Json<TrimResponse>, ApiError> {
    let removed = maintenance::trim(&app, &caller, &name, &request.max_duration).await?;
    Ok(Json(TrimResponse { num_deleted: removed as u64 }))
}

/// Forgets the fields that no stored event has, at most once a day.
#[utoipa::path(post, path = "/datasets/{id}/vacuum", tag = "datasets", params(("id" = String, Path)), responses(
    (status = 200, body = DoneResponse),
    (status = 429, body = ErrorBody, description = "It was done in the last day; Retry-After says when again."),
))]
pub async fn vacuum(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathId(name): PathId,
) -> Result<Json<DoneResponse>, ApiError> {
    maintenance::vacuum(&app, &caller, &name).await?;
    Ok(Json(DoneResponse {}))
}

#[cfg(test)]
mod tests {
    use super::human;

    #[test]
    fn bytes_are_written_in_their_unit() {
        let cases =
            [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (999_949, "999.9 kB"), (999_950, "1.0 MB")];
        for (bytes, text) in cases {
            assert_eq!(human(bytes), text);
        }
        assert_eq!(human(u64::MAX), "18.4 EB");
    }
}
