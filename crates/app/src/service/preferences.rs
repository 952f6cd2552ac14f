//! Matters of taste that follow a person from browser to browser, as a document that only the interface understands.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use tidegauge_model::{Rule, Violation};

use super::{Caller, Result};
use crate::app::App;

/// Largest document, in bytes of JSON.
pub const BYTES_MAX: usize = 64 * 1024;

/// The caller's document as JSON text; an empty one where none was kept.
pub async fn get(app: &App, caller: &Caller) -> Result<String> {
    Ok(app.catalog.find_preferences(&caller.user).await?.unwrap_or_else(|| "{}".to_owned()))
}

/// Keeps a document in the place of the one before, and gives its text.
pub async fn set(app: &App, caller: &Caller, document: &BTreeMap<String, Box<RawValue>>) -> Result<String> {
    // Texts of JSON by name always have a JSON form.
    let text = serde_json::to_string(document).unwrap_or_default();
    check(&text)?;
    app.catalog.set_preferences(&caller.user, &text, caller.now).await?;
    Ok(text)
}

fn check(text: &str) -> std::result::Result<(), Violation> {
    if text.len() > BYTES_MAX {
        let problem = format!("should be at most {BYTES_MAX} bytes of JSON");
        return Err(Violation::new("body", Rule::TooLong, problem));
    }
    // PostgreSQL keeps no text with this character, not even escaped in what is read as JSON later.
    if text.contains('\0') || text.contains("\\u0000") {
        return Err(Violation::new("body", Rule::Pattern, "must not contain the NUL character"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_has_a_limit() {
        assert!(check(&"x".repeat(BYTES_MAX)).is_ok());
        let refused = check(&"x".repeat(BYTES_MAX + 1)).unwrap_err();
        assert_eq!(refused.to_string(), "body in body should be at most 65536 bytes of JSON");
        assert!(check(r#"{"a":"\u0000"}"#).is_err());
    }
}
