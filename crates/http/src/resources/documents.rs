//! Stored JSON documents on their way out: the text goes into the answer as it is, without being read again.

use serde_json::value::RawValue;
use tidegauge_model::ErrorKind;
use tidegauge_web::error::ApiError;

pub fn raw(text: String) -> Result<Box<RawValue>, ApiError> {
    RawValue::from_string(text).map_err(|error| {
        tracing::error!(%error, "a stored document is not JSON");
        ApiError::new(ErrorKind::Corrupt, "the request could not be completed")
    })
}
