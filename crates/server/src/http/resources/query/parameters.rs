//! What a request with a query says in its address.

use std::time::Duration;

use axum::http::HeaderMap;
use serde::Deserialize;
use tidegauge_model::{Rule, Violation, duration};
use utoipa::IntoParams;

use crate::service::query::{WAIT_AUTO, WAIT_MAX};

const EXPLAIN: &str = "x-tidegauge-explain";

const FORMATS: [&str; 2] = ["legacy", "tabular"];

/// How to run the query, and how to show its answer. Unknown parameters are ignored, empty ones count as absent.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub struct QueryParameters {
    /// `legacy`, which is the default, or `tabular`.
    pub format: Option<String>,
    /// `true` reads everything anew and keeps nothing for others.
    pub nocache: Option<String>,
    /// Where there is no event yet, waits so long for one: a duration such as `5s`, at most 5 minutes, or `auto` for
    /// 30 seconds. Only without aggregations.
    #[serde(rename = "streaming-duration")]
    #[param(rename = "streaming-duration")]
    pub streaming_duration: Option<String>,
    /// `true` adds to the answer what was planned and done.
    pub explain: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Legacy,
    Tabular,
}

/// The parameters, understood.
#[derive(Debug, PartialEq, Eq)]
pub struct Asked {
    pub format: Format,
    pub bypasses_cache: bool,
    pub wait: Option<Duration>,
    pub is_explained: bool,
}

impl QueryParameters {
    pub fn read(&self, headers: &HeaderMap) -> Result<Asked, Violation> {
        let explain = headers.get(EXPLAIN).map(|value| value.to_str().unwrap_or("unreadable"));
        Ok(Asked {
            format: self.format()?,
            bypasses_cache: flag("nocache", self.nocache.as_deref())?,
            wait: self.wait()?,
            is_explained: flag("explain", self.explain.as_deref())? || flag(EXPLAIN, explain)?,
        })
    }

    fn format(&self) -> Result<Format, Violation> {
        match self.format.as_deref() {
            None | Some("" | "legacy") => Ok(Format::Legacy),
            Some("tabular") => Ok(Format::Tabular),
            Some(_) => Err(Violation::one_of("format", &FORMATS).in_query()),
        }
    }

    fn wait(&self) -> Result<Option<Duration>, Violation> {
        match self.streaming_duration.as_deref() {
            None | Some("") => Ok(None),
            Some("auto") => Ok(Some(WAIT_AUTO)),
            Some(text) => match duration::parse(text) {
                Some(wait) => Ok(Some(wait.min(WAIT_MAX))),
                None => {
                    let problem = "must be a duration such as 5s or 1m30s, or auto";
                    Err(Violation::new("streaming-duration", Rule::Pattern, problem).in_query())
                }
            },
        }
    }
}

/// A truth value as the languages of clients write it.
fn flag(name: &str, text: Option<&str>) -> Result<bool, Violation> {
    match text {
        None | Some("" | "false" | "False" | "0") => Ok(false),
        Some("true" | "True" | "1") => Ok(true),
        Some(_) => Err(Violation::new(name, Rule::Type, "must be true or false").in_query()),
    }
}
