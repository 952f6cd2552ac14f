//! What became of the events of a request, as it is answered and as it is kept with a key.

use serde::{Deserialize, Serialize};
use tidegauge_ingest::{Limits, Replaced};

/// What became of a request with events. Also the form in which the answer to a key is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ingested {
    pub ingested: u64,
    pub failed: u64,
    pub failures: Vec<IngestFailure>,
    pub processed_bytes: u64,
    /// What is to be known of the events that were stored; one for each kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<IngestMessage>,
}

/// An event that was not stored, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IngestFailure {
    pub timestamp: String,
    pub error: String,
}

/// Something to know of events that were stored: how often, and what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IngestMessage {
    pub code: String,
    pub count: u64,
    pub msg: String,
}

/// What is told of values that are stored as something else than was sent.
pub(super) fn messages(replaced: Replaced) -> Vec<IngestMessage> {
    let Limits { string_bytes_max, depth_max, .. } = Limits::default();
    let told = [
        (
            "string_too_long",
            replaced.too_long,
            format!(
                "strings of more than {string_bytes_max} bytes: \"<invalid string: too long>\" is stored instead"
            ),
        ),
        (
            "invalid_data",
            replaced.not_text,
            "strings that are not valid UTF-8: \"<invalid data>\" is stored instead".to_owned(),
        ),
        (
            "nested_too_deep",
            replaced.too_deep,
            format!("values nested deeper than {depth_max} levels: null is stored instead"),
        ),
        (
            "infinite_number",
            replaced.infinite,
            "numbers beyond the range of a float: null is stored instead".to_owned(),
        ),
    ];
    let told = told.into_iter().filter(|(_, count, _)| *count > 0);
    told.map(|(code, count, msg)| IngestMessage { code: code.to_owned(), count, msg }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_was_kept_without_messages_is_read() {
        let kept = r#"{"ingested":1,"failed":0,"failures":[],"processedBytes":9}"#;
        let read: Ingested = serde_json::from_str(kept).unwrap();
        assert_eq!(read.messages, []);
        assert_eq!(serde_json::to_string(&read).unwrap(), kept);
        let messages = messages(Replaced { too_long: 2, ..Replaced::default() });
        let told = Ingested { messages, ..read };
        let text = serde_json::to_string(&told).unwrap();
        assert!(text.contains(r#""code":"string_too_long","count":2"#), "{text}");
        assert_eq!(serde_json::from_str::<Ingested>(&text).unwrap(), told);
    }
}
