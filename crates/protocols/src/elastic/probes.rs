//! What clients of Elasticsearch ask before they send: who is there, in which version, with which licence, and whether
//! templates and indices can be set up. The answers have no facts beyond the version that the settings name.

use super::PRODUCT;
use crate::answer::Answer;
use crate::json_text::JsonText;

/// Managed by others there, and by nobody here: asked for and written, with the same empty answer.
const EMPTY: [&str; 9] = [
    "_ilm",
    "_index_template",
    // The same before 7.8, which Beats and Logstash 7 still set up.
    "_template",
    "_alias",
    "_data_stream",
    "_ingest",
    "_nodes",
    "_logstash",
    "_component_template",
];

/// The answer to a question of a client; nothing if the path is none of these. `path` is that behind the root of the
/// interface, and `version` what the service says to be.
pub fn probe(method: &str, path: &str, version: &str) -> Option<Answer> {
    let path = path.trim_matches('/');
    let reads = matches!(method, "GET" | "HEAD");
    let first = path.split('/').next().unwrap_or_default();
    let body = match path {
        "" if reads => root(version),
        "_license" | "_xpack/license" if reads => {
            r#"{"license":{"uid":"tidegauge","type":"basic","status":"active","expiry_date_in_millis":4102444800000}}"#
                .to_owned()
        }
        "_xpack" if reads => r#"{"features":{}}"#.to_owned(),
        "_cluster/health" if reads => r#"{"cluster_name":"tidegauge","status":"green"}"#.to_owned(),
        _ if EMPTY.contains(&first) && matches!(method, "GET" | "HEAD" | "PUT" | "POST") => "{}".to_owned(),
        // A client that is done asks for what it wrote to be readable, which it is.
        _ if is_refresh(path) && matches!(method, "GET" | "POST") => "{}".to_owned(),
        _ if is_first_index(path) && method == "PUT" => "{}".to_owned(),
        _ => return None,
    };
    Some(Answer::json(200, body).header(PRODUCT.0, PRODUCT.1))
}

fn is_refresh(path: &str) -> bool {
    path == "_refresh" || path.split_once('/').is_some_and(|(_, rest)| rest == "_refresh")
}

/// Whether a path is what indices begin with that take turns under one alias, as Beats and Logstash 7 make the first one:
/// `<logs-{now/d}-000001>`.
fn is_first_index(path: &str) -> bool {
    let starts = ["<", "%3C", "%3c"].iter().any(|bracket| path.starts_with(bracket));
    starts && !path.contains('/')
}

fn root(version: &str) -> String {
    let mut text = JsonText::default();
    text.open('{');
    for (name, value) in [("name", "tidegauge"), ("cluster_name", "tidegauge"), ("cluster_uuid", "tidegauge")]
    {
        text.name(name);
        text.string(value);
    }
    text.name("version");
    text.open('{');
    text.name("number");
    text.string(version);
    text.name("build_flavor");
    text.string("default");
    text.close('}');
    text.name("tagline");
    text.string("You Know, for Search");
    text.close('}');
    text.as_str().to_owned()
}
