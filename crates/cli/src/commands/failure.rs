//! What people are told when a command fails: the message with its causes, and with `--verbose` all that is known; and
//! what programs are told by the exit code.

use std::process::ExitCode;

use crate::client::messages;

/// The exit code for wrong arguments, as it is when they are refused before the command runs.
const WRONG_ARGUMENTS: u8 = 2;

/// The command cannot do what it was asked for, whatever the state of the world: it has to be written otherwise.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct WrongArguments(String);

/// The error of arguments that only the command itself sees to be wrong.
pub fn wrong_arguments(error: impl Into<anyhow::Error>) -> anyhow::Error {
    WrongArguments(messages::plain(&error.into())).into()
}

/// How the process ends.
pub fn code(error: &anyhow::Error) -> ExitCode {
    match error.is::<WrongArguments>() {
        true => ExitCode::from(WRONG_ARGUMENTS),
        false => ExitCode::FAILURE,
    }
}

/// The text for standard error.
pub fn text(error: &anyhow::Error, is_verbose: bool) -> String {
    if is_verbose { format!("error: {error:?}") } else { format!("error: {}", messages::plain(error)) }
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
