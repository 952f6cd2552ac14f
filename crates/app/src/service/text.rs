//! Checks of the short texts that callers give: names, descriptions, addresses.

use tidegauge_model::dataset::NAME_BYTES_MAX;
use tidegauge_model::shown::is_hidden_sign;
use tidegauge_model::{DatasetName, Rule, Violation};

/// Longest name of anything, in characters.
pub const NAME_MAX: usize = 256;

/// Longest description, in characters.
pub const DESCRIPTION_MAX: usize = 4_096;

/// A name: not empty, not too long.
pub fn check_name(field: &str, text: &str) -> Result<(), Violation> {
    check_filled(field, text, NAME_MAX)
}

/// The name of a person, an organisation or a client, which others see and decide by: a name without signs that cannot
/// be seen but change how the text around them is shown.
pub fn check_shown_name(field: &str, text: &str) -> Result<(), Violation> {
    check_name(field, text)?;
    if text.chars().any(is_hidden_sign) {
        let problem = "must not contain control characters, line breaks or marks of writing direction";
        return Err(Violation::new(field, Rule::Pattern, problem));
    }
    Ok(())
}

/// A text that says something: not empty, not too long.
pub fn check_filled(field: &str, text: &str, max: usize) -> Result<(), Violation> {
    if text.trim().is_empty() {
        return Err(Violation::new(field, Rule::TooShort, "should be at least 1 chars long"));
    }
    check_text(field, text, max)
}

/// The name of a dataset: letters, digits, `_`, `.` and `-`, beginning with a letter or digit.
pub fn check_dataset_name(field: &str, text: &str) -> Result<(), Violation> {
    if DatasetName::parse(text).is_some() {
        return Ok(());
    }
    let problem = format!(
        "must be a dataset's name: up to {NAME_BYTES_MAX} letters, digits and _ . -, beginning with a letter or digit"
    );
    Err(Violation::new(field, Rule::Pattern, problem))
}

/// Any text up to a length. The NUL character is refused, because not every database can keep it.
pub fn check_text(field: &str, text: &str, max: usize) -> Result<(), Violation> {
    if text.chars().count() > max {
        return Err(Violation::new(field, Rule::TooLong, format!("should be at most {max} chars long")));
    }
    if text.contains('\0') {
        return Err(Violation::new(field, Rule::Pattern, "must not contain the NUL character"));
    }
    Ok(())
}
