//! What people are told when a command fails: the message with its causes, and with `--verbose` all that is known.

use crate::client::words;

/// The text for standard error.
pub fn text(error: &anyhow::Error, is_verbose: bool) -> String {
    if is_verbose { format!("error: {error:?}") } else { format!("error: {}", words::plain(error)) }
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn causes_are_part_of_the_message_and_nothing_else_is() {
        let error = anyhow!("it is a folder").context("reading x");
        assert_eq!(text(&error, false), "error: reading x: it is a folder");
        assert!(text(&error, true).contains("Caused by"), "{}", text(&error, true));
    }
}
