//! What a request with a query in text says in its address.

use axum::http::{HeaderMap, header};
use serde::Deserialize;
use tidegauge_app::service::query::RunOptions;
use tidegauge_app::service::query::history::SaveAs;
use tidegauge_model::Violation;
use utoipa::IntoParams;

use crate::resources::query::parameters::{Format, flag, run_options};

/// The formats by their names.
const FORMATS: [(&str, Format); 6] = [
    ("legacy", Format::Legacy),
    ("tabular", Format::Tabular),
    ("tabular-rows", Format::TabularRows),
    ("csv", Format::Csv),
    ("ndjson", Format::Ndjson),
    ("arrow", Format::Arrow),
];

/// How to run the query, and how to show its answer. Unknown parameters are ignored, empty ones count as absent.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub struct AplParameters {
    /// `legacy`, `tabular`, `tabular-rows`, `csv`, `ndjson` or `arrow`.
    #[param(required = true)]
    pub format: Option<String>,
    /// `true` reads everything anew and keeps nothing for others.
    pub nocache: Option<String>,
    /// `apl` keeps the query in the history; the answer has its id in `X-Axiom-History-Query-Id`.
    pub save_as_kind: Option<String>,
    /// Where there is no row yet, waits so long for one: a duration such as `5s`, at most 5 minutes, or `auto` for 30
    /// seconds. Only with one dataset.
    #[serde(rename = "streaming-duration")]
    #[param(rename = "streaming-duration")]
    pub streaming_duration: Option<String>,
    /// A row id: the answer begins after that event. The one in the body goes before.
    pub cursor: Option<String>,
    /// `true` adds to the answer what was planned and done.
    pub explain: Option<String>,
    /// `true` has server-sent events `partial` come before `result` where that takes its time: answers over the newest
    /// part of the range, each in place of the one before.
    pub partial: Option<String>,
}

/// The parameters, understood.
#[derive(Debug, PartialEq, Eq)]
pub struct AplAsked {
    pub format: Format,
    pub save_as: Option<SaveAs>,
    pub cursor: Option<String>,
    pub run_options: RunOptions,
    pub shows_parts: bool,
}

impl AplParameters {
    /// Reads the parameters. A format that was accepted otherwise counts where none is named.
    pub fn read(&self, headers: &HeaderMap, accepted: Option<Format>) -> Result<AplAsked, Violation> {
        let run_options = run_options(
            self.nocache.as_deref(),
            self.streaming_duration.as_deref(),
            self.explain.as_deref(),
            headers,
        )?;
        let cursor = self.cursor.clone().filter(|cursor| !cursor.is_empty());
        let shows_parts = flag("partial", self.partial.as_deref())?;
        Ok(AplAsked {
            format: self.format(accepted)?,
            save_as: self.save_as()?,
            cursor,
            run_options,
            shows_parts,
        })
    }

    fn format(&self, accepted: Option<Format>) -> Result<Format, Violation> {
        match self.format.as_deref().filter(|name| !name.is_empty()) {
            None => accepted.ok_or_else(|| Violation::required("format").in_query()),
            Some(name) => {
                let known = FORMATS.iter().find(|(known, _)| *known == name);
                let names = FORMATS.map(|(name, _)| name);
                Ok(known.ok_or_else(|| Violation::one_of("format", &names).in_query())?.1)
            }
        }
    }

    fn save_as(&self) -> Result<Option<SaveAs>, Violation> {
        match self.save_as_kind.as_deref() {
            None | Some("" | "false" | "False") => Ok(None),
            // Clients that have one method for both kinds of query send the words of the other.
            Some("apl" | "true" | "True" | "analytics" | "stream") => Ok(Some(SaveAs::Apl)),
            Some(_) => Err(Violation::one_of("saveAsKind", &[SaveAs::Apl.name()]).in_query()),
        }
    }
}

/// The format that the header `Accept` asks for, if it asks for one that is not JSON.
pub fn accepted(headers: &HeaderMap) -> Option<Format> {
    let formats = [Format::Csv, Format::Ndjson, Format::Arrow];
    media_types(headers).find_map(|media| {
        formats.iter().find(|format| format.media_type().eq_ignore_ascii_case(media)).copied()
    })
}

/// Whether the header `Accept` names a media type.
pub fn accepts(headers: &HeaderMap, wanted: &str) -> bool {
    media_types(headers).any(|media| media.eq_ignore_ascii_case(wanted))
}

fn media_types(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let text = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    text.split(',').map(|part| part.split(';').next().unwrap_or_default().trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(query: &str, accept: Option<&'static str>) -> Result<AplAsked, String> {
        let uri = format!("/?{query}").parse().unwrap();
        let parameters = axum::extract::Query::<AplParameters>::try_from_uri(&uri).unwrap().0;
        let headers: HeaderMap =
            accept.map(|text| (header::ACCEPT, text.parse().unwrap())).into_iter().collect();
        parameters.read(&headers, accepted(&headers)).map_err(|violation| violation.to_string())
    }

    #[test]
    fn a_format_is_named_or_accepted() {
        assert_eq!(asked("format=tabular", None).unwrap().format, Format::Tabular);
        assert_eq!(asked("format=legacy", Some("text/csv")).unwrap().format, Format::Legacy);
        assert_eq!(asked("", Some("text/html, text/csv;q=0.5")).unwrap().format, Format::Csv);
        for accept in [None, Some("*/*"), Some("application/json")] {
            assert_eq!(asked("format=", accept).unwrap_err(), "format in query is required");
        }
        let problem = "format in query must be one of [legacy tabular tabular-rows csv ndjson arrow]";
        assert_eq!(asked("format=xml", None).unwrap_err(), problem);
    }

    #[test]
    fn the_words_of_clients_keep_a_query() {
        let save_as = |word: &str| asked(&format!("format=tabular&saveAsKind={word}"), None);
        for word in ["apl", "true", "True", "analytics"] {
            assert_eq!(save_as(word).unwrap().save_as, Some(SaveAs::Apl), "{word}");
        }
        assert_eq!(save_as("").unwrap().save_as, None);
        assert_eq!(save_as("x").unwrap_err(), "saveAsKind in query must be one of [apl]");
    }
}
