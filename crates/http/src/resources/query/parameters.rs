//! What a request with a query says in its address.

use std::time::Duration;

use axum::http::HeaderMap;
use serde::Deserialize;
use tidegauge_app::service::query::history::SaveAs;
use tidegauge_app::service::query::{RunOptions, WAIT_AUTO, WAIT_MAX};
use tidegauge_model::{Rule, Violation, duration};
use utoipa::IntoParams;

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
    /// `analytics` or `stream` keeps the query in the history; the answer has its id in `X-Axiom-History-Query-Id`.
    pub save_as_kind: Option<String>,
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
    TabularRows,
    Csv,
    Ndjson,
    Arrow,
}

impl Format {
    /// Whether an answer says by itself what should be known of it. The others have rows alone.
    pub fn has_status(self) -> bool {
        matches!(self, Self::Legacy | Self::Tabular | Self::TabularRows)
    }

    /// The media type of answers in this format.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Legacy | Self::Tabular | Self::TabularRows => "application/json",
            Self::Csv => "text/csv",
            Self::Ndjson => "application/x-ndjson",
            Self::Arrow => "application/vnd.apache.arrow.stream",
        }
    }
}

/// The parameters, understood.
#[derive(Debug, PartialEq, Eq)]
pub struct Asked {
    pub format: Format,
    pub save_as: Option<SaveAs>,
    pub run_options: RunOptions,
}

impl QueryParameters {
    pub fn read(&self, headers: &HeaderMap) -> Result<Asked, Violation> {
        let run_options = run_options(
            self.nocache.as_deref(),
            self.streaming_duration.as_deref(),
            self.explain.as_deref(),
            headers,
        )?;
        Ok(Asked { format: self.format()?, save_as: self.save_as()?, run_options })
    }

    fn format(&self) -> Result<Format, Violation> {
        match self.format.as_deref() {
            None | Some("" | "legacy") => Ok(Format::Legacy),
            Some("tabular") => Ok(Format::Tabular),
            Some(_) => Err(Violation::one_of("format", &FORMATS).in_query()),
        }
    }

    fn save_as(&self) -> Result<Option<SaveAs>, Violation> {
        match self.save_as_kind.as_deref() {
            None | Some("") => Ok(None),
            Some("analytics" | "true" | "True") => Ok(Some(SaveAs::Analytics)),
            Some("stream") => Ok(Some(SaveAs::Stream)),
            Some(_) => {
                let allowed = [SaveAs::Analytics, SaveAs::Stream].map(SaveAs::name);
                Err(Violation::one_of("saveAsKind", &allowed).in_query())
            }
        }
    }
}

/// How a query is to be run, by its parameters and by the header that asks for an explanation.
pub(super) fn run_options(
    nocache: Option<&str>,
    streaming_duration: Option<&str>,
    explain: Option<&str>,
    headers: &HeaderMap,
) -> Result<RunOptions, Violation> {
    let header = headers.get(EXPLAIN).map(|value| value.to_str().unwrap_or("unreadable"));
    Ok(RunOptions {
        bypasses_cache: flag("nocache", nocache)?,
        wait: wait(streaming_duration)?,
        is_explained: flag("explain", explain)? || flag(EXPLAIN, header)?,
    })
}

fn wait(text: Option<&str>) -> Result<Option<Duration>, Violation> {
    match text {
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

/// A truth value as the languages of clients write it.
pub(super) fn flag(name: &str, text: Option<&str>) -> Result<bool, Violation> {
    match text {
        None | Some("" | "false" | "False" | "0") => Ok(false),
        Some("true" | "True" | "1") => Ok(true),
        Some(_) => Err(Violation::new(name, Rule::Type, "must be true or false").in_query()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(query: &str) -> Result<Asked, String> {
        let uri = format!("/?{query}").parse().unwrap();
        let parameters = axum::extract::Query::<QueryParameters>::try_from_uri(&uri).unwrap().0;
        parameters.read(&HeaderMap::new()).map_err(|violation| violation.to_string())
    }

    #[test]
    fn parameters_are_read_as_clients_send_them() {
        let nothing = asked("other=1&format=&nocache=&saveAsKind=&streaming-duration=&explain=").unwrap();
        assert_eq!(nothing, asked("").unwrap());
        assert_eq!(nothing.format, Format::Legacy);
        let all =
            asked("format=tabular&nocache=True&saveAsKind=true&streaming-duration=60s&explain=1").unwrap();
        let wait = Some(Duration::from_secs(60));
        let save_as = Some(SaveAs::Analytics);
        assert_eq!(
            all,
            Asked {
                format: Format::Tabular,
                save_as,
                run_options: RunOptions { bypasses_cache: true, wait, is_explained: true }
            }
        );
        assert_eq!(asked("streaming-duration=auto").unwrap().run_options.wait, Some(WAIT_AUTO));
        assert_eq!(asked("streaming-duration=1h").unwrap().run_options.wait, Some(WAIT_MAX));
        assert_eq!(asked("saveAsKind=stream").unwrap().save_as, Some(SaveAs::Stream));
    }

    #[test]
    fn a_wrong_value_is_named() {
        for (query, problem) in [
            ("format=csv", "format in query must be one of [legacy tabular]"),
            ("nocache=yes", "nocache in query must be true or false"),
            ("explain=2", "explain in query must be true or false"),
            ("saveAsKind=apl", "saveAsKind in query must be one of [analytics stream]"),
            (
                "streaming-duration=soon",
                "streaming-duration in query must be a duration such as 5s or 1m30s, or auto",
            ),
        ] {
            assert_eq!(asked(query).unwrap_err(), problem);
        }
    }
}
