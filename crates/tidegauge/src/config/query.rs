//! The settings of queries, checked.

use std::path::Path;
use std::time::Duration;

use tidegauge_admission::config::{ExternalData, QueryLimits};
use tidegauge_engine::EngineSettings;

use super::error::{Error, seconds, setting};
use super::settings::QuerySettings;

/// Below this no query gets far.
const MEMORY_BYTES_MIN: usize = 16 << 20;

/// Below this an answer could not hold a single large event.
const ANSWER_BYTES_MIN: usize = 1 << 20;

/// Computing some blocks anew for one answer of so many is not felt, and wrong partials do not stay for long.
const GROUPS_CHECKED_EACH: u64 = 64;

/// Who writes a query goes on writing sooner than values that take longer are proposed.
const COMPLETION_TIME_MAX: Duration = Duration::from_millis(500);

pub(super) fn engine_settings(query: &QuerySettings, data: &Path) -> Result<EngineSettings, Error> {
    if query.max_query_memory_bytes < MEMORY_BYTES_MIN {
        return Err(setting("max_query_memory_bytes", format!("must be at least {MEMORY_BYTES_MIN}")));
    }
    if query.max_query_memory_bytes > query.query_memory_bytes {
        return Err(setting("max_query_memory_bytes", "must not be larger than query_memory_bytes"));
    }
    if query.max_queries_running == 0 {
        return Err(setting("max_queries_running", "must be at least 1"));
    }
    Ok(EngineSettings {
        threads: threads(query.query_threads),
        memory_bytes: query.query_memory_bytes,
        query_memory_bytes: query.max_query_memory_bytes,
        cache_bytes: query.query_cache_bytes,
        groups_bytes: query.query_partials_bytes,
        groups_folder: data.join("partials"),
        groups_disk_bytes: query.query_partials_disk_bytes,
        groups_checked_each: GROUPS_CHECKED_EACH,
        spill_folder: data.join("spill"),
        spill_bytes_max: query.query_spill_bytes,
        running_max: query.max_queries_running,
        waiting_max: query.max_queries_waiting,
    })
}

fn threads(asked: usize) -> usize {
    match asked {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        asked => asked,
    }
}

pub(super) fn query_limits(query: &QuerySettings) -> Result<QueryLimits, Error> {
    if query.max_answer_bytes < ANSWER_BYTES_MIN {
        return Err(setting("max_answer_bytes", format!("must be at least {ANSWER_BYTES_MIN}")));
    }
    Ok(QueryLimits {
        max_body_bytes: query.max_query_body_bytes,
        time_max: seconds("query_timeout_seconds", query.query_timeout_seconds)?,
        completion_time_max: COMPLETION_TIME_MAX,
        answer_bytes_max: query.max_answer_bytes,
        external_data: query.external_data.then(|| external_data(query)),
    })
}

fn external_data(query: &QuerySettings) -> ExternalData {
    let hosts = query.external_data_hosts.split(',').map(|host| host.trim().to_ascii_lowercase());
    ExternalData {
        hosts: hosts.filter(|host| !host.is_empty()).collect(),
        allows_plain_http: query.external_data_plain_http,
    }
}
