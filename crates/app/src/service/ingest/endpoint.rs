//! What an endpoint decides about the events that come in by it: which dataset they go to, whatever their sender names,
//! and the labels that they get. And what became of them is counted for it.

use serde_json::{Map, Value};
use tidegauge_model::ErrorKind;

use super::ingested::Ingested;
use crate::app::App;
use crate::service::{Caller, Error, Result};

/// Puts what the endpoint of a request says in the place of what its sender says.
pub(super) fn settle(caller: &Caller, dataset: &mut String, labels: &mut Option<String>) -> Result<()> {
    let Some(endpoint) = &caller.endpoint else { return Ok(()) };
    dataset.clone_from(&endpoint.dataset);
    *labels = merged(&endpoint.labels, labels.take())?;
    Ok(())
}

/// The labels of a request: those of its sender, and over them those of the endpoint. None if there are none.
fn merged(own: &str, sent: Option<String>) -> Result<Option<String>> {
    let is_empty = own == "{}";
    let Some(sent) = sent else { return Ok((!is_empty).then(|| own.to_owned())) };
    if is_empty {
        return Ok(Some(sent));
    }
    let mut all: Map<String, Value> = serde_json::from_str(&sent).map_err(|error| {
        Error::new(ErrorKind::Malformed, format!("the event labels cannot be read: {error}"))
            .hint("send a JSON object such as {\"region\":\"eu\"} in the header")
    })?;
    let own: Map<String, Value> = serde_json::from_str(own).map_err(|_| {
        Error::new(ErrorKind::Corrupt, "the labels of the endpoint cannot be read").hint("set them again")
    })?;
    all.extend(own);
    Ok(Some(Value::Object(all).to_string()))
}

/// Counts what was stored, and what failed.
pub(super) fn note(app: &App, caller: &Caller, ingested: &Ingested) {
    let Some(endpoint) = &caller.endpoint else { return };
    if ingested.ingested > 0 {
        let (events, bytes) = (ingested.ingested, ingested.processed_bytes);
        app.endpoint_uses.stored(endpoint.as_it_stands(), events, bytes, caller.now);
    }
    if ingested.failed > 0 {
        let reason = ingested.failures.first().map_or("events failed", |failure| &failure.error);
        app.endpoint_uses.failed(endpoint.as_it_stands(), ingested.failed, reason, caller.now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_the_endpoint_count_more_than_those_of_the_sender() {
        let sent = |text: &str| Some(text.to_owned());
        assert_eq!(merged("{}", None).unwrap(), None);
        assert_eq!(merged("{}", sent("no object")).unwrap(), sent("no object"), "told by who reads it");
        assert_eq!(merged(r#"{"a":1}"#, None).unwrap(), sent(r#"{"a":1}"#));
        let both = merged(r#"{"a":1,"b":2}"#, sent(r#"{"a":"x","c":3}"#)).unwrap();
        assert_eq!(both, sent(r#"{"a":1,"c":3,"b":2}"#));
        assert!(merged(r#"{"a":1}"#, sent("[")).is_err());
    }
}
